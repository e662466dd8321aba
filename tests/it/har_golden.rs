//! Recordings of the Python SDK, entry by entry: what became of each, and why.
//!
//! The golden files (`tests/cases/har/*.events.jsonl`) have one line for each entry: its number, its
//! fate, why that is right, its events and the codes of its problems. They were checked by hand
//! against the recordings; `CARDDRIFT_BLESS=1` writes the events anew and keeps fates and whys, so
//! that a change shows up in review.

use crate::journal_form;
use crate::reading::{Entry, Recording};
use carddrift::formats::Format as _;
use carddrift::formats::Framing;
use carddrift::formats::har::Har;
use carddrift::ingest::array::ArrayScanner;
use carddrift::problem::Kind;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

#[test]
fn sdk_0_3_26() {
    check("a2a-sdk-python-0.3.26", 19);
}

#[test]
fn sdk_1_3_0() {
    check("a2a-sdk-python-1.3.0", 32);
}

#[test]
fn broken_entries() {
    check("broken", 24);
}

fn check(name: &str, entries: usize) {
    let recording =
        Recording::read(&format!("samples/har/{name}.har"), "[client]\nheader = 'x-client-id'");
    assert_eq!(recording.entries.len(), entries);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(format!("tests/cases/har/{name}.events.jsonl"));
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let golden: Vec<Value> =
        golden.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let bless = std::env::var_os("CARDDRIFT_BLESS").is_some();
    let mut text = String::new();
    for (number, entry) in recording.entries.iter().enumerate() {
        let expected = golden.get(number).cloned().unwrap_or_default();
        let found = line(number, entry, &expected);
        writeln!(text, "{found}").unwrap();
        if !bless {
            let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
            assert_eq!(pretty(&found), pretty(&expected), "entry {number} of {name}");
            assert!(expected["why"].as_str().is_some_and(|why| !why.is_empty()), "entry {number}");
        }
    }
    if bless {
        std::fs::write(path, text).unwrap();
    }
}

/// What the golden file says of an entry. `accepted`: it gave events; `nothing`: it holds nothing of
/// A2A that is measured; `rejected`: it could not be read.
fn line(number: usize, entry: &Entry, expected: &Value) -> Value {
    let rejected = entry
        .problems
        .iter()
        .any(|p| p.kind.severity().as_str() == "data_loss" && p.pointer.is_empty());
    let fate = match (rejected, entry.events.is_empty()) {
        (true, _) => "rejected",
        (false, true) => "nothing",
        (false, false) => "accepted",
    };
    let problems: Vec<_> =
        entry.problems.iter().map(|p| json!([p.kind.code(), p.pointer, p.detail])).collect();
    json!({
        "entry": number,
        "fate": fate,
        "why": expected["why"].as_str().unwrap_or_default(),
        "problems": problems,
        "events": entry.events.iter().map(journal_form::of).collect::<Vec<_>>(),
    })
}

#[test]
fn a_file_that_ends_early_keeps_its_whole_entries() {
    let bytes = crate::recorded::file("samples/har/truncated.har");
    let Framing::JsonArray(path) = Har.framing() else { panic!("HAR is an array of entries") };
    let mut scanner = ArrayScanner::new(path, usize::MAX, 0, false);
    scanner.push(&bytes);
    let problems = scanner.finish();
    let (text, elements) = scanner.take();
    let cut: Vec<_> = elements.iter().map(|element| element.cut).collect();
    assert_eq!(cut, [vec![false; 10], vec![true]].concat());
    assert_eq!(elements.last().unwrap().at.line, 11);
    assert_eq!(problems.iter().map(|p| p.kind).collect::<Vec<_>>(), [Kind::TruncatedRecord]);
    let entries = elements.iter().map(|element| &text[element.start..element.end]);
    let recording = Recording::of(entries, "");
    let whole = Recording::read("samples/har/a2a-sdk-python-0.3.26.har", "");
    for (found, expected) in recording.entries.iter().zip(&whole.entries).take(10) {
        assert_eq!(format!("{:?}", found.events), format!("{:?}", expected.events));
    }
    let last: Vec<_> = recording.entries[10].problems.iter().map(|p| p.kind).collect();
    assert_eq!(last, [Kind::TruncatedRecord]);
}
