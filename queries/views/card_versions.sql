-- view: the schema versions that a card allows for a skill and a media type
-- grain: one row for each card, skill, base media type and version; no row: it states none
-- model: §8: the first rule that hits; of output modes the skill's first, then the defaults
WITH asked AS (
  SELECT DISTINCT agent, skill_key, media_key FROM artifact_admissions WHERE agent IS NOT NULL
),
wanted AS (
  SELECT c.card, a.skill_key, a.media_key
  FROM agent_cards AS c
  JOIN asked AS a ON a.agent = c.agent
  UNION
  SELECT card, skill_key, media_key FROM artifact_admissions WHERE card IS NOT NULL
),
stated AS (
  SELECT
    w.card, w.skill_key, w.media_key,
    s.stated,
    CASE WHEN $schema_major THEN split_part(s.normalised, '.', 1) ELSE s.normalised END AS version,
    s.rule * 2 + CASE WHEN s.media_base IS NOT NULL AND s.skill_id IS NULL THEN 1 ELSE 0 END AS preference,
    s.position
  FROM wanted AS w
  JOIN card_schemas AS s ON s.card = w.card
  WHERE s.media_base IS NULL
    OR (s.media_base = w.media_key AND (s.skill_id IS NULL OR s.skill_id = w.skill_key))
),
preferred AS (
  SELECT *, min(preference) OVER (PARTITION BY card, skill_key, media_key) AS best
  FROM stated
),
placed AS (
  SELECT
    card, skill_key, media_key, version, stated,
    CAST(row_number() OVER (PARTITION BY card, skill_key, media_key, version ORDER BY position, stated) AS BIGINT) AS nth,
    CAST(row_number() OVER (PARTITION BY card, skill_key, media_key ORDER BY position, stated) AS BIGINT) AS place
  FROM preferred
  WHERE preference = best
)
SELECT card, skill_key, media_key, version, stated, place FROM placed WHERE nth = 1
