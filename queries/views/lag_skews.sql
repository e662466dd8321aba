-- view: how far the two clocks that measured a registry lag may disagree
-- grain: one row for each registry lag whose recorders both told of one server's clock
-- model: §4 distinguishable; nanoseconds, never negative. Each of both clocks is compared with that of
--   the server; several servers narrow it down
WITH pairs AS (
  SELECT DISTINCT authority_file, authority_client, mirror_file, mirror_client
  FROM lag_ends
),
apart AS (
  SELECT
    p.authority_file, p.authority_client, p.mirror_file, p.mirror_client,
    max(a.ahead_min - m.ahead_max) AS low,
    min(a.ahead_max - m.ahead_min) AS high
  FROM pairs AS p
  JOIN clock_bounds AS a ON a.source_file = p.authority_file AND a.client_key = p.authority_client
  JOIN clock_bounds AS m
    ON m.source_file = p.mirror_file AND m.client_key = p.mirror_client
    AND m.server = a.server AND m.evidence = a.evidence
  GROUP BY p.authority_file, p.authority_client, p.mirror_file, p.mirror_client
)
SELECT
  e.agent, e.registry, e.k,
  CASE
    WHEN e.authority_file = e.mirror_file AND e.authority_client = e.mirror_client THEN 0
    ELSE greatest(abs(s.low), abs(s.high))
  END AS skew
FROM lag_ends AS e
JOIN apart AS s
  ON s.authority_file = e.authority_file AND s.authority_client = e.authority_client
  AND s.mirror_file = e.mirror_file AND s.mirror_client = e.mirror_client
