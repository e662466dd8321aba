-- view: publishes and fetches with their agent and, of a 304, the card that it confirms
-- grain: one row for each publish and fetch
-- model: §1 Identity, §2: a 304 resolves by its ETag, weakly, or to its client's own latest 200
WITH card_urls AS (
  SELECT DISTINCT url FROM fetch_rows WHERE is_card
),
named AS (
  SELECT
    r.*,
    coalesce(r.known_agent, a.agent) AS agent,
    r.is_publish OR (r.ok AND r.status = 200) AS gives_by_etag,
    r.ok AND r.status = 200 AS gives_own
  FROM fetch_rows AS r
  LEFT JOIN fetch_agents AS a ON a.id = r.id
  LEFT JOIN card_urls AS u ON u.url = r.url
  WHERE r.kind <> 'get' OR u.url IS NOT NULL
),
counted AS (
  SELECT
    *,
    sum(CASE WHEN gives_by_etag THEN 1 ELSE 0 END) OVER (
      PARTITION BY agent, registry, etag_weak ORDER BY t, id
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS by_etag,
    sum(CASE WHEN gives_own THEN 1 ELSE 0 END) OVER (
      PARTITION BY agent, registry, client_key ORDER BY t, id
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS by_own
  FROM named
  WHERE agent IS NOT NULL
),
resolved AS (
  SELECT
    *,
    max(CASE WHEN gives_by_etag THEN card END) OVER (
      PARTITION BY agent, registry, etag_weak, by_etag
    ) AS etag_card,
    max(CASE WHEN gives_own THEN card END) OVER (
      PARTITION BY agent, registry, client_key, by_own
    ) AS own_card,
    max(CASE WHEN gives_own THEN etag END) OVER (
      PARTITION BY agent, registry, client_key, by_own
    ) AS own_etag
  FROM counted
),
shown AS (
  SELECT
    *,
    CASE
      WHEN status = 304 AND NOT is_publish AND card IS NULL
        THEN CASE WHEN etag_weak IS NOT NULL THEN etag_card ELSE own_card END
      ELSE card
    END AS shown_card,
    CASE
      WHEN status = 304 AND NOT is_publish THEN coalesce(etag, own_etag)
      ELSE etag
    END AS shown_etag
  FROM resolved
)
SELECT
  s.id, s.t, s.sent, s.kind, s.is_publish, s.ok, s.client, s.client_key, s.agent, s.registry,
  s.url, s.url_origin, s.well_known, s.status, s.age, s.authority, s.from_cache, s.extended, s.variant,
  s.card AS recorded_card,
  s.shown_card AS card,
  s.shown_etag AS etag,
  c.is_card,
  CASE
    WHEN s.shown_card IS NULL THEN NULL
    WHEN c.card IS NULL THEN s.shown_card
    ELSE c.contract
  END AS contract
FROM shown AS s
LEFT JOIN card_contents AS c ON c.card = s.shown_card
