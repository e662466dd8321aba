//! Two sides side by side: stores, recordings, saved reports and periods.

use crate::command::run;
use serde_json::Value;
use std::fs;

const SAMPLE: &str = "samples/incident-2-schema-rotation";

fn rows(arguments: &[&str]) -> Vec<Value> {
    let ran = run(&[&["compare", "--format", "ndjson"], arguments].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn row<'r>(rows: &'r [Value], what: &str) -> &'r Value {
    rows.iter().find(|row| row["what"] == what && row["subject"] == serde_json::json!([])).unwrap()
}

#[test]
fn a_saved_report_a_store_and_a_recording_are_the_same_side() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (saved, store) = (path("saved.json"), path("store"));
    assert_eq!(run(&["report", "-i", SAMPLE, "--format", "json", "-o", &saved]).status, 0);
    assert_eq!(run(&["ingest", SAMPLE, "--store", &store]).status, 0);
    let other = "samples/incident-1-renamed-skill";
    let of_input = rows(&[SAMPLE, other]);
    assert_eq!(rows(&[&saved, other]), of_input);
    assert_eq!(rows(&[&store, other]), of_input);
    // 25 of 1,847 against 0 of 10: nothing is decided; 10 replays of 29 against 0 of 1,847 is much.
    assert_eq!(row(&of_input, "split_brain_rate")["verdict"], "undecided");
    let replays = row(&of_input, "replay_rate");
    assert_eq!(
        (&replays["verdict"], &replays["b_hits"], &replays["b_all"]),
        (&"worse".into(), &10.into(), &29.into())
    );
    // A side against itself differs in nothing.
    for row in rows(&[&saved, &store]) {
        assert!(["undecided", "still"].contains(&row["verdict"].as_str().unwrap()), "{row}");
    }
    let ran = run(&["compare", &saved, other, "--agent", "x"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("a saved report cannot be limited"), "{}", ran.stderr);
    fs::write(&saved, "{\"schema\": \"carddrift.report/1\", \"summary\": 3}").unwrap();
    assert_eq!(run(&["compare", &saved, other]).status, 3);
    assert_eq!(run(&["compare", SAMPLE]).status, 2);
}

#[test]
fn periods_of_one_recording() {
    // The first two windows against the last two: 1 of 143 and 24 of 663 verifiable tasks are split-brain.
    let rows = rows(&["-i", SAMPLE, "--split", "2026-11-14T12:00:00Z"]);
    let window = row(&rows, "window_split_brain_rate");
    let counts = ["a_hits", "a_all", "b_hits", "b_all"].map(|key| window[key].as_i64().unwrap());
    assert_eq!(counts, [1, 143, 24, 663]);
    assert_eq!(window["verdict"], "undecided");
    let lag = rows.iter().find(|row| row["what"] == "longest_lag").unwrap();
    assert_eq!((lag["a"].as_f64(), lag["b"].as_f64()), (Some(5700.0), Some(21600.0)));
    assert_eq!(lag["verdict"], "worse");
    let periods = ["--before", "..2026-11-14T12:00:00Z", "--after", "2026-11-14T12:00:00Z.."];
    assert_eq!(self::rows(&[&["-i", SAMPLE], &periods[..]].concat()), rows);
    let ran = run(&[
        "compare",
        "-i",
        SAMPLE,
        "--split",
        "2026-11-14T12:00:00Z",
        "--fail-on",
        "verdict = 'worse'",
    ]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("Of "), "{}", ran.stdout);
    crate::command::expect("tests/cases/report/compare.txt", &ran.stdout);
}
