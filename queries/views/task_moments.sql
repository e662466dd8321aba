-- view: the events of tasks
-- grain: one row for each status, artifact record, and attempt with a task
-- model: §1: a task exists when it has a status, an artifact, or an accepted or midstream attempt; `kind`
--   and `part` order events of one time and client
SELECT
  agent_key, task_id, t, id, client, coalesce(client, chr(1114111)) AS client_order, 1 AS kind,
  coalesce(admitted_under, 'g') AS card_order, 2 AS part, admitted_under, true AS makes_task
FROM statuses
WHERE NOT is_answer
UNION ALL
SELECT
  agent_key, task_id, t, id, client, coalesce(client, chr(1114111)), 0, 'g', 0, CAST(NULL AS VARCHAR), true
FROM artifact_records
UNION ALL
SELECT
  agent, task_id, t, id, client, coalesce(client, chr(1114111)), 1, coalesce(admitted_under, 'g'), 1,
  admitted_under, outcome IN ('accepted', 'midstream')
FROM tries
WHERE task_id IS NOT NULL
