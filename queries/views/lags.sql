-- view: how each other registry followed each rotation
-- grain: one row for each rotation and registry that was asked for its agent
-- model: §4; times are UTC nanoseconds. Sights between the same bounds count as one: there are many
--   sights of a mirror for each rotation
WITH old_ends AS (
  SELECT mirror, k, asked_cell AS cell FROM lag_asked_cells WHERE bound = 1
),
stale_begins AS (
  SELECT mirror, k, asked_cell AS cell FROM lag_asked_cells WHERE bound = 2
),
sights AS (
  SELECT mirror, contract, first_k, cell, asked_cell, max(at) AS sent, max(t) AS t
  FROM lag_asked_cells
  WHERE bound = 0
  GROUP BY mirror, contract, first_k, cell, asked_cell
),
sighted AS (
  SELECT
    c.mirror,
    c.k,
    max(CASE WHEN (s.first_k IS NULL OR s.first_k < c.k) AND (o.cell IS NULL OR s.asked_cell < o.cell) THEN s.sent END)
      AS last_old_at,
    max(CASE WHEN s.first_k < c.k AND s.asked_cell >= b.cell AND (c.next_cell IS NULL OR s.cell < c.next_cell) THEN s.t END)
      AS last_stale_at
  FROM lag_catches AS c
  LEFT JOIN old_ends AS o ON o.mirror = c.mirror AND o.k = c.k
  LEFT JOIN stale_begins AS b ON b.mirror = c.mirror AND b.k = c.k
  JOIN sights AS s ON s.mirror = c.mirror
  WHERE s.contract <> c.contract
  GROUP BY c.mirror, c.k
),
told AS (
  SELECT
    c.*,
    s.last_old_at,
    s.last_stale_at,
    CASE
      WHEN c.caught_up_at IS NOT NULL THEN 'closed'
      WHEN NOT c.seen THEN 'unobserved'
      WHEN c.next_at IS NOT NULL THEN 'superseded'
      ELSE 'open'
    END AS status
  FROM lag_catches AS c
  LEFT JOIN sighted AS s ON s.mirror = c.mirror AND s.k = c.k
)
SELECT
  agent, registry, k, rotated_after, rotated_at, next_at, contract, status, never_away,
  last_old_at,
  caught_up_at,
  last_stale_at,
  CASE
    WHEN caught_up_at IS NULL THEN NULL
    WHEN never_away THEN 0
    ELSE greatest(0, caught_up_at - rotated_at)
  END AS lag,
  CASE
    WHEN status = 'unobserved' THEN NULL
    WHEN never_away THEN 0
    ELSE greatest(0, coalesce(last_old_at - rotated_at, 0))
  END AS lag_min,
  caught_up_at - rotated_after AS lag_max
FROM told
