-- view: each artifact's binding with verdict, cause and action; times in UTC nanoseconds
-- grain: one row for each artifact of a task
-- model: §6
SELECT
  j.*,
  CASE WHEN j.verdict = 'split_brain' THEN j.digest_status = 'match' END AS silent,
  c.cause, c.cause_certain, c.action
FROM judged AS j
LEFT JOIN causes AS c
  ON c.agent_key = j.agent_key AND c.task_id = j.task_id AND c.artifact_id = j.artifact_id
