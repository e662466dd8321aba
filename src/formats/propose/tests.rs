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
when = { pointer = "/exchange/op" }
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
sse_events = "/exchange/in/sse/*"
response_sha256 = "/exchange/in/sha256"
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
    // Lines of other exchanges have another URL.
    assert!(took.contains("when = { pointer = \"/url\" }\n"), "{took}");
    // What took a time in is not when it was; neither is where the line was written a client.
    let taken = of(r#""began":1796037345000,"ingested_at":1796037345900,"caller":"client.go:17""#);
    assert!(taken.contains("time = \"/began\"\n") && !taken.contains("end_time"), "{taken}");
    assert!(!taken.contains("client ="), "{taken}");
    // A logger stamps what is over; others may stamp the start.
    let logged = of(r#""ts":1796037345.25,"elapsed":0.25"#);
    assert!(logged.contains("end_time = \"/ts\"\ntime_unit = \"s\"\nduration = \"/elapsed\"\nduration_unit = \"s\"\n"), "{logged}");
    let nanoseconds = of(r#""ts":1796037345.25,"latency":250000000"#);
    assert!(nanoseconds.contains("duration_unit = \"ns\""), "{nanoseconds}");
}

/// Where nothing but the order of lines tells which end of the exchange a time is.
#[test]
fn lines_are_written_in_the_order_of_their_ends() {
    let line = |at: u64, took: u64| {
        format!(
            r#"{{"ts":17960373450{at},"took":{took},"url":"https://a.example/rpc","body":{{"jsonrpc":"2.0","id":1,"method":"message/send","params":{{}}}}}}"#
        )
    };
    let of = |lines: &[String]| propose(lines.join("\n").as_bytes()).unwrap().toml;
    let starts = of(&[line(20, 10), line(10, 50), line(40, 30)]);
    assert!(starts.contains("\ntime = \"/ts\"\n"), "{starts}");
    let ends = of(&[line(30, 10), line(60, 20), line(90, 10)]);
    assert!(
        ends.contains("\ntime = \"/ts\"\n"),
        "one order fits both: no logger says more: {ends}"
    );
    let ends = of(&[line(30, 50), line(40, 10), line(70, 30)]);
    assert!(ends.contains("\nend_time = \"/ts\"\n"), "{ends}");
}

/// No word tells which half a line is, counters run per client, and a stream's events stand on lines of
/// their own.
#[test]
fn halves_that_only_their_contents_tell_apart() {
    let ask = |at: u64, client: &str, id: u64, stream: bool| {
        let method = if stream { "message/stream" } else { "message/send" };
        format!(
            r#"{{"at":17960373450{at},"msg":"to {client}","who":{{"client":"{client}"}},"n":{id},"verb":"POST","to":"https://a.example/rpc","hdr":["Accept","*/*"],"data":"{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{}}}}"}}"#
        )
    };
    let task = r#"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"status\":{\"state\":\"completed\"}}}"#;
    let update = r#"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"status-update\",\"taskId\":\"t-2\",\"final\":true,\"status\":{\"state\":\"completed\"}}}"#;
    let answer = |at: u64, client: &str, id: u64, body: &str| {
        format!(
            r#"{{"at":17960373450{at},"who":{{"client":"{client}"}},"n":{id},"code":200,"hdr":["Server","x"]{body}}}"#
        )
    };
    let log = [
        ask(10, "a", 1, false),
        ask(11, "b", 1, true),
        answer(20, "a", 1, &format!(r#","data":"{task}""#)),
        answer(21, "b", 1, ""),
        format!(r#"{{"at":1796037345025,"who":{{"client":"b"}},"n":1,"event":"{update}"}}"#),
    ];
    let proposal = propose(log.join("\n").as_bytes()).unwrap();
    assert_eq!(
        proposal.toml,
        r#"[[mapping]]
name = "proposed-requests"
when = [{ pointer = "/n" }, { pointer = "/to" }]
time = "/at"
time_unit = "ms"
client = "/who/client"
join = "/n"
side = { pointer = "request", request = "request", response = "response" }
method = "/verb"
url = "/to"
request_headers = "/hdr"
request_body = "/data"

[[mapping]]
name = "proposed-answers"
when = [{ pointer = "/n" }, { pointer = ["/code", "/event"] }]
time = "/at"
time_unit = "ms"
client = "/who/client"
join = "/n"
side = { pointer = "response", request = "request", response = "response" }
status = "/code"
response_headers = "/hdr"
response_body = "/data"
sse_events = "/event"
sse_times = "/at"
"#
    );
    let events: Vec<_> = proposal.events.iter().map(|(kind, n)| (*kind, *n)).collect();
    assert_eq!(events, [("attempt", 2), ("task_status", 2)]);
    assert_eq!(proposal.lines, (5, 5));
}

/// What an API answered that was asked for a log's lines.
#[test]
fn lines_in_a_list_of_a_document() {
    let line = serde_json::json!({"at": 1_796_037_345_000_u64, "to": "https://a.example/rpc",
        "body": {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {}}});
    let hit = serde_json::json!({"_index": "logs", "_source": {"message": line.to_string()}});
    let document =
        serde_json::json!({"took": 3, "shards": [{}], "hits": {"total": 2, "hits": [hit, hit]}});
    for text in [document.to_string(), format!("{document:#}")] {
        let proposal = propose(text.as_bytes()).unwrap();
        assert_eq!(
            proposal.toml,
            r#"[[mapping]]
name = "proposed"
when = { pointer = "/hits/hits" }
each = "/hits/hits/*"
time = "./_source/message/at"
time_unit = "ms"
url = "./_source/message/to"
request_body = "./_source/message/body"
"#
        );
        assert_eq!((proposal.events.get("attempt"), proposal.lines), (Some(&2), (1, 1)));
    }
}

/// A line whose URL stands at its top is no card for that the card within it has skills.
#[test]
fn a_line_that_holds_a_card_is_none() {
    let line = r#"{"timestamp":"2026-11-30T11:15:45Z","url":"https://a.example/card","name":"get","status":200,"body":{"name":"S","url":"u","skills":[]}}"#;
    let proposal = propose(line.as_bytes()).unwrap();
    assert!(proposal.toml.contains("response_body = \"/body\""), "{}", proposal.toml);
    assert_eq!(proposal.events.get("card_fetch"), Some(&1));
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
    // A log's own message and status are no body.
    let mut line = value.clone();
    line["message"] = "a2a".into();
    line["call"]["status"] = 200.into();
    let source = serde_json::json!({ "_source": { "message": line.to_string() } }).to_string();
    let proposal = propose(source.as_bytes()).unwrap();
    let deep = "request_body = \"/_source/message/call/body\"";
    assert!(proposal.toml.contains(deep), "{}", proposal.toml);
    assert_eq!(proposal.events.get("attempt"), Some(&1));
    let within = serde_json::json!({ "stream": "stdout", "log": object }).to_string();
    let proposal = propose(within.as_bytes()).unwrap();
    assert!(proposal.toml.contains("request_body = \"/log/call/body\""), "{}", proposal.toml);
    assert_eq!(proposal.events.get("attempt"), Some(&1));
}
