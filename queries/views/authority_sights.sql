-- view: the observations of each agent's authority, dated
-- grain: one row for each observation of an authority
-- model: §3: dated `time` less `age_s`; with publishes, `opens` marks those and the first sight of a
--   contract that the authority had never published before
WITH sights AS (
  SELECT o.*, o.t - coalesce(o.age, 0) AS dated
  FROM observations AS o
  JOIN authorities AS a ON a.agent = o.agent AND a.registry = o.registry
),
marked AS (
  SELECT
    *,
    max(CASE WHEN is_publish THEN 1 ELSE 0 END) OVER (PARTITION BY agent) = 1 AS has_publishes,
    min(CASE WHEN is_publish THEN t END) OVER (PARTITION BY agent, contract) AS published_at,
    row_number() OVER (PARTITION BY agent, contract, is_publish ORDER BY dated, id) AS nth
  FROM sights
)
SELECT
  id, agent, registry, t, sent, age, dated, is_publish, card, contract, has_publishes,
  NOT has_publishes
    OR is_publish
    OR (nth = 1 AND (published_at IS NULL OR dated < published_at)) AS opens
FROM marked
