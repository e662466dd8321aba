-- view: incidents, and accepted attempts under a card that had some
-- grain: one row for each accepted attempt and each incident
-- model: §7
SELECT h.agent, h.client_key, h.held_key, h.t AS at, h.id, 1 AS is_accepted, CAST(NULL AS BIGINT) AS n
FROM held_tries AS h
LEFT SEMI JOIN incidents AS i
  ON i.agent = h.agent AND i.client_key = h.client_key AND i.held_key = h.held_key
WHERE h.outcome = 'accepted'
UNION ALL
SELECT agent, client_key, held_key, first_t, first_id, 0, CAST(n AS BIGINT)
FROM incidents
