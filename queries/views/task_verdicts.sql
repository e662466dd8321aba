-- view: the verdict on each task
-- grain: one row for each task
-- model: §6: the worst verdict of its artifacts; verifiable when it completed with a verdict that tells
WITH worst AS (
  SELECT
    task,
    min(
      CASE verdict
        WHEN 'split_brain' THEN 1 WHEN 'corrupt' THEN 2 WHEN 'mismatch_incomplete' THEN 3
        WHEN 'no_digest' THEN 4 WHEN 'unverifiable' THEN 5 ELSE 6
      END
    ) AS rank,
    bool_and(CASE WHEN verdict = 'split_brain' THEN digest_status = 'match' ELSE true END) AS all_silent,
    bool_or(digest_status = 'match') AS any_match,
    bool_or(digest_status = 'mismatch') AS any_mismatch,
    max(artifact_at) AS last_artifact_at,
    min(CASE WHEN reason IS NOT NULL THEN artifact_id END) AS first_reasoned
  FROM judged
  GROUP BY task
),
told AS (
  SELECT
    t.*,
    CASE w.rank
      WHEN 1 THEN 'split_brain' WHEN 2 THEN 'corrupt' WHEN 3 THEN 'mismatch_incomplete'
      WHEN 4 THEN 'no_digest' WHEN 5 THEN 'unverifiable' WHEN 6 THEN 'consistent'
    END AS verdict,
    w.all_silent, w.any_match, w.any_mismatch, w.last_artifact_at, w.first_reasoned
  FROM admissions AS t
  LEFT JOIN worst AS w ON w.task = t.task
)
SELECT
  t.task, t.agent, t.agent_key, t.task_id, t.admitted_at, t.client, t.client_key, t.registry, t.state, t.completed,
  t.verdict,
  coalesce(t.completed AND t.verdict IN ('split_brain', 'corrupt', 'no_digest', 'consistent'), false)
    AS verifiable,
  coalesce(t.completed AND t.verdict = 'split_brain', false) AS split_brain,
  coalesce(t.completed AND t.verdict = 'split_brain' AND t.all_silent, false) AS silent,
  coalesce(t.completed AND t.verdict = 'unverifiable', false) AS unverifiable,
  CASE WHEN t.verdict = 'unverifiable' THEN j.reason END AS reason,
  t.any_match, t.any_mismatch, t.last_artifact_at
FROM told AS t
LEFT JOIN judged AS j
  ON t.verdict = 'unverifiable' AND j.task = t.task AND j.artifact_id = t.first_reasoned
