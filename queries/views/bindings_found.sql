-- view: each artifact's binding with verdict, cause and action; times in UTC nanoseconds
-- grain: one row for each artifact of a task
-- model: §6
SELECT
  j.*,
  CASE WHEN j.verdict = 'split_brain' THEN j.digest_status = 'match' END AS silent,
  c.cause, c.cause_certain, c.action
FROM judged AS j
LEFT JOIN causes AS c
  ON c.task = j.task AND c.artifact_id = j.artifact_id
