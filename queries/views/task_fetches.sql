-- view: the client's latest successful fetch before each task was sent
-- grain: one row for each task whose card was not recorded; `n` 0 is none
-- model: §5 client_fetch
WITH counted AS (
  SELECT
    agent_key, client_key, task_id,
    sum(is_fetch) OVER (
      PARTITION BY agent_key, client_key ORDER BY at, rank
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS n
  FROM task_fetch_points
)
SELECT agent_key, client_key, task_id, n FROM counted WHERE task_id IS NOT NULL
