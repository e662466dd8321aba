-- view: the agent of each URL at which an event happened that names no agent
-- grain: one row for each such URL
-- model: §1 Identity: the longest interface URL that is a prefix by path segments, else the origin
WITH urls AS (
  SELECT url FROM attempts WHERE agent IS NULL AND url IS NOT NULL
  UNION
  SELECT url FROM task_events WHERE agent IS NULL AND url IS NOT NULL
  UNION
  SELECT url FROM artifacts WHERE agent IS NULL AND url IS NOT NULL
  UNION
  SELECT url FROM card_fetches WHERE agent IS NULL AND card_agent IS NULL AND url IS NOT NULL
),
interfaces AS (
  SELECT DISTINCT rtrim(url, '/') AS interface, agent FROM card_interfaces
),
hits AS (
  SELECT
    u.url,
    i.agent,
    CAST(row_number() OVER (PARTITION BY u.url ORDER BY length(i.interface) DESC, i.agent) AS BIGINT) AS place
  FROM urls AS u
  JOIN interfaces AS i
    ON rtrim(u.url, '/') = i.interface OR starts_with(u.url, i.interface || '/')
)
SELECT
  u.url,
  coalesce(h.agent, split_part(u.url, '/', 1) || '//' || split_part(u.url, '/', 3)) AS agent
FROM urls AS u
LEFT JOIN hits AS h ON h.url = u.url AND h.place = 1
