//! OTLP/JSON. Field names in both casings; 64-bit numbers as strings or numbers; enums as numbers or
//! names; ids in hex or base64.

use std::borrow::Cow;

use crate::a2a::json::{List, Maybe, Text, object, read_each};
use crate::config::mapping::TimeUnit;
use crate::formats::telemetry::{
    self, LogRecord, Resource, Span, SpanEvent, SpanKind, id, sampling,
};
use crate::formats::time;
use crate::formats::{Context, Format, Framing, Sink};
use crate::problem::{At, Kind, Problem};

use super::Place;
use super::value::{AnyValue, KeyValues};

/// The reader.
#[derive(Debug)]
pub struct OtlpJson;

object! {
    /// One request of an exporter, or what Jaeger's `api_v3` answers.
    struct Export<'a> {
        "resourceSpans" | "resource_spans" => resource_spans: List<Maybe<ResourceSpans<'a>>>,
        "resourceLogs" | "resource_logs" => resource_logs: List<Maybe<ResourceLogs<'a>>>,
        "result" => result: Maybe<Box<Export<'a>>>,
    }
}

object! {
    /// Spans of one resource.
    struct ResourceSpans<'a> {
        "resource" => resource: Maybe<ResourceFields<'a>>,
        "scopeSpans" | "scope_spans" | "instrumentationLibrarySpans" => scopes: List<Maybe<ScopeSpans<'a>>>,
    }
}

object! {
    /// Spans of one library.
    struct ScopeSpans<'a> {
        "scope" | "instrumentationLibrary" => scope: Maybe<ScopeFields<'a>>,
        "spans" => spans: List<Maybe<SpanFields<'a>>>,
    }
}

object! {
    /// Logs of one resource.
    struct ResourceLogs<'a> {
        "resource" => resource: Maybe<ResourceFields<'a>>,
        "scopeLogs" | "scope_logs" | "instrumentationLibraryLogs" => scopes: List<Maybe<ScopeLogs<'a>>>,
    }
}

object! {
    /// Logs of one library.
    struct ScopeLogs<'a> {
        "scope" | "instrumentationLibrary" => scope: Maybe<ScopeFields<'a>>,
        "logRecords" | "log_records" | "logs" => records: List<Maybe<LogFields<'a>>>,
    }
}

object! {
    /// A library.
    struct ScopeFields<'a> {
        "name" => name: Text<'a>,
        "attributes" => attributes: KeyValues<'a>,
    }
}

object! {
    /// A resource.
    struct ResourceFields<'a> {
        "attributes" => attributes: KeyValues<'a>,
    }
}

object! {
    /// A span.
    struct SpanFields<'a> {
        "traceId" | "trace_id" => trace_id: Text<'a>,
        "spanId" | "span_id" => span_id: Text<'a>,
        "parentSpanId" | "parent_span_id" => parent_span_id: Text<'a>,
        "traceState" | "trace_state" => trace_state: Text<'a>,
        "name" => name: Text<'a>,
        "kind" => kind: Text<'a>,
        "startTimeUnixNano" | "start_time_unix_nano" => start: Text<'a>,
        "endTimeUnixNano" | "end_time_unix_nano" => end: Text<'a>,
        "attributes" => attributes: KeyValues<'a>,
        "events" => events: List<Maybe<EventFields<'a>>>,
        "status" => status: Maybe<StatusFields<'a>>,
    }
}

object! {
    /// What happened during a span.
    struct EventFields<'a> {
        "timeUnixNano" | "time_unix_nano" => time: Text<'a>,
        "name" => name: Text<'a>,
        "attributes" => attributes: KeyValues<'a>,
    }
}

object! {
    /// How a span ended.
    struct StatusFields<'a> {
        "code" => code: Text<'a>,
        "message" => message: Text<'a>,
    }
}

object! {
    /// A log record.
    struct LogFields<'a> {
        "timeUnixNano" | "time_unix_nano" => time: Text<'a>,
        "observedTimeUnixNano" | "observed_time_unix_nano" => observed: Text<'a>,
        "eventName" | "event_name" => event_name: Text<'a>,
        "body" => body: AnyValue<'a>,
        "attributes" => attributes: KeyValues<'a>,
        "traceId" | "trace_id" => trace_id: Text<'a>,
        "spanId" | "span_id" => span_id: Text<'a>,
    }
}

/// Words of spans as OTLP writes them.
const WITHIN: [&str; 3] = ["\"traceId\":", "\"spanId\":", "\"startTimeUnixNano\":"];

/// Whether the first key of the object, or of the object in its `result`, is one of an export.
pub(super) fn begins_export(text: &str) -> bool {
    let mut rest = text;
    if !rest.starts_with('{') {
        return false;
    }
    for _ in 0..2 {
        rest = rest.strip_prefix('{').unwrap_or(rest).trim_start();
        let Some((key, after)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'))
        else {
            return false;
        };
        if MARKS.contains(&key) {
            return true;
        }
        if key != "result" {
            return false;
        }
        rest = after.trim_start().strip_prefix(':').unwrap_or(after).trim_start();
    }
    false
}

impl Format for OtlpJson {
    fn name(&self) -> &'static str {
        "otlp-json"
    }

    fn summary(&self) -> &'static str {
        "OpenTelemetry traces and logs as JSON lines or whole files, and Jaeger api_v3 answers: times, status, \
         errors; bodies when log records hold them"
    }

    fn framing(&self) -> Framing {
        Framing::JsonValues
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        // Damaged lines may come first, and lines may be longer than what is here.
        let in_midst = !text.starts_with('{')
            && (WITHIN.iter().all(|word| text.contains(word))
                || MARKS.iter().any(|mark| text.contains(&format!("\"{mark}\":["))));
        if begins_export(text) || text.lines().skip(1).any(begins_export) || in_midst {
            return Ok(());
        }
        Err(if text.starts_with('{') {
            "its first key is none of resourceSpans, resourceLogs and resourceMetrics".to_owned()
        } else {
            "does not begin with a JSON object".to_owned()
        })
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let Ok(text) = std::str::from_utf8(record) else {
            return sink.problem(Problem::new(Kind::NotJson, at, "not UTF-8"));
        };
        let exports = match read_each::<Export<'_>>(text) {
            Ok(exports) => exports,
            Err(error) => {
                let kind = if error.truncated { Kind::TruncatedRecord } else { Kind::NotJson };
                return sink.problem(Problem::new(kind, at, error.to_string()));
            }
        };
        for export in exports {
            read(export, at, context, sink);
        }
    }
}

const MARKS: &[&str] = &[
    "resourceSpans",
    "resource_spans",
    "resourceLogs",
    "resource_logs",
    "resourceMetrics",
    "resource_metrics",
];

fn read(export: Export<'_>, at: At, context: &Context<'_>, sink: &mut dyn Sink) {
    if let Some(inner) = export.result.0 {
        read(*inner, at, context, sink);
    }
    let mut place = Place { at, is_span: true, resource: 0, scope: 0, item: 0 };
    for (number, group) in export.resource_spans.0.into_iter().enumerate() {
        let Some(group) = group.0 else { continue };
        let resource = resource(group.resource);
        place.resource = number;
        for (number, scope) in group.scopes.0.into_iter().enumerate() {
            let Some(scope) = scope.0 else { continue };
            let library = scope.scope.0.unwrap_or_default();
            let (name, tail_sampled) =
                (library.name.0, sampling::tail_sampled(&library.attributes.0));
            place.scope = number;
            for (number, fields) in scope.spans.0.into_iter().enumerate() {
                place.item = number;
                let Some(fields) = fields.0 else { continue };
                if let Some(span) = span(fields, name.clone(), place, sink) {
                    let span = Span { tail_sampled, ..span };
                    telemetry::span(&span, &resource, at, context, sink);
                }
            }
        }
    }
    place.is_span = false;
    for (number, group) in export.resource_logs.0.into_iter().enumerate() {
        let Some(group) = group.0 else { continue };
        let resource = resource(group.resource);
        place.resource = number;
        for (number, scope) in group.scopes.0.into_iter().enumerate() {
            let Some(scope) = scope.0 else { continue };
            let name = scope.scope.0.and_then(|scope| scope.name.0);
            place.scope = number;
            for (number, fields) in scope.records.0.into_iter().enumerate() {
                place.item = number;
                let Some(fields) = fields.0 else { continue };
                if let Some(log) = log(fields, name.clone(), place, sink) {
                    telemetry::log(&log, &resource, at, context, sink);
                }
            }
        }
    }
}

fn resource(fields: Maybe<ResourceFields<'_>>) -> Resource<'_> {
    Resource { attributes: fields.0.map(|fields| fields.attributes.0).unwrap_or_default() }
}

/// `None` (and a problem) when a time cannot be told.
fn span<'a>(
    fields: SpanFields<'a>,
    scope: Option<Cow<'a, str>>,
    place: Place,
    sink: &mut dyn Sink,
) -> Option<Span<'a>> {
    let start = nanos(&fields.start, "startTimeUnixNano", place, sink)?;
    let end = nanos(&fields.end, "endTimeUnixNano", place, sink)?;
    let status = fields.status.0.unwrap_or_default();
    let events = fields.events.0.into_iter().filter_map(|event| event.0);
    Some(Span {
        trace_id: fields.trace_id.0.and_then(|text| id::parse(text, 16)),
        span_id: fields.span_id.0.and_then(|text| id::parse(text, 8)),
        parent_span_id: fields.parent_span_id.0.and_then(|text| id::parse(text, 8)),
        name: fields.name.0.unwrap_or_default(),
        kind: fields.kind.get().map(SpanKind::parse).unwrap_or_default(),
        start,
        end,
        attributes: fields.attributes.0,
        events: events
            .map(|event| SpanEvent {
                time: event.time.get().and_then(|text| time::number(text, TimeUnit::Nanos).ok()),
                name: event.name.0.unwrap_or_default(),
                attributes: event.attributes.0,
            })
            .collect(),
        failed: status.code.get().is_some_and(|code| code == "2" || code.ends_with("ERROR")),
        status_message: status.message.0,
        scope,
        adjusted: false,
        trace_state: fields.trace_state.0,
        tail_sampled: false,
    })
}

fn log<'a>(
    fields: LogFields<'a>,
    scope: Option<Cow<'a, str>>,
    place: Place,
    sink: &mut dyn Sink,
) -> Option<LogRecord<'a>> {
    let time = nanos(&fields.time, "timeUnixNano", place, sink)?;
    let observed = nanos(&fields.observed, "observedTimeUnixNano", place, sink)?;
    Some(LogRecord {
        time: time.or(observed),
        scope,
        event_name: fields.event_name.0,
        body: fields.body.0,
        attributes: fields.attributes.0,
        trace_id: fields.trace_id.0.and_then(|text| id::parse(text, 16)),
        span_id: fields.span_id.0.and_then(|text| id::parse(text, 8)),
    })
}

/// Inner `None`: absent or 0, which both mean "not set". Outer `None`, and a problem: no time.
#[expect(clippy::option_option, reason = "the two absences differ: one leaves the record out")]
fn nanos(text: &Text<'_>, field: &str, place: Place, sink: &mut dyn Sink) -> Option<Option<i64>> {
    let Some(text) = text.get() else { return Some(None) };
    match time::number(text, TimeUnit::Nanos) {
        Ok(0) => Some(None),
        Ok(nanos) => Some(Some(nanos)),
        Err(why) => {
            place.no_time(why, field, sink);
            None
        }
    }
}
