-- view: artifact records with their agent, in a fixed order at equal times
-- grain: one row for each artifact record
-- model: §1
SELECT
  CAST(row_number() OVER (
    ORDER BY r.time, r.client NULLS LAST, r.task_id, r.artifact_id, r.source_file, r.source_line, r.source_byte,
      r.source_event
  ) AS BIGINT) AS id,
  CAST(r.time AS BIGINT) AS t,
  coalesce(r.agent, u.agent, o.agent) AS agent,
  coalesce(r.agent, u.agent, o.agent, '') AS agent_key,
  r.client,
  r.task_id,
  r.artifact_id,
  r.media_base,
  r.schema_stated,
  CASE WHEN $schema_major THEN split_part(r.schema_normalised, '.', 1) ELSE r.schema_normalised END AS schema,
  r.schema_rule,
  r.digest,
  r.digest_sha256,
  r.digest_check,
  r.append,
  r.last_chunk,
  r.has_payload,
  r.text_sha256, r.json_sha256, r.bytes_sha256,
  r.run_text_sha256, r.run_json_sha256, r.run_bytes_sha256,
  r.disposition,
  r.source_file,
  r.source_line
FROM artifacts AS r
LEFT JOIN url_agents AS u ON u.url = r.url
LEFT JOIN only_agents AS o ON o.task_id = r.task_id
