-- view: when a registry first showed the schema that the authority's epoch had
-- grain: one row for each agent, registry, epoch, skill and media type of a split-brain binding
-- model: §6 Cause: client_cache. Of later hours only the first sight of a card is looked at: there are
--   many sights for each epoch
WITH hours AS (
  SELECT agent, registry, card, t / 3600000000000 AS hour, min(t) AS t
  FROM observations
  GROUP BY agent, registry, card, t / 3600000000000
),
shown AS (
  SELECT w.agent, w.registry, w.k, w.skill_key, w.media_key, o.t
  FROM shown_wanted AS w
  JOIN hours AS o ON o.agent = w.agent AND o.registry = w.registry AND o.card = w.card
  WHERE o.hour > w.shown_after / 3600000000000
  UNION ALL
  SELECT w.agent, w.registry, w.k, w.skill_key, w.media_key, o.t
  FROM shown_wanted AS w
  JOIN observations AS o
    ON o.agent = w.agent AND o.registry = w.registry AND o.card = w.card
    AND o.t / 3600000000000 = w.shown_after / 3600000000000
  WHERE o.t >= w.shown_after
)
SELECT agent, registry, k, skill_key, media_key, min(t) AS shown_at
FROM shown
GROUP BY agent, registry, k, skill_key, media_key
