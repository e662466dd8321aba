-- view: the authority's epochs as a timeline shows them, each with the record that opened it
-- grain: one row for each epoch of an agent within the limits
-- model: §3; times are UTC nanoseconds
SELECT
  r.agent,
  r.k,
  r.authority,
  r.authority_source,
  r.rotated_after,
  r.rotated_at,
  r.next_at,
  r.to_card AS card,
  r.contract,
  s.stated AS schema,
  first_value(f.source_file ORDER BY f.source_file, f.source_line) AS source_file,
  first_value(f.source_line ORDER BY f.source_file, f.source_line) AS source_line
FROM rotations_found AS r
JOIN limited_agents AS l ON l.name = r.agent
JOIN epochs AS e ON e.agent = r.agent AND e.k = r.k
JOIN observations AS o ON o.agent = e.agent AND o.id = e.id
LEFT JOIN card_schemas_plain AS s ON s.card = r.to_card
LEFT JOIN card_fetches AS f
  ON f.registry = o.registry
    AND CAST(f.time AS BIGINT) = o.t
    AND (f.kind = 'publish') = o.is_publish
    AND coalesce(f.agent, f.card_agent, o.agent) = o.agent
    AND coalesce(f.card, o.card) = o.card
GROUP BY r.agent, r.k, r.authority, r.authority_source, r.rotated_after, r.rotated_at, r.next_at,
  r.to_card, r.contract, s.stated
