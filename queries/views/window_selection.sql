-- view: the rotation windows within the limits
-- grain: one row for each row of `windows` within the limits
-- model: §10; without limits this is `windows` itself
SELECT x.*
FROM windows AS x
JOIN limited_agents AS a ON a.name = coalesce(x.agent, '')
JOIN limited_registries AS r ON r.name = coalesce(x.registry, '')
WHERE ($from IS NULL OR x.opened_at >= $from) AND ($to IS NULL OR x.opened_at < $to)
