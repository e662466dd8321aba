-- view: the states of tasks, in a fixed order at equal times
-- grain: one row for each status and for each state that an attempt was answered with
-- model: §1, §6: the state an attempt was answered with counts, at its end, and comes first: it has an
--   outcome. Of rows equal in all that orders them any may come first, since nothing that is read of
--   them differs
WITH told AS (
  SELECT
    false AS is_answer,
    CAST(e.time AS BIGINT) AS t,
    coalesce(e.agent, u.agent, o.agent) AS agent,
    e.client, e.task_id, e.state, e.admitted_under
  FROM task_events AS e
  LEFT JOIN url_agents AS u ON u.url = e.url
  LEFT JOIN only_agents AS o ON o.task_id = e.task_id
  UNION ALL
  SELECT
    true,
    a.answered,
    coalesce(a.named_agent, o.agent),
    a.client, a.task_id, a.task_state, a.admitted_under
  FROM named_attempts AS a
  LEFT JOIN only_agents AS o ON o.task_id = a.task_id
  WHERE a.task_state IS NOT NULL AND a.task_id IS NOT NULL
)
SELECT
  CAST(row_number() OVER (
    ORDER BY t, client NULLS LAST, task_id, admitted_under NULLS LAST, NOT is_answer, state
  ) AS BIGINT) AS id,
  is_answer,
  t,
  agent,
  coalesce(agent, '') AS agent_key,
  client,
  coalesce(client, chr(1114111)) AS client_order,
  task_id,
  state,
  state IN ('completed', 'failed', 'canceled', 'rejected') AS is_terminal,
  admitted_under
FROM told
WHERE agent IS NOT NULL OR NOT is_answer
