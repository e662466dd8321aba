-- view: publishes and fetches in a fixed order at equal times
-- grain: one row for each publish, fetch, and GET that may be a fetch
-- model: §1 Order; `id` ascends by time, then in that order, publishes first
SELECT
  CAST(row_number() OVER (
    ORDER BY f.time, f.kind <> 'publish', f.registry NULLS LAST, f.client NULLS LAST, f.card NULLS LAST,
      f.source_file, f.source_line, f.source_byte
  ) AS BIGINT) AS id,
  CAST(f.time AS BIGINT) AS t,
  CAST(f.sent_at AS BIGINT) AS sent,
  f.kind,
  f.kind = 'publish' AS is_publish,
  f.status IN (200, 304) AND f.error IS NULL AND NOT f.from_cache AND f.kind <> 'publish' AS ok,
  f.client,
  coalesce(f.client, '') AS client_key,
  coalesce(f.agent, f.card_agent, c.agent) AS known_agent,
  f.registry,
  f.url,
  f.url_origin,
  f.well_known,
  f.status,
  f.etag,
  f.etag_weak,
  f.age_s * 1000000000 AS age,
  f.card,
  c.is_card,
  c.contract,
  f.authority,
  f.from_cache,
  f.extended,
  f.variant,
  f.source_file
FROM card_fetches AS f
LEFT JOIN card_contents AS c ON c.card = f.card
