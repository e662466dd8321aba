use super::*;
use crate::event::CardSeen;
use crate::exchange::Side;
use std::borrow::Cow;

const CARD: &[u8] = br#"{"name":"S","url":"https://a.example/rpc","skills":[]}"#;

fn fetch(start: i64, end: i64) -> Exchange<'static> {
    Exchange {
        started_at: start,
        ended_at: Some(end),
        method: Some("GET".into()),
        url: Some("https://a.example/.well-known/agent-card.json".into()),
        status: Some(200),
        ..Exchange::default()
    }
}

fn hash() -> String {
    crate::a2a::digest::sha256_hex(CARD)
}

/// A client's log with the hash, its span without a body, the server's line with the body.
fn sightings() -> Vec<(&'static str, Exchange<'static>)> {
    let log = Exchange {
        at: At { line: 7, byte: 70 },
        client: Some("c".into()),
        response_sha256: Some(hash().into()),
        ..fetch(1_000, 9_000)
    };
    let span = Exchange {
        at: At { line: 1, byte: 0 },
        trace_id: Some("t".into()),
        span_id: Some("s".into()),
        ..fetch(2_000, 8_000)
    };
    let server = Exchange {
        at: At { line: 2, byte: 9 },
        side: Side::Server,
        client: Some("never counts".into()),
        response_body: Some(Cow::Borrowed(CARD)),
        trace_id: Some("t".into()),
        span_id: Some("u".into()),
        parent_span_id: Some("s".into()),
        ..fetch(900_000_000_000, 900_000_000_001)
    };
    vec![("a.log", log), ("b.otlp", span), ("c.otlp", server)]
}

fn run(order: &[usize]) -> Vec<Joined> {
    let joiner = Joiner::new(&Config::default(), None);
    let sightings = sightings();
    for index in order {
        let (source, exchange) = &sightings[*index];
        joiner.add(source, exchange).unwrap();
    }
    joiner.finish().map(Result::unwrap).collect()
}

#[test]
fn three_recorders_saw_one_fetch() {
    let joined = run(&[0, 1, 2]);
    let [one] = joined.as_slice() else { panic!("{joined:?}") };
    assert_eq!((&*one.place.source, one.place.at.line), ("a.log", 7));
    assert_eq!(one.seen_by().iter().map(|s| &**s).collect::<Vec<_>>(), ["b.otlp", "c.otlp"]);
    assert!(one.problems.is_empty(), "{:?}", one.problems);
    let [Event::Card(fetch)] = one.events.as_slice() else { panic!("{:?}", one.events) };
    assert_eq!((fetch.common.time, fetch.sent_at), (9_000, Some(1_000)));
    assert_eq!(fetch.common.client.as_deref(), Some("c"));
    assert_eq!(fetch.common.span_id.as_deref(), Some("s"));
    // The body beats the hash that it confirms.
    let CardSeen::Body(body) = &fetch.card else { panic!("{:?}", fetch.card) };
    assert_eq!(&**body, CARD);
}

#[test]
fn the_order_of_adding_plays_no_part() {
    let expected = format!("{:?}", run(&[0, 1, 2]));
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        assert_eq!(format!("{:?}", run(&order)), expected, "{order:?}");
    }
}

#[test]
fn what_one_source_saw_in_two_records_has_no_other_source() {
    let joiner = Joiner::new(&Config::default(), None);
    for (_, exchange) in sightings().iter().skip(1) {
        joiner.add("one.otlp", exchange).unwrap();
    }
    let joined: Vec<_> = joiner.finish().map(Result::unwrap).collect();
    assert_eq!(joined.len(), 1);
    assert_eq!(joined[0].others.len(), 1);
    assert!(joined[0].seen_by().is_empty());
}

#[test]
fn exchanges_that_cannot_be_matched_are_told() {
    let joiner = Joiner::new(&Config::default(), None);
    let gateway = Exchange { side: Side::Gateway, ..fetch(2_000, 3_000) };
    for (source, line, exchange) in
        [("a.log", 1, fetch(0, 5_000)), ("a.log", 2, fetch(10, 5_010)), ("g.log", 1, gateway)]
    {
        joiner.add(source, &Exchange { at: At { line, byte: 0 }, ..exchange }).unwrap();
    }
    let joined: Vec<_> = joiner.finish().map(Result::unwrap).collect();
    assert_eq!(joined.len(), 3);
    for one in joined {
        let codes: Vec<_> = one.problems.iter().map(|problem| problem.kind).collect();
        assert_eq!(codes, [Kind::MissingBody, Kind::AmbiguousExchange]);
    }
}
