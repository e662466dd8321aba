-- view: the verdict on each artifact
-- grain: one row for each artifact of a task
-- model: §6
WITH matched AS (
  SELECT
    h.*,
    c.card IS NOT NULL AS in_archive,
    s.versions,
    f.stated AS first_stated,
    v.stated AS fitting
  FROM artifact_admissions AS h
  LEFT JOIN card_contents AS c ON c.card = h.card
  LEFT JOIN card_schema_sets AS s
    ON s.card = h.card AND s.skill_key = h.skill_key AND s.media_key = h.media_key
  LEFT JOIN card_versions AS f
    ON f.card = h.card AND f.skill_key = h.skill_key AND f.media_key = h.media_key AND f.place = s.first_place
  LEFT JOIN card_versions AS v
    ON v.card = h.card AND v.skill_key = h.skill_key AND v.media_key = h.media_key AND v.version = h.schema
),
reasoned AS (
  SELECT
    *,
    CASE
      WHEN card IS NULL THEN 'no_admission_card'
      WHEN NOT in_archive THEN 'card_not_in_archive'
      WHEN versions IS NULL THEN 'card_declares_no_schema'
      WHEN schema IS NULL THEN 'artifact_declares_no_schema'
    END AS reason
  FROM matched
)
SELECT
  task, task_id, artifact_id, agent, agent_key, client, client_key, registry, admitted_at, evidence, card, etag,
  coalesce(fitting, first_stated) AS card_schema,
  versions AS card_versions,
  skill_key, media_key,
  artifact_at, schema_stated, schema, digest_status, disposition, source_file, source_line,
  state, completed,
  reason,
  CASE
    WHEN reason IS NOT NULL THEN 'unverifiable'
    WHEN fitting IS NULL AND completed THEN 'split_brain'
    WHEN fitting IS NULL THEN 'mismatch_incomplete'
    WHEN digest_status = 'mismatch' THEN 'corrupt'
    WHEN digest_status = 'absent' THEN 'no_digest'
    ELSE 'consistent'
  END AS verdict
FROM reasoned
