-- view: the groups of attempts with a rejection
-- grain: one row for each (agent, client, card held between two fetches)
-- model: §7
SELECT
  agent, client_key, n, held_key,
  max(client) AS client,
  max(held) AS held,
  min(t) AS first_t,
  max(t) AS last_t,
  max(CASE WHEN place = 1 THEN id END) AS first_id,
  max(CASE WHEN place = 1 THEN outcome END) AS first_outcome,
  max(CASE WHEN place = 1 THEN skill_id END) AS first_skill,
  count(*) AS rejections,
  sum(CASE WHEN is_replay THEN 1 ELSE 0 END) AS replays
FROM rejections
GROUP BY agent, client_key, n, held_key
