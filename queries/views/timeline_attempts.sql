-- view: attempts as a timeline shows them
-- grain: one row for each agent and step of time with an attempt: a second, or the 512th part of the
--   time between the first attempt and the last when that is longer
-- model: §7; times are UTC nanoseconds
WITH bounds AS (
  SELECT greatest(1000000000, max(t) / 512 - min(t) / 512 + 1) AS step FROM try_selection
)
SELECT
  t.agent,
  t.t / b.step * b.step AS step_at,
  b.step,
  count(*) AS attempts,
  sum(CASE WHEN t.is_rejection THEN 1 ELSE 0 END) AS rejected,
  sum(CASE WHEN coalesce(r.is_replay, false) THEN 1 ELSE 0 END) AS replayed
FROM try_selection AS t
CROSS JOIN bounds AS b
LEFT JOIN rejections AS r ON r.id = t.id
GROUP BY t.agent, t.t / b.step * b.step, b.step
