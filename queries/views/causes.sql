-- view: the cause of each split-brain binding
-- grain: one row for each split-brain binding
-- model: §6 Cause, the first that holds
WITH watched AS (
  SELECT agent, max(dated) AS watched_until FROM authority_sights GROUP BY agent
),
all_known AS (
  SELECT agent, bool_and(known) AS all_known
  FROM (
    SELECT agent, known FROM agent_cards
    UNION ALL
    SELECT agent, card IS NOT NULL FROM fetches WHERE ok
  )
  GROUP BY agent
),
schemas_seen AS (
  SELECT DISTINCT c.agent, v.skill_key, v.media_key, v.version
  FROM agent_cards AS c
  JOIN card_versions AS v ON v.card = c.card
),
epochs_of_schema AS (
  SELECT
    s.id,
    bool_or(r.rotated_at > s.admitted_at AND r.rotated_at <= s.artifact_at AND r.k > 0) AS began_within,
    bool_or(r.rotated_at > s.artifact_at) AS begins_later,
    bool_or(r.rotated_at <= s.artifact_at) AS began_before,
    bool_or(r.next_at IS NOT NULL AND r.next_at <= s.admitted_at) AS ended_before
  FROM splits AS s
  JOIN rotations_found AS r ON r.agent = s.agent
  JOIN card_versions AS v
    ON v.card = r.to_card AND v.skill_key = s.skill_key AND v.media_key = s.media_key AND v.version = s.schema
  GROUP BY s.id
),
uncertain AS (
  SELECT DISTINCT s.id
  FROM splits AS s
  JOIN rotations_found AS r ON r.agent = s.agent AND r.k > 0
  LEFT JOIN card_schema_sets AS f
    ON f.card = r.from_card AND f.skill_key = s.skill_key AND f.media_key = s.media_key
  LEFT JOIN card_schema_sets AS t
    ON t.card = r.to_card AND t.skill_key = s.skill_key AND t.media_key = s.media_key
  WHERE (f.versions IS DISTINCT FROM t.versions)
    AND (
      (s.admitted_at > r.rotated_after AND s.admitted_at < r.rotated_at)
      OR (s.artifact_at > r.rotated_after AND s.artifact_at < r.rotated_at)
    )
),
facts AS (
  SELECT
    s.id, s.task, s.artifact_id, s.registry, s.admitted_at, s.artifact_at,
    s.card_versions,
    r.authority,
    r.rotated_at,
    e.versions AS epoch_versions,
    n.version IS NOT NULL AS schema_seen,
    coalesce(a.all_known, false) AS all_known,
    coalesce(w.watched_until >= s.artifact_at + $conforming_grace_s * 1000000000, false) AS watched,
    coalesce(p.shown_at <= s.admitted_at, false) AS had_shown,
    l.looked_at,
    c.card IS NOT NULL AS look_known,
    k.versions AS look_versions,
    coalesce(o.began_within, false) AS began_within,
    coalesce(o.begins_later AND NOT o.began_before, false) AS only_later,
    coalesce(o.ended_before, false) AS ended_before,
    u.id IS NOT NULL AS is_uncertain
  FROM splits AS s
  LEFT JOIN rotations_found AS r ON r.agent = s.agent AND r.k = s.k
  LEFT JOIN card_schema_sets AS e
    ON e.card = r.to_card AND e.skill_key = s.skill_key AND e.media_key = s.media_key
  LEFT JOIN schemas_seen AS n
    ON n.agent = s.agent AND n.skill_key = s.skill_key AND n.media_key = s.media_key AND n.version = s.schema
  LEFT JOIN all_known AS a ON a.agent = s.agent
  LEFT JOIN watched AS w ON w.agent = s.agent
  LEFT JOIN first_shown AS p
    ON p.agent = s.agent AND p.registry = s.registry AND p.k = s.k
      AND p.skill_key = s.skill_key AND p.media_key = s.media_key
  LEFT JOIN split_looks AS l ON l.id = s.id
  LEFT JOIN card_contents AS c ON c.card = l.looked_card
  LEFT JOIN card_schema_sets AS k
    ON k.card = l.looked_card AND k.skill_key = s.skill_key AND k.media_key = s.media_key
  LEFT JOIN epochs_of_schema AS o ON o.id = s.id
  LEFT JOIN uncertain AS u ON u.id = s.id
),
told AS (
  SELECT
    *,
    CASE
      WHEN epoch_versions IS NULL OR registry IS NULL THEN 'unknown'
      WHEN NOT schema_seen AND all_known AND watched THEN 'nonconforming_agent'
      WHEN NOT schema_seen THEN 'unknown'
      WHEN epoch_versions <> card_versions AND (registry = authority OR had_shown) THEN 'client_cache'
      WHEN epoch_versions <> card_versions
        AND looked_at >= rotated_at
        AND look_known
        AND (look_versions IS DISTINCT FROM epoch_versions) THEN 'registry_lag'
      WHEN epoch_versions <> card_versions THEN 'stale_card'
      WHEN began_within THEN 'mid_flight'
      WHEN only_later THEN 'publish_lag'
      WHEN ended_before THEN 'emitter_behind'
      ELSE 'unknown'
    END AS cause
  FROM facts
)
SELECT
  task, artifact_id, cause,
  CASE WHEN cause = 'unknown' THEN NULL ELSE NOT is_uncertain END AS cause_certain,
  CASE
    WHEN cause = 'unknown' OR is_uncertain THEN 're_resolve'
    WHEN cause = 'nonconforming_agent' THEN 'quarantine_agent'
    WHEN cause = 'registry_lag' THEN 're_resolve_and_escalate_registry'
    WHEN cause IN ('publish_lag', 'emitter_behind') THEN 'escalate_agent'
    ELSE 're_resolve'
  END AS action
FROM told
