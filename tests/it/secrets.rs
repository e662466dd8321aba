//! Secrets planted in every field are looked for in everything that comes out.

use crate::cases::rows;
use carddrift::config::Config;
use carddrift::ingest::{IngestOptions, ingest};
use carddrift::query::{Session, Settings};
use carddrift::report::{self, rows::View};
use serde_json::{Value, json};

const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJlcGxhbnRlZA";
const BEARER: &str = "pl4nted-b34rer-t0ken";
const PUSH: &str = "pl4nted-push-t0ken";
const COOKIE: &str = "sid=pl4nted-cookie";
const API_KEY: &str = "pl4nted-api-key";

/// All that must not come out; of the token, each of its parts.
const PLANTED: [&str; 6] =
    ["eyJzdWIiOiJwbGFudGVkIn0", "c2lnbmF0dXJlcGxhbnRlZA", BEARER, PUSH, COOKIE, API_KEY];

fn journal() -> String {
    let card = json!({
        "name": format!("Agent {JWT}"),
        "url": format!("https://user:{BEARER}@agent.example/rpc?api_key={API_KEY}"),
        "description": format!("Authorization: Bearer {BEARER}"),
        "skills": [{"id": format!("s-{JWT}"), "name": "s", "tags": [], "description": ""}],
        "token": PUSH,
        "capabilities": {"extensions": [{"uri": "u", "params": {"clientSecret": PUSH}}]},
    });
    let text = |name: &str| format!("{name} Bearer {BEARER} token={PUSH} Cookie: {COOKIE}");
    let mut lines = Vec::new();
    let common = |event: &str| {
        json!({
            "time": "2026-11-14T08:00:00Z", "event": event, "client": format!("c {JWT}"),
            "agent": format!("https://u:{BEARER}@agent.example/rpc?token={PUSH}"),
            "trace_id": JWT, "span_id": JWT,
        })
    };
    let with = |mut object: Value, more: Value| {
        for (key, value) in more.as_object().unwrap() {
            object[key] = value.clone();
        }
        object
    };
    lines.push(with(
        common("card_fetch"),
        json!({
            "registry": format!("https://u:{BEARER}@r.example"), "url": format!("https://r.example/card.json?sig={PUSH}"),
            "etag": JWT, "cache_control": text("cc"), "last_modified": JWT, "card": card.to_string(),
            "error": text("e"),
        }),
    ));
    lines.push(with(
        common("attempt"),
        json!({
            "method": format!("SendMessage {JWT}"), "protocol_version": JWT, "task_id": JWT,
            "context_id": JWT, "skill_id": JWT, "accepted_output_modes": [JWT], "task_state": JWT,
            "grpc_status": JWT, "error_reason": text("r"), "transport_error": text("t"), "error": text("m"),
            "outcome": "other",
        }),
    ));
    lines.push(with(
        common("task_status"),
        json!({"task_id": JWT, "context_id": JWT, "state": text("s")}),
    ));
    lines.push(with(
        common("artifact"),
        json!({
            "task_id": JWT, "artifact_id": JWT, "media_type": format!("text/plain;token={PUSH}"),
            "schema_version": JWT, "digest": JWT, "disposition": JWT,
            "payload": {"token": PUSH, "note": text("p"), "deep": [{"password": BEARER}]},
        }),
    ));
    // Broken records, whose problems must not echo them.
    lines.push(with(common("nonsense"), json!({"task_id": JWT})));
    lines.push(with(
        common("task_status"),
        json!({"task_id": 1, "state": [JWT], "client": {"token": PUSH}}),
    ));
    let mut journal: String = lines.iter().map(|line| format!("{line}\n")).collect();
    journal.push_str(&format!("{{\"time\":\"{JWT}\",\"event\":\"task_status\"}}\n"));
    journal.push_str(&format!("{{\"token\":\"{PUSH}\",\"x\":\"\\p\"}} Bearer {BEARER}\n"));
    journal
}

fn har() -> String {
    let headers = json!([
        {"name": "Authorization", "value": format!("Bearer {BEARER}")},
        {"name": "Cookie", "value": COOKIE},
        {"name": "X-API-Key", "value": API_KEY},
        {"name": "Content-Type", "value": "application/json"},
    ]);
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {
            "message": {"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": format!("use {JWT}")}]},
            "configuration": {"pushNotificationConfig": {"url": format!("https://hook.example/?token={PUSH}"), "token": PUSH,
                "authentication": {"schemes": ["Bearer"], "credentials": BEARER}}},
        },
    });
    let response = json!({
        "jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": format!("upstream said Bearer {BEARER} {JWT}"),
            "data": {"token": PUSH}},
    });
    json!({"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [{
        "startedDateTime": "2026-11-14T08:00:00.000Z", "time": 12.0,
        "request": {
            "method": "POST", "url": format!("https://u:{BEARER}@agent.example/rpc?api_key={API_KEY}"),
            "httpVersion": "HTTP/1.1", "headers": headers, "cookies": [{"name": "sid", "value": COOKIE}],
            "queryString": [], "headersSize": -1, "bodySize": -1,
            "postData": {"mimeType": "application/json", "text": request.to_string()},
        },
        "response": {
            "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1",
            "headers": [{"name": "Set-Cookie", "value": COOKIE}, {"name": "Content-Type", "value": "application/json"}],
            "cookies": [], "redirectURL": "", "headersSize": -1, "bodySize": -1,
            "content": {"size": 1, "mimeType": "application/json", "text": response.to_string()},
        },
        "cache": {}, "timings": {"send": 1, "wait": 1, "receive": 1},
    }]}})
    .to_string()
}

#[test]
fn no_planted_secret_comes_out() {
    for (name, text) in [("planted.ndjson", journal()), ("planted.har", har())] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let config = Config::default();
        let options = IngestOptions { keep_payloads: true, ..IngestOptions::default() };
        let ingested = ingest(&[path.to_str().unwrap().to_owned()], &config, &options).unwrap();
        assert!(ingested.accounts[0].fates.events > 0, "{name}: {:?}", ingested.accounts);
        let session = Session::open(ingested.tables, &Settings::of(&config)).unwrap();
        let mut out = String::new();
        for table in carddrift::tables::all() {
            let select = format!("SELECT * FROM {}", table.name);
            let rows = session.sql(&select, &[]).unwrap_or_else(|e| panic!("{select}: {e}"));
            let mut text = Vec::new();
            let view = View { schema: &rows.schema, batches: &rows.batches };
            report::write_rows(view, report::Format::Ndjson, &mut text).unwrap();
            out.push_str(&format!("{}: {}\n", table.name, String::from_utf8(text).unwrap()));
        }
        for query in ["bindings", "drift_incidents", "replays", "actions"] {
            out.push_str(&format!("{query}: {:?}\n", rows(&session, query)));
        }
        for secret in PLANTED {
            let lines: Vec<_> = out.lines().filter(|line| line.contains(secret)).collect();
            assert!(lines.is_empty(), "{name}: {secret} in\n{}", lines.join("\n"));
        }
        assert!(out.contains("[redacted]"), "{name}");
    }
}
