-- view: the split-brain bindings with the authority's epoch at their admission
-- grain: one row for each split-brain binding; `k` -1: no epoch yet
-- model: §6 Cause: E0
WITH counted AS (
  SELECT
    id,
    sum(begins) OVER (
      PARTITION BY agent ORDER BY at, rank ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) - 1 AS k
  FROM split_points
)
SELECT b.*, c.k
FROM split_bindings AS b
JOIN counted AS c ON c.id = b.id
