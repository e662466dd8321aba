-- view: the rotation window in or after which each task was admitted
-- grain: one row for each task admitted through a registry after a rotation of its agent
-- model: §6
WITH counted AS (
  SELECT
    agent, at AS admitted_at, task, registry,
    sum(begins) OVER (
      PARTITION BY agent ORDER BY at, rank ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS k
  FROM window_points
)
SELECT
  c.agent, c.registry, c.k, c.task,
  w.status,
  w.ends_at IS NULL OR c.admitted_at < w.ends_at AS inside
FROM counted AS c
JOIN window_selection AS w ON w.agent = c.agent AND w.registry = c.registry AND w.k = c.k
WHERE c.task IS NOT NULL
