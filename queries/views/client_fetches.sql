-- view: the successful fetches of each client for each agent, numbered
-- grain: one row for each successful fetch
-- model: §5, §7
SELECT
  agent, client, client_key, registry, id, t, card, etag, contract,
  CAST(row_number() OVER (PARTITION BY agent, client_key ORDER BY t, id) AS BIGINT) AS n
FROM fetches
WHERE ok
