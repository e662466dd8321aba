-- view: what each registry was seen to serve
-- grain: one row for each publish and successful fetch that shows a card
-- model: §2, §3; where a server answers by the A2A-Version asked for, those of the version most asked for
WITH shown AS (
  SELECT *
  FROM fetches
  WHERE (is_publish OR ok) AND contract IS NOT NULL AND NOT extended AND NOT from_cache
),
variants AS (
  SELECT
    agent,
    variant,
    CAST(row_number() OVER (PARTITION BY agent ORDER BY count(*) DESC, variant DESC) AS BIGINT) AS place
  FROM shown
  WHERE variant IS NOT NULL
  GROUP BY agent, variant
)
SELECT
  s.id, s.agent, s.registry, s.t, s.sent, s.age, s.is_publish, s.card, s.contract
FROM shown AS s
LEFT JOIN variants AS v ON v.agent = s.agent AND v.place = 1
WHERE s.variant IS NULL OR s.variant = v.variant
