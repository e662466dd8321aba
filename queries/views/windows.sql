-- view: the rotation windows
-- grain: one row for each row of `lags`, and one for the authority at each rotation
-- model: §4, §6: from `opened_at` to `ends_at`, not included; without one, to the archive's end, included
SELECT
  agent, registry, k, rotated_at AS opened_at,
  CASE
    WHEN status = 'closed' AND never_away THEN rotated_at
    WHEN status = 'closed' THEN greatest(caught_up_at, rotated_at)
    ELSE next_at
  END AS ends_at,
  next_at,
  status,
  never_away,
  status = 'closed' AS has_after
FROM lags
UNION ALL
SELECT agent, authority AS registry, k, rotated_at AS opened_at, rotated_at AS ends_at, next_at, 'authority' AS status,
  false AS never_away, true AS has_after
FROM rotations_found
WHERE k > 0
