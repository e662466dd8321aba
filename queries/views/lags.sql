-- view: how each other registry followed each rotation
-- grain: one row for each rotation and registry that was asked for its agent
-- model: §4; times are UTC nanoseconds
WITH asked AS (
  SELECT DISTINCT agent, registry FROM fetches WHERE NOT from_cache
),
first_epochs AS (
  SELECT agent, contract, min(k) AS first_k FROM epochs GROUP BY agent, contract
),
pairs AS (
  SELECT r.agent, m.registry, r.k, r.rotated_after, r.rotated_at, r.next_at, r.contract
  FROM rotations_found AS r
  JOIN asked AS m ON m.agent = r.agent AND m.registry <> r.authority
  WHERE r.k > 0
),
sights AS (
  SELECT o.agent, o.registry, o.id, o.t, o.sent, o.contract, f.first_k
  FROM observations AS o
  LEFT JOIN first_epochs AS f ON f.agent = o.agent AND f.contract = o.contract
),
caught AS (
  SELECT
    p.agent, p.registry, p.k,
    count(s.id) AS seen,
    min(CASE WHEN s.contract = p.contract THEN s.t END) AS caught_up_at
  FROM pairs AS p
  JOIN sights AS s ON s.agent = p.agent AND s.registry = p.registry
  WHERE s.t >= p.rotated_after AND (p.next_at IS NULL OR s.t < p.next_at)
  GROUP BY p.agent, p.registry, p.k
),
bounded AS (
  SELECT p.*, coalesce(c.seen, 0) AS seen, c.caught_up_at
  FROM pairs AS p
  LEFT JOIN caught AS c ON c.agent = p.agent AND c.registry = p.registry AND c.k = p.k
),
sighted AS (
  SELECT
    b.agent, b.registry, b.k,
    max(
      CASE
        WHEN s.contract <> b.contract
          AND (s.first_k IS NULL OR s.first_k < b.k)
          AND (coalesce(b.caught_up_at, b.next_at) IS NULL OR s.sent < coalesce(b.caught_up_at, b.next_at))
          THEN s.sent
      END
    ) AS last_old_at,
    max(
      CASE
        WHEN s.contract <> b.contract
          AND s.first_k < b.k
          AND s.sent > b.caught_up_at
          AND (b.next_at IS NULL OR s.t < b.next_at)
          THEN s.t
      END
    ) AS last_stale_at,
    count(
      CASE
        WHEN s.contract <> b.contract AND s.t >= b.rotated_after AND s.t < b.caught_up_at THEN 1
      END
    ) AS away,
    last_value(s.contract ORDER BY s.t < b.rotated_after, s.t, s.id) AS contract_before,
    min(s.t) AS first_t
  FROM bounded AS b
  JOIN sights AS s ON s.agent = b.agent AND s.registry = b.registry
  GROUP BY b.agent, b.registry, b.k
),
told AS (
  SELECT
    b.agent, b.registry, b.k, b.rotated_after, b.rotated_at, b.next_at, b.contract, b.seen, b.caught_up_at,
    s.last_old_at,
    s.last_stale_at,
    coalesce(
      b.caught_up_at IS NOT NULL
        AND s.away = 0
        AND s.first_t < b.rotated_after
        AND s.contract_before = b.contract,
      false
    ) AS never_away,
    CASE
      WHEN b.caught_up_at IS NOT NULL THEN 'closed'
      WHEN b.seen = 0 THEN 'unobserved'
      WHEN b.next_at IS NOT NULL THEN 'superseded'
      ELSE 'open'
    END AS status
  FROM bounded AS b
  LEFT JOIN sighted AS s ON s.agent = b.agent AND s.registry = b.registry AND s.k = b.k
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
