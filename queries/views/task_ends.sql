-- view: the state of each task
-- grain: one row for each task with a state
-- model: §6: its first terminal one, else its latest
WITH terminal AS (
  SELECT
    agent_key, task_id, state, t,
    row_number() OVER (PARTITION BY agent_key, task_id ORDER BY t, id) AS place
  FROM statuses
  WHERE is_terminal
),
ended AS (
  SELECT agent_key, task_id, state, t FROM terminal WHERE place = 1
),
latest AS (
  SELECT
    s.agent_key, s.task_id, s.state, s.t,
    row_number() OVER (PARTITION BY s.agent_key, s.task_id ORDER BY s.t DESC, s.id DESC) AS place
  FROM statuses AS s
  LEFT ANTI JOIN ended AS e ON e.agent_key = s.agent_key AND e.task_id = s.task_id
)
SELECT agent_key, task_id, state, t AS ended_at FROM ended
UNION ALL
SELECT agent_key, task_id, state, NULL FROM latest WHERE place = 1
