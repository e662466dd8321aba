//! OTLP/protobuf: `ExportTraceServiceRequest` and `ExportLogsServiceRequest`, whole or as the
//! Collector's length-prefixed frames.
//!
//! The messages are declared here by hand, with the fields that are used; the rest is skipped.

use std::borrow::Cow;

use prost::{Message, Oneof};

use crate::formats::telemetry::value::{Attributes, Value};
use crate::formats::telemetry::{
    self, LogRecord, Resource, Span, SpanEvent, SpanKind, id, sampling,
};
use crate::formats::time::BadTime;
use crate::formats::{Context, Format, Framing, Sink};
use crate::problem::{At, Kind, Problem};

use super::Place;
use super::json::{OtlpJson, begins_export};
use super::look::{looks_like_export, message_at, next_message};

/// The reader of one message that fills a file.
#[derive(Debug)]
pub struct OtlpProto;

/// The reader of the Collector's frames: protobuf or JSON, each after its length.
#[derive(Debug)]
pub struct OtlpFrames;

#[derive(Clone, PartialEq, Message)]
struct TraceExport {
    #[prost(message, repeated, tag = "1")]
    groups: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, Message)]
struct LogExport {
    #[prost(message, repeated, tag = "1")]
    groups: Vec<ResourceLogs>,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    resource: Option<ResourceFields>,
    #[prost(message, repeated, tag = "2")]
    scopes: Vec<ScopeSpans>,
}

#[derive(Clone, PartialEq, Message)]
struct ScopeSpans {
    #[prost(message, optional, tag = "1")]
    scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    spans: Vec<SpanFields>,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceLogs {
    #[prost(message, optional, tag = "1")]
    resource: Option<ResourceFields>,
    #[prost(message, repeated, tag = "2")]
    scopes: Vec<ScopeLogs>,
}

#[derive(Clone, PartialEq, Message)]
struct ScopeLogs {
    #[prost(message, optional, tag = "1")]
    scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    records: Vec<LogFields>,
}

#[derive(Clone, PartialEq, Message)]
struct Scope {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, repeated, tag = "3")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceFields {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct SpanFields {
    #[prost(bytes = "vec", tag = "1")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    span_id: Vec<u8>,
    #[prost(string, tag = "3")]
    trace_state: String,
    #[prost(bytes = "vec", tag = "4")]
    parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    name: String,
    #[prost(int32, tag = "6")]
    kind: i32,
    #[prost(fixed64, tag = "7")]
    start: u64,
    #[prost(fixed64, tag = "8")]
    end: u64,
    #[prost(message, repeated, tag = "9")]
    attributes: Vec<KeyValue>,
    #[prost(message, repeated, tag = "11")]
    events: Vec<EventFields>,
    #[prost(message, optional, tag = "15")]
    status: Option<StatusFields>,
}

#[derive(Clone, PartialEq, Message)]
struct EventFields {
    #[prost(fixed64, tag = "1")]
    time: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(message, repeated, tag = "3")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct StatusFields {
    #[prost(string, tag = "2")]
    message: String,
    #[prost(int32, tag = "3")]
    code: i32,
}

#[derive(Clone, PartialEq, Message)]
struct LogFields {
    #[prost(fixed64, tag = "1")]
    time: u64,
    #[prost(message, optional, tag = "5")]
    body: Option<AnyValue>,
    #[prost(message, repeated, tag = "6")]
    attributes: Vec<KeyValue>,
    #[prost(bytes = "vec", tag = "9")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "10")]
    span_id: Vec<u8>,
    #[prost(fixed64, tag = "11")]
    observed: u64,
    #[prost(string, tag = "12")]
    event_name: String,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct AnyValue {
    #[prost(oneof = "AnyKind", tags = "1, 2, 3, 4, 5, 6, 7")]
    kind: Option<AnyKind>,
}

#[derive(Clone, PartialEq, Oneof)]
enum AnyKind {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(bool, tag = "2")]
    Flag(bool),
    #[prost(int64, tag = "3")]
    Int(i64),
    #[prost(double, tag = "4")]
    Double(f64),
    #[prost(message, tag = "5")]
    List(ArrayValue),
    #[prost(message, tag = "6")]
    Map(KeyValueList),
    #[prost(bytes = "vec", tag = "7")]
    Bytes(Vec<u8>),
}

#[derive(Clone, PartialEq, Message)]
struct ArrayValue {
    #[prost(message, repeated, tag = "1")]
    values: Vec<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValueList {
    #[prost(message, repeated, tag = "1")]
    values: Vec<KeyValue>,
}

impl Format for OtlpProto {
    fn name(&self) -> &'static str {
        "otlp-proto"
    }

    fn summary(&self) -> &'static str {
        "OpenTelemetry traces or logs as protobuf, one message or several after their lengths: times, status, errors; bodies when log records hold them"
    }

    fn framing(&self) -> Framing {
        Framing::Whole
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        looks_like_export(head).or_else(|why| {
            let first = message_at(head).ok_or_else(|| why.clone())?;
            looks_like_export(first).map_err(|_| why)
        })
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        if looks_like_export(record).is_ok() {
            return read(record, at, context, sink);
        }
        let mut rest = record;
        while let Some((message, after)) = next_message(rest) {
            let begins = record.len() - rest.len();
            let at = At { byte: at.byte + begins as u64, ..at };
            read(message, at, context, sink);
            rest = after;
        }
        if !rest.is_empty() {
            let detail = format!("the last {} bytes are no whole message", rest.len());
            sink.problem(Problem::new(Kind::TruncatedRecord, at, detail));
        }
    }
}

impl Format for OtlpFrames {
    fn name(&self) -> &'static str {
        "otlp-frames"
    }

    fn summary(&self) -> &'static str {
        "the OpenTelemetry Collector's file exporter with compression or protobuf: frames after their length"
    }

    fn framing(&self) -> Framing {
        Framing::LengthPrefixed
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        let Some((length, rest)) = head.split_first_chunk::<4>() else {
            return Err("shorter than a length".to_owned());
        };
        let length = u32::from_be_bytes(*length) as usize;
        if length == 0 || length > (1 << 30) {
            return Err("does not begin with a 4-byte length".to_owned());
        }
        let frame = rest.get(..length).unwrap_or(rest);
        if begins_export(String::from_utf8_lossy(frame).trim_start()) {
            return Ok(());
        }
        looks_like_export(frame).map_err(|why| format!("the first frame: {why}"))
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        if record.first() == Some(&b'{') {
            OtlpJson.parse(record, at, context, sink);
        } else {
            read(record, at, context, sink);
        }
    }
}

fn read(record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
    // Spans and log records differ in the wire types of their fields, so that the wrong one of the
    // two does not decode.
    if let Ok(export) = TraceExport::decode(record) {
        spans(&export, at, context, sink);
    } else if let Ok(export) = LogExport::decode(record) {
        logs(&export, at, context, sink);
    } else {
        sink.problem(Problem::new(Kind::NotJson, at, "not a protobuf message of OTLP"));
    }
}

fn spans(export: &TraceExport, at: At, context: &Context<'_>, sink: &mut dyn Sink) {
    let mut place = Place { at, is_span: true, resource: 0, scope: 0, item: 0 };
    for (number, group) in export.groups.iter().enumerate() {
        let resource = resource(group.resource.as_ref());
        place.resource = number;
        for (number, scope) in group.scopes.iter().enumerate() {
            place.scope = number;
            for (number, fields) in scope.spans.iter().enumerate() {
                place.item = number;
                if let Some(span) = span_of(fields, scope.scope.as_ref(), place, sink) {
                    telemetry::span(&span, &resource, at, context, sink);
                }
            }
        }
    }
}

fn logs(export: &LogExport, at: At, context: &Context<'_>, sink: &mut dyn Sink) {
    let mut place = Place { at, is_span: false, resource: 0, scope: 0, item: 0 };
    for (number, group) in export.groups.iter().enumerate() {
        let resource = resource(group.resource.as_ref());
        place.resource = number;
        for (number, scope) in group.scopes.iter().enumerate() {
            place.scope = number;
            for (number, fields) in scope.records.iter().enumerate() {
                place.item = number;
                if let Some(log) = log_of(fields, scope.scope.as_ref(), place, sink) {
                    telemetry::log(&log, &resource, at, context, sink);
                }
            }
        }
    }
}

/// 0 means "not set". An error, and a problem: no time.
fn nanos(value: u64, field: &str, place: Place, sink: &mut dyn Sink) -> Result<Option<i64>, ()> {
    match i64::try_from(value) {
        Ok(0) => Ok(None),
        Ok(nanos) => Ok(Some(nanos)),
        Err(_) => {
            place.no_time(BadTime::Range, field, sink);
            Err(())
        }
    }
}

fn scope_name(scope: Option<&Scope>) -> Option<Cow<'_, str>> {
    scope.map(|scope| scope.name.as_str()).filter(|name| !name.is_empty()).map(Cow::Borrowed)
}

fn span_of<'a>(
    fields: &'a SpanFields,
    scope: Option<&'a Scope>,
    place: Place,
    sink: &mut dyn Sink,
) -> Option<Span<'a>> {
    let start = nanos(fields.start, "startTimeUnixNano", place, sink).ok()?;
    let end = nanos(fields.end, "endTimeUnixNano", place, sink).ok()?;
    let status = fields.status.as_ref();
    Some(Span {
        trace_id: id::hex(&fields.trace_id),
        span_id: id::hex(&fields.span_id),
        parent_span_id: id::hex(&fields.parent_span_id),
        name: Cow::Borrowed(&fields.name),
        kind: SpanKind::parse(&fields.kind.to_string()),
        start,
        end,
        attributes: attributes(&fields.attributes),
        events: fields
            .events
            .iter()
            .map(|event| SpanEvent {
                time: i64::try_from(event.time).ok().filter(|time| *time != 0),
                name: Cow::Borrowed(&event.name),
                attributes: attributes(&event.attributes),
            })
            .collect(),
        failed: status.is_some_and(|status| status.code == 2),
        status_message: status
            .map(|status| status.message.as_str())
            .filter(|text| !text.is_empty())
            .map(Cow::Borrowed),
        scope: scope_name(scope),
        adjusted: false,
        trace_state: Some(fields.trace_state.as_str())
            .filter(|text| !text.is_empty())
            .map(Cow::Borrowed),
        tail_sampled: scope
            .is_some_and(|scope| sampling::tail_sampled(&attributes(&scope.attributes))),
    })
}

fn log_of<'a>(
    fields: &'a LogFields,
    scope: Option<&'a Scope>,
    place: Place,
    sink: &mut dyn Sink,
) -> Option<LogRecord<'a>> {
    let time = nanos(fields.time, "timeUnixNano", place, sink).ok()?;
    let observed = nanos(fields.observed, "observedTimeUnixNano", place, sink).ok()?;
    Some(LogRecord {
        time: time.or(observed),
        scope: scope_name(scope),
        event_name: Some(fields.event_name.as_str())
            .filter(|name| !name.is_empty())
            .map(Cow::Borrowed),
        body: fields.body.as_ref().map(value).unwrap_or_default(),
        attributes: attributes(&fields.attributes),
        trace_id: id::hex(&fields.trace_id),
        span_id: id::hex(&fields.span_id),
    })
}

fn resource(fields: Option<&ResourceFields>) -> Resource<'_> {
    Resource { attributes: fields.map(|fields| attributes(&fields.attributes)).unwrap_or_default() }
}

fn attributes(list: &[KeyValue]) -> Attributes<'_> {
    let pairs = list.iter();
    Attributes(
        pairs
            .map(|pair| {
                (
                    Cow::Borrowed(pair.key.as_str()),
                    pair.value.as_ref().map(value).unwrap_or_default(),
                )
            })
            .collect(),
    )
}

fn value(any: &AnyValue) -> Value<'_> {
    match &any.kind {
        None => Value::Null,
        Some(AnyKind::Text(text)) => Value::Text(Cow::Borrowed(text)),
        Some(AnyKind::Flag(flag)) => Value::Flag(*flag),
        Some(AnyKind::Int(number)) => Value::Number(Cow::Owned(number.to_string())),
        Some(AnyKind::Double(number)) => Value::Number(Cow::Owned(number.to_string())),
        Some(AnyKind::List(list)) => Value::List(list.values.iter().map(value).collect()),
        Some(AnyKind::Map(map)) => Value::Map(attributes(&map.values)),
        Some(AnyKind::Bytes(bytes)) => Value::Bytes(Cow::Borrowed(bytes)),
    }
}
