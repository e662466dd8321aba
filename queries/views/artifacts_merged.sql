-- view: the records of each artifact as one
-- grain: one row for each artifact: (agent, task id, artifact id)
-- model: §6; an artifact of one record is whole when its payload was recorded and it does not append
WITH merged AS (
  SELECT
    r.agent_key, r.task_id, r.artifact_id, r.agent, r.t, r.source_file, r.source_line, r.media_base,
    r.schema_stated, r.schema, r.digest, r.digest_sha256, r.digest_check,
    CASE WHEN r.append THEN r.run_text_sha256 ELSE r.text_sha256 END AS text_sha256,
    CASE WHEN r.append THEN r.run_json_sha256 ELSE r.json_sha256 END AS json_sha256,
    CASE WHEN r.append THEN r.run_bytes_sha256 ELSE r.bytes_sha256 END AS bytes_sha256,
    r.disposition
  FROM artifact_records AS r
  LEFT ANTI JOIN artifact_multiples AS m
    ON m.agent_key = r.agent_key AND m.task_id = r.task_id AND m.artifact_id = r.artifact_id
  UNION ALL
  SELECT
    agent_key, task_id, artifact_id, agent, t, source_file, source_line, media_base, schema_stated, schema,
    digest, digest_sha256, digest_check, text_sha256, json_sha256, bytes_sha256, disposition
  FROM artifacts_chunked
)
SELECT
  agent, agent_key, task_id, artifact_id, t, source_file, source_line, media_base, schema_stated, schema,
  disposition,
  CASE
    WHEN digest IS NULL THEN 'absent'
    WHEN digest_sha256 IS NOT NULL AND coalesce(text_sha256, json_sha256, bytes_sha256) IS NOT NULL
      THEN CASE
        WHEN coalesce(digest_sha256 = text_sha256, false)
          OR coalesce(digest_sha256 = json_sha256, false)
          OR coalesce(digest_sha256 = bytes_sha256, false) THEN 'match'
        ELSE 'mismatch'
      END
    WHEN digest_check THEN 'match'
    WHEN NOT digest_check THEN 'mismatch'
    ELSE 'unchecked'
  END AS digest_status
FROM merged
