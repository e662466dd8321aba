-- view: attempts with the agent of their URL, in a fixed order at equal times, and their own outcome
-- grain: one row for each attempt
-- model: §1, §7: the outcome as recorded, else derived; what depends on other events comes in `tries`
WITH derived AS (
  SELECT
    a.*,
    coalesce(a.agent, u.agent) AS named_agent,
    a.outcome_recorded IS NULL AS is_derived,
    CASE
      WHEN a.outcome_recorded IS NOT NULL THEN a.outcome_recorded
      WHEN a.rpc_code IS NOT NULL THEN coalesce(c.outcome, 'other')
      WHEN a.transport_error THEN CASE WHEN a.opened THEN 'midstream' ELSE 'transport' END
      WHEN a.task_state IS NOT NULL THEN coalesce(s.outcome, 'accepted')
      WHEN a.grpc_status IS NOT NULL THEN coalesce(g.outcome, 'other')
      WHEN a.http_status IS NOT NULL
        THEN coalesce(
          h.outcome,
          CASE
            WHEN a.http_status BETWEEN 200 AND 299 THEN 'accepted'
            WHEN a.http_status BETWEEN 500 AND 599 THEN 'transport'
            ELSE 'other'
          END
        )
      WHEN a.error IS NOT NULL OR a.error_reason IS NOT NULL THEN 'other'
      ELSE 'accepted'
    END AS first_outcome
  FROM attempts AS a
  LEFT JOIN url_agents AS u ON u.url = a.url
  LEFT JOIN outcome_rules AS c
    ON c.kind = 'code' AND c.era = a.era AND c.key = CAST(a.rpc_code AS VARCHAR)
  LEFT JOIN outcome_rules AS s ON s.kind = 'state' AND s.era = a.era AND s.key = a.task_state
  LEFT JOIN outcome_rules AS g ON g.kind = 'grpc' AND g.era = a.era AND g.key = a.grpc_status
  LEFT JOIN outcome_rules AS h
    ON h.kind = 'http' AND h.era = a.era AND h.key = CAST(a.http_status AS VARCHAR)
)
SELECT
  CAST(row_number() OVER (
    ORDER BY time, client NULLS LAST, task_id NULLS LAST, admitted_under NULLS LAST,
      CASE WHEN is_derived AND first_outcome = 'accepted' AND broke THEN 'midstream' ELSE first_outcome END,
      source_file, source_line, source_byte
  ) AS BIGINT) AS id,
  CAST(time AS BIGINT) AS t,
  CAST(coalesce(end_time, time) AS BIGINT) AS answered,
  client,
  coalesce(client, '') AS client_key,
  coalesce(client, chr(1114111)) AS client_order,
  named_agent,
  task_id,
  context_id,
  skill_id,
  admitted_under,
  accepted_output_modes,
  push_config,
  is_derived,
  CASE WHEN is_derived AND first_outcome = 'accepted' AND broke THEN 'midstream' ELSE first_outcome END
    AS first_outcome,
  task_state,
  source_file,
  source_line
FROM derived
