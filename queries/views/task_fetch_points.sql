-- view: the fetches of clients and the tasks that look back at them
-- grain: one row for each successful fetch and each task whose card was not recorded
-- model: §5
SELECT agent AS agent_key, client_key, t AS at, 0 AS rank, 1 AS is_fetch, CAST(NULL AS VARCHAR) AS task_id
FROM client_fetches
UNION ALL
SELECT agent_key, client_key, coalesce(sent_at, admitted_at), 1, 0, task_id
FROM tasks
WHERE recorded IS NULL
