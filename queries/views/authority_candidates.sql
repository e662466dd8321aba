-- view: the registries that could be an agent's authority, by rule
-- grain: one row for each agent, rule and registry
-- model: §3; `place` 1 is the choice of that rule
WITH seen AS (
  SELECT * FROM fetches WHERE NOT from_cache
),
registries_of AS (
  SELECT agent, registry, min(t) AS first_t, first_value(id ORDER BY t, id) AS first_id
  FROM seen
  GROUP BY agent, registry
),
declarations AS (
  SELECT agent, registry, count(*) AS n, min(t) AS first_t, first_value(id ORDER BY t, id) AS first_id
  FROM seen
  WHERE CASE WHEN is_publish THEN coalesce(authority, true) ELSE coalesce(authority, false) END
  GROUP BY agent, registry
),
well_known AS (
  SELECT DISTINCT agent, registry, url_origin FROM seen WHERE well_known
),
origins AS (
  SELECT DISTINCT f.agent, i.url_origin
  FROM (SELECT DISTINCT agent, card FROM seen WHERE card IS NOT NULL) AS f
  JOIN card_interfaces AS i ON i.card = f.card
  WHERE i.url_origin IS NOT NULL
),
at_origin AS (
  SELECT DISTINCT w.agent, w.registry
  FROM well_known AS w
  JOIN origins AS o ON o.agent = w.agent AND o.url_origin = w.url_origin
),
only_well_known AS (
  SELECT agent, max(registry) AS registry
  FROM well_known
  GROUP BY agent
  HAVING count(DISTINCT registry) = 1
),
first_sights AS (
  SELECT
    agent,
    registry,
    CAST(row_number() OVER (PARTITION BY agent, contract ORDER BY t, id) AS BIGINT) AS place
  FROM observations
)
SELECT agent, 1 AS rule, 'configured' AS source, registry, 1 AS place FROM authorities_configured
UNION ALL
SELECT agent, 2, 'declared', registry,
  CAST(row_number() OVER (PARTITION BY agent ORDER BY n DESC, first_t, first_id) AS BIGINT)
FROM declarations
UNION ALL
SELECT a.agent, 3, 'origin', a.registry,
  CAST(row_number() OVER (PARTITION BY a.agent ORDER BY r.first_t, r.first_id) AS BIGINT)
FROM at_origin AS a
JOIN registries_of AS r ON r.agent = a.agent AND r.registry = a.registry
UNION ALL
SELECT agent, 4, 'origin', registry, 1 FROM only_well_known
UNION ALL
SELECT agent, 5, 'only', max(registry), 1
FROM registries_of
GROUP BY agent
HAVING count(*) = 1
UNION ALL
SELECT agent, 6, 'inferred', registry,
  CAST(row_number() OVER (PARTITION BY agent ORDER BY count(*) DESC, registry) AS BIGINT)
FROM first_sights
WHERE place = 1
GROUP BY agent, registry
