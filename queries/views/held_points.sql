-- view: fetches and attempts of each client that fetched
-- grain: one row for each successful fetch and each such attempt
-- model: §7
SELECT pair, t AS at, 0 AS rank, id AS fetch_id, 1 AS is_fetch, CAST(NULL AS BIGINT) AS id
FROM client_fetches
UNION ALL
SELECT p.pair, a.t, 1, a.id AS fetch_id, 0, CAST(a.id AS BIGINT) AS id
FROM pairs AS p
JOIN tries AS a ON a.agent = p.agent AND a.client_key = p.client_key
