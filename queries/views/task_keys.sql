-- view: the tasks, each with a number, and the events that decide about it
-- grain: one row for each task: (agent, task id)
-- model: §1 Identity: a task exists when it has a status, an artifact, or an accepted or midstream
--   attempt. §5: its first `submitted` status and its first accepted or midstream submission. §6: the
--   status that tells its state: the first terminal one, else the latest.
--   `task` is a number in no order: joins over it are cheaper than over two texts
WITH points AS (
  SELECT
    agent_key, task_id,
    id * 3 AS point,
    NOT is_answer AS makes_task,
    CASE WHEN state = 'submitted' AND NOT is_answer THEN id END AS submitted_id,
    CASE WHEN is_terminal THEN id END AS terminal_id,
    id AS status_id,
    CAST(NULL AS BIGINT) AS sent_id
  FROM statuses
  UNION ALL
  SELECT agent_key, task_id, id * 3 + 1, true, NULL, NULL, NULL, NULL
  FROM artifact_records
  UNION ALL
  SELECT
    agent, task_id, id * 3 + 2, outcome IN ('accepted', 'midstream'), NULL, NULL, NULL,
    CASE WHEN outcome IN ('accepted', 'midstream') AND NOT push_config THEN id END
  FROM tries
  WHERE task_id IS NOT NULL
)
SELECT
  min(point) AS task,
  agent_key,
  task_id,
  min(submitted_id) AS submitted_id,
  min(sent_id) AS sent_id,
  coalesce(min(terminal_id), max(status_id)) AS state_id
FROM points
GROUP BY agent_key, task_id
HAVING bool_or(makes_task)
