-- view: every card of each agent that was seen or named anywhere
-- grain: one row for each agent and binding hash
-- model: §6 Cause: hashes that occur only in `admitted_under` included
SELECT
  s.agent,
  s.card,
  c.card IS NOT NULL AS known
FROM (
  SELECT agent, card FROM fetches WHERE card IS NOT NULL
  UNION
  SELECT agent, recorded_card FROM fetches WHERE recorded_card IS NOT NULL
  UNION
  SELECT agent, admitted_under FROM tries WHERE admitted_under IS NOT NULL
  UNION
  SELECT agent, admitted_under FROM statuses WHERE admitted_under IS NOT NULL AND agent IS NOT NULL
) AS s
LEFT JOIN card_contents AS c ON c.card = s.card
