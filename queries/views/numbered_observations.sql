-- view: observations in order, numbered for each registry
-- grain: one row for each observation
-- model: §6
SELECT
  agent, registry, t, card,
  CAST(row_number() OVER (PARTITION BY agent, registry ORDER BY t, id) AS BIGINT) AS n
FROM observations
