-- view: fetches and attempts of each client
-- grain: one row for each successful fetch and each attempt
-- model: §7
SELECT agent, client_key, t AS at, 0 AS rank, id AS fetch_id, 1 AS is_fetch, CAST(NULL AS BIGINT) AS id
FROM client_fetches
UNION ALL
SELECT agent, client_key, t, 1, id AS fetch_id, 0, CAST(id AS BIGINT) AS id
FROM tries
