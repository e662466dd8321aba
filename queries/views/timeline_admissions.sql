-- view: admissions as a timeline shows them
-- grain: one row for each task when there are few; else one for each step of time, agent, registry and
--   verdict: a step is the 512th part of the time between the first admission and the last
-- model: §5, §6; times are UTC nanoseconds; a task without an artifact has the verdict null
WITH bounds AS (
  SELECT
    count(*) AS n,
    greatest(1, max(admitted_at) / 512 - min(admitted_at) / 512 + 1) AS step
  FROM task_selection
),
placed AS (
  SELECT
    t.agent_key, t.registry, t.verdict, t.task_id, t.admitted_at,
    CASE
      WHEN b.n <= 4000 THEN row_number() OVER (ORDER BY t.admitted_at, t.agent_key, t.task_id)
      ELSE t.admitted_at / b.step
    END AS place
  FROM task_selection AS t
  CROSS JOIN bounds AS b
),
counted AS (
  SELECT
    agent_key, registry, verdict, place,
    count(*) AS n,
    min(admitted_at) AS first_at,
    max(admitted_at) AS last_at,
    first_value(task_id ORDER BY admitted_at, task_id) AS task_id
  FROM placed
  GROUP BY agent_key, registry, verdict, place
)
SELECT
  c.agent_key, c.registry, c.verdict, c.n, c.first_at, c.last_at, c.task_id,
  first_value(j.source_file ORDER BY j.artifact_at, j.artifact_id) AS source_file,
  first_value(j.source_line ORDER BY j.artifact_at, j.artifact_id) AS source_line
FROM counted AS c
LEFT JOIN judged AS j
  ON j.agent_key = c.agent_key AND j.task_id = c.task_id AND j.verdict = c.verdict
GROUP BY c.agent_key, c.registry, c.verdict, c.place, c.n, c.first_at, c.last_at, c.task_id
