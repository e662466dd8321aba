//! A proxy's HAR and the spans of client and server saw the same calls (model §1 *Joining*): each
//! counts once, and the spans, which have no bodies, take nothing away.

use crate::recorded::{self, Recorded};
use carddrift::formats::Format;
use carddrift::formats::har::Har;
use carddrift::formats::otlp::OtlpJson;
use serde_json::value::RawValue;

#[derive(serde::Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    log: Log<'a>,
}

#[derive(serde::Deserialize)]
struct Log<'a> {
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

type Source<'s> = (&'s str, &'s dyn Format, Vec<Vec<u8>>);

fn har(sdk: &str) -> Source<'static> {
    let bytes = recorded::file(&format!("samples/har/a2a-sdk-python-{sdk}.har"));
    let file: File<'_> = serde_json::from_slice(&bytes).unwrap();
    let entries = file.log.entries.iter().map(|entry| entry.get().as_bytes().to_vec());
    ("proxy.har", &Har, entries.collect())
}

fn spans(sdk: &str) -> Source<'static> {
    let bytes = recorded::gunzipped(&format!("samples/otlp/a2a-sdk-python-{sdk}.jsonl.gz"));
    ("spans.jsonl", &OtlpJson, recorded::lines(&bytes))
}

/// The events but for the client, which the spans alone name.
fn events(recorded: &Recorded) -> Vec<String> {
    let mut events = recorded.events.clone();
    for event in &mut events {
        event.common_mut().client = None;
    }
    let mut events: Vec<_> = events.iter().map(|event| format!("{event:?}")).collect();
    events.sort();
    events
}

#[test]
fn har_and_spans_tell_what_the_har_tells() {
    for (sdk, exchanges, sightings) in [("0.3.26", 19, 38), ("1.3.0", 32, 96)] {
        let alone = recorded::read(&[har(sdk)], "");
        let both = recorded::read(&[har(sdk), spans(sdk)], "");
        assert_eq!((alone.sightings, both.sightings), (exchanges, sightings));
        assert_eq!(events(&both), events(&alone), "{sdk}");
        assert!(both.events.iter().all(|event| event.common().client.is_some()), "{sdk}");
        assert_eq!(both.problems, alone.problems, "{sdk}");
        let other_way = recorded::read(&[spans(sdk), har(sdk)], "");
        assert_eq!(events(&other_way), events(&alone), "{sdk}");
    }
}
