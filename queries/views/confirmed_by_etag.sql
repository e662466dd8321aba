-- view: what each 304 with an ETag confirms
-- grain: one row for each 304 with an ETag that an earlier 200 or publish of its registry has
-- model: §2: the latest earlier one, compared weakly
WITH asked AS (
  SELECT id, agent, registry, etag_weak
  FROM named_fetches
  WHERE status = 304 AND NOT is_publish AND card IS NULL AND etag_weak IS NOT NULL
),
given AS (
  SELECT agent, registry, etag_weak, id, card
  FROM named_fetches
  WHERE gives_by_etag AND etag_weak IS NOT NULL
),
-- Mostly one ETag stands for one card: then which of the answers before it was the last is all one.
tags AS (
  SELECT
    agent, registry, etag_weak,
    min(id) AS first_id,
    min(card) AS card,
    count(DISTINCT coalesce(card, '')) = 1 AS is_plain
  FROM given
  GROUP BY agent, registry, etag_weak
),
points AS (
  SELECT a.agent, a.registry, a.etag_weak, a.id, CAST(NULL AS VARCHAR) AS card, 0 AS gives
  FROM tags AS t
  JOIN asked AS a ON a.agent = t.agent AND a.registry = t.registry AND a.etag_weak = t.etag_weak
  WHERE NOT t.is_plain
  UNION ALL
  SELECT g.agent, g.registry, g.etag_weak, g.id, g.card, 1
  FROM tags AS t
  JOIN given AS g ON g.agent = t.agent AND g.registry = t.registry AND g.etag_weak = t.etag_weak
  WHERE NOT t.is_plain
),
counted AS (
  SELECT
    *,
    sum(gives) OVER (
      PARTITION BY agent, registry, etag_weak ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS n
  FROM points
)
SELECT a.id, t.card
FROM tags AS t
JOIN asked AS a ON a.agent = t.agent AND a.registry = t.registry AND a.etag_weak = t.etag_weak
WHERE t.is_plain AND t.first_id < a.id
UNION ALL
SELECT c.id, g.card
FROM counted AS c
JOIN counted AS g
  ON g.agent = c.agent AND g.registry = c.registry AND g.etag_weak = c.etag_weak AND g.n = c.n AND g.gives = 1
WHERE c.gives = 0
