//! The report of each recording, whole. A change of these files is read against what it means:
//!
//! - `incident-2`: 25 of 1,847 tasks, 806 of them in windows, 23 silent, lags of 40 min to 6 h, as its
//!   maker says (`samples/README.md`);
//! - `incident-1`: 29 attempts, 17 rejections, 10 replays, one storm of 13 rejections by three clients
//!   with at most 6 a minute, 7 incidents, one loop, counted by hand in `samples/README.md`;
//! - `no_drift`: three tasks, all completed; the first is consistent, the second states no digest, the
//!   third no schema, so 0 of 2 verifiable tasks are split-brain and one could not be checked;
//! - `rotation`: the recorded incident with known truth, told beside it.

use crate::command::{expect, run};

fn check(name: &str, arguments: &[&str]) {
    let mut all = vec!["analyze", "--threads", "2"];
    all.extend(arguments);
    let ran = run(&all);
    assert_eq!(ran.status, 0, "{name}: {}", ran.stderr);
    expect(&format!("tests/cases/report/{name}"), &ran.stdout);
}

#[test]
fn a_schema_rotation() {
    check("incident-2.txt", &["samples/incident-2-schema-rotation"]);
    check("incident-2.md", &["samples/incident-2-schema-rotation", "--format", "markdown"]);
    check("incident-2.100.txt", &["samples/incident-2-schema-rotation", "--width", "100"]);
}

#[test]
fn a_renamed_skill() {
    check("incident-1.txt", &["samples/incident-1-renamed-skill"]);
}

#[test]
fn a_recording_without_drift() {
    check("no_drift.txt", &["tests/cases/report/no_drift.ndjson"]);
}

#[test]
fn a_recording_with_known_truth() {
    let config = "tests/cases/report/rotation-py-1.3.0.toml";
    check("rotation.txt", &["samples/har/rotation-py-1.3.0.har", "--config", config]);
}

#[test]
fn the_first_five_lines_are_sentences() {
    for name in ["incident-1.txt", "incident-2.txt", "no_drift.txt", "rotation.txt"] {
        let path = format!("{}/tests/cases/report/{name}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().take(5).collect();
        for line in lines {
            assert!(line.ends_with('.') && line.contains(' '), "{name}: {line}");
            assert!(
                line.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()),
                "{name}: {line}"
            );
        }
    }
}

#[test]
fn a_story_of_a_task() {
    let sample = "samples/incident-2-schema-rotation";
    let ran = run(&["explain", "t-000751", "--input", sample]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    expect("tests/cases/report/explain.txt", &ran.stdout);
    let ran = run(&["explain", "t-00075", "--input", sample]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("for example t-000750, t-000751"), "{}", ran.stderr);
}

#[test]
fn work_for_machines_keeps_its_ids() {
    let ran = run(&["actions", "--input", "samples/incident-2-schema-rotation"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    expect("tests/cases/report/actions.ndjson", &ran.stdout);
}

#[test]
fn what_an_input_holds() {
    let ran = run(&["inspect", "samples/incident-1-renamed-skill"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    expect("tests/cases/report/inspect.txt", &ran.stdout);
}
