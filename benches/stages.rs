//! What each stage costs, on the recording of the schema rotation: `cargo bench [NAME]`.
//!
//! Figures are of use side by side in one run: parsing alone is the floor that ingest is held against.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may panic, and is no interface")]

use carddrift::config::Config;
use carddrift::event::Event;
use carddrift::exchange::Exchange;
use carddrift::formats::journal::Journal;
use carddrift::formats::{Context, Format, Sink};
use carddrift::ingest::{IngestOptions, Ingested, ingest_paths};
use carddrift::problem::{At, Problem};
use carddrift::query::{Session, Settings};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::LazyLock;
use tempfile::TempDir;

const RECORDING: &str = "samples/incident-2-schema-rotation/recording.ndjson.gz";

/// How often the recording is repeated, each time on other days, so that nothing is a duplicate.
const DAYS: u32 = 8;

static JOURNAL: LazyLock<String> = LazyLock::new(|| {
    let mut text = String::new();
    MultiGzDecoder::new(File::open(RECORDING).unwrap()).read_to_string(&mut text).unwrap();
    (0..DAYS)
        .map(|n| {
            text.replace("2026-11-14T", &format!("2026-1{}-1{}T", n % 2, 2 * (n / 2)))
                .replace("2026-11-15T", &format!("2026-1{}-1{}T", n % 2, 2 * (n / 2) + 1))
        })
        .collect()
});

/// The journal as files: as it is, in gzip, in zstd.
struct Files {
    folder: TempDir,
}

static FILES: LazyLock<Files> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plain.ndjson"), &*JOURNAL).unwrap();
    let gzip = File::create(folder.path().join("gzip.ndjson.gz")).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(gzip, flate2::Compression::default());
    gzip.write_all(JOURNAL.as_bytes()).unwrap();
    gzip.finish().unwrap();
    let zstd = zstd::encode_all(JOURNAL.as_bytes(), 3).unwrap();
    fs::write(folder.path().join("zstd.ndjson.zst"), zstd).unwrap();
    Files { folder }
});

impl Files {
    fn path(&self, name: &str) -> Vec<PathBuf> {
        vec![self.folder.path().join(name)]
    }
}

fn read(name: &str, threads: usize) -> Ingested {
    let options = IngestOptions { threads, ..IngestOptions::default() };
    ingest_paths(&FILES.path(name), &Config::default(), &options).unwrap()
}

/// The fields that most records have, borrowed where they can be.
#[derive(Deserialize)]
#[expect(dead_code, reason = "only parsed")]
struct Line<'a> {
    #[serde(borrow)]
    time: Cow<'a, str>,
    #[serde(borrow)]
    event: Cow<'a, str>,
    #[serde(borrow)]
    client: Option<Cow<'a, str>>,
    #[serde(borrow)]
    agent: Option<Cow<'a, str>>,
    #[serde(borrow)]
    registry: Option<Cow<'a, str>>,
    #[serde(borrow)]
    url: Option<Cow<'a, str>>,
    #[serde(borrow)]
    etag: Option<Cow<'a, str>>,
    #[serde(borrow)]
    card: Option<&'a RawValue>,
    #[serde(borrow)]
    task_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    artifact_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    outcome: Option<Cow<'a, str>>,
    #[serde(borrow)]
    state: Option<Cow<'a, str>>,
    #[serde(borrow)]
    media_type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    schema_version: Option<Cow<'a, str>>,
    #[serde(borrow)]
    digest: Option<Cow<'a, str>>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

/// Takes events and does nothing with them.
struct Nowhere;

impl Sink for Nowhere {
    fn event(&mut self, at: At, event: Event<'_>) {
        black_box((at, &event));
    }
    fn exchange(&mut self, exchange: Exchange<'_>) {
        black_box(&exchange);
    }
    fn problem(&mut self, problem: Problem) {
        black_box(&problem);
    }
}

/// Typed `serde_json` over borrowed fields, one thread: the floor.
#[divan::bench]
fn parse_alone(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::of_str(&*JOURNAL)).bench(|| {
        for line in JOURNAL.lines() {
            black_box(serde_json::from_str::<Line<'_>>(line).is_ok());
        }
    });
}

/// The journal's reader: records to events, one thread.
#[divan::bench]
fn parse_events(bencher: Bencher<'_, '_>) {
    let config = Config::default();
    let context = Context::new(&config);
    bencher.counter(BytesCount::of_str(&*JOURNAL)).bench(|| {
        for line in JOURNAL.lines() {
            Journal.parse(line.as_bytes(), At::default(), &context, &mut Nowhere);
        }
    });
}

/// The whole ingest, on so many threads.
#[divan::bench(args = [1, 2, 4], sample_count = 20)]
fn ingest(bencher: Bencher<'_, '_>, threads: usize) {
    bencher
        .counter(BytesCount::of_str(&*JOURNAL))
        .bench(|| black_box(read("plain.ndjson", threads)));
}

/// The same from compressed files.
#[divan::bench(args = ["gzip.ndjson.gz", "zstd.ndjson.zst"], sample_count = 20)]
fn ingest_compressed(bencher: Bencher<'_, '_>, name: &str) {
    bencher.counter(BytesCount::of_str(&*JOURNAL)).bench(|| black_box(read(name, 0)));
}

/// Each built-in query with the views that it needs, in a session of its own.
#[divan::bench(sample_count = 10, args = [
    "bindings", "rotations", "registry_lag", "split_brain_rate", "replays", "retry_storms",
    "drift_incidents", "actions", "summary", "slo_daily",
])]
fn query(bencher: Bencher<'_, '_>, name: &str) {
    let tables = read("plain.ndjson", 0).tables;
    bencher.bench(|| {
        let session = Session::open(tables.clone(), &Settings::of(&Config::default())).unwrap();
        black_box(session.built_in(name).unwrap());
    });
}

fn main() {
    divan::main();
}
