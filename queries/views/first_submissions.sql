-- view: the first accepted or midstream submission of each task
-- grain: one row for each task with such an attempt
-- model: §5
WITH submissions AS (
  SELECT agent, task_id, t, id, client, skill_id, admitted_under
  FROM tries
  WHERE NOT push_config AND task_id IS NOT NULL AND outcome IN ('accepted', 'midstream')
),
repeated AS (
  SELECT agent, task_id FROM submissions GROUP BY agent, task_id HAVING count(*) > 1
),
placed AS (
  SELECT
    s.*,
    CAST(row_number() OVER (PARTITION BY s.agent, s.task_id ORDER BY s.t, s.id) AS BIGINT) AS place
  FROM submissions AS s
  LEFT SEMI JOIN repeated AS r ON r.agent = s.agent AND r.task_id = s.task_id
)
SELECT s.agent, s.task_id, s.t, s.client, s.skill_id, s.admitted_under
FROM submissions AS s
LEFT ANTI JOIN repeated AS r ON r.agent = s.agent AND r.task_id = s.task_id
UNION ALL
SELECT agent, task_id, t, client, skill_id, admitted_under FROM placed WHERE place = 1
