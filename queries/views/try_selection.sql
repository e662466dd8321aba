-- view: the attempts within the limits
-- grain: one row for each row of `tries` within the limits
-- model: §10; without limits this is `tries` itself
SELECT x.*
FROM tries AS x
JOIN limited_agents AS a ON a.name = coalesce(x.agent, '')
JOIN limited_clients AS c ON c.name = coalesce(x.client, '')
WHERE ($from IS NULL OR x.t >= $from) AND ($to IS NULL OR x.t < $to)
