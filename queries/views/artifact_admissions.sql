-- view: each artifact with the card in force for its task
-- grain: one row for each artifact of a task
-- model: §6
SELECT
  t.task, a.task_id, a.artifact_id, a.agent, a.agent_key, a.t AS artifact_at, a.schema_stated, a.schema,
  a.digest_status, a.disposition, a.source_file, a.source_line,
  coalesce(t.skill_id, '') AS skill_key,
  coalesce(a.media_base, '') AS media_key,
  t.client, t.client_key, t.registry, t.admitted_at, t.evidence, t.card, t.etag, t.state, t.completed
FROM artifacts_merged AS a
JOIN admissions AS t ON t.agent_key = a.agent_key AND t.task_id = a.task_id
