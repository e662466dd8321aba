//! Ingest as a whole: from files to rows, whatever the threads, the sizes and the order.

use super::*;
use crate::problem::Kind;
use crate::tables::{Segment, all};
use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// The rows of a table as `column=value`, nulls left out, sorted.
pub(crate) fn rows(tables: &Dataset, table: &str, but: &[&str]) -> Vec<String> {
    let mut rows = Vec::new();
    for segment in tables.segments(table) {
        let bytes = match segment {
            Segment::File(path) => bytes::Bytes::from(fs::read(path).unwrap()),
            Segment::Memory(bytes) => bytes.clone(),
        };
        let reader = ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap().build().unwrap();
        for batch in reader {
            rows.extend(spelled(&batch.unwrap(), but));
        }
    }
    rows.sort();
    rows
}

fn spelled(batch: &RecordBatch, but: &[&str]) -> Vec<String> {
    let options = FormatOptions::default();
    let schema = batch.schema();
    let columns: Vec<_> = schema
        .fields()
        .iter()
        .zip(batch.columns())
        .filter(|(field, _)| !but.contains(&field.name().as_str()))
        .map(|(field, array)| (field.name(), without_zone(array)))
        .collect();
    let columns: Vec<_> = columns
        .iter()
        .map(|(name, array)| (name, array, ArrayFormatter::try_new(array, &options).unwrap()))
        .collect();
    (0..batch.num_rows())
        .map(|row| {
            let present = columns.iter().filter(|(_, array, _)| !array.is_null(row));
            let cells = present.map(|(name, _, value)| format!("{name}={} ", value.value(row)));
            cells.collect::<Vec<_>>().concat()
        })
        .collect()
}

/// Times print without a table of time zones when they have none.
fn without_zone(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Timestamp(unit, _) => cast(array, &DataType::Timestamp(*unit, None)).unwrap(),
        _ => Arc::clone(array),
    }
}

/// All tables but where things came from.
fn facts(tables: &Dataset, but: &[&str]) -> BTreeMap<&'static str, Vec<String>> {
    all().iter().map(|table| (table.name, rows(tables, table.name, but))).collect()
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn read(folder: &Path, options: &IngestOptions) -> Ingested {
    let ingested = ingest_paths(&[folder.to_owned()], &Config::default(), options).unwrap();
    for account in &ingested.accounts {
        assert!(account.adds_up(), "{account:?}");
    }
    assert!(!ingested.problems.contains_key(&Kind::Internal));
    ingested
}

fn one(text: &str) -> Ingested {
    read(folder(&[("a.ndjson", text)]).path(), &IngestOptions::default())
}

const CARD: &str = r#"{"time":"2026-11-14T08:00:00Z","event":"card_fetch","client":"a","registry":"r1","etag":"W/\"3\"","card":"{\"name\":\"S\",\"url\":\"https://s.example/rpc/\",\"skills\":[{\"id\":\"sum\"}],\"artifactSchema\":{\"version\":\"3\"}}"}"#;
const ATTEMPT: &str = r#"{"time":"2026-11-14T08:01:00Z","event":"attempt","client":"a","agent":"g","method":"tasks/pushNotification/set","rpc_code":-32602,"stream":true,"http_status":200}"#;
const STATUS: &str = r#"{"time":1794643260000000000,"event":"task_status","agent":"g","task_id":"t","state":"TASK_STATE_COMPLETED"}"#;

#[test]
fn rows_of_each_kind() {
    let ingested = one(&[CARD, ATTEMPT, STATUS].join("\n"));
    let table = |name: &str| rows(&ingested.tables, name, &["source_file", "card", "contract"]);
    let fetch = &table("card_fetches")[0];
    for part in [
        "kind=fetch ",
        "registry=r1 ",
        "etag=W/\"3\" ",
        "etag_weak=\"3\" ",
        "card_agent=https://s.example/rpc/ ",
        "sent_at=2026-11-14T08:00:00 ",
        "status=200 ",
        "source_line=1 ",
        "source_byte=0 ",
    ] {
        assert!(fetch.contains(part), "{part} in {fetch}");
    }
    let attempt = &table("attempts")[0];
    for part in [
        "push_config=true ",
        "era=0.1 ",
        "opened=true ",
        "transport_error=false ",
        "source_line=2 ",
    ] {
        assert!(attempt.contains(part), "{part} in {attempt}");
    }
    let status = &table("task_events")[0];
    for part in ["state=completed ", "time=2026-11-14T08:01:00 ", "source_line=3 "] {
        assert!(status.contains(part), "{part} in {status}");
    }
    assert!(table("card_interfaces")[0].contains("url=https://s.example/rpc "));
    assert_eq!(table("cards").len(), 1);
    let (records, blank, fates) = ingested.totals();
    assert_eq!((records, blank, fates.accepted, fates.events), (3, 0, 3, 3));
}

#[test]
fn every_record_has_one_fate() {
    let ingested = one(&format!(
        "\u{feff}{CARD}\n\n{ATTEMPT}\n{ATTEMPT}\n{STATUS} junk\n{{\"time\":1}}\nnot json\n{STATUS}\n{{\"time\":1,\"event\":"
    ));
    let (records, blank, fates) = ingested.totals();
    let given = (fates.accepted, fates.repaired, fates.rejected, fates.duplicate);
    // The first was mended (a byte-order mark), and so was the one with text behind it.
    assert_eq!((records, blank, given), (9, 1, (1, 2, 3, 2)));
    assert_eq!((fates.events, fates.duplicate_events), (3, 2));
    let kinds: Vec<_> =
        ingested.problems.iter().map(|(kind, count)| (kind.code(), *count)).collect();
    let expected = [("CD101", 1), ("CD102", 1), ("CD110", 1), ("CD121", 1), ("CD201", 1)];
    assert_eq!(kinds, expected);
}

#[test]
fn duplicates_between_sources_stay_with_the_first_name() {
    let files = [("b", STATUS), ("a", STATUS), ("c", ATTEMPT)];
    let ingested = read(folder(&files).path(), &IngestOptions::default());
    let fates: Vec<_> =
        ingested.accounts.iter().map(|a| (a.fates.accepted, a.fates.duplicate)).collect();
    assert_eq!(fates, [(1, 0), (0, 1), (1, 0)]);
    assert!(rows(&ingested.tables, "task_events", &[])[0].contains("/a "));
}

#[test]
fn entries_of_overlapping_hars_are_duplicates() {
    let entry = |second: u32| {
        format!(
            r#"{{"startedDateTime":"2026-11-14T08:00:{second:02}Z","time":5,"request":{{"method":"GET","url":"https://r.example/.well-known/agent-card.json","headers":[]}},"response":{{"status":200,"headers":[],"content":{{"mimeType":"application/json","text":"{{\"name\":\"S\",\"url\":\"https://s.example\"}}"}}}}}}"#
        )
    };
    let har = |entries: &[String]| {
        format!(r#"{{"log":{{"version":"1.2","entries":[{}]}}}}"#, entries.join(","))
    };
    let files = [("a.har", har(&[entry(1), entry(20)])), ("b.har", har(&[entry(20), entry(40)]))];
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let ingested = read(folder(&files).path(), &IngestOptions::default());
    let fates: Vec<_> =
        ingested.accounts.iter().map(|a| (a.fates.accepted, a.fates.duplicate)).collect();
    assert_eq!(fates, [(2, 0), (1, 1)]);
    assert_eq!(rows(&ingested.tables, "card_fetches", &[]).len(), 3);
}

fn artifact(second: u32, fields: &str) -> String {
    format!(
        r#"{{"time":"2026-11-14T08:01:{second:02}Z","event":"artifact","agent":"g","task_id":"t","artifact_id":"x",{fields}}}"#
    )
}

/// SHA-256 of `ab`, `abc`, and of `{}`.
const AB: &str = "fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603";
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const EMPTY: &str = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

#[test]
fn chunks_are_put_in_order_of_time() {
    let last = format!(
        r#""append":true,"payload":"c","last_chunk":true,"digest":"{ABC}","digest_check":"fail""#
    );
    let ingested = one(&[
        artifact(3, &last),
        artifact(2, r#""append":true,"payload":"b""#),
        artifact(1, r#""payload":"a""#),
    ]
    .join("\n"));
    let artifacts = rows(&ingested.tables, "artifacts", &[]);
    assert!(!artifacts[0].contains("run_"));
    assert!(artifacts[1].contains(&format!("run_text_sha256={AB} ")));
    assert!(artifacts[2].contains(&format!("run_text_sha256={ABC} ")));
    assert_eq!(ingested.problems.get(&Kind::DigestContradicted), Some(&1));
}

#[test]
fn runs_that_cannot_be_told() {
    let run = |fields: [&str; 3]| {
        let lines: Vec<_> =
            (1..).zip(fields).map(|(second, fields)| artifact(second, fields)).collect();
        rows(&one(&lines.join("\n")).tables, "artifacts", &[]).pop().unwrap()
    };
    let plain = run([
        r#""payload":"{""#,
        r#""append":true,"payload":"""#,
        r#""append":true,"payload":"}""#,
    ]);
    assert!(plain.contains(&format!("run_json_sha256={EMPTY} ")), "{plain}");
    let data = run([
        r#""payload":{}"#,
        r#""append":true,"payload":"a""#,
        r#""append":true,"payload":"b""#,
    ]);
    assert!(data.contains(&format!("run_json_sha256={EMPTY} ")) && data.contains(AB), "{data}");
    for unknown in [
        run([r#""payload":{}"#, r#""append":true,"payload":{}"#, r#""append":true,"payload":"b""#]),
        run([r#""payload":"a""#, r#""append":true"#, r#""append":true,"payload":"b""#]),
        run([
            r#""append":true,"payload":"a""#,
            r#""append":true,"payload":"a""#,
            r#""append":true,"payload":"b""#,
        ]),
    ] {
        assert!(!unknown.contains("run_"), "{unknown}");
    }
}

#[test]
fn a_check_that_contradicts_is_told_once() {
    let check = |fields: &str, check: &str| {
        let fields = format!(r#"{fields},"digest":"{ABC}","digest_check":"{check}""#);
        let ingested = one(&artifact(1, &fields));
        ingested.problems.get(&Kind::DigestContradicted).copied().unwrap_or_default()
    };
    assert_eq!(check(r#""payload":"abc","last_chunk":true"#, "fail"), 1);
    assert_eq!(check(r#""payload":"abc""#, "fail"), 1);
    assert_eq!(check(r#""payload":"abd""#, "pass"), 1);
    assert_eq!(check(r#""payload":"abc""#, "pass"), 0);
    assert_eq!(check(r#""media_type":"a/b""#, "pass"), 0);
}

#[test]
fn notes_on_values() {
    let card = r#"{"time":1,"event":"card_fetch","registry":"r","agent":"g","card":"<html>"}"#;
    let object =
        r#"{"time":2,"event":"card_fetch","registry":"r","agent":"g","card":{"name":"S"}}"#;
    let hash = r#"{"time":3,"event":"card_fetch","registry":"r","agent":"g","card_sha256":"12"}"#;
    let attempt = r#"{"time":4,"event":"attempt","agent":"g","outcome":"lunch","task_state":"lunch","admitted_under":"x"}"#;
    let nameless = r#"{"time":5,"event":"card_fetch","registry":"r","card":"{\"name\":\"S\"}"}"#;
    let ingested = one(&[card, object, hash, attempt, nameless].join("\n"));
    let kinds: Vec<_> = ingested.problems.iter().map(|(kind, count)| (*kind, *count)).collect();
    let expected = [
        (Kind::MissingField, 1),
        (Kind::UnknownState, 1),
        (Kind::NotACard, 1),
        (Kind::CardObject, 1),
        (Kind::UnknownOutcome, 1),
        (Kind::BadHash, 2),
    ];
    assert_eq!(kinds, expected);
}

/// A line of some journal in which everything may repeat.
fn line() -> impl Strategy<Value = String> {
    let time = 0_u32..5;
    let id = prop_oneof![Just("t"), Just("u")];
    prop_oneof![
        (time.clone(), 0_u32..3).prop_map(|(time, card)| format!(
            r#"{{"time":{time},"event":"card_fetch","registry":"r","client":"c","agent":"g","card":"{{\"name\":\"{card}\"}}"}}"#
        )),
        (time.clone(), id.clone()).prop_map(|(time, id)| format!(
            r#"{{"time":{time},"event":"attempt","agent":"g","task_id":"{id}","outcome":"accepted"}}"#
        )),
        (time.clone(), id.clone(), "[ab]").prop_map(|(time, id, state)| format!(
            r#"{{"time":{time},"event":"task_status","agent":"g","task_id":"{id}","state":"{state}"}}"#
        )),
        (time, id, any::<bool>(), any::<bool>(), "[ab{}]{0,2}").prop_map(|(time, id, append, last, text)| format!(
            r#"{{"time":{time},"event":"artifact","agent":"g","task_id":"{id}","artifact_id":"x","append":{append},"last_chunk":{last},"payload":"{text}"}}"#
        )),
        Just("not json".to_owned()),
        Just(String::new()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn threads_and_sizes_play_no_part(
        first in prop::collection::vec(line(), 0..40),
        second in prop::collection::vec(line(), 0..20),
        threads in 1_usize..5,
        block_bytes in 1_usize..600,
    ) {
        let (first, second) = (first.join("\n"), second.join("\n"));
        let folder = folder(&[("a", &first), ("b", &second)]);
        // A block of few bytes does not tell the format.
        let journal = IngestOptions { threads: 1, input_format: Some("journal".to_owned()), ..IngestOptions::default() };
        let plain = read(folder.path(), &journal);
        let mut options = IngestOptions { threads, ..journal };
        options.limits.block_bytes = block_bytes;
        let other = read(folder.path(), &options);
        prop_assert_eq!(&plain.accounts, &other.accounts);
        prop_assert_eq!(&plain.problems, &other.problems);
        prop_assert_eq!(facts(&plain.tables, &[]), facts(&other.tables, &[]));
    }

    #[test]
    fn the_order_of_lines_plays_no_part(
        lines in prop::collection::vec(line(), 0..40).prop_flat_map(|lines| (Just(lines.clone()), Just(lines).prop_shuffle())),
    ) {
        let (lines, shuffled) = lines;
        // Chunks of one instant have no order but that of their places.
        let placeless = |lines: &[String]| {
            let lines = lines.iter().filter(|line| !line.contains("append\":true"));
            lines.map(|line| line.clone() + "\n").collect::<Vec<_>>().concat()
        };
        let but = ["source_line", "source_byte", "sha256"];
        // Why nobody knows a source without a journal's line depends on its first line.
        let journal = IngestOptions { input_format: Some("journal".to_owned()), ..IngestOptions::default() };
        let told = |lines: &[String]| read(folder(&[("a", &placeless(lines))]).path(), &journal);
        let (plain, other) = (told(&lines), told(&shuffled));
        let without_source = |tables: &Dataset| facts(tables, &[&but[..], &["source_file"]].concat());
        prop_assert_eq!(plain.totals(), other.totals());
        prop_assert_eq!(without_source(&plain.tables), without_source(&other.tables));
    }
}

#[test]
fn values_in_an_array_or_over_lines_are_records() {
    let journal = one(&[CARD, ATTEMPT, STATUS].join("\n"));
    let places =
        ["source_file", "source_line", "source_byte", "sha256", "size_bytes", "content_bytes"];
    let pretty = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        format!("{value:#}")
    };
    for text in [
        format!("[{CARD},{ATTEMPT},{STATUS}]"),
        format!("[\n{CARD},\n{ATTEMPT},\n{STATUS}\n]\n"),
        [CARD, ATTEMPT, STATUS].map(pretty).join("\n"),
        format!("[{}]", [CARD, ATTEMPT, STATUS].map(pretty).join(",\n")),
    ] {
        let told = one(&text);
        assert_eq!(facts(&told.tables, &places), facts(&journal.tables, &places), "{text}");
        assert_eq!(told.totals().2.repaired, 0, "{text}");
    }
}

/// Two chunks of a stream that was recorded whole have one time: the first begins the artifact.
#[test]
fn chunks_of_one_time_keep_their_order() {
    let update = |fields: &str| {
        format!(
            "data: {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"artifactUpdate\":{{\"taskId\":\"t\",\"contextId\":\"c\",{fields}}}}}}}\r\n\r\n"
        )
    };
    let part = |text: &str| {
        format!("\"artifact\":{{\"artifactId\":\"x\",\"parts\":[{{\"text\":\"{text}\"}}]}}")
    };
    let body = [
        update(&part("one ")),
        update(&format!("{},\"append\":true", part("two "))),
        update(&format!("{},\"append\":true,\"lastChunk\":true", part("three"))),
    ]
    .concat();
    let entry = serde_json::json!({
        "startedDateTime": "2026-11-14T08:00:00Z", "time": 5,
        "request": { "method": "POST", "url": "https://s.example/rpc", "headers": [],
            "postData": { "text": r#"{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{}}"# } },
        "response": { "status": 200, "headers": [{ "name": "content-type", "value": "text/event-stream" }],
            "content": { "text": body } },
    });
    let har = serde_json::json!({ "log": { "version": "1.2", "entries": [entry] } }).to_string();
    let ingested = one(&har);
    let rows = rows(&ingested.tables, "artifacts", &[]);
    // The SHA-256 of `one two three`.
    let whole = crate::a2a::digest::sha256_hex(b"one two three");
    let last: Vec<_> = rows.iter().filter(|row| row.contains("last_chunk=true ")).collect();
    assert!(
        matches!(last.as_slice(), [row] if row.contains(&format!("run_text_sha256={whole} ")) && row.contains("source_event=3 ")),
        "{rows:#?}"
    );
}

/// A document with many exchanges is one record; it holds something as soon as one of them does.
#[test]
fn a_document_of_exchanges_is_one_record() {
    let cassette = |get: &str| {
        format!(
            "interactions:\n- request:\n    method: POST\n    uri: https://llm.example/v1/chat\n    body: '{{}}'\n  response:\n    headers:\n      date:\n      - Sat, 14 Nov 2026 08:00:00 GMT\n    body:\n      string: '{{}}'\n    status:\n      code: 200\n- request:\n    method: GET\n    uri: https://s.example/{get}\n  response:\n    headers:\n      date:\n      - Sat, 14 Nov 2026 08:00:01 GMT\n    body:\n      string: '{{\"name\":\"S\",\"skills\":[]}}'\n    status:\n      code: 200\nversion: 1\n"
        )
    };
    let (records, _, fates) = one(&cassette(".well-known/agent-card.json")).totals();
    assert_eq!((records, fates.accepted, fates.without_events, fates.events), (1, 1, 0, 1));
    let nothing = cassette("logo.png").replace("{\"name\":\"S\",\"skills\":[]}", "");
    let (records, _, fates) = one(&nothing).totals();
    assert_eq!((records, fates.accepted, fates.events), (1, 1, fates.events));
    assert!(fates.without_events <= 1, "{fates:?}");
}
