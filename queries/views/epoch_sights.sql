-- view: the observations of each authority with the epoch in force at their date
-- grain: one row for each observation of an authority
-- model: §3
SELECT
  s.id, s.agent, s.t, s.sent, s.age, s.dated, s.is_publish, s.has_publishes, s.contract,
  sum(CASE WHEN e.id IS NULL THEN 0 ELSE 1 END) OVER (
    PARTITION BY s.agent ORDER BY s.dated, s.id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) - 1 AS k
FROM authority_sights AS s
LEFT JOIN epochs AS e ON e.agent = s.agent AND e.id = s.id
