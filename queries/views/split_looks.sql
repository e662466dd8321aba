-- view: what the registry of each split-brain binding had last shown at its admission
-- grain: one row for each split-brain binding whose registry had shown anything by then
-- model: §6 Cause: registry_lag
WITH counted AS (
  SELECT
    agent, registry, id,
    sum(is_look) OVER (
      PARTITION BY agent, registry ORDER BY at, rank ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS n
  FROM look_points
)
SELECT c.id, s.t AS looked_at, s.card AS looked_card
FROM counted AS c
JOIN numbered_observations AS s ON s.agent = c.agent AND s.registry = c.registry AND s.n = c.n
WHERE c.id IS NOT NULL
