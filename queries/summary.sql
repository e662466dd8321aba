-- title: Summary
-- unit: counts, ratios (0 to 1) and seconds
-- grain: one row
-- answers: how bad is it, and what could not be measured?
-- columns:
--   tasks: all tasks
--   completed: tasks that completed = verifiable + unverifiable + without_artifact
--   verifiable: completed tasks whose artifacts could be checked: the denominator of the rate
--   split_brain: verifiable tasks with a split-brain binding
--   rate: split_brain / verifiable
--   rate_low: Wilson 95 % interval, lower end
--   rate_high: Wilson 95 % interval, upper end
--   silent: split-brain tasks whose digests all match
--   corrupt: completed tasks with a digest that differs and no split-brain
--   no_digest: completed tasks of the admitted schema without a digest
--   consistent: completed tasks that kept their contract
--   unverifiable: completed tasks that could not be checked
--   without_artifact: completed tasks without an artifact
--   no_admission_card: unverifiable: no card in force is known
--   card_not_in_archive: unverifiable: only the card's hash is known
--   card_declares_no_schema: unverifiable: the card states no schema version
--   artifact_declares_no_schema: unverifiable: the artifact states no schema version
--   window_verifiable: verifiable tasks in the rotation windows of mirrors
--   window_split_brain: split-brain tasks in them
--   window_rate: window_split_brain / window_verifiable
--   window_silent: silent tasks in them
--   after_verifiable: verifiable tasks after closed windows of mirrors
--   after_split_brain: split-brain tasks after them
--   after_rate: after_split_brain / after_verifiable
--   attempts: task submissions and push configurations
--   accepted: attempts that were accepted
--   transport: attempts that failed in transport
--   rate_limited: attempts that were rate-limited
--   task_error: attempts whose task was the trouble
--   rejections: attempts that make the held card suspect
--   replays: rejections sent after an earlier one under the same card
--   replays_unknown_client: those of them whose client is unknown
--   storms: retry storms
--   loops: incidents at place 2 or more of a loop
--   card_fetches: fetches made, also failed ones; no publishes, no cache reads
--   cards: distinct binding hashes of card records
--   rotations: changes of contracts at authorities
--   windows_open: rotation windows of mirrors that are open
--   lag_p50_s: nearest-rank median of the lags of closed windows
--   lag_p95_s: nearest-rank 95th percentile of them
--   lag_longest_s: the longest of them
WITH by_task AS (
  SELECT
    count(*) AS tasks,
    count(CASE WHEN completed THEN 1 END) AS completed,
    count(CASE WHEN verifiable THEN 1 END) AS verifiable,
    count(CASE WHEN split_brain THEN 1 END) AS split_brain,
    count(CASE WHEN silent THEN 1 END) AS silent,
    count(CASE WHEN completed AND verdict = 'corrupt' THEN 1 END) AS corrupt,
    count(CASE WHEN completed AND verdict = 'no_digest' THEN 1 END) AS no_digest,
    count(CASE WHEN completed AND verdict = 'consistent' THEN 1 END) AS consistent,
    count(CASE WHEN unverifiable THEN 1 END) AS unverifiable,
    count(CASE WHEN completed AND verdict IS NULL THEN 1 END) AS without_artifact,
    count(CASE WHEN unverifiable AND reason = 'no_admission_card' THEN 1 END) AS no_admission_card,
    count(CASE WHEN unverifiable AND reason = 'card_not_in_archive' THEN 1 END) AS card_not_in_archive,
    count(CASE WHEN unverifiable AND reason = 'card_declares_no_schema' THEN 1 END) AS card_declares_no_schema,
    count(CASE WHEN unverifiable AND reason = 'artifact_declares_no_schema' THEN 1 END)
      AS artifact_declares_no_schema
  FROM task_selection
),
by_window AS (
  SELECT
    count(CASE WHEN m.inside AND t.verifiable THEN 1 END) AS window_verifiable,
    count(CASE WHEN m.inside AND t.split_brain THEN 1 END) AS window_split_brain,
    count(CASE WHEN m.inside AND t.silent THEN 1 END) AS window_silent,
    count(CASE WHEN NOT m.inside AND m.status = 'closed' AND t.verifiable THEN 1 END) AS after_verifiable,
    count(CASE WHEN NOT m.inside AND m.status = 'closed' AND t.split_brain THEN 1 END) AS after_split_brain
  FROM task_windows AS m
  JOIN task_selection AS t ON t.task = m.task
  WHERE m.status <> 'authority'
),
by_attempt AS (
  SELECT
    count(*) AS attempts,
    count(CASE WHEN outcome = 'accepted' THEN 1 END) AS accepted,
    count(CASE WHEN outcome = 'transport' THEN 1 END) AS transport,
    count(CASE WHEN outcome = 'rate_limited' THEN 1 END) AS rate_limited,
    count(CASE WHEN outcome = 'task_error' THEN 1 END) AS task_error,
    count(CASE WHEN is_rejection THEN 1 END) AS rejections
  FROM try_selection
),
by_group AS (
  SELECT
    coalesce(sum(replays), 0) AS replays,
    coalesce(sum(CASE WHEN client IS NULL THEN replays ELSE 0 END), 0) AS replays_unknown_client
  FROM group_selection
),
by_storm AS (
  SELECT count(*) AS storms FROM storm_selection
),
by_incident AS (
  SELECT count(*) AS loops
  FROM incident_selection AS i
  JOIN incident_loops AS l
    ON l.agent = i.agent AND l.client_key = i.client_key AND l.n = i.n AND l.held_key = i.held_key
  WHERE l.place >= 2
),
by_fetch AS (
  SELECT
    count(CASE WHEN NOT is_publish AND NOT from_cache THEN 1 END) AS card_fetches,
    count(DISTINCT recorded_card) AS cards
  FROM fetch_selection
),
by_rotation AS (
  SELECT count(*) AS rotations FROM rotation_selection WHERE k > 0
),
by_lag AS (
  SELECT count(CASE WHEN status = 'open' THEN 1 END) AS windows_open FROM lag_selection
),
closed AS (
  SELECT
    CAST(lag AS DOUBLE) / 1000000000.0 AS lag_s,
    CAST(row_number() OVER (ORDER BY lag) AS BIGINT) AS place,
    count(*) OVER () AS n
  FROM lag_selection
  WHERE status = 'closed' AND NOT never_away
),
by_closed AS (
  SELECT
    max(CASE WHEN place = (n * 50 + 99) / 100 THEN lag_s END) AS lag_p50_s,
    max(CASE WHEN place = (n * 95 + 99) / 100 THEN lag_s END) AS lag_p95_s,
    max(lag_s) AS lag_longest_s
  FROM closed
),
measured AS (
  SELECT
    *,
    CAST(verifiable AS DOUBLE) AS n_tasks,
    CASE WHEN verifiable > 0 THEN CAST(split_brain AS DOUBLE) / CAST(verifiable AS DOUBLE) END AS rate,
    1.959963984540054 * 1.959963984540054 AS zz
  FROM by_task
)
SELECT
  t.tasks, t.completed, t.verifiable, t.split_brain, t.rate,
  CASE
    WHEN t.rate = 0 THEN 0.0
    ELSE (t.rate + t.zz / (2 * t.n_tasks)
      - sqrt(t.zz) * sqrt(t.rate * (1 - t.rate) / t.n_tasks + t.zz / (4 * t.n_tasks * t.n_tasks)))
      / (1 + t.zz / t.n_tasks)
  END AS rate_low,
  CASE
    WHEN t.rate = 1 THEN 1.0
    ELSE (t.rate + t.zz / (2 * t.n_tasks)
      + sqrt(t.zz) * sqrt(t.rate * (1 - t.rate) / t.n_tasks + t.zz / (4 * t.n_tasks * t.n_tasks)))
      / (1 + t.zz / t.n_tasks)
  END AS rate_high,
  t.silent, t.corrupt, t.no_digest, t.consistent, t.unverifiable, t.without_artifact,
  t.no_admission_card, t.card_not_in_archive, t.card_declares_no_schema, t.artifact_declares_no_schema,
  w.window_verifiable,
  w.window_split_brain,
  CASE
    WHEN w.window_verifiable > 0
      THEN CAST(w.window_split_brain AS DOUBLE) / CAST(w.window_verifiable AS DOUBLE)
  END AS window_rate,
  w.window_silent,
  w.after_verifiable,
  w.after_split_brain,
  CASE
    WHEN w.after_verifiable > 0
      THEN CAST(w.after_split_brain AS DOUBLE) / CAST(w.after_verifiable AS DOUBLE)
  END AS after_rate,
  a.attempts, a.accepted, a.transport, a.rate_limited, a.task_error, a.rejections,
  g.replays, g.replays_unknown_client,
  s.storms,
  i.loops,
  f.card_fetches, f.cards,
  r.rotations,
  l.windows_open,
  c.lag_p50_s, c.lag_p95_s, c.lag_longest_s
FROM measured AS t
CROSS JOIN by_window AS w
CROSS JOIN by_attempt AS a
CROSS JOIN by_group AS g
CROSS JOIN by_storm AS s
CROSS JOIN by_incident AS i
CROSS JOIN by_fetch AS f
CROSS JOIN by_rotation AS r
CROSS JOIN by_lag AS l
CROSS JOIN by_closed AS c
