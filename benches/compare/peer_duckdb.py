"""The same work in DuckDB: `ingest` reads the journal and writes Parquet facts with hashes; `all` asks them as well (rotations, lag,
bindings, rates in windows, replays: about a third of what carddrift asks); `kept` counts the rows of a damaged journal.
peer_duckdb.py ingest|all|kept IN.ndjson DIR"""
import os, sys
import duckdb

phase, source, out = sys.argv[1:4]
os.makedirs(out, exist_ok=True)
db = duckdb.connect()
db.execute("SET threads = 2; SET TimeZone = 'UTC'")
COLUMNS = {
    name: kind
    for kind, names in {
        "VARCHAR": "time event client agent trace_id span_id registry url etag cache_control card method protocol_version task_id context_id "
        "skill_id admitted_under outcome error state artifact_id media_type schema_version digest digest_check",
        "INTEGER": "status http_status rpc_code",
        "BOOLEAN": "authority from_cache stream push last_chunk",
        "VARCHAR[]": "accepted_output_modes",
        "JSON": "payload",
    }.items()
    for name in names.split()
}
READ = f"read_json('{source}', format = 'newline_delimited', columns = {COLUMNS}"


def sql(text):
    return db.execute(text)


if phase == "kept":
    rows = sql(f"SELECT count(*), count(event) FROM {READ}, ignore_errors = true)").fetchone()
    print(f"{rows[0]:,} kept, of them {rows[0] - rows[1]:,} without any value; not told which lines were lost")
    sys.exit()

sql(f"CREATE TABLE journal AS SELECT *, time::TIMESTAMP_NS AS ts FROM {READ})")
FACTS = {
    "card_fetches": ("card_fetch", "ts, client, agent, registry, url, coalesce(status, 200) AS status, etag, cache_control, authority, sha256(card) AS card"),
    "attempts": ("attempt", "ts, client, agent, trace_id, span_id, method, protocol_version, task_id, context_id, skill_id, admitted_under, stream, "
                            "push, outcome, http_status, rpc_code, error"),
    "task_events": ("task_status", "ts, client, agent, trace_id, span_id, task_id, context_id, state, admitted_under"),
    "artifacts": ("artifact", "ts, client, agent, trace_id, span_id, task_id, artifact_id, media_type, schema_version, digest, digest_check, "
                              "sha256(payload::VARCHAR) AS payload_sha256, last_chunk"),
}
for table, (event, columns) in FACTS.items():
    sql(f"COPY (SELECT {columns} FROM journal WHERE event = '{event}') TO '{out}/{table}.parquet' (COMPRESSION zstd)")
sql(f"""COPY (
    SELECT DISTINCT ON (card) sha256(card) AS card, card AS body, json_extract_string(card, '$.artifactSchema.version') AS card_schema,
           json_extract(card, '$.skills[*].id')::VARCHAR AS skills
    FROM journal WHERE event = 'card_fetch' AND card IS NOT NULL
) TO '{out}/cards.parquet' (COMPRESSION zstd)""")
if phase == "ingest":
    sys.exit()

for table in [*FACTS, "cards"]:
    sql(f"CREATE VIEW {table} AS SELECT * FROM '{out}/{table}.parquet'")
sql("""CREATE TABLE fetches AS
    WITH resolved AS (
        SELECT *, last_value(card IGNORE NULLS) OVER (PARTITION BY registry, agent, etag ORDER BY ts) AS shown
        FROM card_fetches WHERE status IN (200, 304))
    SELECT r.ts, client, agent, registry, etag, shown AS card, card_schema FROM resolved AS r LEFT JOIN cards ON cards.card = r.shown""")
sql("""CREATE TABLE epochs AS
    WITH sights AS (
        SELECT agent, ts, card_schema, lag(card_schema) OVER w AS before, lag(ts) OVER w AS before_at
        FROM fetches WHERE registry = 'r2' WINDOW w AS (PARTITION BY agent ORDER BY ts))
    SELECT agent, ts AS rotated_at, before_at AS rotated_after, card_schema, row_number() OVER w AS k, lead(ts) OVER w AS next_at
    FROM sights WHERE before IS NULL OR before <> card_schema WINDOW w AS (PARTITION BY agent ORDER BY ts)""")
sql("""CREATE TABLE lags AS
    SELECT e.agent, e.k, e.rotated_at, e.next_at, min(f.ts) AS caught_up_at
    FROM epochs AS e LEFT JOIN fetches AS f ON f.agent = e.agent AND f.registry = 'r1' AND f.card_schema = e.card_schema
        AND f.ts >= e.rotated_after AND (e.next_at IS NULL OR f.ts < e.next_at)
    WHERE e.k > 1 GROUP BY ALL""")
sql("""CREATE TABLE admissions AS
    SELECT task_id, any_value(client) AS client, any_value(agent) AS agent, min(ts) FILTER (WHERE state = 'submitted') AS admitted_at,
           bool_or(state = 'completed') AS completed
    FROM task_events GROUP BY task_id""")
sql("""CREATE TABLE bindings AS
    SELECT t.task_id, t.completed, t.agent, t.admitted_at, f.registry, f.card, f.card_schema, a.schema_version,
           CASE WHEN a.digest = 'sha256:' || a.payload_sha256 THEN 'match' ELSE 'mismatch' END AS digest_status,
           a.schema_version <> f.card_schema AS differs
    FROM admissions AS t
    ASOF LEFT JOIN fetches AS f ON t.client = f.client AND t.agent = f.agent AND t.admitted_at >= f.ts
    LEFT JOIN artifacts AS a ON a.task_id = t.task_id""")
print(sql("""SELECT count(*), count(*) FILTER (WHERE differs), count(*) FILTER (WHERE differs AND digest_status = 'match')
    FROM bindings WHERE completed""").fetchall())
print(sql("""SELECT count(*), sum(n), sum(split_brain) FROM (
    SELECT l.agent, l.k, count(*) AS n, count(*) FILTER (WHERE differs AND completed) AS split_brain
    FROM lags AS l JOIN bindings AS b ON b.agent = l.agent AND b.registry = 'r1' AND b.admitted_at >= l.rotated_at
        AND b.admitted_at < coalesce(l.caught_up_at, l.next_at, TIMESTAMP '2100-01-01')
    GROUP BY ALL)""").fetchall())
print(sql("""WITH moments AS (
        SELECT ts, client, agent, 0 AS kind, 0 AS rejected FROM fetches
        UNION ALL SELECT ts, client, agent, 1, (outcome IS NULL AND rpc_code IS NOT NULL)::INT FROM attempts),
    numbered AS (
        SELECT *, sum(1 - kind) OVER (PARTITION BY client, agent ORDER BY ts, kind ROWS UNBOUNDED PRECEDING) AS nth FROM moments),
    by_fetch AS (SELECT client, agent, nth, sum(rejected) AS n FROM numbered WHERE kind = 1 GROUP BY ALL)
    SELECT count(*), sum(n - 1) FROM by_fetch WHERE n > 1""").fetchall())
