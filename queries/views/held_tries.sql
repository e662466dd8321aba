-- view: attempts with the card that their client held
-- grain: one row for each attempt that tells its agent; `n` counts the client's fetches before it
-- model: §7 Replay: the recorded card, else that of the client's latest successful fetch
WITH points AS (
  SELECT
    id,
    pair,
    sum(is_fetch) OVER (
      PARTITION BY pair ORDER BY at, rank, fetch_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS n
  FROM held_points
),
counted AS (
  SELECT id, pair, n FROM points WHERE id IS NOT NULL
)
SELECT
  a.id, a.agent, a.client, a.client_key, a.t, a.answered, a.skill_id, a.accepted_output_modes,
  a.outcome, a.is_rejection, a.push_config, coalesce(c.n, 0) AS n,
  coalesce(a.admitted_under, f.card) AS held,
  coalesce(a.admitted_under, f.card, '') AS held_key
FROM tries AS a
LEFT JOIN counted AS c ON c.id = a.id
LEFT JOIN client_fetches AS f ON a.admitted_under IS NULL AND f.pair = c.pair AND f.n = c.n
