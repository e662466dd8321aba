-- view: the skills and outcomes of each group's rejections
-- grain: one row for each group
-- model: §7
SELECT
  agent, client_key, n, held_key,
  array_remove(array_agg(DISTINCT coalesce(skill_id, '') ORDER BY coalesce(skill_id, '')), '') AS skills,
  array_agg(DISTINCT outcome ORDER BY outcome) AS errors
FROM rejections
GROUP BY agent, client_key, n, held_key
