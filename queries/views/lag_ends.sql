-- view: whose clocks measured each registry lag: who saw the authority rotate, who saw the mirror follow
--   (or, when it did not, show an old contract for the last time)
-- grain: one row for each registry lag of which both are on record
-- model: §4 distinguishable
WITH ends AS (
  SELECT l.agent, l.registry, l.k, o.id
  FROM lags AS l
  JOIN observations AS o ON o.agent = l.agent AND o.registry = l.registry AND o.t = l.caught_up_at
  WHERE o.contract = l.contract
  UNION ALL
  SELECT l.agent, l.registry, l.k, o.id
  FROM lags AS l
  JOIN observations AS o ON o.agent = l.agent AND o.registry = l.registry AND o.sent = l.last_old_at
  WHERE o.contract <> l.contract AND l.caught_up_at IS NULL
),
ended AS (
  SELECT agent, registry, k, min(id) AS id
  FROM ends
  GROUP BY agent, registry, k
)
SELECT
  m.agent, m.registry, m.k,
  af.source_file AS authority_file,
  af.client_key AS authority_client,
  mf.source_file AS mirror_file,
  mf.client_key AS mirror_client
FROM ended AS m
JOIN epochs AS e ON e.agent = m.agent AND e.k = m.k
JOIN fetch_rows AS af ON af.id = e.id
JOIN fetch_rows AS mf ON mf.id = m.id
