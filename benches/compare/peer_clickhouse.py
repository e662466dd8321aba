"""The same ingest in ClickHouse (chdb, embedded); `kept` counts the rows of a damaged journal.
peer_clickhouse.py ingest|kept IN.ndjson DIR"""
import os, sys
from chdb import session

phase, source, out = sys.argv[1:4]
os.makedirs(out, exist_ok=True)
server = session.Session()
STRUCTURE = ", ".join(
    ["time String", "event LowCardinality(String)"]
    + [f"{n} Nullable(String)" for n in "client agent trace_id span_id registry url etag cache_control card method protocol_version task_id context_id "
       "skill_id admitted_under outcome error state artifact_id media_type schema_version digest digest_check payload".split()]
    + [f"{n} Nullable(Int32)" for n in "status http_status rpc_code".split()]
    + [f"{n} Nullable(Bool)" for n in "authority stream push last_chunk".split()]
)
READ = "max_threads = 2, input_format_json_read_objects_as_strings = 1, input_format_skip_unknown_fields = 1"
WRITE = "engine_file_truncate_on_insert = 1, output_format_parquet_compression_method = 'zstd', max_threads = 2"


def sql(text):
    return server.query(text, "CSV")


if phase == "kept":
    errors = "input_format_allow_errors_num = 1000000, input_format_allow_errors_ratio = 1"
    try:
        count = str(sql(f"SELECT count() FROM file('{source}', JSONEachRow, '{STRUCTURE}') SETTINGS {READ}, {errors}")).strip()
        print(f"{int(count):,} kept; not told which lines were lost")
    except Exception as error:
        print(f"none: {str(error).splitlines()[0]}")
    sys.exit()

sql(f"CREATE TABLE journal ENGINE = Memory AS SELECT *, parseDateTime64BestEffort(time, 9, 'UTC') AS ts "
    f"FROM file('{source}', JSONEachRow, '{STRUCTURE}') SETTINGS {READ}")
FACTS = {
    "card_fetches": ("card_fetch", "ts, client, agent, registry, url, ifNull(status, 200) AS status, etag, cache_control, authority, lower(hex(SHA256(card))) AS card"),
    "attempts": ("attempt", "ts, client, agent, trace_id, span_id, method, protocol_version, task_id, context_id, skill_id, admitted_under, stream, "
                            "push, outcome, http_status, rpc_code, error"),
    "task_events": ("task_status", "ts, client, agent, trace_id, span_id, task_id, context_id, state, admitted_under"),
    "artifacts": ("artifact", "ts, client, agent, trace_id, span_id, task_id, artifact_id, media_type, schema_version, digest, digest_check, "
                              "lower(hex(SHA256(payload))) AS payload_sha256, last_chunk"),
}
for table, (event, columns) in FACTS.items():
    sql(f"INSERT INTO FUNCTION file('{out}/{table}.parquet', Parquet) SELECT {columns} FROM journal WHERE event = '{event}' SETTINGS {WRITE}")
