-- view: the storms within the limits
-- grain: one row for each row of `storms` within the limits
-- model: §10; without limits this is `storms` itself
SELECT x.*
FROM storms AS x
JOIN limited_agents AS a ON a.name = coalesce(x.agent, '')
WHERE ($from IS NULL OR x.started_at >= $from) AND ($to IS NULL OR x.started_at < $to)
