-- title: Service levels by day
-- unit: ratios, 0 to 1
-- grain: one row for each UTC day, agent and registry with a verifiable task
-- answers: what share of tasks kept the contract that they were admitted under?
-- columns:
--   day: UTC day of the task's latest artifact
--   agent: the agent
--   registry: of the admission; null: unknown
--   verifiable: verifiable tasks
--   split_brain: those of them that are split-brain
--   corrupt: those of them whose digest differs
--   digest_match: those of them with a digest that matches and none that differs
--   digest_mismatch: those of them with a digest that differs
--   binding_sli: 1 - split_brain / verifiable
--   integrity_sli: 1 - digest_mismatch / (digest_match + digest_mismatch)
WITH counted AS (
  SELECT
    CAST(arrow_cast(last_artifact_at, 'Timestamp(Nanosecond, None)') AS DATE) AS day,
    agent,
    registry,
    count(*) AS verifiable,
    count(CASE WHEN split_brain THEN 1 END) AS split_brain,
    count(CASE WHEN verdict = 'corrupt' THEN 1 END) AS corrupt,
    count(CASE WHEN any_match AND NOT any_mismatch THEN 1 END) AS digest_match,
    count(CASE WHEN any_mismatch THEN 1 END) AS digest_mismatch
  FROM task_selection
  WHERE verifiable
  GROUP BY 1, agent, registry
)
SELECT
  CAST(day AS VARCHAR) AS day,
  agent,
  registry,
  verifiable,
  split_brain,
  corrupt,
  digest_match,
  digest_mismatch,
  1.0 - CAST(split_brain AS DOUBLE) / CAST(verifiable AS DOUBLE) AS binding_sli,
  CASE
    WHEN digest_match + digest_mismatch > 0
      THEN 1.0 - CAST(digest_mismatch AS DOUBLE) / CAST(digest_match + digest_mismatch AS DOUBLE)
  END AS integrity_sli
FROM counted
ORDER BY day, agent NULLS LAST, registry NULLS LAST
