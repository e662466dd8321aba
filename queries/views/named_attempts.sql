-- view: attempts with the agent of their URL, in a fixed order at equal times, and their own outcome
-- grain: one row for each attempt
-- model: §1, §7: the outcome as recorded, else derived; what depends on other events comes in `tries`
WITH told AS (
  SELECT
    a.*,
    coalesce(a.agent, u.agent) AS named_agent,
    CASE
      WHEN a.outcome_recorded IS NOT NULL THEN 'recorded'
      WHEN a.rpc_code IS NOT NULL THEN 'code'
      WHEN a.transport_error THEN 'broken'
      WHEN a.task_state IS NOT NULL THEN 'state'
      WHEN a.grpc_status IS NOT NULL THEN 'grpc'
      WHEN a.http_status IS NOT NULL THEN 'http'
      WHEN a.error IS NOT NULL OR a.error_reason IS NOT NULL THEN 'error'
      ELSE 'nothing'
    END AS sign
  FROM attempts AS a
  LEFT JOIN url_agents AS u ON u.url = a.url
),
signed AS (
  SELECT
    *,
    CASE sign
      WHEN 'code' THEN CAST(rpc_code AS VARCHAR)
      WHEN 'state' THEN task_state
      WHEN 'grpc' THEN grpc_status
      WHEN 'http' THEN CAST(http_status AS VARCHAR)
    END AS sign_key
  FROM told
),
derived AS (
  SELECT
    a.*,
    a.sign <> 'recorded' AS is_derived,
    CASE a.sign
      WHEN 'recorded' THEN a.outcome_recorded
      WHEN 'broken' THEN CASE WHEN a.opened THEN 'midstream' ELSE 'transport' END
      WHEN 'error' THEN 'other'
      WHEN 'nothing' THEN 'accepted'
      ELSE coalesce(
        r.outcome,
        CASE
          WHEN a.sign = 'state' THEN 'accepted'
          WHEN a.sign = 'http' AND a.http_status BETWEEN 200 AND 299 THEN 'accepted'
          WHEN a.sign = 'http' AND a.http_status BETWEEN 500 AND 599 THEN 'transport'
          ELSE 'other'
        END
      )
    END AS first_outcome
  FROM signed AS a
  LEFT JOIN outcome_rules AS r ON r.kind = a.sign AND r.era = a.era AND r.key = a.sign_key
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
