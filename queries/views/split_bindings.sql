-- view: the split-brain bindings, numbered
-- grain: one row for each split-brain binding
-- model: §6
SELECT
  CAST(row_number() OVER (ORDER BY task_id, artifact_id, agent_key) AS BIGINT) AS id,
  *
FROM judged
WHERE verdict = 'split_brain'
