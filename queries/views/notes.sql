-- view: what could not be measured and why, and every assumption made
-- grain: one row for each kind of note and subject
-- model: §1 to §7, where the text says what the report names
SELECT
  'authority_assumed' AS kind,
  agent AS subject,
  1 AS n,
  'The authority of ' || agent || ' is taken to be ' || registry || CASE source
    WHEN 'origin' THEN ', which serves its card at a well-known path.'
    WHEN 'only' THEN ', the only registry seen.'
    ELSE ', which was the first to show most of its contracts.'
  END || ' Name it under [authorities] to be sure.' AS text
FROM authorities
WHERE source IN ('origin', 'only', 'inferred')
UNION ALL
SELECT
  'authority_conflict', c.agent, count(*),
  'Other registries of ' || c.agent || ' declare to be its authority too: '
    || string_agg(c.registry, ', ' ORDER BY c.registry) || '.'
FROM authority_candidates AS c
JOIN authorities AS a ON a.agent = c.agent AND a.source = 'declared'
WHERE c.source = 'declared' AND c.place > 1
GROUP BY c.agent
UNION ALL
SELECT
  'no_authority', agent, 1,
  'No registry of ' || agent || ' was seen to serve a card: no rotation, lag or cause can be told.'
FROM (SELECT DISTINCT agent FROM task_verdicts WHERE agent IS NOT NULL) AS t
LEFT ANTI JOIN authorities AS a ON a.agent = t.agent
UNION ALL
SELECT
  'publishes_missing', agent, count(*),
  'The authority of ' || agent || ' showed ' || count(*)
    || ' contract(s) whose publish is not on record; they count from when they were first seen.'
FROM epochs
WHERE has_publishes AND NOT is_publish AND k > 0
GROUP BY agent
UNION ALL
SELECT
  'stale_at_source', agent, CAST(sum(sights) AS BIGINT),
  'The authority of ' || agent || ' itself gave out an earlier contract ' || CAST(sum(sights) AS BIGINT) || ' time(s).'
FROM stale_sights
GROUP BY agent
UNION ALL
SELECT
  'alternating_authority', agent, max(n),
  'The authority of ' || agent || ' came back to an earlier contract; each return counts as a rotation.'
FROM (SELECT agent, contract, count(*) AS n FROM epochs GROUP BY agent, contract)
WHERE n > 1
GROUP BY agent
UNION ALL
SELECT
  'one_url_two_agents', u.url, count(*),
  'The URL ' || u.url || ' belongs to several agents: ' || string_agg(u.agent, ', ' ORDER BY u.agent)
    || '. Join or part them under [agents].'
FROM (SELECT DISTINCT rtrim(url, '/') AS url, agent FROM card_interfaces) AS u
GROUP BY u.url
HAVING count(*) > 1
UNION ALL
SELECT
  'unknown_clients', NULL, count(*),
  count(*) || ' task(s) name no client; unknown clients are taken as one, and what rests on that is marked.'
FROM task_verdicts
WHERE client IS NULL
HAVING count(*) > 0
UNION ALL
SELECT
  'unknown_clients_of_attempts', NULL, count(*),
  count(*) || ' attempt(s) name no client; replays among them may be those of different clients.'
FROM tries
WHERE client IS NULL
HAVING count(*) > 0
UNION ALL
SELECT
  'tasks_without_agent', NULL, count(*),
  count(*) || ' task(s) cannot be told to an agent: no card in force is known for them.'
FROM task_verdicts
WHERE agent IS NULL
HAVING count(*) > 0
UNION ALL
SELECT
  'attempts_without_agent', NULL, count(*),
  count(*) || ' attempt(s) cannot be told to an agent and count nowhere.'
FROM named_attempts AS a
LEFT ANTI JOIN tries AS t ON t.id = a.id
HAVING count(*) > 0
UNION ALL
SELECT
  'unknown_cards', agent, count(*),
  count(*) || ' successful fetch(es) of the card of ' || agent
    || ' show no card that is on record: record the body, or its ETag and SHA-256.'
FROM fetches
WHERE ok AND card IS NULL
GROUP BY agent
UNION ALL
SELECT
  reason, NULL, count(*),
  count(*) || ' completed task(s) could not be checked: ' || CASE reason
    WHEN 'no_admission_card' THEN 'the card that they were admitted under is not known.'
    WHEN 'card_not_in_archive' THEN 'only the hash of their card is known, its bytes are nowhere in the archive.'
    WHEN 'card_declares_no_schema' THEN 'their card states no schema version.'
    ELSE 'their artifact states no schema version.'
  END
FROM task_verdicts
WHERE unverifiable
GROUP BY reason
UNION ALL
SELECT
  'without_artifact', NULL, count(*), count(*) || ' completed task(s) have no artifact on record.'
FROM task_verdicts
WHERE completed AND verdict IS NULL
HAVING count(*) > 0
UNION ALL
SELECT
  'unchecked_digests', NULL, count(*),
  count(*) || ' artifact(s) state a digest that nobody checked and that cannot be computed from what was recorded.'
FROM judged
WHERE digest_status = 'unchecked'
HAVING count(*) > 0
UNION ALL
SELECT
  'lag_not_seen', registry, count(*),
  count(*) || ' rotation(s) were not observed at ' || registry || ': nobody asked it before the next.'
FROM lags
WHERE status = 'unobserved'
GROUP BY registry
UNION ALL
SELECT
  'lag_open', registry, count(*),
  registry || ' had not caught up with ' || count(*) || ' rotation(s) when the archive ended: their lag is longer than seen.'
FROM lags
WHERE status = 'open'
GROUP BY registry
UNION ALL
SELECT
  'naive_times', NULL, count(*),
  count(*) || ' time(s) have no zone and were read as UTC or as --assume-zone says.'
FROM problems
WHERE code = 'CD205'
HAVING count(*) > 0
UNION ALL
SELECT
  'ambiguous_exchanges', NULL, count(*),
  count(*) || ' exchange(s) seen by several recorders could not be matched one to one and are kept apart: record a trace id.'
FROM problems
WHERE code = 'CD221'
HAVING count(*) > 0
UNION ALL
SELECT
  'adjusted_clocks', NULL, count(*),
  count(*) || ' time(s) had been adjusted for clock skew by their recorder.'
FROM problems
WHERE code = 'CD222'
HAVING count(*) > 0
UNION ALL
SELECT
  'clock_skew', server, count(*),
  'The clock of ' || server || ' is '
    || CASE WHEN ahead_min > 0 THEN 'ahead of' ELSE 'behind' END || ' that of '
    || CASE client_key WHEN '' THEN '' ELSE client_key || ' in ' END || source_file || ' by at least '
    || CAST(greatest(ahead_min, -ahead_max) / 1000000 AS VARCHAR) || ' ms. No time was changed for it.'
FROM clock_bounds
WHERE ahead_min > 1000000000 OR ahead_max < -1000000000
GROUP BY source_file, client_key, server, ahead_min, ahead_max
UNION ALL
SELECT
  'lag_within_skew', l.registry, count(*),
  'Of ' || l.registry || ', ' || count(*)
    || ' of the lags are smaller than the clocks of both recorders may disagree: they cannot be told from none.'
FROM lags AS l
JOIN lag_skews AS s ON s.agent = l.agent AND s.registry = l.registry AND s.k = l.k
WHERE coalesce(l.lag_max, l.lag_min) < s.skew
GROUP BY l.registry
UNION ALL
SELECT
  'no_skew_estimate', NULL, count(*),
  'For ' || count(*) || ' of the registry lags the clock skew between both recorders is not known: whether they are distinguishable from it is not told.'
FROM lags AS l
LEFT ANTI JOIN lag_skews AS s ON s.agent = l.agent AND s.registry = l.registry AND s.k = l.k
HAVING count(*) > 0
UNION ALL
SELECT
  'head_sampled', NULL, CAST(sum(spans_by_chance) AS BIGINT),
  CAST(sum(spans_by_chance) AS BIGINT) || ' of ' || CAST(sum(spans) AS BIGINT)
    || ' span(s) say that their trace was kept by chance (head sampling'
    || coalesce(', at the least with probability ' || min(lowest_chance), '')
    || '): counts are too low, and what looks like a replay may have had a fetch before it that was not kept.'
FROM sources
HAVING sum(spans_by_chance) > 0
UNION ALL
SELECT
  'tail_sampled', NULL, CAST(sum(spans_by_outcome) AS BIGINT),
  CAST(sum(spans_by_outcome) AS BIGINT) || ' of ' || CAST(sum(spans) AS BIGINT)
    || ' span(s) say that their trace was kept for what came of it (tail sampling), which keeps failures and slow'
    || ' traces: rates of rejections are too high, counts too low.'
FROM sources
HAVING sum(spans_by_outcome) > 0
UNION ALL
SELECT
  'span_gaps', NULL, CAST(sum(parents_missing) AS BIGINT),
  CAST(sum(parents_missing) AS BIGINT) || ' of ' || CAST(sum(parents) AS BIGINT)
    || ' span(s) that others of the same process name as their parent are on record nowhere: spans were sampled one by'
    || ' one, or lost on export, so attempts and fetches may be missing too.'
FROM sources
HAVING sum(parents_missing) > 0
UNION ALL
SELECT
  'silent_period', source_file, periods,
  source_file || ' holds no event in ' || periods || ' period(s), the longest from '
    || replace(substr(CAST(arrow_cast(since_t, 'Timestamp(Second, Some("UTC"))') AS VARCHAR), 1, 19), 'T', ' ') || ' to '
    || replace(substr(CAST(arrow_cast(until_t, 'Timestamp(Second, Some("UTC"))') AS VARCHAR), 1, 19), 'T', ' ') || ' UTC ('
    || (until_t - since_t) || ' s; mostly one comes within ' || usual_pause
    || ' s): if its recorder was off, what happened then is in no rate.'
FROM (
  SELECT
    source_file, periods, place,
    since_t / 1000000000 AS since_t,
    until_t / 1000000000 AS until_t,
    usual_pause / 1000000000 + 1 AS usual_pause
  FROM silent_sources
)
WHERE place <= 5
UNION ALL
SELECT
  'silent_period', NULL, CAST(sum(periods) AS BIGINT),
  count(*) || ' more source(s) hold no event in ' || CAST(sum(periods) AS BIGINT) || ' period(s) although they mostly do.'
FROM silent_sources
WHERE place > 5
HAVING count(*) > 0
UNION ALL
SELECT
  'agent_moved', url, count(*),
  'The card at ' || url || ' went over from ' || string_agg(agent, ' to ' ORDER BY place)
    || ': these count as ' || count(*) || ' agents, and the change is no rotation. If they are one, write under [agents]: "'
    || replace(replace(max(CASE WHEN place_from_last = 1 THEN agent END), '\', '\\'), '"', '\"') || '" = ["'
    || string_agg(replace(replace(agent, '\', '\\'), '"', '\"'), '", "' ORDER BY place) || '"]'
FROM card_moves
GROUP BY url
UNION ALL
SELECT
  'told_twice', one, n,
  n || ' submission(s) stand in ' || one || ' and, within five seconds, in ' || other
    || ': they could not be joined and count twice. Record a trace id, or name an exchange key in [[mapping]].'
FROM told_twice
UNION ALL
SELECT
  'missing_bodies', NULL, count(*),
  count(*) || ' exchange(s) were recorded without a body: what their cards and artifacts said is not known. Switch on'
    || ' bodies in the recorder, or at least the SHA-256 of cards.'
FROM problems
WHERE code = 'CD219'
HAVING count(*) > 0
UNION ALL
SELECT
  'records_lost', NULL, CAST(sum(rejected) AS BIGINT),
  CAST(sum(rejected) AS BIGINT) || ' of ' || CAST(sum(records) AS BIGINT) || ' record(s) could not be read and are in no rate.'
FROM sources
HAVING sum(rejected) > 0
UNION ALL
SELECT
  'sources_cut', NULL, count(*),
  count(*) || ' source(s) end early, within a record or a compressed block: what came after is in no rate.'
FROM sources
WHERE truncated
HAVING count(*) > 0
