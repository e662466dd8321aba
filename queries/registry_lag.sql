-- title: Registry lag
-- unit: seconds
-- grain: one row for each rotation and each other registry that was asked for the agent
-- answers: how long after the authority did each mirror show the new contract?
-- columns:
--   agent: the agent
--   registry: the mirror
--   rotation: the rotation's number
--   rotated_at: when the authority was first seen with the new contract
--   last_old_at: when the mirror was last asked and answered with an old contract
--   caught_up_at: when the mirror was first seen with the new contract
--   lag_s: caught_up_at less rotated_at; null unless closed
--   lag_min_s: the lag is at least this
--   lag_max_s: the lag is at most this; null unless closed
--   status: closed, open, superseded or unobserved
--   last_stale_at: a last sight of an old contract although asked for after caught_up_at
--   distinguishable: false: smaller than the clock skew between both sources; null: no estimate
SELECT
  l.agent,
  l.registry,
  l.k AS rotation,
  arrow_cast(l.rotated_at, 'Timestamp(Nanosecond, Some("UTC"))') AS rotated_at,
  arrow_cast(l.last_old_at, 'Timestamp(Nanosecond, Some("UTC"))') AS last_old_at,
  arrow_cast(l.caught_up_at, 'Timestamp(Nanosecond, Some("UTC"))') AS caught_up_at,
  CAST(l.lag AS DOUBLE) / 1000000000.0 AS lag_s,
  CAST(l.lag_min AS DOUBLE) / 1000000000.0 AS lag_min_s,
  CAST(l.lag_max AS DOUBLE) / 1000000000.0 AS lag_max_s,
  l.status,
  arrow_cast(l.last_stale_at, 'Timestamp(Nanosecond, Some("UTC"))') AS last_stale_at,
  coalesce(l.lag_max, l.lag_min) >= s.skew AS distinguishable
FROM lag_selection AS l
LEFT JOIN lag_skews AS s ON s.agent = l.agent AND s.registry = l.registry AND s.k = l.k
ORDER BY agent NULLS LAST, registry NULLS LAST, rotation
