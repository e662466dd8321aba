-- view: attempts with their agent and their final outcome
-- grain: one row for each attempt that tells its agent
-- model: §7: the last accepted submission before its task failed is midstream, answered at that time
WITH placed AS (
  SELECT a.*, coalesce(a.named_agent, o.agent) AS agent
  FROM named_attempts AS a
  LEFT JOIN only_agents AS o ON o.task_id = a.task_id
),
submitted AS (
  SELECT
    p.id,
    f.t AS failed_at,
    CAST(row_number() OVER (PARTITION BY f.id ORDER BY p.t DESC, p.id DESC) AS BIGINT) AS place
  FROM placed AS p
  JOIN statuses AS f ON f.agent_key = p.agent AND f.task_id = p.task_id
  WHERE f.state = 'failed'
    AND NOT f.is_answer
    AND NOT p.push_config
    AND p.first_outcome IN ('accepted', 'midstream')
    AND (
      p.t < f.t
      OR (
        p.t = f.t
        AND (
          p.client_order < f.client_order
          OR (
            p.client_order = f.client_order
            AND coalesce(p.admitted_under, 'g') <= coalesce(f.admitted_under, 'g')
          )
        )
      )
    )
),
last_before AS (
  SELECT id, min(failed_at) AS failed_at FROM submitted WHERE place = 1 GROUP BY id
),
told AS (
  SELECT
    p.*,
    b.failed_at,
    p.is_derived AND p.first_outcome = 'accepted' AND b.id IS NOT NULL AS breaks
  FROM placed AS p
  LEFT JOIN last_before AS b ON b.id = p.id
)
SELECT
  p.id, p.t, p.client, p.client_key, p.agent, p.task_id, p.context_id, p.skill_id, p.admitted_under,
  p.accepted_output_modes, p.push_config, p.source_file, p.source_line,
  CASE WHEN p.breaks THEN 'midstream' ELSE p.first_outcome END AS outcome,
  CASE WHEN p.breaks THEN p.failed_at ELSE p.answered END AS answered,
  CASE WHEN p.breaks THEN true
    ELSE p.first_outcome IN ('capability', 'auth', 'midstream', 'other') END AS is_rejection
FROM told AS p
WHERE p.agent IS NOT NULL
