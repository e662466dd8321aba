//! Names chosen by strangers do nothing where they are printed: not in a terminal, a document, a
//! spreadsheet, a page or the name of a file. (A browser looks at the page in `html`.)

use crate::binary::{Place, bytes_below, told};
use serde_json::{Value, json};

const AGENT: &str = "<img src=x onerror=alert(1)>";
const SKILL: &str = "=cmd|'/c calc'!A1";
const CLIENT: &str = "@SUM(1+1)*cmd|' /C calc'!A0";
const ERROR: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}gnp.exe\r\n| <script>alert(2)</script> [x](javascript:alert(3)) ![](http://t.example/p.png)";
const TASK: &str = "+t-1\u{1b}[31m\u{9b}31m";

/// Two rejections under one card, and an artifact that its card contradicts.
fn journal() -> String {
    let card = |schema: &str| {
        json!({"name": AGENT, "url": "javascript:alert(4)", "version": SKILL, "description": ERROR,
            "skills": [{"id": SKILL, "name": ERROR, "tags": [], "description": AGENT}],
            "artifactSchema": {"version": schema}})
        .to_string()
    };
    let at = |s: u32| format!("2026-11-14T08:00:{s:02}Z");
    let lines: Vec<Value> = vec![
        json!({"time": at(0), "event": "card_publish", "agent": AGENT, "registry": "../../etc/r", "card": card("1"), "authority": true}),
        json!({"time": at(1), "event": "card_fetch", "agent": AGENT, "registry": "../../etc/r", "client": CLIENT, "card": card("1"), "etag": SKILL}),
        json!({"time": at(2), "event": "attempt", "agent": AGENT, "client": CLIENT, "skill_id": SKILL, "method": "message/send", "rpc_code": -32602, "error": ERROR}),
        json!({"time": at(3), "event": "attempt", "agent": AGENT, "client": CLIENT, "skill_id": SKILL, "method": "message/send", "rpc_code": -32602, "error": ERROR}),
        json!({"time": at(4), "event": "attempt", "agent": AGENT, "client": CLIENT, "skill_id": SKILL, "method": ERROR, "task_id": TASK, "task_state": "submitted"}),
        json!({"time": at(5), "event": "card_publish", "agent": AGENT, "registry": "../../etc/r", "card": card("2"), "authority": true}),
        json!({"time": at(6), "event": "artifact", "agent": AGENT, "client": CLIENT, "task_id": TASK, "artifact_id": SKILL, "media_type": ERROR, "schema_version": "2", "last_chunk": true}),
        json!({"time": at(7), "event": "task_status", "agent": AGENT, "client": CLIENT, "task_id": TASK, "state": "completed"}),
        json!({"time": at(8), "event": ERROR}),
        json!({"time": ERROR, "event": "attempt"}),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn place() -> Place {
    let place = Place::new();
    place.write("\u{1b}[31m=<img src=x>\n.ndjson", journal());
    place
}

/// What would act on a terminal or hide what follows.
fn acting(text: &str) -> Vec<char> {
    text.chars()
        .filter(|c| {
            c.is_control() && *c != '\n'
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{200b}'..='\u{200f}')
        })
        .collect()
}

#[test]
fn in_a_terminal() {
    let place = place();
    for arguments in [
        &["analyze", "."][..],
        &["inspect", "."],
        &["query", "bindings", "-i", "."],
        &["query", "-i", ".", "-e", "SELECT * FROM attempts"],
        &["query", "-i", ".", "-e", "SELECT * FROM sources"],
        &["explain", TASK, "-i", "."],
        &["actions", "-i", "."],
        &["analyze", ".", "--format", "markdown"],
        &["query", "replays", "-i", ".", "--format", "markdown"],
        &["slo", "-i", "."],
        &["slo", "-i", ".", "--format", "github"],
        &["slo", "-i", ".", "--format", "junit"],
        &["slo", "-i", ".", "--format", "openmetrics"],
        &["ingest", ".", "--store", "s"],
        &["ingest", "nowhere\u{1b}[31m", "--store", "s"],
        &["query", "\u{1b}[31m", "-i", "."],
        &["analyze", "--config", "\u{1b}[31m.toml", "."],
        &["store", "verify", "nowhere\u{1b}[31m"],
    ] {
        let output = place.run(arguments);
        assert_ne!(output.status.code(), Some(4), "{arguments:?}: {}", told(&output));
        let said = String::from_utf8(output.stdout.clone()).unwrap() + &told(&output);
        assert!(acting(&said).is_empty(), "{arguments:?}: {:?} in\n{said}", acting(&said));
    }
}

#[test]
fn in_a_document() {
    let text = place().done(&["analyze", ".", "--format", "markdown"]);
    // Within a code span nothing is markup; outside there is none.
    for line in text.lines() {
        let mut outside = String::new();
        for (number, part) in line.split('`').enumerate() {
            if number % 2 == 0 {
                outside.push_str(part);
            }
        }
        assert!(!outside.contains('<') && !outside.contains("]("), "{line}");
    }
    assert!(text.contains("`<img src=x onerror=alert(1)>`"), "{text}");
}

#[test]
fn in_a_spreadsheet() {
    let place = place();
    for query in ["bindings", "replays", "actions", "drift_incidents", "retry_storms"] {
        let text = place.done(&["query", query, "-i", ".", "--format", "csv"]);
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        let mut cells = 0;
        for row in rows.records() {
            for cell in &row.unwrap() {
                let number = cell.parse::<f64>().is_ok();
                assert!(
                    number || !cell.starts_with(['=', '+', '-', '@', '\t', '\r']),
                    "{query}: {cell}"
                );
                cells += 1;
            }
        }
        assert!(cells > 0 || query == "retry_storms", "{query}");
    }
}

#[test]
fn in_json_and_in_names_of_files() {
    let place = place();
    let text = place.done(&["analyze", ".", "--format", "json"]);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["split_brains"][0]["agent"], json!(AGENT));
    for line in place.done(&["analyze", ".", "--format", "timesketch"]).lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
    place.done(&["ingest", ".", "--store", "s"]);
    let written = bytes_below(&place.path("s"));
    assert!(written.iter().all(|(path, _)| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    }));
}
