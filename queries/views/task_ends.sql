-- view: the state of each task
-- grain: one row for each task with a state
-- model: §6: its first terminal one, else its latest
WITH terminal AS (
  SELECT agent_key, task_id, state, t, id FROM statuses WHERE is_terminal
),
repeated AS (
  SELECT agent_key, task_id FROM terminal GROUP BY agent_key, task_id HAVING count(*) > 1
),
placed AS (
  SELECT
    s.*,
    CAST(row_number() OVER (PARTITION BY s.agent_key, s.task_id ORDER BY s.t, s.id) AS BIGINT) AS place
  FROM terminal AS s
  LEFT SEMI JOIN repeated AS r ON r.agent_key = s.agent_key AND r.task_id = s.task_id
),
latest AS (
  SELECT
    s.agent_key, s.task_id, s.state,
    CAST(row_number() OVER (PARTITION BY s.agent_key, s.task_id ORDER BY s.t DESC, s.id DESC) AS BIGINT) AS place
  FROM statuses AS s
  LEFT ANTI JOIN terminal AS e ON e.agent_key = s.agent_key AND e.task_id = s.task_id
)
SELECT s.agent_key, s.task_id, s.state
FROM terminal AS s
LEFT ANTI JOIN repeated AS r ON r.agent_key = s.agent_key AND r.task_id = s.task_id
UNION ALL
SELECT agent_key, task_id, state FROM placed WHERE place = 1
UNION ALL
SELECT agent_key, task_id, state FROM latest WHERE place = 1
