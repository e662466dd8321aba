-- view: the drift incidents within the limits
-- grain: one row for each row of `incidents` within the limits
-- model: §10; without limits this is `incidents` itself
SELECT x.*
FROM incidents AS x
JOIN limited_agents AS a ON a.name = coalesce(x.agent, '')
JOIN limited_clients AS c ON c.name = coalesce(x.client, '')
WHERE ($from IS NULL OR x.first_t >= $from) AND ($to IS NULL OR x.first_t < $to)
