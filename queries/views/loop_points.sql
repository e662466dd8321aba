-- view: accepted attempts and incidents
-- grain: one row for each accepted attempt and each incident
-- model: §7
SELECT agent, client_key, held_key, t AS at, id, 1 AS is_accepted, CAST(NULL AS BIGINT) AS n
FROM held_tries
WHERE outcome = 'accepted'
UNION ALL
SELECT agent, client_key, held_key, first_t, first_id, 0, CAST(n AS BIGINT)
FROM incidents
