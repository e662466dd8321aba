//! One recording told in other forms: what is found is the same, as far as the form carries it.
//!
//! The exchanges are those of `samples/har/rotation-py-1.3.0.har` (through mitmproxy). Here they are
//! written as other recorders would have, and read by the whole program.

use crate::recorded;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use carddrift::config::Config;
use carddrift::event::{CardSeen, Common, Event};
use carddrift::formats::har::Har;
use carddrift::ingest::{IngestOptions, ingest};
use carddrift::query::{Session, Settings};
use jiff::Timestamp;
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::fs;

const AGENT: &str = "agent://vendor-b/summarizer";

const CONFIG: &str = r#"
[client]
header = "x-client-id"
[agents]
"agent://vendor-b/summarizer" = ["http://summarizer.vendor-b.example/rpc"]
[registries]
vendor-b = ["http://summarizer.vendor-b.example/"]
r1 = ["http://r1.agent-registry.example/"]
[authorities]
"agent://vendor-b/summarizer" = "vendor-b"
"#;

/// Whole exchanges; streams in pieces with their times.
const WHOLE: &str = r#"
[[mapping]]
name = "calls"
when = { pointer = "/msg", equals = "call" }
time = "/call/began"
duration = "/call/took_us"
duration_unit = "us"
time_unit = "ns"
client = "/call/caller"
method_url = "/call/op"
request_headers = "/call/sent/headers"
request_body = "/call/sent/body"
status = "/call/got/code"
response_headers = "/call/got/headers"
response_body = ["/call/got/text", "/call/got/json"]
response_sha256 = "/call/got/sha256"
sse_chunks = "/call/got/pieces/*/raw"
sse_times = "/call/got/pieces/*/at"
error = "/call/failure"
"#;

/// Requests and responses on lines of their own.
const HALVES: &str = r#"
[[mapping]]
name = "halves"
when = { pointer = "/rid" }
time = "/ts"
time_unit = "ns"
client = "/tenant"
join = "/rid"
side = { pointer = "/phase", request = "sent", response = "got" }
method = "/method"
url = "/uri"
request_headers = "/headers"
request_body = "/body"
status = "/code"
response_headers = "/headers"
response_body = "/body"
error = "/fault"
"#;

/// Two log records an exchange.
const LOGS: &str = r#"
[[mapping]]
name = "logs"
when = { pointer = "/attributes/exchange.id" }
join = "/attributes/exchange.id"
side = { pointer = "/attributes/direction", request = "out", response = "in" }
client = "/attributes/caller"
request_body = "/body"
response_body = "/body"
error = "/attributes/error.type"
"#;

/// An exchange of the sample.
struct Exchange {
    began: i64,
    ended: i64,
    entry: Value,
}

fn exchanges() -> Vec<Exchange> {
    let har: Value =
        serde_json::from_slice(&recorded::file("samples/har/rotation-py-1.3.0.har")).unwrap();
    let of = |entry: &Value| {
        let began: Timestamp = entry["startedDateTime"].as_str().unwrap().parse().unwrap();
        let began = i64::try_from(began.as_nanosecond()).unwrap();
        #[expect(clippy::cast_possible_truncation, reason = "some milliseconds")]
        let took = (entry["time"].as_f64().unwrap() * 1e3).round() as i64 * 1000;
        Exchange { began, ended: began + took, entry: entry.clone() }
    };
    har["log"]["entries"].as_array().unwrap().iter().map(of).collect()
}

impl Exchange {
    fn client(&self) -> Value {
        let headers = self.entry["request"]["headers"].as_array().unwrap();
        headers.iter().find(|header| header["name"] == "x-client-id").unwrap()["value"].clone()
    }

    fn headers(&self, side: &str) -> Value {
        let list = self.entry[side]["headers"].as_array().unwrap();
        let pairs =
            list.iter().map(|h| (h["name"].as_str().unwrap().to_owned(), h["value"].clone()));
        Value::Object(pairs.collect())
    }

    fn sent(&self) -> &Value {
        &self.entry["request"]["postData"]["text"]
    }

    fn status(&self) -> i64 {
        self.entry["response"]["status"].as_i64().unwrap()
    }

    fn got(&self) -> Option<&str> {
        self.entry["response"]["content"]["text"].as_str()
    }

    fn fault(&self) -> &Value {
        &self.entry["response"]["_error"]
    }

    /// The frames of a stream.
    fn frames(&self) -> Option<Vec<&str>> {
        let got = self.got().filter(|text| text.starts_with("data:"))?;
        Some(got.split_inclusive("\r\n\r\n").collect())
    }

    fn time_of_frame(&self, number: usize, of: usize) -> i64 {
        let (number, of) = (i64::try_from(number).unwrap(), i64::try_from(of).unwrap());
        self.began + (self.ended - self.began) * (number + 1) / of
    }
}

fn lines(values: impl IntoIterator<Item = Value>) -> Vec<u8> {
    values.into_iter().flat_map(|value| format!("{value}\n").into_bytes()).collect()
}

fn har(entries: &[Value]) -> Vec<u8> {
    json!({ "log": { "version": "1.2", "creator": { "name": "x", "version": "1" }, "entries": entries } })
        .to_string()
        .into_bytes()
}

/// As Chrome does: by their start, streams as messages, what is not ASCII in base64.
fn chrome(all: &[Exchange]) -> Vec<u8> {
    let mut entries: Vec<_> = all
        .iter()
        .map(|exchange| {
            let mut entry = exchange.entry.clone();
            entry["_resourceType"] = "fetch".into();
            if !exchange.fault().is_null() {
                entry["response"]["_error"] = "net::ERR_CONNECTION_RESET".into();
            }
            if let Some(frames) = exchange.frames() {
                entry["response"]["content"].as_object_mut().unwrap().remove("text");
                let message = |(number, frame): (usize, &&str)| {
                    #[expect(clippy::cast_precision_loss, reason = "Chrome writes a double")]
                    let time = exchange.time_of_frame(number, frames.len()) as f64 / 1e9;
                    json!({ "time": time, "eventName": "message", "eventId": "",
                        "data": frame.trim().strip_prefix("data: ").unwrap() })
                };
                entry["_eventSourceMessages"] = frames.iter().enumerate().map(message).collect();
            } else if let Some(text) = exchange.got().filter(|text| !text.is_ascii()) {
                entry["response"]["content"]["text"] = STANDARD.encode(text).into();
                entry["response"]["content"]["encoding"] = "base64".into();
            }
            (exchange.began, entry)
        })
        .collect();
    entries.sort_by_key(|(began, _)| *began);
    har(&entries.into_iter().map(|(_, entry)| entry).collect::<Vec<_>>())
}

/// As Firefox does: local times with their offset, and no word of what failed.
fn firefox(all: &[Exchange]) -> Vec<u8> {
    let entries: Vec<_> = all
        .iter()
        .map(|exchange| {
            let mut entry = exchange.entry.clone();
            let local = exchange.began + 3_600_000_000_000;
            let local = Timestamp::from_nanosecond(i128::from(local)).unwrap().to_string();
            entry["startedDateTime"] = format!("{}+01:00", local.trim_end_matches('Z')).into();
            if exchange.status() == 0 {
                entry["response"] = json!({ "status": null, "headers": [], "cookies": [],
                    "content": { "mimeType": "", "size": 0, "text": "" } });
            }
            entry
        })
        .collect();
    har(&entries)
}

/// An application's log with whole exchanges: the card as an object beside its hash, streams as they
/// came in.
fn whole(exchange: &Exchange) -> Value {
    let request = &exchange.entry["request"];
    let mut got = json!({ "code": exchange.status(), "headers": exchange.headers("response") });
    if let Some(frames) = exchange.frames() {
        let piece = |(number, frame): (usize, &&str)| json!({ "at": exchange.time_of_frame(number, frames.len()), "raw": frame });
        got["pieces"] = frames.iter().enumerate().map(piece).collect();
    } else if request["method"] == "GET" && exchange.status() == 200 {
        let text = exchange.got().unwrap();
        got["json"] = serde_json::from_str(text).unwrap();
        got["sha256"] = carddrift::a2a::digest::sha256_hex(text.as_bytes()).into();
    } else {
        got["text"] = json!(exchange.got());
    }
    json!({ "level": "info", "msg": "call", "call": {
        "began": exchange.began,
        "took_us": (exchange.ended - exchange.began) / 1000,
        "caller": exchange.client(),
        "op": format!("{} {}", request["method"].as_str().unwrap(), request["url"].as_str().unwrap()),
        "sent": { "headers": exchange.headers("request"), "body": exchange.sent() },
        "got": got,
        "failure": exchange.fault(),
    } })
}

fn halves(all: &[Exchange]) -> Vec<u8> {
    let mut told = Vec::new();
    for (number, exchange) in all.iter().enumerate() {
        let request = &exchange.entry["request"];
        let body: Value = exchange
            .sent()
            .as_str()
            .map(|text| serde_json::from_str(text).unwrap())
            .unwrap_or_default();
        told.push((
            exchange.began,
            json!({ "rid": number, "phase": "sent", "ts": exchange.began,
            "tenant": exchange.client(), "method": request["method"], "uri": request["url"],
            "headers": exchange.headers("request"), "body": body }),
        ));
        told.push((exchange.ended, json!({ "rid": number, "phase": "got", "ts": exchange.ended,
            "tenant": exchange.client(), "code": exchange.status(),
            "headers": exchange.headers("response"), "body": exchange.got(), "fault": exchange.fault() })));
    }
    told.sort_by_key(|(time, _)| *time);
    lines(told.into_iter().map(|(_, line)| line))
}

/// A log record: time, body, attributes.
type LogRecord = (i64, Option<String>, Vec<(String, Value)>);

/// The two log records of an exchange.
fn records(number: usize, exchange: &Exchange) -> [LogRecord; 2] {
    let request = &exchange.entry["request"];
    let common = |direction: &str| {
        vec![
            ("exchange.id".to_owned(), json!(format!("x{number}"))),
            ("direction".to_owned(), json!(direction)),
            ("caller".to_owned(), exchange.client()),
        ]
    };
    let mut asked = common("out");
    asked.push(("http.request.method".to_owned(), request["method"].clone()));
    asked.push(("url.full".to_owned(), request["url"].clone()));
    let mut answered = common("in");
    if exchange.status() == 0 {
        answered.push(("error.type".to_owned(), "ECONNRESET".into()));
    } else {
        answered.push(("http.response.status_code".to_owned(), exchange.status().into()));
    }
    for (side, name, into) in [
        ("request", "http.request.header.", &mut asked),
        ("response", "http.response.header.", &mut answered),
    ] {
        let headers = exchange.headers(side);
        let headers = headers.as_object().unwrap();
        into.extend(
            headers
                .iter()
                .map(|(key, value)| (format!("{name}{}", key.to_ascii_lowercase()), value.clone())),
        );
    }
    [
        (exchange.began, exchange.sent().as_str().map(str::to_owned), asked),
        (exchange.ended, exchange.got().map(str::to_owned), answered),
    ]
}

/// The log as the Collector writes it: a request a line.
fn otlp_json(all: &[Exchange]) -> Vec<u8> {
    lines(all.iter().enumerate().map(|(number, exchange)| {
        let record = |(time, body, attributes): LogRecord| {
            let value = |value: Value| match value {
                Value::Number(number) => json!({ "intValue": number.to_string() }),
                text => json!({ "stringValue": text }),
            };
            let attributes: Vec<_> =
                attributes.into_iter().map(|(key, of)| json!({ "key": key, "value": value(of) })).collect();
            json!({ "timeUnixNano": time.to_string(), "attributes": attributes,
                "body": body.map(|text| json!({ "stringValue": text })).unwrap_or(json!({})) })
        };
        json!({ "resourceLogs": [{ "resource": { "attributes": [] }, "scopeLogs": [{
            "scope": { "name": "egress" }, "logRecords": records(number, exchange).map(record) }] }] })
    }))
}

/// A field of protobuf with a length.
fn field(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![tag << 3 | 2];
    prost::encoding::encode_varint(bytes.len() as u64, &mut out);
    out.extend_from_slice(bytes);
    out
}

/// The same as frames with protobuf in them.
fn otlp_frames(all: &[Exchange]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, exchange) in all.iter().enumerate() {
        let mut scope = field(1, &field(1, b"egress"));
        for (time, body, attributes) in records(number, exchange) {
            let mut record = vec![1 << 3 | 1];
            record.extend_from_slice(&time.to_le_bytes());
            let text = |text: &str| field(1, text.as_bytes());
            if let Some(body) = body {
                record.extend(field(5, &text(&body)));
            }
            for (key, of) in attributes {
                let value = match of {
                    Value::Number(number) => {
                        let mut value = vec![3 << 3];
                        prost::encoding::encode_varint(number.as_u64().unwrap(), &mut value);
                        value
                    }
                    other => text(other.as_str().unwrap()),
                };
                record.extend(field(6, &[field(1, key.as_bytes()), field(2, &value)].concat()));
            }
            scope.extend(field(2, &record));
        }
        let service = [field(1, b"service.name"), field(2, &field(1, b"planner"))].concat();
        let group = [field(1, &field(1, &service)), field(2, &scope)].concat();
        let request = field(1, &group);
        out.extend_from_slice(&u32::try_from(request.len()).unwrap().to_be_bytes());
        out.extend(request);
    }
    out
}

/// What a recorder of its own would have written down.
fn journal() -> Vec<u8> {
    let entries: Value =
        serde_json::from_slice(&recorded::file("samples/har/rotation-py-1.3.0.har")).unwrap();
    let entries = entries["log"]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry.to_string().into_bytes());
    let read = recorded::read(&[("har", &Har, entries.collect())], CONFIG);
    lines(read.events.iter().map(|event| {
        let (name, fields) = told(event);
        let Common { time, client, .. } = event.common();
        let mut line = Map::from_iter([
            ("time".to_owned(), json!(time)),
            ("event".to_owned(), name.into()),
            ("client".to_owned(), json!(client)),
            ("agent".to_owned(), AGENT.into()),
        ]);
        line.extend(
            fields.as_object().unwrap().clone().into_iter().filter(|(_, value)| !value.is_null()),
        );
        Value::Object(line)
    }))
}

fn told(event: &Event<'_>) -> (&'static str, Value) {
    match event {
        Event::Card(fetch) => {
            let url = fetch.common.url.as_deref().unwrap();
            let body = match &fetch.card {
                CardSeen::Body(body) => Some(std::str::from_utf8(body).unwrap()),
                _ => None,
            };
            let registry = if url.contains("r1.agent-registry") { "r1" } else { "vendor-b" };
            (
                "card_fetch",
                json!({ "registry": registry, "url": url, "sent_at": fetch.sent_at,
                "status": fetch.status, "etag": fetch.etag, "cache_control": fetch.cache_control,
                "age_s": fetch.age_s, "card": body, "error": fetch.error }),
            )
        }
        Event::Attempt(attempt) => {
            let outcome = attempt.broke.then_some("midstream");
            (
                "attempt",
                json!({ "end_time": attempt.end_time, "method": attempt.method,
                "protocol_version": attempt.protocol_version, "task_id": attempt.task_id,
                "skill_id": attempt.skill_id, "accepted_output_modes": attempt.accepted_output_modes,
                "stream": attempt.stream, "push": attempt.push, "outcome": outcome,
                "http_status": attempt.http_status, "rpc_code": attempt.rpc_code,
                "task_state": attempt.task_state, "error_reason": attempt.error_reason,
                "transport_error": attempt.transport_error, "error": attempt.error }),
            )
        }
        Event::Status(status) => {
            ("task_status", json!({ "task_id": status.task_id, "state": status.state }))
        }
        Event::Artifact(artifact) => {
            let payload = &artifact.payload;
            let payload = match (&payload.json, &payload.text) {
                (Some(json), _) => serde_json::from_str(json).unwrap(),
                (None, text) => json!(text),
            };
            (
                "artifact",
                json!({ "task_id": artifact.task_id, "artifact_id": artifact.artifact_id,
                "media_type": artifact.media_type,
                "schema_version": artifact.schema.as_ref().map(|(_, stated)| stated),
                "digest": artifact.digest, "payload": payload, "append": artifact.append,
                "last_chunk": artifact.last_chunk }),
            )
        }
    }
}

const QUERIES: [&str; 8] = [
    "bindings",
    "rotations",
    "registry_lag",
    "split_brain_rate",
    "replays",
    "retry_storms",
    "drift_incidents",
    "summary",
];

/// The rows of all findings, without the places and the times: a recorder may round them.
fn found(name: &str, content: &[u8], config: &str) -> Vec<(&'static str, Vec<Value>)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    let config: Config = toml::from_str(config).unwrap();
    let options = IngestOptions { threads: 1, ..IngestOptions::default() };
    let input = path.to_str().unwrap().to_owned();
    let ingested = ingest(&[input], &config, &options).unwrap();
    let settings = Settings { threads: 1, ..Settings::of(&config) };
    let session = Session::open(ingested.tables, &settings).unwrap();
    let rows = |query: &&'static str| {
        let mut rows = crate::cases::rows(&session, query);
        for row in &mut rows {
            row.as_object_mut().unwrap().retain(|column, _| {
                let place = column.starts_with("source_") || column == "peak_per_minute";
                let time = column.ends_with("_at") || column == "rotated_after";
                !place && !time
            });
        }
        (*query, rows)
    };
    QUERIES.iter().map(rows).collect()
}

/// Equal; seconds to within 5 ms. Whether a lag is more than what clocks differ by is told by headers and
/// spans, which not every form has.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(column, value)| {
                    let other = &b[column];
                    if column == "distinguishable" {
                        return true;
                    }
                    match (value.as_f64(), other.as_f64()) {
                        (Some(value), Some(other)) if column.ends_with("_s") => {
                            (value - other).abs() < 0.005
                        }
                        _ => value == other,
                    }
                })
        }
        _ => a == b,
    }
}

#[test]
fn all_forms_of_one_recording_give_the_same_findings() {
    let all = exchanges();
    let array = Value::from(all.iter().map(whole).collect::<Vec<_>>());
    let prefixed: String = all
        .iter()
        .map(|exchange| format!("2026-11-30 11:50:00,000 INFO [egress] {}\n", whole(exchange)))
        .collect();
    let with = |mapping: &str| format!("{CONFIG}{mapping}");
    let forms: Vec<(&str, Vec<u8>, String)> = vec![
        ("mitmproxy.har", recorded::file("samples/har/rotation-py-1.3.0.har"), CONFIG.to_owned()),
        ("chrome.har", chrome(&all), CONFIG.to_owned()),
        ("firefox.har", firefox(&all), CONFIG.to_owned()),
        ("whole.jsonl", lines(all.iter().map(whole)), with(WHOLE)),
        ("array.json", format!("{array:#}").into_bytes(), with(WHOLE)),
        ("prefixed.log", prefixed.into_bytes(), with(WHOLE)),
        ("halves.jsonl", halves(&all), with(HALVES)),
        ("logs.otlp.jsonl", otlp_json(&all), with(LOGS)),
        ("logs.otlp.pb.lp", otlp_frames(&all), with(LOGS)),
        ("journal.ndjson", journal(), CONFIG.to_owned()),
    ];
    let found: Vec<_> = forms
        .par_iter()
        .map(|(name, content, config)| (*name, found(name, content, config)))
        .collect();
    let (_, wanted) = &found[0];
    let summary = &wanted.last().unwrap().1[0];
    // What happened, by the truth of the recording.
    for (column, value) in [
        ("attempts", 107),
        ("replays", 20),
        ("split_brain", 23),
        ("silent", 19),
        ("completed", 64),
        ("rotations", 2),
    ] {
        assert_eq!(summary[column], value, "{column}");
    }
    for (name, told) in &found {
        for ((query, rows), (_, wanted)) in told.iter().zip(wanted) {
            assert_eq!(rows.len(), wanted.len(), "{name}: {query}");
            for (row, wanted) in rows.iter().zip(wanted) {
                assert!(alike(row, wanted), "{name}: {query}\n{row:#}\n{wanted:#}");
            }
        }
    }
}
