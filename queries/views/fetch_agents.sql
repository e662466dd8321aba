-- view: the agent of each fetch that neither names one nor shows a card
-- grain: one row for each such fetch
-- model: §1 Identity: that of the card last fetched from the URL, before it or else after it.
--   At one instant those of known agents come first, by agent (§1 Order)
WITH unnamed AS (
  SELECT DISTINCT url FROM fetch_rows WHERE known_agent IS NULL AND url IS NOT NULL
),
-- What a failure was answered with, and a body that is no card, tell of no agent.
fetched AS (
  SELECT *, ok AND card IS NOT NULL AND coalesce(is_card, true) AS shows_card FROM fetch_rows
),
counted AS (
  SELECT
    r.id,
    r.url,
    r.known_agent,
    r.known_agent IS NOT NULL AND r.shows_card AS shows,
    sum(CASE WHEN r.known_agent IS NOT NULL AND r.shows_card THEN 1 ELSE 0 END) OVER (
      PARTITION BY r.url ORDER BY r.t, NOT r.is_publish, r.known_agent NULLS LAST, r.id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS shown
  FROM fetched AS r
  JOIN unnamed AS u ON u.url = r.url
)
SELECT c.id, coalesce(s.known_agent, u.agent) AS agent
FROM counted AS c
LEFT JOIN counted AS s ON s.url = c.url AND s.shows AND s.shown = greatest(c.shown, 1)
LEFT JOIN url_agents AS u ON u.url = c.url
WHERE c.known_agent IS NULL
