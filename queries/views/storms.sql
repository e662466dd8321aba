-- view: the retry storms; times in UTC nanoseconds
-- grain: one row for each burst with enough replays
-- model: §7 Storm
WITH minutes AS (
  SELECT
    agent, contract, burst, max(n) AS peak
  FROM (
    SELECT agent, contract, burst, count(*) AS n
    FROM storm_rejections
    GROUP BY agent, contract, burst, (t - ((t % 60000000000) + 60000000000) % 60000000000)
  )
  GROUP BY agent, contract, burst
),
clusters AS (
  SELECT
    agent, contract, burst,
    min(t) AS started_at,
    max(t) AS ended_at,
    max(CASE WHEN place = 1 THEN held END) AS card,
    count(DISTINCT client_key) AS clients,
    count(*) AS failed_attempts,
    sum(CASE WHEN is_replay THEN 1 ELSE 0 END) AS replays,
    array_remove(array_agg(DISTINCT coalesce(skill_id, '') ORDER BY coalesce(skill_id, '')), '') AS skills,
    array_agg(DISTINCT outcome ORDER BY outcome) AS errors
  FROM storm_rejections
  GROUP BY agent, contract, burst
)
SELECT c.*, m.peak AS peak_per_minute
FROM clusters AS c
JOIN minutes AS m ON m.agent = c.agent AND m.contract = c.contract AND m.burst = c.burst
WHERE c.replays >= $storm_min_replays
