-- view: the set of schema versions that a card allows, as one text for comparing
-- grain: one row for each card, skill and base media type for which it states any
-- model: §6: two cards differ when their sets do
SELECT
  card,
  skill_key,
  media_key,
  string_agg(version, chr(10) ORDER BY version) AS versions,
  min(place) AS first_place
FROM card_versions
GROUP BY card, skill_key, media_key
