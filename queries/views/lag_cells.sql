-- view: the sights of mirrors and the bounds of rotations, each with how many of both came before
-- grain: one row for each row of `lag_points`
-- model: §4; a sight lies at or after a bound when its `cell` is not less than the bound's. `n` numbers
--   the sights of a mirror
SELECT
  mirror, bound, k, at, sent, contract, first_k,
  sum(CASE WHEN bound = 0 THEN 0 ELSE 1 END) OVER (
    PARTITION BY mirror ORDER BY at, id, bound, k ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS cell,
  sum(CASE WHEN bound = 0 THEN 1 ELSE 0 END) OVER (
    PARTITION BY mirror ORDER BY at, id, bound, k ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS n
FROM lag_points
