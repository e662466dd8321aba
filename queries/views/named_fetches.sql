-- view: publishes and fetches with their agent
-- grain: one row for each publish and fetch
-- model: §1 Identity; a GET without a card is a fetch when its URL gave a card at another time
WITH card_urls AS (
  SELECT DISTINCT url FROM fetch_rows WHERE is_card
),
named AS (
  SELECT
    r.*,
    coalesce(r.known_agent, a.agent) AS agent,
    r.is_publish OR (r.ok AND r.status = 200) AS gives_by_etag,
    r.ok AND r.status = 200 AS gives_own
  FROM fetch_rows AS r
  LEFT JOIN fetch_agents AS a ON a.id = r.id
  LEFT JOIN card_urls AS u ON u.url = r.url
  WHERE r.kind <> 'get' OR u.url IS NOT NULL
)
SELECT * FROM named WHERE agent IS NOT NULL
