use super::*;
use crate::exchange::Exchange;
use crate::exchange::derive::Rules;
use crate::problem::At;
use std::borrow::Cow;

const MS: i64 = 1_000_000;

/// An exchange from `start` to `end` in milliseconds.
fn exchange(start: i64, end: i64) -> Exchange<'static> {
    Exchange {
        started_at: start * MS,
        ended_at: Some(end * MS),
        method: Some("POST".into()),
        url: Some("https://a.example/rpc".into()),
        status: Some(200),
        ..Exchange::default()
    }
}

fn span(start: i64, end: i64, trace: &str, span: &str, parent: Option<&str>) -> Exchange<'static> {
    Exchange {
        trace_id: Some(trace.to_owned().into()),
        span_id: Some(span.to_owned().into()),
        parent_span_id: parent.map(|parent| parent.to_owned().into()),
        ..exchange(start, end)
    }
}

fn server(exchange: Exchange<'static>) -> Exchange<'static> {
    Exchange { side: Side::Server, ..exchange }
}

fn half(at: i64, half: Half, key: &str) -> Exchange<'static> {
    Exchange {
        half,
        ended_at: None,
        status: (half == Half::Response).then_some(200),
        key: Some(key.to_owned().into()),
        ..exchange(at, at)
    }
}

fn calls(exchange: Exchange<'static>, body: &'static str) -> Exchange<'static> {
    Exchange { request_body: Some(Cow::Borrowed(body.as_bytes())), ..exchange }
}

/// The groups of exchanges, each with its source; numbered in the order given.
fn joined(list: Vec<(u32, Exchange<'static>)>) -> Vec<Vec<usize>> {
    found(list).into_iter().map(|group| group.members).collect()
}

fn ambiguous(list: Vec<(u32, Exchange<'static>)>) -> Vec<usize> {
    let groups = found(list).into_iter().filter(|group| group.ambiguous);
    groups.flat_map(|group| group.members).collect()
}

fn found(list: Vec<(u32, Exchange<'static>)>) -> Vec<Group> {
    assert!(list.is_sorted_by_key(|(source, _)| *source));
    let sightings: Vec<_> = (1..)
        .zip(list)
        .map(|(line, (source, exchange))| {
            let exchange = Exchange { at: At { line, byte: 0 }, ..exchange };
            let mut sighting = Sighting::of(&exchange, &Rules::default());
            sighting.set_source(source);
            sighting
        })
        .collect();
    groups(&sightings)
}

#[test]
fn halves_with_one_key_are_paired_in_turn() {
    // A counter that begins again after a restart; the second request got no answer.
    let list = vec![
        (0, half(0, Half::Request, "1")),
        (0, half(5, Half::Response, "1")),
        (0, half(100, Half::Request, "1")),
        (0, half(200, Half::Request, "1")),
        (0, half(205, Half::Response, "1")),
        (1, half(3, Half::Request, "1")),
    ];
    assert_eq!(joined(list), [vec![0, 1], vec![2], vec![3, 4], vec![5]]);
}

fn by(client: &'static str, exchange: Exchange<'static>) -> Exchange<'static> {
    Exchange { client: Some(client.into()), ..exchange }
}

#[test]
fn each_client_may_count_for_itself() {
    let list = vec![
        (0, by("a", half(0, Half::Request, "1"))),
        (0, by("b", half(1, Half::Request, "1"))),
        (0, by("a", half(5, Half::Response, "1"))),
        (0, by("b", half(6, Half::Response, "1"))),
        // Of one client the later request counts: the first got no answer.
        (0, by("a", half(10, Half::Request, "2"))),
        (0, by("a", half(20, Half::Request, "2"))),
        (0, by("a", half(25, Half::Response, "2"))),
    ];
    assert_eq!(joined(list), [vec![0, 2], vec![1, 3], vec![4], vec![5, 6]]);
}

#[test]
fn an_answer_over_several_records() {
    let event = |at: i64| Exchange {
        status: None,
        url: None,
        method: None,
        ..half(at, Half::Response, "1")
    };
    let list = vec![
        (0, half(0, Half::Request, "1")),
        (0, half(5, Half::Response, "1")),
        (0, event(6)),
        (0, event(7)),
        // A second response is no part of the first.
        (0, half(8, Half::Response, "1")),
    ];
    assert_eq!(joined(list), [vec![0, 1, 2, 3], vec![4]]);
    let list = vec![
        (0, by("a", half(0, Half::Request, "1"))),
        (0, by("b", half(1, Half::Request, "1"))),
        (0, by("a", half(5, Half::Response, "1"))),
        (0, by("b", half(6, Half::Response, "1"))),
        (0, by("a", event(7))),
        (0, by("b", event(8))),
        // Of which it is cannot be told.
        (0, event(9)),
    ];
    assert_eq!(joined(list), [vec![0, 2, 4], vec![1, 3, 5], vec![6]]);
}

#[test]
fn halves_in_two_files_of_one_log() {
    let list = vec![
        (0, half(0, Half::Request, "a")),
        (1, half(5, Half::Response, "a")),
        (1, half(6, Half::Response, "b")),
    ];
    assert_eq!(joined(list), [vec![0, 1], vec![2]]);
}

#[test]
fn keys_are_unique_within_their_resource_only() {
    let of = |resource: &'static str, exchange: Exchange<'static>| Exchange {
        resource: Some(resource.into()),
        ..exchange
    };
    let list = vec![
        (0, of("a", half(0, Half::Request, "x1"))),
        (0, of("b", half(1, Half::Request, "x1"))),
        (1, of("b", half(5, Half::Response, "x1"))),
        (1, of("a", half(6, Half::Response, "x1"))),
    ];
    assert_eq!(joined(list), [vec![0, 3], vec![1, 2]]);
}

#[test]
fn one_span_in_a_trace_and_a_header() {
    let trace = "4749339ad1df364c9497f6957859918e";
    let header = format!("00-{trace}-d4feb2e64fe8923c-03");
    let har = Exchange {
        request_headers: vec![("TraceParent".into(), header.into())],
        response_body: Some(Cow::Borrowed(b"{}")),
        ..exchange(0, 5)
    };
    let list = vec![(0, span(900, 905, trace, "D4FEB2E64FE8923C", None)), (1, har)];
    // The one with the body leads, although its place is later.
    assert_eq!(joined(list), [vec![1, 0]]);
}

#[test]
fn client_and_server_by_parent_but_not_what_the_server_calls() {
    let list = vec![
        (0, span(0, 50, "t", "c", None)),
        (0, server(span(900, 940, "t", "s", Some("c")))),
        (0, span(905, 920, "t", "onward", Some("s"))),
    ];
    assert_eq!(joined(list), [vec![0, 1], vec![2]]);
}

#[test]
fn a_log_under_the_span_that_its_client_span_has_as_parent() {
    let log = |at, half_of, key, span| Exchange {
        trace_id: Some("t".into()),
        span_id: Some(span),
        ..half(at, half_of, key)
    };
    let list = vec![
        (0, log(0, Half::Request, "x1", "app".into())),
        (0, log(9, Half::Response, "x1", "app".into())),
        (1, span(1, 8, "t", "c", Some("app"))),
        (1, server(span(3, 6, "t", "s", Some("c")))),
    ];
    let list =
        list.into_iter()
            .map(|(source, e)| {
                if source == 0 {
                    (source, calls(e, r#"{"id":1,"method":"x"}"#))
                } else {
                    (source, e)
                }
            })
            .collect();
    assert_eq!(joined(list), [vec![0, 2, 1, 3]]);
}

#[test]
fn several_calls_under_one_span_stay_apart() {
    // Both have the same span, method and path; the keys differ. Their times tell which is which.
    let log = |at, half_of, key| Exchange {
        trace_id: Some("t".into()),
        span_id: Some("app".into()),
        ..half(at, half_of, key)
    };
    let list = vec![
        (0, log(0, Half::Request, "x1")),
        (0, log(9, Half::Response, "x1")),
        (0, log(500, Half::Request, "x2")),
        (0, log(509, Half::Response, "x2")),
        (1, span(1, 8, "t", "c1", Some("app"))),
        (1, span(501, 508, "t", "c2", Some("app"))),
    ];
    assert_eq!(joined(list), [vec![0, 4, 1], vec![2, 5, 3]]);
}

#[test]
fn the_same_call_at_the_same_time() {
    let near = vec![(0, exchange(0, 10)), (1, exchange(109, 120))];
    assert_eq!(joined(near), [vec![0, 1]]);
    let far = vec![(0, exchange(0, 10)), (1, exchange(111, 120))];
    assert_eq!(joined(far), [vec![0], vec![1]]);
    let same_recorder = vec![(0, exchange(0, 10)), (0, exchange(1, 9))];
    assert_eq!(joined(same_recorder), [vec![0], vec![1]]);
    let gateway = Exchange {
        side: Side::Gateway,
        url: Some("http://10.0.0.7:8080/rpc".into()),
        ..exchange(1, 9)
    };
    assert_eq!(joined(vec![(0, exchange(0, 10)), (1, gateway)]), [vec![0, 1]]);
    let other_host = Exchange { url: Some("https://b.example/rpc".into()), ..exchange(1, 9) };
    assert_eq!(joined(vec![(0, exchange(0, 10)), (1, other_host)]), [vec![0], vec![1]]);
}

#[test]
fn what_is_not_one_to_one_is_kept_apart_and_told() {
    let list = || vec![(0, exchange(0, 10)), (0, exchange(2, 12)), (1, exchange(1, 11))];
    assert_eq!(joined(list()), [vec![0], vec![1], vec![2]]);
    assert_eq!(ambiguous(list()), [0, 1, 2]);
    assert!(ambiguous(vec![(0, exchange(0, 10)), (1, exchange(1, 9))]).is_empty());
    // A third recorder sees both; only one is the second's.
    let third = vec![(0, exchange(0, 10)), (1, exchange(1, 9)), (2, exchange(2, 8))];
    assert_eq!(joined(third), [vec![0, 1, 2]]);
}

#[test]
fn calls_with_ids_are_told_apart() {
    let (one, two) =
        (r#"{"id":"1","method":"message/send"}"#, r#"{"id":"2","method":"message/send"}"#);
    let list = vec![
        (0, calls(exchange(0, 10), one)),
        (0, calls(exchange(2, 12), two)),
        (1, calls(exchange(1, 11), two)),
    ];
    assert_eq!(joined(list), [vec![0], vec![1, 2]]);
}

#[test]
fn a_common_trace_settles_what_times_leave_open() {
    let list = vec![
        (0, span(0, 10, "t1", "a", None)),
        (0, span(2, 12, "t2", "b", None)),
        (1, server(span(3, 9, "t2", "c", Some("unrecorded")))),
    ];
    assert_eq!(joined(list), [vec![0], vec![1, 2]]);
}

#[test]
fn what_contradicts_is_never_joined() {
    let with = |change: fn(&mut Exchange<'static>)| {
        let mut other = span(1, 9, "t", "s", None);
        change(&mut other);
        joined(vec![(0, span(0, 10, "t", "s", None)), (1, other)])
    };
    assert_eq!(with(|_| {}), [vec![0, 1]]);
    assert_eq!(with(|e| e.status = Some(503)), [vec![0], vec![1]]);
    assert_eq!(with(|e| e.method = Some("GET".into())), [vec![0], vec![1]]);
    assert_eq!(with(|e| e.url = Some("https://a.example/other".into())), [vec![0], vec![1]]);
    let clients = vec![
        (0, Exchange { client: Some("a".into()), ..exchange(0, 10) }),
        (1, Exchange { client: Some("b".into()), ..exchange(0, 10) }),
    ];
    assert_eq!(joined(clients), [vec![0], vec![1]]);
}

#[test]
fn an_exporter_that_tries_again_writes_the_same_span_twice() {
    let list = vec![(0, span(0, 10, "t", "s", None)), (0, span(0, 10, "t", "s", None))];
    assert_eq!(joined(list), [vec![0, 1]]);
    // Two calls under an application's span, logged with its id: two exchanges.
    let list = vec![(0, span(0, 10, "t", "s", None)), (0, span(20, 30, "t", "s", None))];
    assert_eq!(joined(list), [vec![0], vec![1]]);
}
