-- view: the two-thousandths of each source's time in which it holds an event, also one seen with others
-- grain: one row for each source and such part of its time; only sources of 200 events or more
-- model: §1 Joining; times in UTC nanoseconds
WITH moments AS (
  SELECT source_file, CAST(time AS BIGINT) AS t FROM card_fetches WHERE kind <> 'publish'
  UNION ALL
  SELECT source_file, CAST(time AS BIGINT) FROM attempts
  UNION ALL
  SELECT source_file, CAST(time AS BIGINT) FROM task_events
  UNION ALL
  SELECT source_file, CAST(time AS BIGINT) FROM artifacts
  UNION ALL
  SELECT unnest(seen_by), CAST(time AS BIGINT) FROM card_fetches WHERE seen_by IS NOT NULL
  UNION ALL
  SELECT unnest(seen_by), CAST(time AS BIGINT) FROM attempts WHERE seen_by IS NOT NULL
),
bounds AS (
  SELECT source_file, min(t) AS first_t, max(t) AS last_t
  FROM moments
  GROUP BY source_file
  HAVING count(*) >= 200
)
SELECT
  m.source_file,
  b.first_t,
  b.last_t,
  (m.t - b.first_t) / ((b.last_t - b.first_t) / 2000 + 1) AS beat,
  min(m.t) AS from_t,
  max(m.t) AS to_t
FROM moments AS m
JOIN bounds AS b ON b.source_file = m.source_file
GROUP BY m.source_file, b.first_t, b.last_t, (m.t - b.first_t) / ((b.last_t - b.first_t) / 2000 + 1)
