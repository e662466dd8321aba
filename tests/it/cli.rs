//! The command line: exit statuses, formats, files, gates, and what is said when something is wrong.

use crate::command::{program, run, run_with};
use serde_json::Value;
use std::fs;
use std::process::Stdio;

const SAMPLE: &str = "samples/incident-1-renamed-skill";

#[test]
fn exit_statuses() {
    let journal = fs::read_to_string("tests/cases/report/no_drift.ndjson").unwrap();
    let cases: &[(&[&str], &str, i32, &str)] = &[
        (&["query", "summary", "--input", "-"], &journal, 0, ""),
        (&["query", "summary", "--input", "-", "--fail-on", "tasks > 100"], &journal, 0, ""),
        (
            &["query", "summary", "--input", "-", "--fail-on", "tasks > 2"],
            &journal,
            1,
            "breached: tasks > 2",
        ),
        (
            &["analyze", "-", "--fail-on", "split_brain > 0 or unverifiable > 0"],
            &journal,
            1,
            "breached",
        ),
        (
            &["query", "summary", "--input", "-", "--fail-on", "taskss > 2"],
            &journal,
            2,
            "did you mean `tasks`?",
        ),
        (
            &["query", "summary", "--input", "-", "--fail-on", "tasks >"],
            &journal,
            2,
            "it ends too early",
        ),
        (&["query", "sumary", "--input", "-"], "", 2, "did you mean `summary`?"),
        (&["query", "summary"], "", 2, "--input"),
        (&["querry"], "", 2, "query"),
        (&["query", "-e", "SELEC 1", "--input", "-"], &journal, 2, "error"),
        (&["query", "-e", "DROP TABLE attempts", "--input", "-"], &journal, 2, "error"),
        (&["analyze", "-", "--from", "yesterday"], "", 2, "--from"),
        (&["analyze", "-", "--assume-zone", "Mars/Olympus"], &journal, 2, "no time zone"),
        (&["analyze", "-", "--input-format", "morse"], &journal, 2, "morse"),
        (&["analyze", "-", "--set", "thresholds.flaps=1"], &journal, 2, "did you mean `flap_s`?"),
        (&["analyze", "/nowhere/at/all"], "", 3, "/nowhere/at/all"),
        (&["analyze", "-"], "what is this\n", 3, "nothing could be read"),
        (&["query", "summary", "--input", "-", "--strict"], &journal, 0, ""),
        (&["diff", "README.md", "README.md"], "", 3, "no Agent Card"),
        (&["diff", "nowhere.json", "README.md"], "", 2, "nowhere.json"),
    ];
    for (arguments, input, status, said) in cases {
        let ran = run_with(arguments, input);
        assert_eq!(ran.status, *status, "{arguments:?}: {} {}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(said), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn data_lost_ends_with_three_when_it_was_not_to_be_lost() {
    let mut journal = fs::read_to_string("tests/cases/report/no_drift.ndjson").unwrap();
    journal.push_str("{\"time\":\"2026-11-14T10:00:05Z\",\"event\":\"attem\n");
    let query = ["query", "summary", "--input", "-", "--format", "ndjson"];
    let with = |more: &[&str]| run_with(&[&query, more].concat(), &journal);
    let ran = with(&[]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("read 12 records, 1 left out (8.3 %)"), "{}", ran.stderr);
    assert_eq!(with(&["--quiet"]).stderr, "");
    let strict = with(&["--strict"]);
    assert_eq!(
        (strict.status, &strict.stdout),
        (3, &ran.stdout),
        "the answer is given all the same"
    );
    assert_eq!(with(&["--max-rejected", "0.1"]).status, 0);
    assert_eq!(with(&["--max-rejected", "5%"]).status, 3);
}

#[test]
fn a_closed_pipe_is_success() {
    let mut child = program()
        .args([
            "query",
            "bindings",
            "--input",
            "samples/incident-2-schema-rotation",
            "--format",
            "ndjson",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_format_tells_the_same_rows() {
    let query = |format: &str| {
        let ran = run(&["query", "drift_incidents", "--input", SAMPLE, "--format", format]);
        assert_eq!(ran.status, 0, "{format}: {}", ran.stderr);
        ran.stdout
    };
    let lines = query("ndjson");
    let rows: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(serde_json::from_str::<Vec<Value>>(&query("json")).unwrap(), rows);
    assert_eq!(query("csv").lines().count(), rows.len() + 1);
    assert_eq!(query("markdown").lines().count(), rows.len() + 2);
    assert_eq!(query("text").lines().count(), rows.len() + 2);
    let first = rows[0].as_object().unwrap();
    assert_eq!(first["rejected_at"], "2026-11-13T09:31:00Z");
    assert_eq!(first["skills_added"], serde_json::json!(["summarize-v3"]));
}

#[test]
fn the_json_report_is_the_queries() {
    let ran = run(&["analyze", SAMPLE, "--format", "json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["schema"], "carddrift.report/1");
    assert_eq!(report["inputs"]["records"], 74);
    assert_eq!(report["inputs"]["sources"].as_array().unwrap().len(), 1);
    assert_eq!(report["period"]["from"], "2026-11-13T08:55:00.12Z");
    for query in carddrift::query::catalogue() {
        let rows: Vec<Value> = run(&["query", query.name, "--input", SAMPLE, "--format", "ndjson"])
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        match query.name {
            "summary" => assert_eq!(report["summary"], rows[0]),
            "bindings" => {
                let split = rows.iter().filter(|r| r["verdict"] == "split_brain").cloned();
                assert_eq!(report["split_brains"], Value::Array(split.collect()));
                assert_eq!(report.get("bindings"), None);
            }
            name => assert_eq!(report[name], Value::Array(rows), "{name}"),
        }
    }
    assert!(report["notes"].is_array());
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let with = |threads: &str| {
        run(&[
            "analyze",
            "samples/incident-2-schema-rotation",
            "--format",
            "json",
            "--threads",
            threads,
        ])
    };
    let one = with("1");
    assert_eq!(one.status, 0, "{}", one.stderr);
    assert!(one.stdout == with("7").stdout);
}

#[test]
fn output_goes_to_a_file_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lag.csv");
    let ran = run(&[
        "query",
        "rotations",
        "--input",
        SAMPLE,
        "--format",
        "csv",
        "--output",
        file.to_str().unwrap(),
    ]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    assert!(fs::read_to_string(&file).unwrap().starts_with("agent,rotation,authority,"));
    let ran = run(&["query", "rotations", "--input", SAMPLE, "--output", "/nowhere/at/all/x"]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
}

#[test]
fn a_store_answers_as_its_inputs_do() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let store = store.to_str().unwrap();
    let ran = run(&["ingest", SAMPLE, "--store", store]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("commit 1: 1 new source, 74 records = 74 accepted"),
        "{}",
        ran.stdout
    );
    let ran = run(&["ingest", SAMPLE, "--store", store]);
    let known = format!("nothing new; 1 source known already\n  {SAMPLE}/recording.ndjson\n");
    assert_eq!(ran.stdout, known, "{}", ran.stderr);
    let asked = |from: &[&str]| run(&[&["report", "--format", "json"], from].concat()).stdout;
    // Only the number of the ingest differs.
    let stored = asked(&["--store", store]).replace("\"ingest\":1,", "\"ingest\":0,");
    assert!(stored == asked(&["--input", SAMPLE]), "{stored}");
    assert_eq!(run(&["store", "verify", store]).status, 0);
    let ran = run(&["store", "ls", store, "--format", "ndjson"]);
    let commit: Value = serde_json::from_str(ran.stdout.trim()).unwrap();
    assert_eq!((&commit["commit"], &commit["records"]), (&1.into(), &74.into()));
    let other = ["ingest", SAMPLE, "--store", store, "--set", "client.header=x-other"];
    let ran = run(&other);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("help: "), "{}", ran.stderr);
}

#[test]
fn texts_from_data_cannot_act() {
    let journal = fs::read_to_string("tests/cases/report/no_drift.ndjson")
        .unwrap()
        .replace("a-1", "\\u001b[2J=cmd|' /C calc'!A0<script>`");
    let in_format = |format: &str| {
        let ran = run_with(&["query", "bindings", "--input", "-", "--format", format], &journal);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout
    };
    for format in ["text", "markdown"] {
        assert!(!in_format(format).contains('\u{1b}'), "{format}");
    }
    let shown = in_format("markdown");
    assert!(shown.contains("`` \\u{1b}[2J=cmd\\|' /C calc'!A0<script>` ``"), "{shown}");
    let journal = journal.replace("\\u001b[2J", "");
    let ran = run_with(&["query", "bindings", "--input", "-", "--format", "csv"], &journal);
    assert!(ran.stdout.contains(",'=cmd|"), "{}", ran.stdout);
    let raw = ["query", "bindings", "--input", "-", "--format", "csv", "--csv-raw"];
    assert!(run_with(&raw, &journal).stdout.contains(",=cmd|"));
}

#[test]
fn own_sql_with_parameters() {
    let sql = "SELECT count(*) AS n FROM attempts WHERE skill_id = $skill";
    let ran =
        run(&["query", "-e", sql, "-p", "skill=summarize-v3", "-i", SAMPLE, "--format", "ndjson"]);
    assert_eq!((ran.status, ran.stdout.trim()), (0, "{\"n\":5}"), "{}", ran.stderr);
    let ran = run(&["query", "-e", sql, "-i", SAMPLE]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("-p skill=VALUE"), "{}", ran.stderr);
}

#[test]
fn two_cards_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let card = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let old = card(
        "old.json",
        r#"{"name":"S","skills":[{"id":"v2"}],"capabilities":{"pushNotifications":true}}"#,
    );
    let new = card("new.json", r#"{"name":"S","skills":[{"id":"v3"}]}"#);
    let ran = run(&["diff", &old, &new, "--fail-on", "breaking"]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("Breaking: "), "{}", ran.stdout);
    let ran = run(&["diff", &old, &old, "--fail-on", "breaking"]);
    assert_eq!((ran.status, ran.stdout.starts_with("Identical: ")), (0, true), "{}", ran.stdout);
    let ran = run(&["diff", &old, &new, "--format", "ndjson"]);
    let paths: Vec<Value> = ran
        .stdout
        .lines()
        .map(|l| serde_json::from_str::<Value>(l).unwrap()["path"].clone())
        .collect();
    assert!(paths.contains(&"skills".into()), "{paths:?}");
}

#[test]
fn settings_tell_where_they_come_from() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("carddrift.toml");
    fs::write(&file, "[thresholds]\nflap_s = 60\n").unwrap();
    let output = program()
        .args(["config", "show", "--format", "json"])
        .current_dir(folder.path())
        .env("CARDDRIFT_THRESHOLDS_STORM_GAP_S", "30")
        .output()
        .unwrap();
    let settings: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let of = |key: &str| settings.iter().find(|s| s["key"] == key).unwrap().clone();
    assert!(of("flap_s")["origin"].as_str().unwrap().ends_with("carddrift.toml:2"));
    assert_eq!(of("storm_gap_s")["value"], 30);
    assert_eq!(of("storm_min_replays")["origin"], "default");
}

#[test]
fn completions_and_manual_pages_are_made() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = run(&["completions", shell]);
        assert!(ran.status == 0 && ran.stdout.contains("carddrift"), "{shell}");
    }
    let ran = run(&["man", "query"]);
    assert!(ran.status == 0 && ran.stdout.contains("carddrift\\-query"), "{}", ran.stdout);
    assert_eq!(run(&["man", "qery"]).status, 2);
}

/// Damage of which nothing could be decoded is no empty recording.
#[test]
fn what_cannot_be_decoded_at_all_is_unreadable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.gz");
    fs::write(&path, b"\x1f\x8b\x08\0\0\0\0\0\0\xff\xff\xff\xff\xff").unwrap();
    let ran = run(&["analyze", path.to_str().unwrap()]);
    assert_eq!(ran.status, 3, "{}", ran.stdout);
    assert!(ran.stderr.contains("CD004"), "{}", ran.stderr);
}

/// Neither a store nor an input is told with the secrets of its URL.
#[test]
fn urls_are_refused_without_their_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let store = ["ingest", "samples/envoy", "--store", "s3://user:hunter22@bucket/x?token=abc123"];
    let ran = program().current_dir(folder.path()).args(store).output().unwrap();
    let stderr = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{stderr}");
    assert!(!stderr.contains("hunter22") && fs::read_dir(folder.path()).unwrap().next().is_none());
    let ran = run(&["analyze", "https://user:hunter22@h.example/x?token=abc123"]);
    assert_eq!(ran.status, 3, "{}", ran.stderr);
    assert!(!ran.stderr.contains("hunter22") && !ran.stderr.contains("abc123"), "{}", ran.stderr);
}

/// Logs are cut when they are rotated: the first line, or half of it, is none.
#[test]
fn a_bad_first_line_costs_no_more_than_itself() {
    let lines = [r#"{"resourceSpans":[{"scopeSpans":[{"spans":[]}]}]}"#, r#"{"resourceSpans":[]}"#];
    let half = lines[0].split_at(20).1;
    let long = format!(
        r#"Id":"x","traceId":"t","spanId":"s","startTimeUnixNano":"1","name":"{}"}}]}}"#,
        "x".repeat(200_000)
    );
    for first in ["x", "# a comment", half, r#"{"a":[{"b":"#, &long] {
        let text = [&[first], &lines[..]].concat().join("\n");
        let sql = "SELECT format, accepted, rejected FROM sources";
        let ran = run_with(&["query", "-e", sql, "--input", "-", "--format", "csv"], &text);
        assert_eq!(ran.stdout.lines().nth(1), Some("otlp-json,2,1"), "{first:.20}");
    }
}
