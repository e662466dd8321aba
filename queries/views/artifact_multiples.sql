-- view: the artifacts of several records
-- grain: one row for each such artifact: (agent, task id, artifact id)
-- model: §6
SELECT agent_key, task_id, artifact_id
FROM artifact_records
GROUP BY agent_key, task_id, artifact_id
HAVING count(*) > 1
