use super::*;

fn sample(path: &str) -> Vec<u8> {
    std::fs::read(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/mapped").join(path),
    )
    .unwrap()
}

#[test]
fn an_applications_log() {
    let head = sample("rotation-py-1.3.0.jsonl");
    let proposal = propose(head.get(..64 << 10).unwrap()).unwrap();
    assert_eq!(
        proposal.toml,
        r#"[[mapping]]
name = "proposed"
when = { pointer = "/message", equals = "a2a exchange" }
time = "/exchange/began_us"
end_time = "/exchange/ended_us"
time_unit = "us"
client = "/actor/id"
method_url = "/exchange/op"
request_headers = "/exchange/out/headers"
request_body = "/exchange/out/text"
status = "/exchange/in/status"
response_headers = "/exchange/in/headers"
response_body = ["/exchange/in/json", "/exchange/in/text"]
response_sha256 = "/exchange/in/sha256"
sse_events = "/exchange/in/sse/*"
error = "/exchange/failure"
"#
    );
    assert_eq!(proposal.lines.0, proposal.lines.1 + 1, "all but the line at the start");
    assert!(proposal.events.contains_key("card_fetch") && proposal.events.contains_key("artifact"));
}

#[test]
fn halves_on_lines_of_their_own() {
    let proposal = propose(&sample("http-exchanges.jsonl")).unwrap();
    for wanted in [
        r#"time = "/ts""#,
        r#"join = "/exchange""#,
        r#"side = { pointer = "/dir", request = "request", response = "response" }"#,
        r#"url = "/url""#,
        r#"method = "/method""#,
        r#"request_body = "/body""#,
        r#"status = "/status""#,
    ] {
        assert!(proposal.toml.contains(wanted), "{wanted} in\n{}", proposal.toml);
    }
    assert_eq!(proposal.events.get("attempt"), Some(&5));
    assert_eq!(proposal.events.get("card_fetch"), Some(&2));
}

#[test]
fn bare_objects_and_nothing() {
    let line = r#"{"at":1796037344,"got":{"kind":"status-update","taskId":"t-1","contextId":"c","final":true,"status":{"state":"completed"}}}"#;
    let proposal = propose(line.as_bytes()).unwrap();
    assert!(proposal.toml.contains("a2a = \"/got\""), "{}", proposal.toml);
    assert_eq!(proposal.events.get("task_status"), Some(&1));
    for head in [
        "",
        "text",
        r#"{"level":"info","time":"2026-11-30T11:15:44Z","message":"hello"}"#,
        r#"{"got":{"kind":"task"}}"#,
    ] {
        assert_eq!(propose(head.as_bytes()), None, "{head}");
    }
}
