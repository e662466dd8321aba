-- view: each change of the authority's contract with the bounds of its instant
-- grain: one row for each epoch; `k` 0 is no rotation
-- model: §3: the true instant lies in (rotated_after, rotated_at]
WITH loose AS (
  SELECT DISTINCT agent FROM stale_sights
  UNION
  SELECT DISTINCT f.agent
  FROM fetches AS f
  JOIN authorities AS a ON a.agent = f.agent AND a.registry = f.registry
  WHERE f.age IS NOT NULL AND NOT f.from_cache
),
lowest AS (
  SELECT
    s.agent,
    s.k,
    max(
      CASE
        WHEN s.is_publish THEN s.t
        WHEN s.age IS NOT NULL THEN s.sent - s.age - 1000000000
        WHEN l.agent IS NOT NULL THEN s.sent - $flap_s * 1000000000
        ELSE s.sent
      END
    ) AS last_seen
  FROM epoch_sights AS s
  JOIN epochs AS e ON e.agent = s.agent AND e.k = s.k AND e.contract = s.contract
  LEFT JOIN loose AS l ON l.agent = s.agent
  GROUP BY s.agent, s.k
)
SELECT
  e.agent,
  e.k,
  a.registry AS authority,
  a.source AS authority_source,
  CASE
    WHEN e.k = 0 THEN NULL
    WHEN e.is_publish THEN e.rotated_at
    ELSE least(w.last_seen, e.rotated_at)
  END AS rotated_after,
  e.rotated_at,
  e.next_at,
  p.card AS from_card,
  e.card AS to_card,
  e.contract,
  coalesce(s.sights, 0) AS stale_at_source
FROM epochs AS e
JOIN authorities AS a ON a.agent = e.agent
LEFT JOIN epochs AS p ON p.agent = e.agent AND p.k = e.k - 1
LEFT JOIN lowest AS w ON w.agent = e.agent AND w.k = e.k - 1
LEFT JOIN stale_sights AS s ON s.agent = e.agent AND s.k = e.k
