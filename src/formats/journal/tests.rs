use super::*;
use crate::config::Config;
use crate::exchange::Exchange;

/// What a record gave, spelled for comparison.
#[derive(Default)]
struct Found {
    events: Vec<String>,
    problems: Vec<(Kind, String)>,
}

impl Sink for Found {
    fn event(&mut self, _: At, event: Event<'_>) {
        self.events.push(format!("{event:?}"));
    }
    fn exchange(&mut self, _: Exchange<'_>) {}
    fn problem(&mut self, problem: Problem) {
        self.problems.push((problem.kind, problem.pointer));
    }
}

fn read(record: &str) -> Found {
    let config = Config::default();
    let mut found = Found::default();
    let context = Context::new(&config);
    Journal.parse(record.as_bytes(), At::default(), &context, &mut found);
    found
}

fn problems(record: &str) -> Vec<(Kind, String)> {
    let found = read(record);
    found.problems
}

#[test]
fn needed_fields() {
    let missing = |record: &str, name: &str| {
        let found = read(record);
        assert_eq!(found.problems, [(Kind::MissingField, name.to_owned())], "{record}");
        assert!(found.events.is_empty());
    };
    missing(r#"{"event":"attempt","agent":"a"}"#, "/time");
    missing(r#"{"time":1,"agent":"a"}"#, "/event");
    missing(r#"{"time":1,"event":"attempt"}"#, "/agent");
    missing(r#"{"time":1,"event":"card_fetch","agent":"a"}"#, "/registry");
    missing(r#"{"time":1,"event":"card_fetch","registry":"r"}"#, "/agent");
    missing(r#"{"time":1,"event":"task_status","agent":"a","state":"working"}"#, "/task_id");
    missing(r#"{"time":1,"event":"task_status","agent":"a","task_id":""}"#, "/task_id");
    missing(r#"{"time":1,"event":"task_status","agent":"a","task_id":"t"}"#, "/state");
    missing(r#"{"time":1,"event":"artifact","agent":"a","task_id":"t"}"#, "/artifact_id");
    assert_eq!(
        problems(r#"{"time":1,"event":"artifact","task_id":7,"artifact_id":"a"}"#)[0].0,
        Kind::WrongType
    );
    assert_eq!(
        problems(r#"{"time":1,"event":"lunch"}"#),
        [(Kind::UnknownEvent, "/event".to_owned())]
    );
    assert_eq!(problems(r#"{"time":"noon","event":"attempt","agent":"a"}"#)[0].0, Kind::BadTime);
    assert_eq!(
        problems(r#"{"time":9999999999999999999,"event":"attempt"}"#)[0].0,
        Kind::TimeOutOfRange
    );
    assert_eq!(problems("[1]")[0].0, Kind::WrongType);
    assert_eq!(problems("{\"time\":1")[0].0, Kind::NotJson);
}

#[test]
fn optional_fields_of_a_wrong_type_are_left_out() {
    let found = read(
        r#"{"time":"2026-11-14T08:00:00","event":"attempt","agent":"a","client":[{}],"http_status":"x","stream":1,"rpc_code":1.5,"accepted_output_modes":["a",1],"end_time":"later","unknown":{"deep":[1]}}"#,
    );
    assert_eq!(found.events.len(), 1);
    let pointers: Vec<_> = found.problems.iter().map(|(_, p)| p.as_str()).collect();
    let expected = [
        "/time",
        "/client",
        "/end_time",
        "/accepted_output_modes",
        "/stream",
        "/http_status",
        "/rpc_code",
    ];
    assert_eq!(pointers, expected);
    assert_eq!(found.problems[0].0, Kind::NaiveTime);
}

#[test]
fn a_card_in_each_form() {
    let card = |fields: &str| {
        let found = read(&format!(
            r#"{{"time":1,"event":"card_fetch","registry":"r","agent":"a",{fields}}}"#
        ));
        let event = &found.events[0];
        let from = event.find("card: ").unwrap();
        event.get(from..event.find(", authority").unwrap()).unwrap().to_owned()
    };
    assert_eq!(
        card(r#""card":"{\"name\":\"S\"}""#),
        r#"card: JsonString("\"{\\\"name\\\":\\\"S\\\"}\"")"#
    );
    assert_eq!(card(r#""card":{"name":"S"}"#), r#"card: Object("{\"name\":\"S\"}")"#);
    assert_eq!(card(r#""card_base64":"aGk=""#), "card: Body([104, 105])");
    assert_eq!(card(r#""card_sha256":"ab""#), r#"card: Hash("ab")"#);
    assert_eq!(card(r#""card":null"#), "card: Unknown");
    assert_eq!(card(r#""card":7"#), "card: Unknown");
}

#[test]
fn recognised_by_content() {
    let config = Config::default();
    let context = Context::new(&config);
    let known = |head: &str| Journal.recognises(head.as_bytes(), &context).is_ok();
    assert!(known("{\"time\":1,\"event\":\"artifact\"}\n"));
    assert!(known("garbage\n\u{feff}{\"event\" : \"attempt\",\"time\":\"x\"}\n"));
    assert!(known(&format!(
        "{{\"time\":1,\"event\":\"card_fetch\",\"card\":\"{}",
        "x".repeat(100)
    )));
    assert!(!known("{\"time\":1,\"event\":\"lunch\"}\n"));
    assert!(!known("{\"log\":{\"entries\":[{\"time\":1,\"event\":\"attempt\"}]}}\n"));
    assert!(!known(""));
}
