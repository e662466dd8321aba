-- view: the records that bound each registry lag: the last that shows an old contract, the first that
--   shows the rotation's
-- grain: one row for each registry lag within the limits
-- model: §4
WITH sights AS (
  SELECT
    registry,
    coalesce(agent, card_agent) AS named,
    CAST(time AS BIGINT) AS t,
    CAST(sent_at AS BIGINT) AS sent,
    source_file,
    source_line
  FROM card_fetches
  WHERE kind <> 'get' AND NOT from_cache
),
caught AS (
  SELECT
    l.agent, l.registry, l.k,
    first_value(s.source_file ORDER BY s.source_file, s.source_line) AS source_file,
    first_value(s.source_line ORDER BY s.source_file, s.source_line) AS source_line
  FROM lag_selection AS l
  JOIN sights AS s ON s.registry = l.registry AND s.t = l.caught_up_at AND coalesce(s.named, l.agent) = l.agent
  GROUP BY l.agent, l.registry, l.k
),
old AS (
  SELECT
    l.agent, l.registry, l.k,
    first_value(s.source_file ORDER BY s.source_file, s.source_line) AS source_file,
    first_value(s.source_line ORDER BY s.source_file, s.source_line) AS source_line
  FROM lag_selection AS l
  JOIN sights AS s ON s.registry = l.registry AND s.sent = l.last_old_at AND coalesce(s.named, l.agent) = l.agent
  GROUP BY l.agent, l.registry, l.k
)
SELECT
  l.agent, l.registry, l.k,
  o.source_file AS old_file, o.source_line AS old_line,
  c.source_file AS caught_file, c.source_line AS caught_line
FROM lag_selection AS l
LEFT JOIN caught AS c ON c.agent = l.agent AND c.registry = l.registry AND c.k = l.k
LEFT JOIN old AS o ON o.agent = l.agent AND o.registry = l.registry AND o.k = l.k
