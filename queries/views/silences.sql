-- view: periods in which a source holds no event although it usually does
-- grain: one row for each period: 20 times longer than 95 of 100 of its pauses, and 1 % of its time
-- model: none: it tells what biases every rate; times in UTC nanoseconds
WITH pauses AS (
  SELECT
    source_file,
    first_t,
    last_t,
    lag(to_t) OVER (PARTITION BY source_file ORDER BY beat) AS since_t,
    from_t AS until_t
  FROM source_beats
),
ranked AS (
  SELECT
    source_file, first_t, last_t, since_t, until_t, until_t - since_t AS pause,
    CAST(row_number() OVER (PARTITION BY source_file ORDER BY until_t - since_t, since_t) AS BIGINT) AS place,
    CAST(count(*) OVER (PARTITION BY source_file) AS BIGINT) AS pauses
  FROM pauses
  WHERE since_t IS NOT NULL
),
usual AS (
  SELECT source_file, max(CASE WHEN place * 100 <= pauses * 95 THEN pause END) AS usual_pause
  FROM ranked
  WHERE pauses >= 50
  GROUP BY source_file
)
SELECT r.source_file, r.since_t, r.until_t, r.pause, u.usual_pause
FROM ranked AS r
JOIN usual AS u ON u.source_file = r.source_file
WHERE r.pause / 20 >= u.usual_pause AND r.pause >= (r.last_t - r.first_t) / 100
