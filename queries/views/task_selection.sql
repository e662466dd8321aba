-- view: the tasks within the limits
-- grain: one row for each row of `task_verdicts` within the limits
-- model: §10; without limits this is `task_verdicts` itself
SELECT x.*
FROM task_verdicts AS x
JOIN limited_agents AS a ON a.name = coalesce(x.agent, '')
JOIN limited_registries AS r ON r.name = coalesce(x.registry, '')
JOIN limited_clients AS c ON c.name = coalesce(x.client, '')
WHERE ($from IS NULL OR x.admitted_at >= $from) AND ($to IS NULL OR x.admitted_at < $to)
