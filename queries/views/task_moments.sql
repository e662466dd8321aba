-- view: the events of tasks whose admission or client no submission tells
-- grain: one row for each status, artifact record, and attempt of such a task
-- model: §1: a task exists when it has a status, an artifact, or an accepted or midstream attempt; `kind`
--   and `part` order events of one time and client
WITH wanting AS (
  SELECT k.agent_key, k.task_id
  FROM task_keys AS k
  LEFT JOIN statuses AS s ON s.id = k.submitted_id
  LEFT JOIN tries AS a ON a.id = k.sent_id
  WHERE (k.submitted_id IS NULL AND k.sent_id IS NULL) OR (s.client IS NULL AND a.client IS NULL)
)
SELECT
  w.agent_key, w.task_id, m.t, m.id, m.client, coalesce(m.client, chr(1114111)) AS client_order, 1 AS kind,
  coalesce(m.admitted_under, 'g') AS card_order, 2 AS part, m.admitted_under, true AS makes_task
FROM wanting AS w
JOIN statuses AS m ON m.agent_key = w.agent_key AND m.task_id = w.task_id
WHERE NOT m.is_answer
UNION ALL
SELECT
  w.agent_key, w.task_id, m.t, m.id, m.client, coalesce(m.client, chr(1114111)), 0, 'g', 0, CAST(NULL AS VARCHAR), true
FROM wanting AS w
JOIN artifact_records AS m ON m.agent_key = w.agent_key AND m.task_id = w.task_id
UNION ALL
SELECT
  w.agent_key, w.task_id, m.t, m.id, m.client, coalesce(m.client, chr(1114111)), 1, coalesce(m.admitted_under, 'g'), 1,
  m.admitted_under, m.outcome IN ('accepted', 'midstream')
FROM wanting AS w
JOIN tries AS m ON m.agent = w.agent_key AND m.task_id = w.task_id
