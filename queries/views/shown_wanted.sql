-- view: the cards by which a registry could show the schema that the authority's epoch had
-- grain: one row for each agent, registry, epoch, skill and media type of a split-brain binding, and card
-- model: §6 Cause: client_cache
WITH wanted AS (
  SELECT DISTINCT s.agent, s.registry, s.k, s.skill_key, s.media_key, v.versions, coalesce(r.rotated_after, r.rotated_at) AS shown_after
  FROM splits AS s
  JOIN rotations_found AS r ON r.agent = s.agent AND r.k = s.k
  JOIN card_schema_sets AS v
    ON v.card = r.to_card AND v.skill_key = s.skill_key AND v.media_key = s.media_key
  WHERE s.registry IS NOT NULL
)
SELECT w.agent, w.registry, w.k, w.skill_key, w.media_key, w.shown_after, c.card
FROM wanted AS w
JOIN agent_cards AS c ON c.agent = w.agent
JOIN card_schema_sets AS v
  ON v.card = c.card AND v.skill_key = w.skill_key AND v.media_key = w.media_key AND v.versions = w.versions
