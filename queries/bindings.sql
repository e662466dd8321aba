-- title: Bindings
-- unit: one binding
-- grain: one row for each artifact of a task
-- answers: which artifacts contradict the card that their task was admitted under, and why?
-- columns:
--   task_id: the task
--   artifact_id: the artifact
--   agent: the agent; null: unknown
--   client: the delegating client; null: unknown
--   registry: where the card in force came from
--   admitted_at: when the task was admitted
--   admission_evidence: recorded, client_fetch or none
--   card: binding hash of the card in force
--   card_etag: ETag of the fetch that gave the card or the registry
--   card_schema: the schema version that the card states for this artifact, as written
--   artifact_at: when the artifact was complete
--   artifact_schema: the schema version that the artifact states, as written
--   digest_status: match, mismatch, absent or unchecked
--   task_state: the task's first terminal state, else its latest
--   verdict: split_brain, mismatch_incomplete, corrupt, no_digest, unverifiable or consistent
--   reason: why it is unverifiable
--   silent: of a split-brain: the producer's digest matches
--   cause: of a split-brain: the first cause of the model that holds
--   cause_certain: false: a time lies inside a rotation's bounds; null: unknown cause
--   action: of a split-brain: what to do beside the quarantine of the artifact
--   source_file: the source of the record that gave artifact_at
--   source_line: its line
--   disposition: what the client did with the artifact, the last one recorded
SELECT
  b.task_id,
  b.artifact_id,
  b.agent,
  b.client,
  b.registry,
  arrow_cast(b.admitted_at, 'Timestamp(Nanosecond, Some("UTC"))') AS admitted_at,
  b.evidence AS admission_evidence,
  b.card,
  b.etag AS card_etag,
  b.card_schema,
  arrow_cast(b.artifact_at, 'Timestamp(Nanosecond, Some("UTC"))') AS artifact_at,
  b.schema_stated AS artifact_schema,
  b.digest_status,
  b.state AS task_state,
  b.verdict,
  b.reason,
  b.silent,
  b.cause,
  b.cause_certain,
  b.action,
  b.source_file,
  b.source_line,
  b.disposition
FROM binding_selection AS b
ORDER BY task_id NULLS LAST, artifact_id NULLS LAST, agent NULLS LAST
