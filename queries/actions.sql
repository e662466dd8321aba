-- title: Actions
-- unit: one action
-- grain: one row for each action and target
-- answers: what is to be quarantined, fetched again and escalated?
-- columns:
--   action: quarantine_artifact, re_resolve, re_resolve_and_escalate_registry, escalate_agent or quarantine_agent
--   agent: the agent
--   target: TASK/ARTIFACT, the registry, or the agent
--   card_etag: the stale ETag of a re-resolution
--   reason: the cause
--   tasks: how many tasks
--   first_at: the first admission
--   last_at: the last admission
WITH wanted AS (
  SELECT
    'quarantine_artifact' AS action, agent, task_id || '/' || artifact_id AS target,
    CAST(NULL AS VARCHAR) AS card_etag, cause AS reason, task_id, admitted_at
  FROM binding_selection
  WHERE verdict = 'split_brain'
  UNION ALL
  SELECT
    action,
    agent,
    CASE WHEN action IN ('re_resolve', 're_resolve_and_escalate_registry') THEN registry ELSE agent END,
    CASE WHEN action IN ('re_resolve', 're_resolve_and_escalate_registry') THEN etag END,
    cause,
    task_id,
    admitted_at
  FROM binding_selection
  WHERE verdict = 'split_brain'
)
SELECT
  action,
  agent,
  target,
  card_etag,
  reason,
  count(DISTINCT task_id) AS tasks,
  arrow_cast(min(admitted_at), 'Timestamp(Nanosecond, Some("UTC"))') AS first_at,
  arrow_cast(max(admitted_at), 'Timestamp(Nanosecond, Some("UTC"))') AS last_at
FROM wanted
GROUP BY action, agent, target, card_etag, reason
ORDER BY action, agent NULLS LAST, target NULLS LAST, card_etag NULLS LAST, reason
