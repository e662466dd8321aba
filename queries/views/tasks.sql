-- view: every task with its admission time, its client and its state
-- grain: one row for each task: (agent, task id)
-- model: §1 Identity, §5, §6
WITH known AS (
  SELECT agent_key, task_id FROM task_moments WHERE makes_task GROUP BY agent_key, task_id
),
placed AS (
  SELECT
    k.agent_key,
    k.task_id,
    s.t AS submitted_at,
    s.client AS submitted_client,
    s.admitted_under AS submitted_under,
    a.t AS sent_at,
    a.client AS sent_client,
    a.admitted_under AS sent_under,
    a.skill_id
  FROM known AS k
  LEFT JOIN first_submitted AS s ON s.agent_key = k.agent_key AND s.task_id = k.task_id
  LEFT JOIN first_submissions AS a ON a.agent = k.agent_key AND a.task_id = k.task_id
),
first_moments AS (
  SELECT
    m.agent_key, m.task_id, m.t, m.admitted_under,
    CAST(row_number() OVER (PARTITION BY m.agent_key, m.task_id ORDER BY m.t, m.client_order, m.kind, m.card_order, m.part, m.id) AS BIGINT) AS place
  FROM task_moments AS m
  JOIN placed AS p ON p.agent_key = m.agent_key AND p.task_id = m.task_id
  WHERE m.makes_task AND p.submitted_at IS NULL AND p.sent_at IS NULL
),
first_clients AS (
  SELECT
    m.agent_key, m.task_id, m.client,
    CAST(row_number() OVER (PARTITION BY m.agent_key, m.task_id ORDER BY m.t, m.client_order, m.kind, m.card_order, m.part, m.id) AS BIGINT) AS place
  FROM task_moments AS m
  JOIN placed AS p ON p.agent_key = m.agent_key AND p.task_id = m.task_id
  WHERE p.submitted_client IS NULL AND p.sent_client IS NULL AND m.client IS NOT NULL
)
SELECT
  CASE WHEN p.agent_key = '' THEN NULL ELSE p.agent_key END AS agent,
  p.agent_key,
  p.task_id,
  coalesce(p.submitted_at, p.sent_at, f.t) AS admitted_at,
  p.sent_at,
  coalesce(p.submitted_client, p.sent_client, c.client) AS client,
  coalesce(p.submitted_client, p.sent_client, c.client, '') AS client_key,
  coalesce(
    p.submitted_under,
    p.sent_under,
    CASE WHEN p.submitted_at IS NULL AND p.sent_at IS NULL THEN f.admitted_under END
  ) AS recorded,
  p.skill_id,
  e.state,
  coalesce(e.state = 'completed', false) AS completed
FROM placed AS p
LEFT JOIN first_moments AS f ON f.agent_key = p.agent_key AND f.task_id = p.task_id AND f.place = 1
LEFT JOIN first_clients AS c ON c.agent_key = p.agent_key AND c.task_id = p.task_id AND c.place = 1
LEFT JOIN task_ends AS e ON e.agent_key = p.agent_key AND e.task_id = p.task_id
