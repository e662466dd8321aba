//! Spans that the OpenTelemetry SDK for Python prints with its console exporter: JSON objects back to
//! back.

use std::borrow::Cow;

use crate::a2a::json::{Key, List, Maybe, Presence, Raw, Text, object, read};
use crate::problem::{At, Kind, Problem};

use super::telemetry::value::{Attributes, Value};
use super::telemetry::{self, Resource, Span, SpanEvent, SpanKind, id};
use super::time::{self, Instant};
use super::{Context, Format, Framing, Sink};

/// The reader.
#[derive(Debug)]
pub struct Console;

object! {
    /// A span.
    struct SpanFields<'a> {
        "name" => name: Text<'a>,
        "context" => context: Maybe<ContextFields<'a>>,
        "kind" => kind: Text<'a>,
        "parent_id" => parent_id: Text<'a>,
        "start_time" => start: Text<'a>,
        "end_time" => end: Text<'a>,
        "status" => status: Maybe<StatusFields<'a>>,
        "attributes" => attributes: Named<'a>,
        "events" => events: List<Maybe<EventFields<'a>>>,
        "resource" => resource: Maybe<ResourceFields<'a>>,
    }
}

object! {
    /// Its ids.
    struct ContextFields<'a> {
        "trace_id" => trace_id: Text<'a>,
        "span_id" => span_id: Text<'a>,
        "trace_state" => trace_state: Text<'a>,
    }
}

object! {
    /// How it ended.
    struct StatusFields<'a> {
        "status_code" => code: Text<'a>,
        "description" => message: Text<'a>,
    }
}

object! {
    /// What happened during it.
    struct EventFields<'a> {
        "name" => name: Text<'a>,
        "timestamp" => time: Text<'a>,
        "attributes" => attributes: Named<'a>,
    }
}

object! {
    /// Who wrote it.
    struct ResourceFields<'a> {
        "attributes" => attributes: Named<'a>,
    }
}

/// An object of names and values.
#[derive(Debug, Clone, Default)]
struct Named<'a>(Attributes<'a>);

impl Presence for Named<'_> {
    fn is_present(&self) -> bool {
        !self.0.0.is_empty()
    }
}

impl<'de: 'a, 'a> serde::Deserialize<'de> for Named<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> serde::de::Visitor<'de> for Pairs {
            type Value = Named<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
                    let raw: Raw<'de> = map.next_value()?;
                    pairs.push((
                        key,
                        raw.0.map_or(Value::Null, |raw| Value::Json(Cow::Borrowed(raw))),
                    ));
                }
                Ok(Named(Attributes(pairs)))
            }
        }
        let raw = <&serde_json::value::RawValue>::deserialize(deserializer)?.get();
        if !raw.starts_with('{') {
            return Ok(Self::default());
        }
        serde::Deserializer::deserialize_map(&mut serde_json::Deserializer::from_str(raw), Pairs)
            .map_err(serde::de::Error::custom)
    }
}

impl Format for Console {
    fn name(&self) -> &'static str {
        "otel-console"
    }

    fn summary(&self) -> &'static str {
        "spans printed by the console exporter of OpenTelemetry for Python: times, status, errors; no bodies"
    }

    fn framing(&self) -> Framing {
        Framing::JsonValues
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        let text = String::from_utf8_lossy(head);
        if !text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            return Err("does not begin with a JSON object".to_owned());
        }
        for key in ["\"context\"", "\"trace_id\"", "\"SpanKind.", "\"start_time\""] {
            if !text.contains(key) {
                return Err(format!("has no {key} at its beginning"));
            }
        }
        Ok(())
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let text = String::from_utf8_lossy(record);
        let fields = match read::<SpanFields<'_>>(&text) {
            Ok(Some(fields)) => fields,
            Ok(None) => {
                return sink.problem(Problem::new(Kind::WrongType, at, "a span is an object"));
            }
            Err(error) => {
                let kind = if error.truncated { Kind::TruncatedRecord } else { Kind::NotJson };
                return sink.problem(Problem::new(kind, at, error.to_string()));
            }
        };
        let instant =
            |text: &Text<'_>| text.get().map(|text| time::text(text, None, context.assume_zone));
        let (start, end) =
            match (instant(&fields.start).transpose(), instant(&fields.end).transpose()) {
                (Ok(start), Ok(end)) => {
                    let odd =
                        |instant: Option<Instant>| instant.map(|it| it.odd).unwrap_or_default();
                    odd(start).and(odd(end)).tell(at, "/start_time", sink);
                    (start.map(|at| at.nanos), end.map(|at| at.nanos))
                }
                _ => {
                    return sink.problem(Problem::new(Kind::BadTime, at, "start_time or end_time"));
                }
            };
        let ids = fields.context.0.unwrap_or_default();
        let status = fields.status.0.unwrap_or_default();
        let resource = Resource { attributes: fields.resource.0.unwrap_or_default().attributes.0 };
        let events = fields.events.0.into_iter().filter_map(|event| event.0);
        let span = Span {
            trace_id: ids.trace_id.0.and_then(|text| id::parse(text, 16)),
            span_id: ids.span_id.0.and_then(|text| id::parse(text, 8)),
            parent_span_id: fields.parent_id.0.and_then(|text| id::parse(text, 8)),
            name: fields.name.0.unwrap_or_default(),
            kind: fields.kind.get().map(SpanKind::parse).unwrap_or_default(),
            start,
            end,
            attributes: fields.attributes.0,
            events: events
                .map(|event| SpanEvent {
                    time: instant(&event.time).and_then(Result::ok).map(|at| at.nanos),
                    name: event.name.0.unwrap_or_default(),
                    attributes: event.attributes.0,
                })
                .collect(),
            failed: status.code.get() == Some("ERROR"),
            status_message: status.message.0,
            scope: None,
            adjusted: false,
            trace_state: ids.trace_state.0,
            tail_sampled: false,
        };
        telemetry::span(&span, &resource, at, context, sink);
    }
}
