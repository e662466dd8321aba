-- title: Tasks that kept their contract
-- unit: one completed task
-- grain: one row for each completed task
-- answers: which tasks kept the contract that they were admitted under?
-- columns:
--   at: when the verdict became known: its latest artifact; without one, its admission
--   good: not split-brain; null: it could not be checked
--   agent: the agent
--   registry: of the admission; null: unknown
--   client: the client; null: unknown
--   task_id: the task
SELECT
  arrow_cast(coalesce(last_artifact_at, admitted_at), 'Timestamp(Nanosecond, Some("UTC"))') AS at,
  CASE WHEN verifiable THEN NOT split_brain END AS good,
  agent,
  registry,
  client,
  task_id
FROM task_selection
WHERE completed
ORDER BY at, agent NULLS LAST, task_id, registry NULLS LAST, client NULLS LAST, good
