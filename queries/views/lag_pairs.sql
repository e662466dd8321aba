-- view: each rotation with each other registry that was asked for its agent
-- grain: one row for each rotation and registry; `mirror` numbers the registry's copy of the agent's card
-- model: §4
WITH asked AS (
  SELECT DISTINCT agent, registry FROM fetches WHERE NOT from_cache
),
mirrors AS (
  SELECT
    m.agent,
    m.registry,
    CAST(row_number() OVER (ORDER BY m.agent, m.registry) AS BIGINT) AS mirror
  FROM asked AS m
  LEFT SEMI JOIN rotations_found AS r ON r.agent = m.agent AND r.k > 0 AND r.authority <> m.registry
)
SELECT
  m.mirror, r.agent, m.registry, r.k, r.rotated_after, r.rotated_at, r.next_at, r.contract
FROM rotations_found AS r
JOIN mirrors AS m ON m.agent = r.agent AND m.registry <> r.authority
WHERE r.k > 0
