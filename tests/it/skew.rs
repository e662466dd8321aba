//! Clocks that disagree: bounds from `Date` headers and from spans of both sides, and the lags that are
//! smaller than those.

use crate::cases::rows;
use carddrift::config::Config;
use carddrift::ingest::{IngestOptions, ingest};
use carddrift::query::{Session, Settings};
use serde_json::{Value, json};

const AUTHORITY: &str = "https://a.example/.well-known/agent-card.json";
const MIRROR: &str = "https://m.example/cards/a.json";

/// A fetch that took 100 ms, at so many seconds after eight by the recorder's clock.
fn fetch(url: &str, second: u32, schema: &str, date: Option<u32>) -> Value {
    let card = json!({
        "name": "A", "url": "https://a.example/rpc", "version": "1", "skills": [],
        "artifactSchema": {"version": schema},
    });
    let clock = |s: u32| format!("08:{:02}:{:02}", s / 60, s % 60);
    let mut headers = vec![json!({"name": "Content-Type", "value": "application/json"})];
    if let Some(date) = date {
        let value = format!("Sat, 14 Nov 2026 {} GMT", clock(date));
        headers.push(json!({"name": "Date", "value": value}));
    }
    json!({
        "startedDateTime": format!("2026-11-14T{}.000Z", clock(second)), "time": 100.0,
        "request": {"method": "GET", "url": url, "httpVersion": "HTTP/1.1", "headers": [], "cookies": [],
            "queryString": [], "headersSize": -1, "bodySize": -1},
        "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "headers": headers,
            "cookies": [], "redirectURL": "", "headersSize": -1, "bodySize": -1,
            "content": {"size": 1, "mimeType": "application/json", "text": card.to_string()}},
        "cache": {}, "timings": {"send": 0, "wait": 100, "receive": 0},
    })
}

/// A session over one file for each recorder.
fn session(recorders: &[Vec<Value>]) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let mut inputs = Vec::new();
    for (number, entries) in recorders.iter().enumerate() {
        let har = json!({"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": entries}});
        let path = folder.path().join(format!("{number}.har"));
        std::fs::write(&path, har.to_string()).unwrap();
        inputs.push(path.to_str().unwrap().to_owned());
    }
    let config = Config::default();
    let ingested = ingest(&inputs, &config, &IngestOptions::default()).unwrap();
    assert_eq!(ingested.accounts.len(), recorders.len());
    Session::open(ingested.tables, &Settings::of(&config)).unwrap()
}

/// One recorder sees the authority rotate between 9:58 and 10:00; another, whose clock is so many
/// seconds behind, sees the mirror follow at 10:05 of its own clock: the lag is at most 7.1 s.
fn lag(behind: u32, dates: bool) -> Value {
    let date = |second: u32| dates.then_some(second);
    let session = session(&[
        vec![fetch(AUTHORITY, 598, "1", date(598)), fetch(AUTHORITY, 600, "2", date(600))],
        vec![
            fetch(AUTHORITY, 240, "1", date(240 + behind)),
            fetch(MIRROR, 300, "1", None),
            fetch(MIRROR, 605, "2", None),
        ],
    ]);
    let lags = rows(&session, "registry_lag");
    let [lag] = &lags[..] else { panic!("{lags:?}") };
    assert_eq!((&lag["status"], &lag["lag_max_s"]), (&json!("closed"), &json!(7.1)));
    lag["distinguishable"].clone()
}

#[test]
fn a_lag_smaller_than_the_skew_is_not_distinguishable() {
    // The first clock: the server ahead by −0.1 to 1.0 s. The second: by 29.9 to 31.0 s. So the second
    // is behind the first by up to 31.1 s, more than the lag.
    assert_eq!(lag(30, true), json!(false));
    // Both within 1.1 s of each other.
    assert_eq!(lag(0, true), json!(true));
    assert_eq!(lag(30, false), Value::Null);
}

#[test]
fn one_clock_has_no_skew_with_itself() {
    let session = session(&[vec![
        fetch(AUTHORITY, 598, "1", Some(598)),
        fetch(AUTHORITY, 600, "2", Some(600)),
        fetch(MIRROR, 599, "1", None),
        fetch(MIRROR, 601, "2", None),
    ]]);
    assert_eq!(rows(&session, "registry_lag")[0]["distinguishable"], json!(true));
}

#[test]
fn no_time_is_changed_and_the_skew_is_told() {
    let session = session(&[vec![
        fetch(AUTHORITY, 598, "1", Some(598 + 45)),
        fetch(AUTHORITY, 600, "2", Some(600 + 45)),
    ]]);
    let rotation = &rows(&session, "rotations")[0];
    assert_eq!(rotation["rotated_at"], json!("2026-11-14T08:10:00.1Z"));
    let notes = session.sql("SELECT text FROM notes WHERE kind = 'clock_skew'", &[]).unwrap();
    let text = format!("{:?}", notes.batches);
    assert!(text.contains("The clock of https://a.example is ahead of"), "{text}");
    assert!(text.contains("by at least 44900 ms"), "{text}");
}
