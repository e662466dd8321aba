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

/// Two lines of an exchange: a fetch of a card that was not changed, and its answer without a body.
#[test]
fn halves_without_a_body_are_read_too() {
    let log: Vec<String> = [(1, "a"), (2, "b"), (3, "c")]
        .iter()
        .map(|(number, etag)| {
            let first = *number == 1;
            let card = if first { r#","payload":"{\"name\":\"S\",\"url\":\"u\",\"skills\":[]}""# } else { "" };
            let code = if first { 200 } else { 304 };
            format!(
                "{{\"ts\":17960373450{number}0,\"rid\":\"r{number}\",\"phase\":\"send\",\"method\":\"GET\",\"uri\":\"https://a.example/.well-known/agent-card.json\"}}\n\
                 {{\"ts\":17960373450{number}5,\"rid\":\"r{number}\",\"phase\":\"recv\",\"code\":{code},\"hdrs\":{{\"etag\":\"{etag}\"}}{card}}}\n"
            )
        })
        .collect();
    let log = log.concat();
    let proposal = propose(log.as_bytes()).unwrap();
    let when =
        r#"when = [{ pointer = "/rid" }, { pointer = "/phase", equals = ["send", "recv"] }]"#;
    assert!(proposal.toml.contains(when), "{}", proposal.toml);
    assert_eq!((proposal.events.get("card_fetch"), proposal.lines), (Some(&3), (6, 6)));
}

#[test]
fn the_end_is_a_later_time_or_a_duration() {
    let line = |times: &str, level: &str| {
        format!(
            r#"{{"level":"{level}",{times},"url":"https://a.example/rpc","body":{{"jsonrpc":"2.0","id":1,"method":"message/send","params":{{}}}}}}"#
        )
    };
    let of = |times: &str| propose(line(times, "info").as_bytes()).unwrap().toml;
    let ended = of(r#""done":1796037345100,"began":1796037345000,"seen":1796037345000"#);
    assert!(ended.contains("time = \"/began\"\nend_time = \"/done\"\n"), "{ended}");
    let took = of(r#""began":1796037345000,"seen":1796037345000,"elapsed_us":90"#);
    assert!(took.contains("duration = \"/elapsed_us\"\nduration_unit = \"us\"\n"), "{took}");
    assert!(!took.contains("end_time"), "{took}");
    // How grave lines are does not tell them apart.
    assert!(took.contains(r#"when = { pointer = "/url", equals"#), "{took}");
}

#[test]
fn objects_over_lines_in_arrays_behind_texts_and_in_texts() {
    let object = r#"{"call":{"at":1796037345000,"url":"https://a.example/rpc","body":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{}}"}}"#;
    let value: serde_json::Value = serde_json::from_str(object).unwrap();
    for head in [
        object.to_owned(),
        format!("[{object},{object}"),
        format!("{value:#}\n{value:#}"),
        format!("2026-11-30 11:15:45 INFO {{worker 1}} {object}\nanother line\n"),
    ] {
        let proposal = propose(head.as_bytes()).unwrap();
        assert!(
            proposal.toml.contains("request_body = \"/call/body\""),
            "{head}\n{}",
            proposal.toml
        );
        assert!(proposal.events.get("attempt") >= Some(&1), "{head}");
    }
    let within = serde_json::json!({ "stream": "stdout", "log": object }).to_string();
    let proposal = propose(within.as_bytes()).unwrap();
    assert!(proposal.toml.contains("request_body = \"/log/call/body\""), "{}", proposal.toml);
    assert_eq!(proposal.events.get("attempt"), Some(&1));
}
