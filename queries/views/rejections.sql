-- view: the rejections of each group, and which of them are replays
-- grain: one row for each rejection
-- model: §7: a replay was sent at or after the answer to an earlier rejection of its group
WITH answered AS (
  SELECT
    *,
    CAST(row_number() OVER (PARTITION BY agent, client_key, n, held_key ORDER BY t, id) AS BIGINT) AS place,
    min(answered) OVER (
      PARTITION BY agent, client_key, n, held_key ORDER BY t, id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS first_answer
  FROM held_tries
  WHERE is_rejection
)
SELECT *, coalesce(t >= first_answer, false) AS is_replay FROM answered
