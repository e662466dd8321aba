-- view: every task with its admission time, its client and its state
-- grain: one row for each task: (agent, task id)
-- model: §1 Identity, §5, §6; events of one time and client are ordered by `kind` and `part`
WITH placed AS (
  SELECT
    k.task, k.agent_key, k.task_id,
    s.t AS submitted_at,
    s.client AS submitted_client,
    s.admitted_under AS submitted_under,
    a.t AS sent_at,
    a.client AS sent_client,
    a.admitted_under AS sent_under,
    a.skill_id,
    e.state
  FROM task_keys AS k
  LEFT JOIN statuses AS s ON s.id = k.submitted_id
  LEFT JOIN tries AS a ON a.id = k.sent_id
  LEFT JOIN statuses AS e ON e.id = k.state_id
),
first_moments AS (
  SELECT
    p.task, m.t, m.admitted_under,
    CAST(row_number() OVER (PARTITION BY p.task ORDER BY m.t, m.client_order, m.kind, m.card_order, m.part, m.id) AS BIGINT) AS place
  FROM placed AS p
  JOIN task_moments AS m ON m.agent_key = p.agent_key AND m.task_id = p.task_id
  WHERE m.makes_task AND p.submitted_at IS NULL AND p.sent_at IS NULL
),
first_clients AS (
  SELECT
    p.task, m.client,
    CAST(row_number() OVER (PARTITION BY p.task ORDER BY m.t, m.client_order, m.kind, m.card_order, m.part, m.id) AS BIGINT) AS place
  FROM placed AS p
  JOIN task_moments AS m ON m.agent_key = p.agent_key AND m.task_id = p.task_id
  WHERE p.submitted_client IS NULL AND p.sent_client IS NULL AND m.client IS NOT NULL
)
SELECT
  p.task,
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
  p.state,
  coalesce(p.state = 'completed', false) AS completed
FROM placed AS p
LEFT JOIN first_moments AS f ON f.task = p.task AND f.place = 1
LEFT JOIN first_clients AS c ON c.task = p.task AND c.place = 1
