-- view: how far the clock of each server may be ahead of that of each recorder
-- grain: one row for each recorder (a client in a source), server and kind of evidence
-- model: §4 distinguishable; nanoseconds, negative: behind. A clock that was set in between gives bounds
--   that contradict each other; then it was somewhere between both
SELECT
  source_file,
  coalesce(client, '') AS client_key,
  server,
  evidence,
  least(max(ahead_min_ns), min(ahead_max_ns)) AS ahead_min,
  greatest(max(ahead_min_ns), min(ahead_max_ns)) AS ahead_max
FROM clocks
GROUP BY source_file, coalesce(client, ''), server, evidence
