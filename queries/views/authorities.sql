-- view: the authority of each agent and the rule that chose it
-- grain: one row for each agent
-- model: §3
SELECT agent, registry, source
FROM (
  SELECT agent, registry, source, CAST(row_number() OVER (PARTITION BY agent ORDER BY rule) AS BIGINT) AS first_rule
  FROM authority_candidates
  WHERE place = 1
)
WHERE first_rule = 1
