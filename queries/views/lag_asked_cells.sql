-- view: the sights of mirrors by when they were asked for, each with how many bounds came before
-- grain: one row for each row of `lag_asked_points`
-- model: §4; a sight was asked for at or after a bound when its `asked_cell` is not less than the bound's
SELECT
  mirror, bound, k, at, t, cell, contract, first_k,
  sum(CASE WHEN bound = 0 THEN 0 ELSE 1 END) OVER (
    PARTITION BY mirror ORDER BY at, bound = 0, k, bound ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS asked_cell
FROM lag_asked_points
