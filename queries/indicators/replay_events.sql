-- title: Attempts that were no replays
-- unit: one attempt
-- grain: one row for each attempt
-- answers: which attempts went on using a card that had already failed?
-- columns:
--   at: when it was sent
--   good: no replay
--   agent: the agent
--   client: the client; null: unknown
--   task_id: the task; null: none
--   outcome: what came of it
SELECT
  arrow_cast(t.t, 'Timestamp(Nanosecond, Some("UTC"))') AS at,
  NOT coalesce(r.is_replay, false) AS good,
  t.agent,
  t.client,
  t.task_id,
  t.outcome
FROM try_selection AS t
LEFT JOIN rejections AS r ON r.id = t.id
ORDER BY at, agent NULLS LAST, client NULLS LAST, task_id NULLS LAST, outcome, good
