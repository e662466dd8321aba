-- view: the agent of the only task with an id, for ids of events that name no agent
-- grain: one row for each such id
-- model: §1 Identity
WITH agentless AS (
  SELECT task_id FROM named_attempts WHERE named_agent IS NULL AND task_id IS NOT NULL
  UNION
  SELECT task_id FROM task_events WHERE agent IS NULL AND url IS NULL
  UNION
  SELECT task_id FROM artifacts WHERE agent IS NULL AND url IS NULL
),
tasks_named AS (
  SELECT task_id, named_agent AS agent
  FROM named_attempts
  WHERE named_agent IS NOT NULL AND first_outcome IN ('accepted', 'midstream')
  UNION ALL
  SELECT e.task_id, coalesce(e.agent, u.agent)
  FROM task_events AS e
  LEFT JOIN url_agents AS u ON u.url = e.url
  UNION ALL
  SELECT r.task_id, coalesce(r.agent, u.agent)
  FROM artifacts AS r
  LEFT JOIN url_agents AS u ON u.url = r.url
)
SELECT n.task_id, max(n.agent) AS agent
FROM agentless AS a
JOIN tasks_named AS n ON n.task_id = a.task_id
WHERE n.agent IS NOT NULL
GROUP BY n.task_id
HAVING count(DISTINCT n.agent) = 1
