-- view: the fetches within the limits
-- grain: one row for each row of `fetches` within the limits
-- model: §10; without limits this is `fetches` itself
SELECT x.*
FROM fetches AS x
JOIN limited_agents AS a ON a.name = coalesce(x.agent, '')
JOIN limited_registries AS r ON r.name = coalesce(x.registry, '')
JOIN limited_clients AS c ON c.name = coalesce(x.client, '')
WHERE ($from IS NULL OR x.t >= $from) AND ($to IS NULL OR x.t < $to)
