-- view: the card in force for each task, and where it came from
-- grain: one row for each task
-- model: §5
SELECT
  t.task, t.agent, t.agent_key, t.task_id, t.admitted_at, t.client, t.client_key, t.skill_id, t.state, t.completed,
  CASE
    WHEN t.recorded IS NOT NULL THEN 'recorded'
    WHEN c.card IS NOT NULL THEN 'client_fetch'
    ELSE 'none'
  END AS evidence,
  coalesce(t.recorded, c.card) AS card,
  CASE WHEN t.recorded IS NOT NULL THEN r.registry WHEN c.card IS NOT NULL THEN c.registry END AS registry,
  CASE WHEN t.recorded IS NOT NULL THEN r.etag WHEN c.card IS NOT NULL THEN c.etag END AS etag
FROM tasks AS t
LEFT JOIN recorded_fetches AS r ON r.task = t.task
LEFT JOIN task_fetches AS f ON f.task = t.task
LEFT JOIN client_fetches AS c ON c.pair = f.pair AND c.n = f.n
