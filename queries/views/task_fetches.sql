-- view: the client's latest successful fetch before each task was sent
-- grain: one row for each task whose card was not recorded and whose client fetched; `n` 0 is none
-- model: §5 client_fetch
WITH counted AS (
  SELECT
    pair, task,
    sum(is_fetch) OVER (
      PARTITION BY pair ORDER BY at, rank ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS n
  FROM task_fetch_points
)
SELECT pair, task, n FROM counted WHERE task IS NOT NULL
