//! Whatever comes in, what is held in memory stays bounded.

use crate::binary::{Place, statuses, told};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

const RECORD: &str = "{\"time\":\"2026-11-14T08:00:00Z\",\"event\":\"task_status\",\"agent\":\"ag\",\"task_id\":\"t-1\",\"state\":\"working\"}\n";

/// The most memory that a process ever held, in bytes, as its kernel counts.
#[cfg(target_os = "linux")]
fn peak_bytes(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() << 10
}

#[test]
#[cfg(target_os = "linux")]
fn a_line_of_any_length_takes_no_more_than_the_limit() {
    let place = Place::new();
    let mut command = place.command(&["ingest", "-", "--store", "store", "--format", "json"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(RECORD.as_bytes()).unwrap();
    input.write_all(b"{\"error\":\"").unwrap();
    let block = vec![b'x'; 1 << 20];
    // The first 64 MiB fill all that will ever be held; 448 MiB more must not show.
    for _ in 0..64 {
        input.write_all(&block).unwrap();
    }
    let early = peak_bytes(child.id());
    for _ in 0..448 {
        input.write_all(&block).unwrap();
    }
    let late = peak_bytes(child.id());
    assert!(late < early + (48 << 20), "{early} bytes, then {late}");
    input.write_all(b"\"}\n").unwrap();
    input.write_all(RECORD.replace("t-1", "t-2").as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
    let account: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        [&account["accepted"], &account["rejected"], &account["problems"]],
        [&json!(2), &json!(1), &json!({"CD103": 1})]
    );
}

#[test]
fn of_more_cards_than_allowed_only_hashes_are_kept() {
    let place = Place::new();
    let fetch = |n: u32| {
        let card = json!({"name": "A", "url": "https://a.example/rpc", "version": n.to_string(), "skills": []});
        let time = format!("2026-11-14T08:00:0{n}Z");
        json!({"time": time, "event": "card_fetch", "registry": "r", "agent": "ag", "card": card.to_string()})
    };
    let journal: String = (0..5).map(|n| format!("{}\n", fetch(n))).collect();
    place.write("a.ndjson", journal);
    let input = ["-i", "a.ndjson", "--max-names", "3", "--threads", "1", "--format", "csv"];
    let query = |sql: &str| place.done(&[&["query", "-e", sql], &input[..]].concat());
    assert_eq!(query("SELECT count(*) AS n FROM cards"), "n\n3\n");
    assert_eq!(query("SELECT count(DISTINCT card) AS n FROM card_fetches"), "n\n5\n");
    assert_eq!(
        query("SELECT source_line AS l FROM problems WHERE code = 'CD224' ORDER BY 1"),
        "l\n4\n5\n"
    );
    let strict = place.run(&["analyze", "a.ndjson", "--max-names", "3", "--strict"]);
    assert_eq!(strict.status.code(), Some(3));
}

#[test]
fn queries_keep_to_their_memory_limit_or_say_so() {
    let place = Place::new();
    place.write("a.ndjson", statuses(0..20_000));
    let query = |limit: &str| {
        let sql =
            "SELECT task_id, count(*) AS n FROM task_events GROUP BY task_id ORDER BY task_id";
        place.run(&[
            "query",
            "-i",
            "a.ndjson",
            "-e",
            sql,
            "--format",
            "csv",
            "--memory-limit",
            limit,
        ])
    };
    let free = query("1GiB");
    assert!(free.status.success(), "{}", told(&free));
    let mut refused = 0;
    for limit in ["64MiB", "8MiB", "1MiB", "64KiB"] {
        let output = query(limit);
        if output.status.success() {
            assert!(output.stdout == free.stdout, "{limit}");
        } else {
            refused += 1;
            assert_eq!(output.status.code(), Some(4), "{limit}: {}", told(&output));
            assert!(told(&output).contains("raise --memory-limit"), "{limit}: {}", told(&output));
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_report_under_a_memory_limit_is_the_same_report() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/incident-2-schema-rotation");
    let place = Place::new();
    let free = place.done(&["analyze", sample]);
    // Every view goes by way of a file, and every join is one that can spill.
    assert!(place.done(&["analyze", sample, "--memory-limit", "12MiB"]) == free);
}
