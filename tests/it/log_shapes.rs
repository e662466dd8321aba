//! The recording of a rotation as other applications would have logged it: what the mapping that is
//! proposed for each shape gives, against what happened.

use crate::command::run;
use crate::recorded::{Recorded, file, lines, read};
use crate::rotation_truth::{
    attempts_are_those_that_were_made, fetches_are_those_that_were_made,
    tasks_are_those_that_were_made, truth,
};
use carddrift::config::Config;
use carddrift::formats::mapping::Mapped;
use carddrift::formats::propose;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// One exchange of the recording.
struct Call {
    client: Value,
    /// Microseconds.
    began: u64,
    ended: u64,
    verb: String,
    url: String,
    asked: Value,
    /// The answer, if there was one: status, headers, hash.
    got: Value,
    body: Option<String>,
    /// The events of a stream.
    events: Vec<String>,
    failure: Value,
}

fn calls() -> Vec<Call> {
    let recorded = lines(&file("samples/mapped/rotation-py-1.3.0.jsonl"));
    let mut calls: Vec<Call> = recorded
        .iter()
        .map(|line| serde_json::from_slice::<Value>(line).unwrap())
        .filter(|line| line["message"] == "a2a exchange")
        .map(|line| {
            let exchange = &line["exchange"];
            let got = &exchange["in"];
            let (verb, url) = exchange["op"].as_str().unwrap().split_once(' ').unwrap();
            let text = |value: &Value| match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let sse = got["sse"].as_array().into_iter().flatten().map(text).collect();
            Call {
                client: line["actor"]["id"].clone(),
                began: exchange["began_us"].as_u64().unwrap(),
                ended: exchange["ended_us"].as_u64().unwrap(),
                verb: verb.to_owned(),
                url: url.to_owned(),
                asked: exchange["out"].clone(),
                got: got.clone(),
                body: [&got["text"], &got["json"]].into_iter().find(|v| !v.is_null()).map(text),
                events: sse,
                failure: exchange["failure"].clone(),
            }
        })
        .collect();
    // Written when they were over.
    calls.sort_by_key(|call| call.ended);
    calls
}

/// The body as it was sent, a stream framed.
fn body(call: &Call) -> Value {
    let frames = call.events.iter().map(|event| format!("data: {event}\r\n\r\n"));
    match &call.body {
        Some(body) => Value::from(body.as_str()),
        None if call.events.is_empty() => Value::Null,
        None => Value::from(frames.collect::<String>()),
    }
}

/// An object without its nulls.
fn told(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let map = map.into_iter().map(|(key, value)| (key, told(value)));
            Value::Object(map.filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
        }
        other => other,
    }
}

fn flat(headers: &Value) -> Value {
    let headers = headers.as_object().into_iter().flatten();
    headers.flat_map(|(name, value)| [json!(name), value.clone()]).collect()
}

#[expect(clippy::cast_precision_loss, reason = "microseconds of minutes")]
fn millis(call: &Call) -> f64 {
    (call.ended - call.began) as f64 / 1e3
}

/// What the mapping that is proposed for these lines reads of them.
fn as_proposed(log: &[Value], wanted: &[&str]) -> Recorded {
    let text: String = log.iter().map(|line| format!("{line}\n")).collect();
    let proposal = propose(text.as_bytes()).unwrap();
    for key in wanted {
        assert!(proposal.toml.contains(key), "{key} in\n{}", proposal.toml);
    }
    let known = String::from_utf8(file("samples/mapped/carddrift.toml")).unwrap();
    let (known, _) = known.split_once("[[mapping]]").unwrap();
    let config = format!("{known}{}", proposal.toml);
    toml::from_str::<Config>(&config).unwrap();
    read(&[("log", &Mapped, lines(text.as_bytes()))], &config)
}

fn check(recorded: &Recorded) {
    let truth = truth("py-1.3.0.jsonl");
    fetches_are_those_that_were_made(recorded, &truth);
    attempts_are_those_that_were_made(recorded, &truth);
    tasks_are_those_that_were_made(recorded, &truth);
}

/// The time of a line is that of its end; how long it took stands beside.
#[test]
fn one_line_when_it_is_over() {
    let line = |call: &Call| {
        told(json!({
            "level": if call.failure.is_null() { 30 } else { 50 },
            "time": call.ended / 1000,
            "hostname": "h1",
            "req": {"method": call.verb, "url": call.url, "headers": call.asked["headers"],
                "body": call.asked["text"]},
            "res": {"statusCode": call.got["status"], "headers": call.got["headers"],
                "body": body(call), "sha256": call.got["sha256"]},
            "err": {"message": call.failure},
            "responseTime": millis(call),
            "msg": if call.failure.is_null() { "request completed" } else { "request errored" },
        }))
    };
    let log: Vec<Value> = calls().iter().map(line).collect();
    let keys = ["end_time = \"/time\"", "duration = \"/responseTime\"", "duration_unit = \"ms\""];
    check(&as_proposed(&log, &keys));
}

/// A container's line around the application's, which tells begin and end itself.
#[test]
fn a_line_within_a_line() {
    let line = |call: &Call| {
        let pairs = |headers: &Value| -> Value {
            headers.as_object().into_iter().flatten().map(|(k, v)| json!([k, v])).collect()
        };
        let own = told(json!({
            "message": "a2a", "status": 1, "at": call.ended / 1000, "t0": call.began, "t1": call.ended,
            "verb": call.verb, "uri": call.url,
            "sent": {"hdrs": pairs(&call.asked["headers"]), "payload": call.asked["text"]},
            "got": {"code": call.got["status"], "hdrs": pairs(&call.got["headers"]),
                "payload": body(call), "sha256": call.got["sha256"]},
            "fault": call.failure,
        }));
        json!({"log": format!("{own}\n"), "stream": "stdout"})
    };
    let log: Vec<Value> = calls().iter().map(line).collect();
    let keys =
        ["time = \"/log/t0\"", "end_time = \"/log/t1\"", "response_body = \"/log/got/payload\""];
    check(&as_proposed(&log, &keys));
}

/// Request, response and each event of a stream on lines of their own; each client counts for itself.
#[test]
fn many_lines_of_one_exchange() {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut log: Vec<(u64, Value)> = Vec::new();
    for call in &calls() {
        let count = counts.entry(call.client.to_string()).or_default();
        *count += 1;
        let line = |at: u64, more: Value| {
            let mut line = json!({"t": at, "who": {"client_id": call.client}, "n": *count});
            let more = told(more);
            line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            (at, line)
        };
        log.push(line(
            call.began,
            json!({"verb": call.verb, "to": call.url, "hdr": flat(&call.asked["headers"]),
                "data": call.asked["text"]}),
        ));
        let answered = !call.got["status"].is_null();
        let stream = !call.events.is_empty();
        if answered {
            let at = if stream { call.began } else { call.ended };
            log.push(line(
                at,
                json!({"code": call.got["status"], "hdr": flat(&call.got["headers"]),
                    "data": call.body, "sha256": call.got["sha256"]}),
            ));
        }
        log.extend(call.events.iter().map(|event| line(call.ended, json!({"event": event}))));
        if !call.failure.is_null() {
            log.push(line(call.ended, json!({"failure": call.failure})));
        }
    }
    log.sort_by_key(|(at, _)| *at);
    let log: Vec<Value> = log.into_iter().map(|(_, line)| line).collect();
    let keys = ["join = \"/n\"", "sse_events = \"/event\"", "error = \"/failure\""];
    check(&as_proposed(&log, &keys));
}

/// A container's runtime cuts lines at 16 KiB; here at less, in the midst of characters, too.
#[test]
fn lines_that_a_container_runtime_cut_are_whole_again() {
    let counts = |piece: usize| {
        let mut log = Vec::new();
        for line in lines(&file("samples/mapped/rotation-py-1.3.0.jsonl")) {
            let mut pieces = line.chunks(piece).peekable();
            while let Some(piece) = pieces.next() {
                let tag = if pieces.peek().is_some() { "P" } else { "F" };
                log.extend(format!("2026-11-30T11:51:25.904123456Z stdout {tag} ").into_bytes());
                log.extend([piece, b"\n"].concat());
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.log");
        std::fs::write(&path, log).unwrap();
        let sql = "SELECT format, records, accepted, repaired, rejected, events, without_events FROM sources";
        let ran = run(&[
            "query",
            "-e",
            sql,
            "--config",
            "samples/mapped/carddrift.toml",
            "--input",
            path.to_str().unwrap(),
            "--format",
            "csv",
        ]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout
    };
    let told = |text: &str| text.lines().nth(1).unwrap_or_default().to_owned();
    // 150 of its lines and two that say the same again.
    assert_eq!(told(&counts(usize::MAX)), "mapped-text,152,150,0,0,358,4");
    assert_eq!(told(&counts(700)), "mapped-text,152,4,146,0,358,4");
}
