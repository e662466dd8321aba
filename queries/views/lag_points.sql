-- view: what mirrors were seen to serve, and the bounds of the rotations that they should have followed
-- grain: one row for each sight of a mirror, and for each bound: 1 `rotated_after`, 2 `next_at`
-- model: §4; a bound comes before the sights of its instant
WITH first_epochs AS (
  SELECT agent, contract, min(k) AS first_k FROM epochs GROUP BY agent, contract
),
mirrors AS (
  SELECT DISTINCT mirror, agent, registry FROM lag_pairs
)
SELECT m.mirror, 0 AS bound, CAST(NULL AS BIGINT) AS k, o.t AS at, o.id, o.sent, o.contract, f.first_k
FROM observations AS o
JOIN mirrors AS m ON m.agent = o.agent AND m.registry = o.registry
LEFT JOIN first_epochs AS f ON f.agent = o.agent AND f.contract = o.contract
UNION ALL
SELECT mirror, 1, k, rotated_after, 0, NULL, NULL, NULL FROM lag_pairs
UNION ALL
SELECT mirror, 2, k, next_at, 0, NULL, NULL, NULL FROM lag_pairs WHERE next_at IS NOT NULL
