-- view: fetches of a card by its client and the tasks that recorded it
-- grain: one row for each successful fetch and each task whose card was recorded
-- model: §5
SELECT agent AS agent_key, client_key, card, t AS at, id AS rank, 1 AS is_fetch,
  CAST(NULL AS VARCHAR) AS task_id, registry, etag
FROM card_sights
WHERE ok
UNION ALL
SELECT agent_key, client_key, recorded, admitted_at, 9223372036854775807, 0, task_id, NULL, NULL
FROM tasks
WHERE recorded IS NOT NULL
