-- view: epochs and the admissions that look back at them
-- grain: one row for each epoch and each split-brain binding
-- model: §6
SELECT agent, rotated_at AS at, 0 AS rank, 1 AS begins, CAST(NULL AS BIGINT) AS id FROM epochs
UNION ALL
SELECT agent, admitted_at, 1, 0, CAST(id AS BIGINT) FROM split_bindings
