-- view: sights of an earlier epoch's contract at the authority itself
-- grain: one row for each agent and epoch with such a sight
-- model: §3 stale at the source: with publishes, what was asked for after the epoch began; else flaps
WITH first_epochs AS (
  SELECT agent, contract, min(k) AS first_k FROM epochs GROUP BY agent, contract
),
asked AS (
  SELECT
    agent, begins, contract,
    sum(begins) OVER (
      PARTITION BY agent ORDER BY at, rank ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) - 1 AS k
  FROM stale_points
),
stale AS (
  SELECT a.agent, a.k
  FROM asked AS a
  JOIN epochs AS e ON e.agent = a.agent AND e.k = a.k
  JOIN first_epochs AS f ON f.agent = a.agent AND f.contract = a.contract
  WHERE a.begins = 0 AND a.contract <> e.contract AND f.first_k < a.k
  UNION ALL
  SELECT s.agent, s.k
  FROM epoch_sights AS s
  JOIN epochs AS e ON e.agent = s.agent AND e.k = s.k
  WHERE NOT s.has_publishes AND s.contract <> e.contract
)
SELECT agent, k, count(*) AS sights FROM stale GROUP BY agent, k
