-- view: the rotations within the limits
-- grain: one row for each row of `rotations_found` within the limits
-- model: §10; without limits this is `rotations_found` itself
SELECT x.*
FROM rotations_found AS x
JOIN limited_agents AS a ON a.name = coalesce(x.agent, '')
WHERE ($from IS NULL OR x.rotated_at >= $from) AND ($to IS NULL OR x.rotated_at < $to)
