"""The same ingest in Polars, on two threads and without hashing; `kept` counts the rows of a damaged journal.
peer_polars.py ingest|kept IN.ndjson DIR"""
import os, sys

os.environ.setdefault("POLARS_MAX_THREADS", "2")
import polars as pl

phase, source, out = sys.argv[1:4]
os.makedirs(out, exist_ok=True)
SCHEMA = {
    **{n: pl.String for n in "time event client agent trace_id span_id registry url etag cache_control card method protocol_version task_id context_id "
       "skill_id admitted_under outcome error state artifact_id media_type schema_version digest digest_check".split()},
    **{n: pl.Int64 for n in "status http_status rpc_code".split()},
    **{n: pl.Boolean for n in "authority stream push last_chunk".split()},
}
if phase == "kept":
    try:
        frame = pl.read_ndjson(source, schema=SCHEMA, ignore_errors=True)
        print(f"{frame['event'].count():,} kept; not told which lines were lost")
    except pl.exceptions.PolarsError as error:
        print(f"none: {type(error).__name__}")
    sys.exit()
frame = pl.read_ndjson(source, schema=SCHEMA).with_columns(ts=pl.col("time").str.to_datetime(time_unit="ns", time_zone="UTC"))
for table, event in {"card_fetches": "card_fetch", "attempts": "attempt", "task_events": "task_status", "artifacts": "artifact"}.items():
    frame.filter(pl.col("event") == event).write_parquet(f"{out}/{table}.parquet", compression="zstd")
