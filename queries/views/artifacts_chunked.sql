-- view: artifacts of several records, each as one
-- grain: one row for each artifact of several records: (agent, task id, artifact id)
-- model: §6
WITH numbered AS (
  SELECT
    r.*,
    CAST(row_number() OVER (PARTITION BY r.agent_key, r.task_id, r.artifact_id ORDER BY r.t, r.id) AS BIGINT) AS n
  FROM artifact_records AS r
  LEFT SEMI JOIN artifact_multiples AS m
    ON m.agent_key = r.agent_key AND m.task_id = r.task_id AND m.artifact_id = r.artifact_id
),
spread AS (
  SELECT
    *,
    min(CASE WHEN last_chunk THEN n END) OVER (PARTITION BY agent_key, task_id, artifact_id) AS n_flagged,
    min(CASE WHEN n > 1 AND NOT append THEN n END) OVER (PARTITION BY agent_key, task_id, artifact_id)
      AS n_anew,
    count(*) OVER (PARTITION BY agent_key, task_id, artifact_id) AS n_all
  FROM numbered
),
ended AS (
  SELECT *, coalesce(n_flagged, n_anew - 1, n_all) AS n_end FROM spread
),
started AS (
  SELECT
    *,
    max(CASE WHEN NOT append AND n <= n_end THEN n END) OVER (
      PARTITION BY agent_key, task_id, artifact_id
    ) AS n_start
  FROM ended
),
marked AS (
  SELECT
    *,
    min(CASE WHEN schema IS NOT NULL THEN schema_rule END) OVER w AS best_rule,
    max(CASE WHEN digest IS NOT NULL AND n <= n_end THEN n END) OVER w AS n_digest_before,
    min(CASE WHEN digest IS NOT NULL AND n > n_end THEN n END) OVER w AS n_digest_after,
    max(CASE WHEN digest_check IS NOT NULL AND n <= n_end THEN n END) OVER w AS n_check_before,
    min(CASE WHEN digest_check IS NOT NULL AND n > n_end THEN n END) OVER w AS n_check_after,
    count(CASE WHEN NOT has_payload AND n BETWEEN n_start AND n_end THEN 1 END) OVER w AS n_without,
    min(CASE WHEN has_payload AND n > n_end THEN n END) OVER w AS n_later,
    min(CASE WHEN media_base IS NOT NULL THEN n END) OVER w AS n_media,
    max(CASE WHEN disposition IS NOT NULL THEN n END) OVER w AS n_disposition
  FROM started
  WINDOW w AS (PARTITION BY agent_key, task_id, artifact_id)
),
chosen AS (
  SELECT
    *,
    min(CASE WHEN schema IS NOT NULL AND schema_rule = best_rule THEN n END) OVER (
      PARTITION BY agent_key, task_id, artifact_id
    ) AS n_schema,
    coalesce(n_digest_before, n_digest_after) AS n_digest,
    coalesce(n_check_before, n_check_after) AS n_check,
    CASE
      WHEN n_start IS NOT NULL AND n_without = 0 AND (n_flagged IS NOT NULL OR n_start = n_end) THEN n_end
      ELSE n_later
    END AS n_payload
  FROM marked
),
merged AS (
  SELECT
    agent_key,
    task_id,
    artifact_id,
    max(agent) AS agent,
    max(CASE WHEN n = n_end THEN t END) AS t,
    max(CASE WHEN n = n_end THEN source_file END) AS source_file,
    max(CASE WHEN n = n_end THEN source_line END) AS source_line,
    max(CASE WHEN n = n_media THEN media_base END) AS media_base,
    max(CASE WHEN n = n_schema THEN schema_stated END) AS schema_stated,
    max(CASE WHEN n = n_schema THEN schema END) AS schema,
    max(CASE WHEN n = n_digest THEN digest END) AS digest,
    max(CASE WHEN n = n_digest THEN digest_sha256 END) AS digest_sha256,
    bool_or(CASE WHEN n = n_check THEN digest_check END) AS digest_check,
    max(CASE WHEN n = n_payload THEN CASE WHEN append AND n = n_end THEN run_text_sha256 ELSE text_sha256 END END)
      AS text_sha256,
    max(CASE WHEN n = n_payload THEN CASE WHEN append AND n = n_end THEN run_json_sha256 ELSE json_sha256 END END)
      AS json_sha256,
    max(CASE WHEN n = n_payload THEN CASE WHEN append AND n = n_end THEN run_bytes_sha256 ELSE bytes_sha256 END END)
      AS bytes_sha256,
    max(CASE WHEN n = n_disposition THEN disposition END) AS disposition
  FROM chosen
  GROUP BY agent_key, task_id, artifact_id
)
SELECT * FROM merged
