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
    min(CASE WHEN is_publish THEN t END) OVER (PARTITION BY agent, contract) > t AS before_publish
  FROM sights
),
counted AS (
  SELECT
    *,
    NOT is_publish AND coalesce(before_publish, true) AS is_new,
    CAST(row_number() OVER (
      PARTITION BY agent, contract, NOT is_publish AND coalesce(before_publish, true) ORDER BY dated, id
    ) AS BIGINT) AS nth
  FROM marked
)
SELECT
  id, agent, registry, t, sent, age, dated, is_publish, card, contract, has_publishes,
  NOT has_publishes OR is_publish OR (is_new AND nth = 1) AS opens
FROM counted
