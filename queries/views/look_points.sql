-- view: observations and the admissions that look back at them
-- grain: one row for each observation and each split-brain binding
-- model: §6
SELECT agent, registry, t AS at, 0 AS rank, 1 AS is_look, CAST(NULL AS BIGINT) AS id FROM numbered_observations
UNION ALL
SELECT agent, registry, admitted_at, 1, 0, CAST(id AS BIGINT) FROM splits WHERE registry IS NOT NULL
