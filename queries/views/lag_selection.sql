-- view: the lags within the limits
-- grain: one row for each row of `lags` within the limits
-- model: §10; without limits this is `lags` itself
SELECT x.*
FROM lags AS x
JOIN limited_agents AS a ON a.name = coalesce(x.agent, '')
JOIN limited_registries AS r ON r.name = coalesce(x.registry, '')
WHERE ($from IS NULL OR x.rotated_at >= $from) AND ($to IS NULL OR x.rotated_at < $to)
