-- view: the sights of mirrors by when they were asked for, and what bounds the old ones
-- grain: one row for each sight of a mirror, and for each bound: 1 the sights of the old contract end
--   here, 2 those that are stale begin here
-- model: §4
SELECT
  mirror, 0 AS bound, CAST(NULL AS BIGINT) AS k, sent AS at,
  at AS t, cell, contract, first_k
FROM lag_cells
WHERE bound = 0
UNION ALL
SELECT mirror, 1, k, coalesce(caught_up_at, next_at), NULL, NULL, NULL, NULL
FROM lag_catches
WHERE caught_up_at IS NOT NULL OR next_at IS NOT NULL
UNION ALL
SELECT mirror, 2, k, caught_up_at + 1, NULL, NULL, NULL, NULL
FROM lag_catches
WHERE caught_up_at IS NOT NULL
