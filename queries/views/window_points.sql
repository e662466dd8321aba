-- view: rotations and the admissions that look back at them
-- grain: one row for each rotation and each task admitted through a registry
-- model: §6
SELECT agent, rotated_at AS at, 0 AS rank, 1 AS begins, CAST(NULL AS BIGINT) AS task,
  CAST(NULL AS VARCHAR) AS registry
FROM rotations_found
WHERE k > 0
UNION ALL
SELECT agent, admitted_at, 1, 0, task, registry
FROM task_selection
WHERE agent IS NOT NULL AND registry IS NOT NULL
