-- title: Drift incidents
-- unit: one incident
-- grain: one row for each group of attempts with a rejection
-- answers: after a rejection, had the card changed, and in what?
-- columns:
--   client: the client; null: unknown
--   agent: the agent
--   rejected_at: when the group's first rejected attempt was sent
--   outcome: of that attempt
--   skill_id: the skill that it asked for
--   card: the card held; null: unknown
--   failed_attempts: rejections of the group
--   refetched_at: the client's next successful fetch for the agent
--   refetched_card: what it showed; null: unknown
--   result: identical, cosmetic, changed, unknown or never_refetched
--   skill_still_advertised: whether the fresh card has the skill
--   changed: the facets that differ
--   skills_added: ids
--   skills_removed: ids
--   loop: place in a run of consecutive identical results; 2 or more is the forbidden loop
--   mode_still_advertised: whether every output mode asked for is still offered
WITH asked AS (
  SELECT t.id, i.refetched_card AS card, t.accepted_output_modes AS modes
  FROM incident_selection AS i
  JOIN tries AS t ON t.id = i.first_id
  WHERE i.refetched_card IS NOT NULL AND t.accepted_output_modes IS NOT NULL
),
modes AS (
  SELECT id, card, unnest(modes) AS mode FROM asked
),
offered AS (
  SELECT m.id, bool_and(c.card IS NOT NULL) AS all_offered
  FROM modes AS m
  LEFT JOIN card_modes AS c ON c.card = m.card AND c.mode = m.mode
  GROUP BY m.id
)
SELECT
  i.client,
  i.agent,
  arrow_cast(i.first_t, 'Timestamp(Nanosecond, Some("UTC"))') AS rejected_at,
  i.first_outcome AS outcome,
  i.first_skill AS skill_id,
  i.held AS card,
  i.rejections AS failed_attempts,
  arrow_cast(i.refetched_at, 'Timestamp(Nanosecond, Some("UTC"))') AS refetched_at,
  i.refetched_card,
  i.result,
  CASE WHEN i.first_skill IS NOT NULL AND c.is_card THEN s.card IS NOT NULL END AS skill_still_advertised,
  i.changed,
  i.skills_added,
  i.skills_removed,
  l.place AS loop,
  CASE WHEN c.is_card THEN o.all_offered END AS mode_still_advertised
FROM incident_selection AS i
LEFT JOIN card_contents AS c ON c.card = i.refetched_card
LEFT JOIN card_skills AS s ON s.card = i.refetched_card AND s.skill_id = i.first_skill
LEFT JOIN incident_loops AS l
  ON l.agent = i.agent AND l.client_key = i.client_key AND l.n = i.n AND l.held_key = i.held_key
LEFT JOIN offered AS o ON o.id = i.first_id
ORDER BY client NULLS LAST, agent NULLS LAST, rejected_at, outcome, skill_id NULLS LAST, card NULLS LAST,
  failed_attempts, refetched_at NULLS LAST, refetched_card NULLS LAST, result
