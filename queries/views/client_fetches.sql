-- view: the successful fetches of each client for each agent, numbered
-- grain: one row for each successful fetch
-- model: §5, §7
SELECT
  f.agent, f.client, f.client_key, p.pair, f.registry, f.id, f.t, f.card, f.etag, f.contract,
  CAST(row_number() OVER (PARTITION BY p.pair ORDER BY f.id) AS BIGINT) AS n
FROM pairs AS p
JOIN fetches AS f ON f.agent = p.agent AND f.client_key = p.client_key
WHERE f.ok
