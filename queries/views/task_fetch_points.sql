-- view: the fetches of clients and the tasks that look back at them
-- grain: one row for each successful fetch and each task of such a client whose card was not recorded
-- model: §5
SELECT pair, t AS at, 0 AS rank, 1 AS is_fetch, CAST(NULL AS BIGINT) AS task
FROM client_fetches
UNION ALL
SELECT p.pair, coalesce(t.sent_at, t.admitted_at), 1, 0, t.task
FROM pairs AS p
JOIN tasks AS t ON t.agent_key = p.agent AND t.client_key = p.client_key
WHERE t.recorded IS NULL
