-- view: attempts with their agent and their final outcome
-- grain: one row for each attempt that tells its agent
-- model: §7: the last accepted submission before its task failed is midstream, answered at that time
WITH placed AS (
  SELECT a.*, coalesce(a.named_agent, o.agent) AS agent
  FROM named_attempts AS a
  LEFT JOIN only_agents AS o ON o.task_id = a.task_id
),
failures AS (
  SELECT agent_key, task_id, min(t) AS failed_at
  FROM statuses
  WHERE state = 'failed'
  GROUP BY agent_key, task_id
),
last_before AS (
  SELECT
    p.id,
    f.failed_at,
    row_number() OVER (PARTITION BY p.agent, p.task_id ORDER BY p.t DESC, p.id DESC) AS place
  FROM placed AS p
  JOIN failures AS f ON f.agent_key = p.agent AND f.task_id = p.task_id
  WHERE NOT p.push_config AND p.first_outcome = 'accepted' AND p.t <= f.failed_at
)
SELECT
  p.id, p.t, p.client, p.client_key, p.agent, p.task_id, p.context_id, p.skill_id, p.admitted_under,
  p.accepted_output_modes, p.push_config, p.source_file, p.source_line,
  CASE WHEN p.is_derived AND b.id IS NOT NULL THEN 'midstream' ELSE p.first_outcome END AS outcome,
  CASE WHEN p.is_derived AND b.id IS NOT NULL THEN b.failed_at ELSE p.answered END AS answered,
  CASE WHEN p.is_derived AND b.id IS NOT NULL THEN true
    ELSE p.first_outcome IN ('capability', 'auth', 'midstream', 'other') END AS is_rejection
FROM placed AS p
LEFT JOIN last_before AS b ON b.id = p.id AND b.place = 1
WHERE p.agent IS NOT NULL
