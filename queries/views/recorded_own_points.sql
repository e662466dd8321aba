-- view: fetches of a card by its client and the tasks that recorded it
-- grain: one row for each successful fetch of a recorded card and each task whose card was recorded
-- model: §5
WITH recorded AS (
  SELECT DISTINCT agent_key, recorded AS card FROM tasks WHERE recorded IS NOT NULL
)
SELECT s.agent AS agent_key, s.client_key, s.card, s.t AS at, s.id AS rank, 1 AS is_fetch,
  CAST(NULL AS BIGINT) AS task, s.registry, s.etag
FROM card_sights AS s
LEFT SEMI JOIN recorded AS r ON r.agent_key = s.agent AND r.card = s.card
WHERE s.ok
UNION ALL
SELECT agent_key, client_key, recorded, admitted_at, 9223372036854775807, 0, task, NULL, NULL
FROM tasks
WHERE recorded IS NOT NULL
