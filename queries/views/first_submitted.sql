-- view: the first `submitted` status of each task
-- grain: one row for each task with such a status
-- model: §5
WITH submitted AS (
  SELECT agent_key, task_id, t, id, client, admitted_under
  FROM statuses
  WHERE state = 'submitted' AND NOT is_answer
),
repeated AS (
  SELECT agent_key, task_id FROM submitted GROUP BY agent_key, task_id HAVING count(*) > 1
),
placed AS (
  SELECT
    s.*,
    CAST(row_number() OVER (PARTITION BY s.agent_key, s.task_id ORDER BY s.t, s.id) AS BIGINT) AS place
  FROM submitted AS s
  LEFT SEMI JOIN repeated AS r ON r.agent_key = s.agent_key AND r.task_id = s.task_id
)
SELECT s.agent_key, s.task_id, s.t, s.client, s.admitted_under
FROM submitted AS s
LEFT ANTI JOIN repeated AS r ON r.agent_key = s.agent_key AND r.task_id = s.task_id
UNION ALL
SELECT agent_key, task_id, t, client, admitted_under FROM placed WHERE place = 1
