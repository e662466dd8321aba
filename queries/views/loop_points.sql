-- view: what decides whether identical refetches make a loop
-- grain: one row for each incident of a client, agent and card that had several identical ones, and for each
--   accepted attempt under such a card
-- model: §7
WITH repeated AS (
  SELECT agent, client_key, held_key
  FROM incidents
  WHERE result = 'identical'
  GROUP BY agent, client_key, held_key
  HAVING count(*) > 1
)
SELECT h.agent, h.client_key, h.held_key, h.t AS at, h.id, 1 AS is_accepted, CAST(NULL AS BIGINT) AS n
FROM repeated AS r
JOIN held_tries AS h ON h.agent = r.agent AND h.client_key = r.client_key AND h.held_key = r.held_key
WHERE h.outcome = 'accepted'
UNION ALL
SELECT i.agent, i.client_key, i.held_key, i.first_t, i.first_id, 0, CAST(i.n AS BIGINT)
FROM repeated AS r
JOIN incidents AS i ON i.agent = r.agent AND i.client_key = r.client_key AND i.held_key = r.held_key
