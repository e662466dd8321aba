-- title: Split-brain rate by rotation window
-- unit: ratio, 0 to 1
-- grain: one row for each rotation and registry, the authority's own included
-- answers: what share of verifiable tasks was split-brain while a mirror lagged, and after?
-- columns:
--   agent: the agent
--   registry: the registry of the admissions
--   rotation: the rotation's number
--   opened_at: the window's first instant
--   closed_at: its end, not included; null: it ends with the archive, included
--   status: closed, open, superseded, unobserved or authority
--   tasks: admitted in the window through this registry
--   completed: those of them that completed
--   verifiable: those of them whose artifacts could be checked: the denominator
--   split_brain: verifiable tasks with a split-brain binding
--   rate: split_brain / verifiable; null when nothing is verifiable
--   rate_low: Wilson 95 % interval, lower end
--   rate_high: Wilson 95 % interval, upper end
--   silent: split-brain tasks whose digests all match
--   unverifiable: completed tasks that could not be checked
--   after_tasks: admitted from the window's end up to the next rotation; null unless closed or authority
--   after_verifiable: those of them whose artifacts could be checked
--   after_split_brain: those of them with a split-brain binding
--   after_rate: after_split_brain / after_verifiable
WITH counted AS (
  SELECT
    m.agent, m.registry, m.k,
    count(CASE WHEN m.inside THEN 1 END) AS tasks,
    count(CASE WHEN m.inside AND t.completed THEN 1 END) AS completed,
    count(CASE WHEN m.inside AND t.verifiable THEN 1 END) AS verifiable,
    count(CASE WHEN m.inside AND t.split_brain THEN 1 END) AS split_brain,
    count(CASE WHEN m.inside AND t.silent THEN 1 END) AS silent,
    count(CASE WHEN m.inside AND t.unverifiable THEN 1 END) AS unverifiable,
    count(CASE WHEN NOT m.inside THEN 1 END) AS after_tasks,
    count(CASE WHEN NOT m.inside AND t.verifiable THEN 1 END) AS after_verifiable,
    count(CASE WHEN NOT m.inside AND t.split_brain THEN 1 END) AS after_split_brain
  FROM task_windows AS m
  JOIN task_selection AS t ON t.task = m.task
  GROUP BY m.agent, m.registry, m.k
),
filled AS (
  SELECT
    w.agent, w.registry, w.k, w.opened_at, w.ends_at, w.status, w.has_after,
    coalesce(c.tasks, 0) AS tasks,
    coalesce(c.completed, 0) AS completed,
    coalesce(c.verifiable, 0) AS verifiable,
    coalesce(c.split_brain, 0) AS split_brain,
    coalesce(c.silent, 0) AS silent,
    coalesce(c.unverifiable, 0) AS unverifiable,
    CASE WHEN w.has_after THEN coalesce(c.after_tasks, 0) END AS after_tasks,
    CASE WHEN w.has_after THEN coalesce(c.after_verifiable, 0) END AS after_verifiable,
    CASE WHEN w.has_after THEN coalesce(c.after_split_brain, 0) END AS after_split_brain
  FROM window_selection AS w
  LEFT JOIN counted AS c ON c.agent = w.agent AND c.registry = w.registry AND c.k = w.k
),
measured AS (
  SELECT
    *,
    CAST(verifiable AS DOUBLE) AS n,
    CASE WHEN verifiable > 0 THEN CAST(split_brain AS DOUBLE) / CAST(verifiable AS DOUBLE) END AS rate,
    1.959963984540054 * 1.959963984540054 AS zz
  FROM filled
)
SELECT
  agent,
  registry,
  k AS rotation,
  arrow_cast(opened_at, 'Timestamp(Nanosecond, Some("UTC"))') AS opened_at,
  arrow_cast(ends_at, 'Timestamp(Nanosecond, Some("UTC"))') AS closed_at,
  status,
  tasks,
  completed,
  verifiable,
  split_brain,
  rate,
  CASE
    WHEN rate = 0 THEN 0.0
    ELSE (rate + zz / (2 * n) - sqrt(zz) * sqrt(rate * (1 - rate) / n + zz / (4 * n * n))) / (1 + zz / n)
  END AS rate_low,
  CASE
    WHEN rate = 1 THEN 1.0
    ELSE (rate + zz / (2 * n) + sqrt(zz) * sqrt(rate * (1 - rate) / n + zz / (4 * n * n))) / (1 + zz / n)
  END AS rate_high,
  silent,
  unverifiable,
  after_tasks,
  after_verifiable,
  after_split_brain,
  CASE
    WHEN after_verifiable > 0 THEN CAST(after_split_brain AS DOUBLE) / CAST(after_verifiable AS DOUBLE)
  END AS after_rate
FROM measured
ORDER BY agent NULLS LAST, registry NULLS LAST, rotation
