-- view: from when to when the archive tells
-- grain: one row; both null when there is no event
-- model: §4: it ends with the last event of all
WITH moments AS (
  SELECT t FROM fetches
  UNION ALL
  SELECT t FROM tries
  UNION ALL
  SELECT t FROM statuses WHERE NOT is_answer
  UNION ALL
  SELECT t FROM artifact_records
)
SELECT min(t) AS first_at, max(t) AS last_at FROM moments
