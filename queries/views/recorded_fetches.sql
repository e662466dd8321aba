-- view: the fetch or publish that a recorded card came from
-- grain: one row for each task whose card was recorded and seen before its admission
-- model: §5: the same client's latest fetch of it, else the latest fetch or publish of it by anyone
WITH own_counted AS (
  SELECT
    *,
    sum(is_fetch) OVER (
      PARTITION BY agent_key, client_key, card ORDER BY at, rank
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS n
  FROM recorded_own_points
),
own_shown AS (
  SELECT
    *,
    max(CASE WHEN is_fetch = 1 THEN registry END) OVER (PARTITION BY agent_key, client_key, card, n)
      AS from_registry,
    max(CASE WHEN is_fetch = 1 THEN etag END) OVER (PARTITION BY agent_key, client_key, card, n) AS from_etag
  FROM own_counted
),
any_counted AS (
  SELECT
    *,
    sum(is_fetch) OVER (
      PARTITION BY agent_key, card ORDER BY at, rank ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS n
  FROM recorded_any_points
),
any_shown AS (
  SELECT
    *,
    max(CASE WHEN is_fetch = 1 THEN registry END) OVER (PARTITION BY agent_key, card, n) AS from_registry,
    max(CASE WHEN is_fetch = 1 THEN etag END) OVER (PARTITION BY agent_key, card, n) AS from_etag
  FROM any_counted
)
SELECT
  a.task,
  CASE WHEN o.n > 0 THEN o.from_registry WHEN a.n > 0 THEN a.from_registry END AS registry,
  CASE WHEN o.n > 0 THEN o.from_etag WHEN a.n > 0 THEN a.from_etag END AS etag
FROM any_shown AS a
JOIN own_shown AS o ON o.task = a.task
WHERE a.is_fetch = 0 AND o.is_fetch = 0
