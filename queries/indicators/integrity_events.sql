-- title: Tasks whose digests held
-- unit: one completed task
-- grain: one row for each completed task
-- answers: which tasks delivered the bytes that their digests promise?
-- columns:
--   at: when the verdict became known: its latest artifact; without one, its admission
--   good: a digest matches and none differs; null: no digest could be checked, or the task itself could not
--   agent: the agent
--   registry: of the admission; null: unknown
--   client: the client; null: unknown
--   task_id: the task
SELECT
  arrow_cast(coalesce(last_artifact_at, admitted_at), 'Timestamp(Nanosecond, Some("UTC"))') AS at,
  CASE
    WHEN verifiable AND any_mismatch THEN false
    WHEN verifiable AND any_match THEN true
  END AS good,
  agent,
  registry,
  client,
  task_id
FROM task_selection
WHERE completed
ORDER BY at, agent NULLS LAST, task_id, registry NULLS LAST, client NULLS LAST, good
