-- view: the events that make a task exist
-- grain: one row for each status, artifact record, and accepted or midstream attempt
-- model: §1: a task exists when it has one of these
SELECT agent_key, task_id, t, id, 1 AS kind, client, admitted_under
FROM statuses
WHERE NOT is_answer
UNION ALL
SELECT agent_key, task_id, t, id, 0, client, CAST(NULL AS VARCHAR)
FROM artifact_records
UNION ALL
SELECT agent, task_id, t, id, 2, client, admitted_under
FROM tries
WHERE task_id IS NOT NULL AND outcome IN ('accepted', 'midstream')
