-- view: who took part in the largest storms, each with the record of the first rejection
-- grain: one row for each client of one of the 40 storms with the most rejections
-- model: §7 Storm; times are UTC nanoseconds; `place` 1 is the client with the most rejections
WITH largest AS (
  SELECT *
  FROM (
    SELECT
      agent, contract, burst, card, started_at,
      row_number() OVER (ORDER BY failed_attempts DESC, started_at, agent, contract) AS place
    FROM storm_selection
  )
  WHERE place <= 40
),
counted AS (
  SELECT
    s.agent, s.card, s.started_at, r.client_key,
    count(*) AS rejected,
    sum(CASE WHEN r.is_replay THEN 1 ELSE 0 END) AS replayed,
    min(r.t) AS first_at,
    max(r.t) AS last_at,
    first_value(r.id ORDER BY r.t, r.id) AS first_id
  FROM largest AS s
  JOIN storm_rejections AS r ON r.agent = s.agent AND r.contract = s.contract AND r.burst = s.burst
  GROUP BY s.agent, s.card, s.started_at, r.client_key
),
ranked AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY agent, card, started_at ORDER BY rejected DESC, client_key
    ) AS place
  FROM counted
)
SELECT
  c.agent, c.card, c.started_at,
  CASE WHEN c.client_key = '' THEN NULL ELSE c.client_key END AS client,
  c.rejected, c.replayed, c.first_at, c.last_at, c.place,
  t.source_file, t.source_line
FROM ranked AS c
JOIN tries AS t ON t.id = c.first_id
WHERE c.place <= 25
