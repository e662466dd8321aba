//! Jaeger's JSON of traces, as its UI downloads them: `data`, a list of traces.

use std::borrow::Cow;

use crate::a2a::json::{Content, List, Maybe, Raw, Text, object, read};
use crate::config::mapping::TimeUnit;
use crate::problem::{At, Kind, Problem};

use super::telemetry::value::{Attributes, Value};
use super::telemetry::{self, Resource, Span, SpanEvent, SpanKind, id, sampling};
use super::{Context, Format, Framing, Sink, time};

/// The reader.
#[derive(Debug)]
pub struct Jaeger;

object! {
    /// A trace.
    struct Trace<'a> {
        "spans" => spans: List<Maybe<SpanFields<'a>>>,
        "processes" => processes: Processes<'a>,
    }
}

object! {
    /// A span.
    struct SpanFields<'a> {
        "traceID" => trace_id: Text<'a>,
        "spanID" => span_id: Text<'a>,
        "parentSpanID" => parent_span_id: Text<'a>,
        "operationName" => name: Text<'a>,
        "references" => references: List<Maybe<Reference<'a>>>,
        "startTime" => start: Text<'a>,
        "duration" => duration: Text<'a>,
        "tags" => tags: List<Maybe<Tag<'a>>>,
        "logs" => logs: List<Maybe<Log<'a>>>,
        "processID" => process_id: Text<'a>,
        "process" => process: Maybe<Process<'a>>,
        "warnings" => warnings: List<Text<'a>>,
    }
}

object! {
    /// A reference to another span.
    struct Reference<'a> {
        "refType" => kind: Text<'a>,
        "spanID" => span_id: Text<'a>,
    }
}

object! {
    /// What happened during a span.
    struct Log<'a> {
        "timestamp" => time: Text<'a>,
        "fields" => fields: List<Maybe<Tag<'a>>>,
    }
}

object! {
    /// A name and a value.
    struct Tag<'a> {
        "key" => key: Text<'a>,
        "value" => value: Raw<'a>,
    }
}

object! {
    /// Who wrote spans.
    struct Process<'a> {
        "serviceName" => service: Content<'a>,
        "tags" => tags: List<Maybe<Tag<'a>>>,
    }
}

/// Processes by their id.
#[derive(Debug, Clone, Default)]
struct Processes<'a>(Vec<(String, Process<'a>)>);

impl crate::a2a::json::Presence for Processes<'_> {
    fn is_present(&self) -> bool {
        !self.0.is_empty()
    }
}

impl<'de: 'a, 'a> serde::Deserialize<'de> for Processes<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&serde_json::value::RawValue>::deserialize(deserializer)?.get();
        let named: std::collections::BTreeMap<String, &serde_json::value::RawValue> =
            serde_json::from_str(raw).unwrap_or_default();
        let read =
            |raw: &'de serde_json::value::RawValue| read::<Process<'_>>(raw.get()).ok().flatten();
        Ok(Self(named.into_iter().filter_map(|(name, raw)| Some((name, read(raw)?))).collect()))
    }
}

impl Format for Jaeger {
    fn name(&self) -> &'static str {
        "jaeger"
    }

    fn summary(&self) -> &'static str {
        "traces downloaded from Jaeger's UI or read from its HTTP API: times, status, errors; no bodies"
    }

    fn framing(&self) -> Framing {
        Framing::JsonArray(&["data"])
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        let text = String::from_utf8_lossy(head);
        if !text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            return Err("does not begin with a JSON object".to_owned());
        }
        for key in ["\"data\"", "\"traceID\"", "\"spans\""] {
            if !text.contains(key) {
                return Err(format!("has no {key} at its beginning"));
            }
        }
        Ok(())
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let text = String::from_utf8_lossy(record);
        let trace = match read::<Trace<'_>>(&text) {
            Ok(Some(trace)) => trace,
            Ok(None) => {
                return sink.problem(Problem::new(Kind::WrongType, at, "a trace is an object"));
            }
            Err(error) => {
                let kind = if error.truncated { Kind::TruncatedRecord } else { Kind::NotJson };
                return sink.problem(Problem::new(kind, at, error.to_string()));
            }
        };
        let resources: Vec<(&str, Resource<'_>)> = trace
            .processes
            .0
            .iter()
            .map(|(name, process)| (name.as_str(), resource(process)))
            .collect();
        let nobody = Resource::default();
        for fields in trace.spans.0.iter().filter_map(|fields| fields.0.as_ref()) {
            let Some(span) = span(fields, at, sink) else { continue };
            let own = fields.process.0.as_ref().map(resource);
            let by_id = || {
                let wanted = fields.process_id.get()?;
                resources.iter().find(|(name, _)| *name == wanted).map(|(_, resource)| resource)
            };
            telemetry::span(
                &span,
                own.as_ref().or_else(by_id).unwrap_or(&nobody),
                at,
                context,
                sink,
            );
        }
    }
}

fn resource<'a>(process: &Process<'a>) -> Resource<'a> {
    let mut attributes = attributes(&process.tags);
    if let Some(name) = &process.service.0 {
        attributes.0.push((Cow::Borrowed("service.name"), Value::Text(name.clone())));
    }
    Resource { attributes }
}

fn attributes<'a>(tags: &List<Maybe<Tag<'a>>>) -> Attributes<'a> {
    let tags = tags.0.iter().filter_map(|tag| tag.0.as_ref());
    Attributes(
        tags.filter_map(|tag| Some((tag.key.0.clone()?, Value::Json(Cow::Borrowed(tag.value.0?)))))
            .collect(),
    )
}

fn span<'a>(fields: &SpanFields<'a>, at: At, sink: &mut dyn Sink) -> Option<Span<'a>> {
    let micros = |text: &Text<'_>| text.get().map(|text| time::number(text, TimeUnit::Micros));
    let start = match micros(&fields.start) {
        None => None,
        Some(Ok(start)) => Some(start),
        Some(Err(_)) => {
            sink.problem(
                Problem::new(Kind::BadTime, at, "one span was left out").pointing("/startTime"),
            );
            return None;
        }
    };
    let duration = micros(&fields.duration).and_then(Result::ok).unwrap_or_default();
    let attributes = attributes(&fields.tags);
    let kind = attributes.text("span.kind").map(|text| SpanKind::parse(&text)).unwrap_or_default();
    let failed = attributes.text("error").is_some_and(|text| text == "true")
        || attributes.text("otel.status_code").is_some_and(|text| text == "ERROR");
    let references = fields.references.0.iter().filter_map(|reference| reference.0.as_ref());
    let parent = references
        .filter(|reference| reference.kind.get() != Some("FOLLOWS_FROM"))
        .find_map(|reference| reference.span_id.0.clone())
        .or_else(|| fields.parent_span_id.0.clone());
    Some(Span {
        trace_id: fields.trace_id.0.clone().and_then(|text| id::parse(text, 16)),
        span_id: fields.span_id.0.clone().and_then(|text| id::parse(text, 8)),
        parent_span_id: parent.and_then(|text| id::parse(text, 8)),
        name: fields.name.0.clone().unwrap_or_default(),
        kind,
        start,
        end: start.and_then(|start| start.checked_add(duration)),
        events: fields.logs.0.iter().filter_map(|log| log.0.as_ref()).map(event).collect(),
        failed,
        status_message: attributes.text("otel.status_description"),
        scope: attributes.text("otel.scope.name").or_else(|| attributes.text("otel.library.name")),
        adjusted: fields
            .warnings
            .0
            .iter()
            .filter_map(Text::get)
            .any(|text| text.contains("timestamps were adjusted")),
        trace_state: sampling::trace_state(&attributes),
        tail_sampled: sampling::tail_sampled(&attributes),
        attributes,
    })
}

/// A log of a span: its name is a field of it.
fn event<'a>(log: &Log<'a>) -> SpanEvent<'a> {
    let attributes = attributes(&log.fields);
    SpanEvent {
        time: log.time.get().and_then(|text| time::number(text, TimeUnit::Micros).ok()),
        name: attributes.text("event").unwrap_or_default(),
        attributes,
    }
}
