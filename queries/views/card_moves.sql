-- view: places of cards that went over from one agent's identity to another's
-- grain: one row for each URL and agent that it showed, in the order in which they were first seen
-- model: §1 Identity: a card's preferred interface URL is its agent, unless an alias says otherwise
WITH several AS (
  SELECT url
  FROM card_fetches
  WHERE agent IS NULL AND card_agent IS NOT NULL AND url IS NOT NULL
  GROUP BY url
  HAVING min(card_agent) <> max(card_agent)
),
shown AS (
  SELECT
    f.url,
    f.card_agent,
    CAST(f.time AS BIGINT) AS t,
    lag(f.card_agent) OVER (
      PARTITION BY f.url ORDER BY f.time, f.source_file, f.source_line, f.source_byte, f.card_agent
    ) AS before_agent
  FROM card_fetches AS f
  LEFT SEMI JOIN several AS s ON s.url = f.url
  WHERE f.agent IS NULL AND f.card_agent IS NOT NULL
),
steady AS (
  SELECT url
  FROM shown
  GROUP BY url
  HAVING count(CASE WHEN before_agent <> card_agent THEN 1 END) <= 2 * (count(DISTINCT card_agent) - 1)
    AND count(*) > count(DISTINCT card_agent)
),
first_seen AS (
  SELECT s.url, s.card_agent AS agent, min(s.t) AS first_t, max(s.t) AS last_t
  FROM shown AS s
  LEFT SEMI JOIN steady AS k ON k.url = s.url
  GROUP BY s.url, s.card_agent
)
SELECT
  url, agent, first_t, last_t,
  CAST(row_number() OVER (PARTITION BY url ORDER BY first_t, agent) AS BIGINT) AS place,
  CAST(row_number() OVER (PARTITION BY url ORDER BY first_t DESC, agent DESC) AS BIGINT) AS place_from_last
FROM first_seen
