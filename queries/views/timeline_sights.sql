-- view: what each mirror was seen to serve, in runs of one contract, each with the record that opened it
-- grain: one row for each run of observations of one contract at a registry that is no authority
-- model: §4; times are UTC nanoseconds
WITH ordered AS (
  SELECT
    o.agent, o.registry, o.id, o.t, o.sent, o.card, o.contract, o.is_publish,
    lag(o.contract) OVER (PARTITION BY o.agent, o.registry ORDER BY o.t, o.id) AS contract_before
  FROM observations AS o
  JOIN authorities AS a ON a.agent = o.agent AND a.registry <> o.registry
  JOIN limited_agents AS l ON l.name = o.agent
  JOIN limited_registries AS m ON m.name = o.registry
),
numbered AS (
  SELECT
    *,
    sum(CASE WHEN contract_before = contract THEN 0 ELSE 1 END) OVER (
      PARTITION BY agent, registry ORDER BY t, id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS run
  FROM ordered
),
runs AS (
  SELECT
    agent, registry, run,
    max(contract) AS contract,
    first_value(card ORDER BY t, id) AS card,
    bool_or(is_publish AND contract_before IS DISTINCT FROM contract) AS is_publish,
    min(t) AS first_at,
    max(t) AS last_at,
    count(*) AS sights
  FROM numbered
  GROUP BY agent, registry, run
),
counted AS (
  SELECT *, row_number() OVER (PARTITION BY agent, registry ORDER BY run) AS nth FROM runs
)
SELECT
  r.agent,
  r.registry,
  r.run,
  r.contract,
  r.card,
  s.stated AS schema,
  r.first_at,
  r.last_at,
  r.sights,
  first_value(f.source_file ORDER BY f.source_file, f.source_line) AS source_file,
  first_value(f.source_line ORDER BY f.source_file, f.source_line) AS source_line
FROM counted AS r
LEFT JOIN card_schemas_plain AS s ON s.card = r.card
LEFT JOIN card_fetches AS f
  ON f.registry = r.registry
    AND CAST(f.time AS BIGINT) = r.first_at
    AND (f.kind = 'publish') = r.is_publish
    AND coalesce(f.agent, f.card_agent, r.agent) = r.agent
    AND coalesce(f.card, r.card) = r.card
WHERE r.nth <= 500
GROUP BY r.agent, r.registry, r.run, r.contract, r.card, s.stated, r.first_at, r.last_at, r.sights
