-- title: Replays
-- unit: one group of attempts between two fetches under one held card
-- grain: one row for each group with at least one replay
-- answers: who went on using a card that had already failed?
-- columns:
--   client: the client; null: unknown clients, taken as one
--   agent: the agent
--   first_failed_at: when the first rejected attempt was sent
--   last_failed_at: when the last one was sent
--   card: the card held; null: unknown
--   failed_attempts: rejections of the group
--   replays: rejections sent after an earlier one had been answered
--   skills: the skills attempted
--   errors: the outcomes
--   ended_by: what the client's next successful fetch showed
SELECT
  g.client,
  g.agent,
  arrow_cast(g.first_t, 'Timestamp(Nanosecond, Some("UTC"))') AS first_failed_at,
  arrow_cast(g.last_t, 'Timestamp(Nanosecond, Some("UTC"))') AS last_failed_at,
  g.held AS card,
  g.rejections AS failed_attempts,
  g.replays,
  n.skills,
  n.errors,
  i.result AS ended_by
FROM group_selection AS g
JOIN group_names AS n
  ON n.agent = g.agent AND n.client_key = g.client_key AND n.n = g.n AND n.held_key = g.held_key
JOIN incidents AS i
  ON i.agent = g.agent AND i.client_key = g.client_key AND i.n = g.n AND i.held_key = g.held_key
WHERE g.replays > 0
ORDER BY client NULLS LAST, agent NULLS LAST, first_failed_at, last_failed_at, card NULLS LAST,
  failed_attempts, replays, skills, errors, ended_by
