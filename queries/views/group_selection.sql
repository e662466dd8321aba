-- view: the groups within the limits
-- grain: one row for each row of `groups` within the limits
-- model: §10; without limits this is `groups` itself
SELECT x.*
FROM groups AS x
JOIN limited_agents AS a ON a.name = coalesce(x.agent, '')
JOIN limited_clients AS c ON c.name = coalesce(x.client, '')
WHERE ($from IS NULL OR x.first_t >= $from) AND ($to IS NULL OR x.first_t < $to)
