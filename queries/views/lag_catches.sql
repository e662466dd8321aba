-- view: when each mirror was first seen with each rotation's contract
-- grain: one row for each row of `lag_pairs`
-- model: §4: `seen`: it was seen at all before the next rotation; `never_away`: the last sight
--   before the rotation and the next one show the contract (in the order of §1, also at one instant)
WITH begins AS (
  SELECT mirror, k, cell, n FROM lag_cells WHERE bound = 1
),
ends AS (
  SELECT mirror, k, cell FROM lag_cells WHERE bound = 2
),
sights AS (
  SELECT mirror, n, at, cell, contract FROM lag_cells WHERE bound = 0
),
firsts AS (
  SELECT mirror, contract, cell, min(at) AS at FROM sights GROUP BY mirror, contract, cell
),
caught AS (
  SELECT p.mirror, p.k, min(f.at) AS caught_up_at
  FROM lag_pairs AS p
  JOIN begins AS b ON b.mirror = p.mirror AND b.k = p.k
  LEFT JOIN ends AS e ON e.mirror = p.mirror AND e.k = p.k
  JOIN firsts AS f ON f.mirror = p.mirror AND f.contract = p.contract
  WHERE f.cell >= b.cell AND (e.cell IS NULL OR f.cell < e.cell)
  GROUP BY p.mirror, p.k
)
SELECT
  p.mirror, p.agent, p.registry, p.k, p.rotated_after, p.rotated_at, p.next_at, p.contract,
  e.cell AS next_cell,
  c.caught_up_at,
  s.at IS NOT NULL AND (e.cell IS NULL OR s.cell < e.cell) AS seen,
  coalesce(l.contract = p.contract AND s.contract = p.contract AND s.at = c.caught_up_at, false) AS never_away
FROM lag_pairs AS p
JOIN begins AS b ON b.mirror = p.mirror AND b.k = p.k
LEFT JOIN ends AS e ON e.mirror = p.mirror AND e.k = p.k
LEFT JOIN caught AS c ON c.mirror = p.mirror AND c.k = p.k
LEFT JOIN sights AS l ON l.mirror = p.mirror AND l.n = b.n
LEFT JOIN sights AS s ON s.mirror = p.mirror AND s.n = b.n + 1
