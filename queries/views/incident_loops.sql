-- view: the place of each incident in a run of identical refetches
-- grain: one row for each incident whose result is `identical`
-- model: §7: consecutive ones of one client, agent and card; an accepted attempt under it ends the run
WITH repeated AS (
  SELECT DISTINCT agent, client_key, held_key FROM loop_points
),
counted AS (
  SELECT
    agent, client_key, held_key, n,
    sum(is_accepted) OVER (
      PARTITION BY agent, client_key, held_key ORDER BY at, id
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS accepts
  FROM loop_points
),
ordered AS (
  SELECT
    i.agent, i.client_key, i.n, i.held_key, i.first_t, i.first_id, i.result, c.accepts,
    lag(i.result) OVER w AS result_before,
    lag(c.accepts) OVER w AS accepts_before
  FROM incidents AS i
  JOIN counted AS c
    ON c.agent = i.agent AND c.client_key = i.client_key AND c.n = i.n AND c.held_key = i.held_key
  WINDOW w AS (PARTITION BY i.agent, i.client_key, i.held_key ORDER BY i.first_t, i.first_id)
),
runs AS (
  SELECT
    *,
    sum(
      CASE
        WHEN result = 'identical' AND result_before = 'identical' AND accepts_before = accepts THEN 0
        ELSE 1
      END
    ) OVER (
      PARTITION BY agent, client_key, held_key ORDER BY first_t, first_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS run
  FROM ordered
)
SELECT
  agent, client_key, n, held_key,
  CAST(row_number() OVER (PARTITION BY agent, client_key, held_key, run ORDER BY first_t, first_id) AS BIGINT) AS place
FROM runs
WHERE result = 'identical'
UNION ALL
SELECT i.agent, i.client_key, i.n, i.held_key, 1
FROM incidents AS i
LEFT ANTI JOIN repeated AS r
  ON r.agent = i.agent AND r.client_key = i.client_key AND r.held_key = i.held_key
WHERE i.result = 'identical'
