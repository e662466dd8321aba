-- view: publishes and fetches with the card that they show: of a 304, the one that it confirms
-- grain: one row for each publish and fetch
-- model: §2
WITH shown AS (
  SELECT
    f.*,
    coalesce(f.card, e.card, o.card) AS shown_card,
    coalesce(f.etag, o.etag) AS shown_etag
  FROM named_fetches AS f
  LEFT JOIN confirmed_by_etag AS e ON e.id = f.id
  LEFT JOIN confirmed_by_client AS o ON o.id = f.id
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
