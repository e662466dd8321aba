-- view: what each client's next fetch showed after a rejection
-- grain: one row for each group with a rejection
-- model: §7 Drift incident
WITH fetched AS (
  SELECT
    g.agent, g.client_key, g.client, g.n, g.held_key, g.held,
    g.first_t, g.first_id, g.first_outcome, g.first_skill, g.rejections, g.replays, g.last_t,
    f.n IS NOT NULL AS refetched,
    f.t AS refetched_at,
    f.card AS refetched_card,
    p.result AS pair_result,
    p.changed, p.skills_added, p.skills_removed
  FROM groups AS g
  LEFT JOIN client_fetches AS f ON f.agent = g.agent AND f.client_key = g.client_key AND f.n = g.n + 1
  LEFT JOIN card_pairs AS p ON p.from_card = g.held AND p.to_card = f.card
)
SELECT
  *,
  CASE
    WHEN NOT refetched THEN 'never_refetched'
    WHEN held IS NULL OR refetched_card IS NULL THEN 'unknown'
    ELSE pair_result
  END AS result
FROM fetched
