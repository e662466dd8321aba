//! The raw bytes of an event stream, as `curl` saves them: what an agent answered, without the
//! request, and with no other times than those that its objects carry.

use std::borrow::Cow;

use crate::a2a::object::{Item, replies};
use crate::a2a::sse;
use crate::exchange::{Exchange, StreamPiece};
use crate::problem::{At, Kind, Problem};

use super::{Context, Format, Framing, Sink, time};

/// The reader.
#[derive(Debug)]
pub struct SseDump;

impl Format for SseDump {
    fn name(&self) -> &'static str {
        "sse"
    }

    fn summary(&self) -> &'static str {
        "the raw bytes of an event stream: tasks and artifacts, dated by the timestamps in them; no request, no client"
    }

    fn framing(&self) -> Framing {
        Framing::Whole
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        let text = String::from_utf8_lossy(head);
        // The first line may be half of one; what is no field is passed over.
        let after = text.split_once('\n').map_or("", |(_, after)| after);
        if !sse::looks_like_stream(&text) && !sse::looks_like_stream(after) {
            return Err("does not begin with a field of an event stream".to_owned());
        }
        let holds = |data: &str| {
            replies(data).is_ok_and(|list| list.iter().any(|reply| !reply.items.is_empty()))
        };
        if sse::events(&text).any(|event| holds(&event.data)) {
            Ok(())
        } else {
            Err("none of its events holds an A2A object".to_owned())
        }
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let text = String::from_utf8_lossy(record);
        let (mut first, mut last) = (None::<i64>, None::<i64>);
        let mut stream = Vec::new();
        for event in sse::events(&text) {
            for nanos in times(&event.data, context) {
                first = Some(first.map_or(nanos, |known| known.min(nanos)));
                last = Some(last.map_or(nanos, |known| known.max(nanos)));
            }
            stream.push(StreamPiece { time: None, data: event.data });
        }
        let Some(started_at) = first else {
            let detail = "none of its objects has a timestamp, so that it cannot be placed";
            return sink.problem(Problem::new(Kind::MissingField, at, detail));
        };
        sink.exchange(Exchange {
            at,
            started_at,
            ended_at: last,
            method: Some(Cow::Borrowed("POST")),
            status: Some(200),
            bare: true,
            stream,
            ..Exchange::default()
        });
    }
}

/// The timestamps of the statuses in one event.
fn times(data: &str, context: &Context<'_>) -> Vec<i64> {
    let items = replies(data).unwrap_or_default().into_iter().flat_map(|reply| reply.items);
    items
        .filter_map(|item| match item {
            Item::Task(task) => task.status.timestamp.0,
            Item::Status(update) => update.status.timestamp.0,
            Item::Message(_) | Item::Artifact(_) | Item::Error(_) => None,
        })
        .filter_map(|text| time::text(&text, None, context.assume_zone).ok())
        .map(|instant| instant.nanos)
        .collect()
}
