-- view: the sources with such periods, the longest first
-- grain: one row for each source
-- model: none: it tells what biases every rate; times in UTC nanoseconds
WITH placed AS (
  SELECT
    source_file, since_t, until_t, pause, usual_pause,
    CAST(row_number() OVER (PARTITION BY source_file ORDER BY pause DESC, since_t) AS BIGINT) AS place
  FROM silences
),
told AS (
  SELECT
    source_file,
    count(*) AS periods,
    sum(pause) AS silent,
    max(CASE WHEN place = 1 THEN since_t END) AS since_t,
    max(CASE WHEN place = 1 THEN until_t END) AS until_t,
    max(usual_pause) AS usual_pause
  FROM placed
  GROUP BY source_file
)
SELECT
  source_file, CAST(periods AS BIGINT) AS periods, CAST(silent AS BIGINT) AS silent, since_t, until_t, usual_pause,
  CAST(row_number() OVER (ORDER BY silent DESC, source_file) AS BIGINT) AS place
FROM told
