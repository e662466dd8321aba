//! What `inspect` and `analyze` say about a recording that biases its numbers, or that no reader knows.

use crate::command::{run, run_with};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const AGENT: &str = "agent://vendor-b/summarizer";

/// Inspects files of a folder as JSON.
fn inspected(folder: &Path, more: &[&str]) -> Value {
    let name = folder.to_str().unwrap();
    let ran = run(&[&["inspect", name, "--format", "json"], more].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// The text of the warning of a kind; empty: there is none.
fn warning(report: &Value, kind: &str) -> String {
    let warnings = report["warnings"].as_array().unwrap();
    let of_kind = |w: &&Value| w["kind"] == kind;
    warnings.iter().find(of_kind).map_or_else(String::new, |w| w["text"].as_str().unwrap().into())
}

fn measure(report: &Value, name: &str) -> (String, String) {
    let measures = report["measures"].as_array().unwrap();
    let found = measures.iter().find(|m| m["measure"] == name).unwrap();
    let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
    (text("measurable"), text("lack"))
}

/// A client span of a card fetch, OTLP/JSON.
fn span(number: u32, trace_state: &str, parent: &str) -> Value {
    let attribute = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    json!({
        "traceId": format!("{number:032x}"),
        "spanId": format!("{number:016x}"),
        "parentSpanId": parent,
        "traceState": trace_state,
        "name": "GET",
        "kind": 3,
        "startTimeUnixNano": format!("{}", 1_796_000_000_000_000_000_u64 + u64::from(number) * 1_000_000_000),
        "endTimeUnixNano": format!("{}", 1_796_000_000_100_000_000_u64 + u64::from(number) * 1_000_000_000),
        "attributes": [
            attribute("http.request.method", "GET"),
            attribute("url.full", "https://b.example/.well-known/agent-card.json"),
            attribute("http.response.status_code", "200"),
        ],
    })
}

fn traces(spans: &[Value], scope: &Value) -> String {
    let export = json!({"resourceSpans": [{
        "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "planner"}}]},
        "scopeSpans": [{"scope": scope, "spans": spans}],
    }]});
    format!("{export}\n")
}

#[test]
fn sampled_traces_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traces.jsonl");
    let plain = json!({"name": "http"});
    // Three of four traces were thrown away, and one parent of two is missing.
    let head =
        [span(1, "ot=th:c", ""), span(2, "ot=th:c", &format!("{:016x}", 1)), span(3, "", "")];
    let mut in_one_trace = head.clone();
    in_one_trace[1]["traceId"] = head[0]["traceId"].clone();
    in_one_trace[2]["traceId"] = head[0]["traceId"].clone();
    in_one_trace[2]["parentSpanId"] = "00000000000000aa".into();
    fs::write(&path, traces(&in_one_trace, &plain)).unwrap();
    let report = inspected(folder.path(), &[]);
    let told = warning(&report, "head_sampled");
    assert!(told.starts_with("2 of 3 span(s) say that their trace was kept by chance"), "{told}");
    assert!(told.contains("with probability 0.25"), "{told}");
    let gaps = warning(&report, "span_gaps");
    assert!(gaps.starts_with("1 of 2 span(s) that others of the same process name"), "{gaps}");
    assert_eq!(warning(&report, "tail_sampled"), "");
    assert_eq!(measure(&report, "bindings"), ("no".into(), "artifacts".into()));
    assert_eq!(measure(&report, "lag"), ("no".into(), "card bodies".into()));

    let tail = json!({"name": "http", "attributes": [
        {"key": "tailsampling.policy", "value": {"stringValue": "errors"}}]});
    fs::write(&path, traces(&head, &tail)).unwrap();
    let report = inspected(folder.path(), &[]);
    assert!(warning(&report, "tail_sampled").starts_with("3 of 3 span(s)"), "{report}");
    let ran = run(&["analyze", path.to_str().unwrap()]);
    assert!(
        ran.stdout.contains("mind that traces were kept for what came of them"),
        "{}",
        ran.stdout
    );

    // Nothing was thrown away.
    fs::write(&path, traces(&[span(1, "ot=th:0", ""), span(2, "", "")], &plain)).unwrap();
    assert_eq!(inspected(folder.path(), &[])["warnings"], json!([]));
}

/// A journal of attempts, one each second of these.
fn attempts(client: &str, seconds: impl Iterator<Item = u32>) -> String {
    seconds.fold(String::new(), |mut text, s| {
        let time = format!("2026-11-14T{:02}:{:02}:{:02}Z", 6 + s / 3600, s / 60 % 60, s % 60);
        writeln!(
            text,
            r#"{{"time":"{time}","event":"attempt","client":"{client}","agent":"{AGENT}","method":"SendMessage"}}"#
        )
        .unwrap();
        text
    })
}

#[test]
fn a_recorder_that_was_off_is_told() {
    let folder = tempfile::tempdir().unwrap();
    // Two hours with an attempt every five seconds; the second one loses 20 minutes.
    let steady = (0..7200).step_by(5);
    fs::write(folder.path().join("a.ndjson"), attempts("a", steady.clone())).unwrap();
    let off = steady.filter(|s| !(3000..4200).contains(s));
    fs::write(folder.path().join("b.ndjson"), attempts("b", off)).unwrap();
    let report = inspected(folder.path(), &[]);
    let silent: Vec<&Value> = report["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|w| w["kind"] == "silent_period")
        .collect();
    assert_eq!(silent.len(), 1, "{silent:?}");
    assert!(silent[0]["subject"].as_str().unwrap().ends_with("b.ndjson"));
    let told = silent[0]["text"].as_str().unwrap();
    let times = "holds no event in 1 period(s), the longest from 2026-11-14 06:49:55 to 2026-11-14 07:10:00 UTC (1205 s;";
    assert!(told.contains(times), "{told}");
}

#[test]
fn one_exchange_told_twice_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let line = |time: &str, url: &str| {
        json!({"time": time, "event": "attempt", "client": "a", "url": url, "method": "SendMessage",
            "task_id": "0b1f5c1e-0000-4000-8000-000000000001", "task_state": "completed"})
        .to_string()
    };
    fs::write(
        folder.path().join("a.ndjson"),
        line("2026-11-14T06:00:00Z", "https://b.example/rpc"),
    )
    .unwrap();
    let gateway = line("2026-11-14T06:00:00.4Z", "http://10.0.0.7:8080/rpc");
    fs::write(folder.path().join("b.ndjson"), gateway).unwrap();
    let told = warning(&inspected(folder.path(), &[]), "told_twice");
    assert!(
        told.starts_with("1 submission(s) stand in ") && told.contains("count twice"),
        "{told}"
    );
    // A minute later it is another turn of the conversation.
    let later = line("2026-11-14T06:01:00Z", "https://b.example/rpc");
    fs::write(folder.path().join("b.ndjson"), later).unwrap();
    assert_eq!(warning(&inspected(folder.path(), &[]), "told_twice"), "");
}

#[test]
fn an_identity_that_moved_comes_with_the_alias_to_paste() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ndjson");
    let fetch = |minute: u32, url: &str| {
        let card = json!({"name": "S", "url": url, "skills": [{"id": "s"}]}).to_string();
        json!({"time": format!("2026-11-14T06:{minute:02}:00Z"), "event": "card_fetch", "client": "a",
            "registry": "r", "url": "https://r.example/.well-known/agent-card.json", "card": card})
        .to_string()
    };
    let lines: Vec<String> = (0..3)
        .map(|minute| fetch(minute, "https://old.example/rpc"))
        .chain((3..6).map(|minute| fetch(minute, "https://new.example/rpc")))
        .collect();
    fs::write(&path, lines.join("\n")).unwrap();
    let ran = run(&["inspect", path.to_str().unwrap()]);
    let alias =
        r#""https://new.example/rpc" = ["https://old.example/rpc", "https://new.example/rpc"]"#;
    assert!(ran.stdout.contains(&format!("    [agents]\n    {alias}\n")), "{}", ran.stdout);
    let summary = |config: &str| {
        let config_file = folder.path().join("carddrift.toml");
        fs::write(&config_file, config).unwrap();
        let ran = run(&[
            "report",
            "-i",
            path.to_str().unwrap(),
            "--format",
            "json",
            "--config",
            config_file.to_str().unwrap(),
        ]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let moved = report["notes"].to_string().contains("agent_moved");
        let agents: std::collections::BTreeSet<String> = run(&[
            "query",
            "-e",
            "SELECT agent FROM authorities",
            "-i",
            path.to_str().unwrap(),
            "--format",
            "csv",
            "--config",
            config_file.to_str().unwrap(),
        ])
        .stdout
        .lines()
        .skip(1)
        .map(str::to_owned)
        .collect();
        (agents.len(), moved)
    };
    assert_eq!(summary(""), (2, true));
    // Pasted, it makes them one.
    assert_eq!(summary(&format!("[agents]\n{alias}\n")), (1, false));
    // A registry that shows both by turns serves two agents under one URL.
    let turns: Vec<String> = (0..6)
        .map(|m| {
            fetch(m, if m % 2 == 0 { "https://old.example/rpc" } else { "https://new.example/rpc" })
        })
        .collect();
    fs::write(&path, turns.join("\n")).unwrap();
    assert_eq!(summary(""), (2, false));
}

#[test]
fn times_without_a_zone_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let journal = attempts("a", 0..2).replace('Z', "");
    fs::write(folder.path().join("a.ndjson"), journal).unwrap();
    let told = warning(&inspected(folder.path(), &[]), "naive_times");
    assert!(told.starts_with("2 time(s) have no zone") && told.contains("--assume-zone"), "{told}");
}

#[test]
fn a_file_that_no_reader_knows() {
    let sample = "samples/mapped/rotation-py-1.3.0.jsonl";
    let ran = run(&["inspect", sample]);
    assert_eq!(ran.status, 3, "{}", ran.stderr);
    for line in [
        "journal            has no \"event\" at its beginning",
        "mapped             no [[mapping]] is configured",
        "sse_events = \"/exchange/in/sse/*\"",
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let found = ran.stdout.lines().any(|l| {
            let told: Vec<&str> = l.split_whitespace().collect();
            words.first() == told.first() && words.iter().skip(1).all(|w| l.contains(w))
        });
        assert!(found || line.starts_with("journal"), "{line} in {}", ran.stdout);
    }
    // So few lines that no snapshot in them repeats what a stream told: such are counted once.
    let folder = tempfile::tempdir().unwrap();
    let log = fs::read_to_string(sample).unwrap();
    let head = log.lines().take(30).fold(String::new(), |text, line| text + line + "\n");
    let path = folder.path().join("app.log");
    fs::write(&path, &head).unwrap();
    let ran = run(&["inspect", path.to_str().unwrap(), "--format", "json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let unread = &report["unread"][0];
    assert_eq!(unread["reasons"].as_object().unwrap().len(), carddrift::formats::ALL.len());
    // The mapping that it proposes, pasted, gives the events that it shows.
    let config = folder.path().join("carddrift.toml");
    fs::write(&config, unread["proposal"]["mapping"].as_str().unwrap()).unwrap();
    let ran = run_with(
        &["inspect", "-", "--format", "json", "--config", config.to_str().unwrap()],
        &head,
    );
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let mapped: Value = serde_json::from_str(&ran.stdout).unwrap();
    let shown = unread["proposal"]["events"].as_object().unwrap();
    let of = |kind: &str| mapped["events"][kind].as_i64().unwrap_or(0);
    assert_eq!(of("card_fetch"), shown["card_fetch"].as_i64().unwrap());
    assert_eq!(of("attempt") + of("push_config"), shown["attempt"].as_i64().unwrap());
    assert_eq!(of("artifact"), shown["artifact"].as_i64().unwrap());
    let first = &unread["proposal"]["shown"][0];
    assert!(first["line"].as_u64().unwrap() >= 1 && first["time"].as_str().unwrap().ends_with('Z'));
}

#[test]
fn what_is_shown_of_an_unknown_file_holds_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.jsonl");
    let line = json!({"at": "2026-11-14T06:00:00Z", "op": "POST",
        "to": "https://user:hunter2@b.example/rpc?token=sk-abcdefghijklmnopqrstuvwx",
        "out": {"jsonrpc": "2.0", "id": 1, "method": "message/send",
            "params": {"message": {"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "the prompt"}]}}},
        "back": {"jsonrpc": "2.0", "id": 1, "result": {"kind": "task", "id": "t-1", "contextId": "c",
            "status": {"state": "completed"}}}});
    fs::write(&path, format!("{line}\n{line}\n")).unwrap();
    for format in ["text", "json"] {
        let ran = run(&["inspect", path.to_str().unwrap(), "--format", format]);
        assert_eq!(ran.status, 3, "{}", ran.stderr);
        assert!(ran.stdout.contains("t-1"), "{}", ran.stdout);
        for secret in ["hunter2", "sk-abcdef", "the prompt"] {
            assert!(
                !ran.stdout.contains(secret) && !ran.stderr.contains(secret),
                "{secret}: {}",
                ran.stdout
            );
        }
    }
}

#[test]
fn several_inputs_are_told_one_by_one() {
    let inputs = ["samples/incident-1-renamed-skill", "samples/har/a2a-sdk-python-1.3.0.har"];
    let ran = run(&[&["inspect", "--format", "json"], &inputs[..]].concat());
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let inputs = report["inputs"].as_array().unwrap();
    let of = |ending: &str| {
        inputs.iter().find(|i| i["source_file"].as_str().unwrap().ends_with(ending)).unwrap()
    };
    // The journal knows one registry and what clients did with artifacts; the HAR a mirror, and not that.
    let told = |input: &Value| {
        ["bindings", "lag", "damage"].map(|m| input[m].as_str().unwrap().to_owned())
    };
    assert_eq!(told(of(".ndjson")), ["yes", "no", "yes"]);
    // It names no client either.
    assert_eq!(told(of(".har")), ["partly", "yes", "no"]);
    assert_eq!(of(".ndjson")["lacks"], json!(["a second registry"]));
    assert_eq!(measure(&report, "damage"), ("partly".into(), "dispositions".into()));
    // Digests of the HAR are stated, and none of them can be computed.
    assert_eq!(measure(&report, "corruption").0, "partly");
}

#[test]
fn an_input_whose_exchanges_stand_under_another_is_told() {
    // Client and server spans of the exchanges in the HAR: all of them are joined with it.
    let har = "samples/har/a2a-sdk-python-1.3.0.har";
    let spans = "samples/otlp/a2a-sdk-python-1.3.0.jsonl.gz";
    let ran = run(&["inspect", har, spans, "--format", "json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let inputs = report["inputs"].as_array().unwrap();
    assert_eq!(inputs.len(), 2);
    assert_eq!((&inputs[0]["source_file"], &inputs[0]["bindings"]), (&json!(har), &json!("yes")));
    assert_eq!(
        (&inputs[1]["source_file"], &inputs[1]["joined_with"]),
        (&json!(spans), &json!(har))
    );
    // Every event of the archive is of an exchange that both saw.
    let events = report["events"].as_object().unwrap().values().map(|n| n.as_i64().unwrap());
    assert_eq!(inputs[1]["joined_events"], json!(events.sum::<i64>()));
    let ran = run(&["inspect", har, spans]);
    let told =
        format!("{spans}: its exchanges were recorded in {har} as well and were joined: 63 events");
    assert!(ran.stdout.contains(&told), "{}", ran.stdout);
}

#[test]
fn what_advice_points_to_is_there() {
    use carddrift::report::audit::Lack;
    let formats = carddrift::formats::ALL.iter().map(|format| format.name()).chain([""]);
    for format in formats {
        for lack in Lack::ALL {
            for word in lack.change(format).split(|c: char| c.is_whitespace() || "(),;".contains(c))
            {
                assert!(!word.starts_with("samples/") || Path::new(word).is_dir(), "{word}");
            }
        }
    }
}
