-- view: the pairs of an agent and a client that fetched its card, numbered
-- grain: one row for each such pair
-- model: §5, §7; joins and windows over a number are cheaper than over two texts
SELECT
  agent,
  client_key,
  CAST(row_number() OVER (ORDER BY agent, client_key) AS BIGINT) AS pair
FROM (SELECT DISTINCT agent, client_key FROM fetches WHERE ok)
