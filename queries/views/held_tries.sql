-- view: attempts with the card that their client held
-- grain: one row for each attempt that tells its agent; `n` counts the client's fetches before it
-- model: §7 Replay: the recorded card, else that of the client's latest successful fetch
WITH counted AS (
  SELECT
    id,
    sum(is_fetch) OVER (
      PARTITION BY agent, client_key ORDER BY at, rank, fetch_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS n
  FROM held_points
)
SELECT
  a.id, a.agent, a.client, a.client_key, a.t, a.answered, a.skill_id, a.accepted_output_modes,
  a.outcome, a.is_rejection, a.push_config, c.n,
  coalesce(a.admitted_under, f.card) AS held,
  coalesce(a.admitted_under, f.card, '') AS held_key
FROM tries AS a
JOIN counted AS c ON c.id = a.id
LEFT JOIN client_fetches AS f
  ON a.admitted_under IS NULL AND f.agent = a.agent AND f.client_key = a.client_key AND f.n = c.n
