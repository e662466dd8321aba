-- title: Retry storms
-- unit: one storm
-- grain: one row for each cluster of rejections of one agent's contract with enough replays
-- answers: when did clients hammer an agent with a card that it no longer honours?
-- columns:
--   agent: the agent
--   started_at: its first rejection
--   card: the card held by the first rejection; null: unknown
--   ended_at: its last rejection
--   clients: how many took part
--   failed_attempts: rejections
--   replays: those of them that were replays
--   peak_per_minute: the largest number of its rejections in one UTC minute
--   skills: the skills attempted
--   errors: the outcomes
SELECT
  s.agent,
  arrow_cast(s.started_at, 'Timestamp(Nanosecond, Some("UTC"))') AS started_at,
  s.card,
  arrow_cast(s.ended_at, 'Timestamp(Nanosecond, Some("UTC"))') AS ended_at,
  s.clients,
  s.failed_attempts,
  s.replays,
  s.peak_per_minute,
  s.skills,
  s.errors
FROM storm_selection AS s
ORDER BY agent NULLS LAST, started_at, card NULLS LAST, ended_at, clients, failed_attempts, replays,
  peak_per_minute, skills, errors
