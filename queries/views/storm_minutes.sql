-- view: rejections a minute of the largest storms
-- grain: one row for each UTC minute with a rejection of one of the 40 storms with the most
-- model: §7 Storm; times are UTC nanoseconds
WITH largest AS (
  SELECT *
  FROM (
    SELECT
      agent, contract, burst, card, started_at,
      row_number() OVER (ORDER BY failed_attempts DESC, started_at, agent, contract) AS place
    FROM storm_selection
  )
  WHERE place <= 40
)
SELECT
  s.agent, s.card, s.started_at,
  (r.t - ((r.t % 60000000000) + 60000000000) % 60000000000) AS minute_at,
  count(*) AS rejected,
  sum(CASE WHEN r.is_replay THEN 1 ELSE 0 END) AS replayed
FROM largest AS s
JOIN storm_rejections AS r ON r.agent = s.agent AND r.contract = s.contract AND r.burst = s.burst
GROUP BY s.agent, s.card, s.started_at, (r.t - ((r.t % 60000000000) + 60000000000) % 60000000000)
