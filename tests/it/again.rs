//! The same records again, in whatever form they come: no event is counted twice, and what was there
//! already is told.

use crate::binary::{Place, bytes_below, statuses, told};
use serde_json::Value;
use std::io::Write;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Events and duplicates of an ingest.
fn counts(text: &str) -> [u64; 4] {
    let told = json(text);
    ["sources", "skipped", "events", "duplicate"].map(|name| told[name].as_u64().unwrap())
}

#[test]
fn the_same_content_in_any_form_is_skipped() {
    let place = Place::new();
    let text = statuses(0..500);
    place.write("a.ndjson", &text);
    let ingest = |input: &str| {
        counts(&place.done(&["ingest", input, "--store", "store", "--format", "json"]))
    };
    assert_eq!(ingest("a.ndjson"), [1, 0, 500, 0]);
    let answers = place.answers("store");
    place.write("renamed.log", &text);
    place.write("deeper/a.ndjson.gz", gzip(text.as_bytes()));
    place.write("b.zst", zstd::encode_all(text.as_bytes(), 3).unwrap());
    let members: Vec<u8> = text.as_bytes().chunks(7_000).flat_map(gzip).collect();
    place.write("members.gz", members);
    for input in ["a.ndjson", "renamed.log", "deeper", "b.zst", "members.gz"] {
        assert_eq!(ingest(input), [0, 1, 0, 0], "{input}");
        assert_eq!(place.answers("store"), answers, "{input}");
    }
    let mut command = place.command(&["ingest", "-", "--store", "store", "--format", "json"]);
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(counts(std::str::from_utf8(&output.stdout).unwrap()), [0, 1, 0, 0]);
    assert_eq!(place.answers("store"), answers);
    assert!(place.done(&["ingest", ".", "--store", "store"]).contains("known already"));
}

#[test]
fn rotated_logs_overlap() {
    let place = Place::new();
    place.write("log/a.log", statuses(300..900));
    place.write("log/a.log.1.gz", gzip(statuses(0..600).as_bytes()));
    // In one run, in two, and in the other order.
    let told = counts(&place.done(&["ingest", "log", "--store", "one", "--format", "json"]));
    assert_eq!(told, [2, 0, 900, 300]);
    for (store, order) in
        [("two", ["log/a.log", "log/a.log.1.gz"]), ("three", ["log/a.log.1.gz", "log/a.log"])]
    {
        for (input, expected) in order.iter().zip([[1, 0, 600, 0], [1, 0, 300, 300]]) {
            let told = place.done(&["ingest", input, "--store", store, "--format", "json"]);
            assert_eq!(counts(&told), expected, "{store} {input}");
        }
        let count = "SELECT count(*) AS n, count(DISTINCT task_id) AS d FROM task_events";
        let count = place.done(&["query", "--store", store, "-e", count, "--format", "csv"]);
        assert_eq!(count, "n,d\n900,900\n");
    }
}

#[test]
fn duplicates_are_looked_for_only_where_times_overlap() {
    let place = Place::new();
    place.write("early.ndjson", statuses(0..300));
    place.write("late.ndjson", statuses(500..900));
    place.write("both.ndjson", statuses(200..800));
    place.done(&["ingest", "early.ndjson", "--store", "store"]);
    // Whoever looks into the events of the first commit now cannot.
    let events = bytes_below(&place.path("store/segments"));
    let events =
        events.iter().find(|(path, _)| path.to_str().unwrap().contains("/events-")).unwrap();
    std::fs::remove_file(&events.0).unwrap();
    place.done(&["ingest", "late.ndjson", "--store", "store"]);
    let output = place.run(&["ingest", "both.ndjson", "--store", "store"]);
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    assert_eq!(place.done(&["store", "ls", "store", "--format", "csv"]).lines().count(), 3);
    std::fs::write(&events.0, &events.1).unwrap();
    let told = place.done(&["ingest", "both.ndjson", "--store", "store", "--format", "json"]);
    assert_eq!(counts(&told), [1, 0, 200, 400]);
}

#[test]
fn other_settings_are_refused() {
    let place = Place::new();
    place.write("a.ndjson", statuses(0..5));
    place.write("b.ndjson", statuses(0..9));
    place.done(&["ingest", "a.ndjson", "--store", "store"]);
    for set in ["client.header=\"x-client\"", "agents.ag=[\"https://a.example\"]"] {
        let output = place.run(&["ingest", "b.ndjson", "--store", "store", "--set", set]);
        assert_eq!(output.status.code(), Some(2), "{}", told(&output));
        let text = told(&output);
        assert!(text.contains("other settings") && text.contains("help: "), "{text}");
    }
    // Those that act when querying do not matter.
    let set = "thresholds.storm_gap_s=60";
    place.done(&["ingest", "b.ndjson", "--store", "store", "--set", set]);
}

#[test]
fn every_record_has_one_fate() {
    let place = Place::new();
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/samples");
    let output = place.run(&["ingest", samples, "--store", "store", "--format", "json"]);
    let total = json(std::str::from_utf8(&output.stdout).unwrap());
    let number = |name: &str| total[name].as_u64().unwrap();
    let fates = ["accepted", "repaired", "rejected", "duplicate", "blank"];
    assert_eq!(number("records"), fates.iter().map(|fate| number(fate)).sum::<u64>());
    assert!(number("sources") > 40 && number("rejected") > 10, "{total}");
    let wrong = "SELECT source_file FROM sources \
                 WHERE records <> accepted + repaired + rejected + duplicate + blank";
    let wrong = place.done(&["query", "--store", "store", "-e", wrong, "--format", "ndjson"]);
    assert_eq!(wrong, "");
    let sums = "SELECT sum(records) AS records, sum(rejected) AS rejected, count(*) AS sources FROM sources";
    let sums =
        json(place.done(&["query", "--store", "store", "-e", sums, "--format", "ndjson"]).trim());
    for name in ["records", "rejected", "sources"] {
        assert_eq!(sums[name], total[name], "{name}");
    }
    // Each rejected record has a problem that says where and why.
    let silent = "SELECT s.source_file FROM sources AS s LEFT JOIN \
                  (SELECT source_file, count(DISTINCT source_byte) AS n FROM problems \
                   WHERE severity IN ('data_loss', 'error') GROUP BY source_file) AS p \
                  ON p.source_file = s.source_file WHERE s.rejected > coalesce(p.n, 0)";
    let silent = place.done(&["query", "--store", "store", "-e", silent, "--format", "ndjson"]);
    assert_eq!(silent, "");
    let inner = "SELECT code FROM problems WHERE code = 'CD999'";
    assert_eq!(place.done(&["query", "--store", "store", "-e", inner, "--format", "ndjson"]), "");
    let report = json(&place.done(&["report", "--store", "store", "--format", "json"]));
    assert_eq!(report["inputs"]["records"], total["records"], "{}", report["inputs"]);
}

#[test]
fn losses_can_be_forbidden() {
    let place = Place::new();
    place.write("good.ndjson", statuses(0..99));
    place.write("bad.ndjson", statuses(0..99) + "not json\n");
    let store = std::cell::Cell::new(0);
    let ingest = |input: &str, flags: &[&str]| {
        store.set(store.get() + 1);
        let store = format!("s{}", store.get());
        place.run(&[&["ingest", input, "--store", &store], flags].concat()).status.code()
    };
    assert_eq!(ingest("good.ndjson", &["--strict"]), Some(0));
    assert_eq!(ingest("good.ndjson", &["--max-rejected", "0"]), Some(0));
    assert_eq!(ingest("bad.ndjson", &[]), Some(0));
    assert_eq!(ingest("bad.ndjson", &["--strict"]), Some(3));
    assert_eq!(ingest("bad.ndjson", &["--max-rejected", "0.5%"]), Some(3));
    assert_eq!(ingest("bad.ndjson", &["--max-rejected", "1%"]), Some(0));
    for command in
        [&["analyze", "bad.ndjson"][..], &["query", "-e", "SELECT 1", "-i", "bad.ndjson"]]
    {
        for (flags, status) in [(&["--strict"][..], 3), (&["--max-rejected", "1%"], 0)] {
            let output = place.run(&[command, flags].concat());
            assert_eq!(output.status.code(), Some(status), "{command:?} {flags:?}");
        }
    }
}

#[test]
fn the_same_bytes_whatever_the_threads_the_order_and_the_zone() {
    let place = Place::new();
    let sample = |name: &str| format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"));
    let inputs = [
        "har/a2a-sdk-python-1.3.0.har",
        "incident-1-renamed-skill",
        "otlp/a2a-sdk-python-1.3.0.jsonl.gz",
        "python-log",
    ];
    let mut inputs: Vec<String> = inputs.iter().map(|name| sample(name)).collect();
    let run = |inputs: &[String], threads: &str, zone: &str| {
        let mut arguments = vec!["analyze", "--format", "json", "--threads", threads];
        arguments.extend(inputs.iter().map(String::as_str));
        let output = place.command(&arguments).env("TZ", zone).output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
        output.stdout
    };
    let first = run(&inputs, "1", "UTC");
    assert!(run(&inputs, "4", "America/New_York") == first);
    inputs.reverse();
    assert!(run(&inputs, "3", "Asia/Kolkata") == first);
}
