-- title: Rotations that mirrors followed in time
-- unit: one rotation window of a mirror
-- grain: one row for each rotation and mirror that was away from the new contract, or was not looked at
-- answers: which mirrors showed a new contract within the time promised?
-- columns:
--   at: when it became known: the mirror had caught up, or its time was over, or the next rotation came
--   good: closed within the time; null: nobody looked at the mirror
--   agent: the agent
--   registry: the mirror
--   rotation: the rotation's number
--   rotated_at: when the authority was first seen with the new contract
--   status: closed, open, superseded or unobserved
--   lag_s: how long the mirror took; null unless closed
-- parameters:
--   within_s: number = 3600: the time promised, in seconds
WITH judged AS (
  SELECT
    l.*,
    CASE
      WHEN l.status = 'unobserved' THEN NULL
      ELSE l.status = 'closed' AND CAST(l.lag AS DOUBLE) <= $within_s * 1000000000.0
    END AS good,
    l.rotated_at + CAST($within_s * 1000000000.0 AS BIGINT) AS due_at
  FROM lag_selection AS l
  WHERE NOT l.never_away
)
SELECT
  arrow_cast(
    CASE
      WHEN j.good IS NULL THEN j.rotated_at
      WHEN j.good THEN greatest(j.caught_up_at, j.rotated_at)
      ELSE least(j.due_at, coalesce(j.next_at, j.due_at), a.last_at)
    END,
    'Timestamp(Nanosecond, Some("UTC"))'
  ) AS at,
  j.good,
  j.agent,
  j.registry,
  j.k AS rotation,
  arrow_cast(j.rotated_at, 'Timestamp(Nanosecond, Some("UTC"))') AS rotated_at,
  j.status,
  CAST(j.lag AS DOUBLE) / 1000000000.0 AS lag_s
FROM judged AS j
CROSS JOIN archive AS a
ORDER BY at, agent NULLS LAST, registry NULLS LAST, rotation
