//! Extended cards are other resources than the public one: what is confirmed of one says nothing of the other.

use crate::binary::Place;
use serde_json::{Value, json};

/// A GET without an `ETag` at so many seconds after eight; without skills: not modified.
fn get(path: &str, second: u32, skills: Option<&[&str]>) -> Value {
    let card = skills.map(|skills| {
        let skills: Vec<Value> =
            skills.iter().map(|id| json!({"id": id, "name": id, "description": "", "tags": []})).collect();
        json!({
            "name": "A", "description": "", "version": "1", "capabilities": {}, "skills": skills,
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "supportedInterfaces":
                [{"url": "https://a.example/rpc", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}],
        })
    });
    let content = card.as_ref().map_or(
        json!({"size": 0, "mimeType": ""}),
        |card| json!({"size": 1, "mimeType": "application/json", "text": card.to_string()}),
    );
    json!({
        "startedDateTime": format!("2026-11-14T08:00:{second:02}.000Z"), "time": 10.0,
        "request": {"method": "GET", "url": format!("https://a.example{path}"), "httpVersion": "HTTP/1.1",
            "headers": [], "cookies": [], "queryString": [], "headersSize": -1, "bodySize": -1},
        "response": {"status": if card.is_some() { 200 } else { 304 }, "statusText": "", "httpVersion": "HTTP/1.1",
            "headers": [], "cookies": [], "redirectURL": "", "headersSize": -1, "bodySize": -1, "content": content},
        "cache": {}, "timings": {"send": 0, "wait": 10, "receive": 0},
    })
}

#[test]
fn a_304_of_the_public_card_confirms_no_extended_one() {
    const PUBLIC: &str = "/.well-known/agent-card.json";
    const EXTENDED: &str = "/rpc/extendedAgentCard";
    let entries = [
        get(PUBLIC, 0, Some(&["a"])),
        get(EXTENDED, 10, Some(&["a", "secret"])),
        get(PUBLIC, 20, None),
        get(EXTENDED, 30, None),
    ];
    let place = Place::new();
    let har = json!({"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": entries}});
    place.write("a.har", har.to_string());
    let query = |sql: &str| place.done(&["query", "-i", "a.har", "--format", "csv", "-e", sql]);
    // Each confirms its own: two cards, each shown twice.
    assert_eq!(
        query(
            "SELECT extended, count(*) AS n, count(DISTINCT card) AS cards FROM fetches GROUP BY extended ORDER BY 1"
        ),
        "extended,n,cards\nfalse,2,1\ntrue,2,1\n"
    );
    assert_eq!(query("SELECT count(DISTINCT card) AS n FROM fetches"), "n\n2\n");
    assert_eq!(query("SELECT count(*) AS n FROM rotations"), "n\n0\n");
}
