-- view: the rejections of groups with a replay, in clusters
-- grain: one row for each such rejection
-- model: §7 Storm
WITH shared AS (
  SELECT
    r.agent, r.client_key, r.t, r.id, r.held, r.skill_id, r.outcome, r.is_replay,
    CASE
      WHEN r.held IS NULL THEN ''
      WHEN c.card IS NULL THEN r.held
      ELSE coalesce(c.contract, r.held)
    END AS contract
  FROM rejections AS r
  JOIN groups AS g
    ON g.agent = r.agent AND g.client_key = r.client_key AND g.n = r.n AND g.held_key = r.held_key
  LEFT JOIN card_contents AS c ON c.card = r.held
  WHERE g.replays > 0
),
gaps AS (
  SELECT *, lag(t) OVER (PARTITION BY agent, contract ORDER BY t, id) AS t_before FROM shared
),
clustered AS (
  SELECT
    *,
    sum(CASE WHEN t_before IS NULL OR t - t_before > $storm_gap_s * 1000000000 THEN 1 ELSE 0 END) OVER (
      PARTITION BY agent, contract ORDER BY t, id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS burst
  FROM gaps
)
SELECT
  *,
  CAST(row_number() OVER (PARTITION BY agent, contract, burst ORDER BY t, id) AS BIGINT) AS place
FROM clustered
