-- title: Rotations
-- unit: one change of the contract that an agent's authority serves
-- grain: one row for each rotation of an agent
-- answers: when did an agent's card change in a way that matters, and what changed?
-- columns:
--   agent: the agent
--   rotation: its number, from 1
--   authority: the registry whose word is final
--   authority_source: the rule that chose it: configured, declared, origin, only or inferred
--   rotated_after: the rotation came after this instant
--   rotated_at: and at this one or before
--   from_card: the first card seen of the epoch before
--   to_card: the first card seen of the new epoch
--   from_schema: the schema version that from_card states by itself
--   to_schema: the schema version that to_card states by itself
--   changed: the facets that differ; null: a content is not known
--   skills_added: ids
--   skills_removed: ids
--   stale_at_source: sights of an earlier epoch's contract at the authority during this epoch
SELECT
  r.agent,
  r.k AS rotation,
  r.authority,
  r.authority_source,
  arrow_cast(r.rotated_after, 'Timestamp(Nanosecond, Some("UTC"))') AS rotated_after,
  arrow_cast(r.rotated_at, 'Timestamp(Nanosecond, Some("UTC"))') AS rotated_at,
  r.from_card,
  r.to_card,
  f.stated AS from_schema,
  t.stated AS to_schema,
  p.changed,
  p.skills_added,
  p.skills_removed,
  r.stale_at_source
FROM rotation_selection AS r
LEFT JOIN card_schemas_plain AS f ON f.card = r.from_card
LEFT JOIN card_schemas_plain AS t ON t.card = r.to_card
LEFT JOIN card_pairs AS p ON p.from_card = r.from_card AND p.to_card = r.to_card
WHERE r.k > 0
ORDER BY agent NULLS LAST, rotation
