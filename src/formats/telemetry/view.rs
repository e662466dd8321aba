//! A span or log record as the JSON object that mappings see.

use std::fmt::Write as _;

use crate::event::Text;

use super::value::{Attributes, string};
use super::{LogRecord, Resource, Span};

/// `{time, end_time, name, attributes, resource, trace_id, span_id, parent_span_id, kind, events}`.
pub fn of_span(span: &Span<'_>, resource: &Resource<'_>) -> String {
    let mut out = String::from("{");
    time(&mut out, "time", span.start);
    time(&mut out, "end_time", span.end);
    text(&mut out, "name", Some(&span.name));
    attributes(&mut out, "attributes", &span.attributes);
    attributes(&mut out, "resource", &resource.attributes);
    text(&mut out, "trace_id", span.trace_id.as_ref());
    text(&mut out, "span_id", span.span_id.as_ref());
    text(&mut out, "parent_span_id", span.parent_span_id.as_ref());
    key(&mut out, "kind");
    let _ = write!(out, "\"{}\"", format!("{:?}", span.kind).to_ascii_lowercase());
    key(&mut out, "events");
    out.push('[');
    for (index, event) in span.events.iter().enumerate() {
        out.push_str(if index > 0 { ",{" } else { "{" });
        time(&mut out, "time", event.time);
        text(&mut out, "name", Some(&event.name));
        attributes(&mut out, "attributes", &event.attributes);
        out.push('}');
    }
    out.push_str("]}");
    out
}

/// `{time, name, body, attributes, resource, trace_id, span_id}`.
pub fn of_log(log: &LogRecord<'_>, resource: &Resource<'_>) -> String {
    let mut out = String::from("{");
    time(&mut out, "time", log.time);
    text(&mut out, "name", log.event_name.as_ref());
    key(&mut out, "body");
    log.body.write(&mut out);
    attributes(&mut out, "attributes", &log.attributes);
    attributes(&mut out, "resource", &resource.attributes);
    text(&mut out, "trace_id", log.trace_id.as_ref());
    text(&mut out, "span_id", log.span_id.as_ref());
    out.push('}');
    out
}

fn key(out: &mut String, name: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    let _ = write!(out, "\"{name}\":");
}

fn time(out: &mut String, name: &str, nanos: Option<i64>) {
    if let Some(nanos) = nanos {
        key(out, name);
        let _ = write!(out, "{nanos}");
    }
}

fn text(out: &mut String, name: &str, value: Option<&Text<'_>>) {
    if let Some(value) = value {
        key(out, name);
        string(out, value);
    }
}

fn attributes(out: &mut String, name: &str, attributes: &Attributes<'_>) {
    key(out, name);
    attributes.write(out);
}
