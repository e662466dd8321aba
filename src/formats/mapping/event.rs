//! A record as one event, written as the line of a journal that says the same.

use std::fmt::Write as _;

use crate::config::mapping::Field;
use crate::formats::Context;
use crate::formats::time::{BadTime, Odd};

use super::values::{Found, Values};

/// How a journal writes a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A string; numbers become one.
    Text,
    /// A number or a truth value, also when it was recorded as text.
    Plain,
    /// As recorded.
    Json,
}

const FIELDS: &[(Field, Shape)] = &[
    (Field::Event, Shape::Text),
    (Field::Client, Shape::Text),
    (Field::Agent, Shape::Text),
    (Field::TraceId, Shape::Text),
    (Field::SpanId, Shape::Text),
    (Field::Registry, Shape::Text),
    (Field::Url, Shape::Text),
    (Field::Status, Shape::Plain),
    (Field::Etag, Shape::Text),
    (Field::CacheControl, Shape::Text),
    (Field::LastModified, Shape::Text),
    (Field::AgeS, Shape::Plain),
    (Field::Card, Shape::Json),
    (Field::CardBase64, Shape::Text),
    (Field::CardSha256, Shape::Text),
    (Field::Authority, Shape::Plain),
    (Field::FromCache, Shape::Plain),
    (Field::Error, Shape::Text),
    (Field::Method, Shape::Text),
    (Field::ProtocolVersion, Shape::Text),
    (Field::TaskId, Shape::Text),
    (Field::ContextId, Shape::Text),
    (Field::SkillId, Shape::Text),
    (Field::AdmittedUnder, Shape::Text),
    (Field::AcceptedOutputModes, Shape::Json),
    (Field::Stream, Shape::Plain),
    (Field::Push, Shape::Plain),
    (Field::Outcome, Shape::Text),
    (Field::HttpStatus, Shape::Plain),
    (Field::RpcCode, Shape::Plain),
    (Field::TaskState, Shape::Text),
    (Field::GrpcStatus, Shape::Text),
    (Field::ErrorReason, Shape::Text),
    (Field::TransportError, Shape::Text),
    (Field::State, Shape::Text),
    (Field::ArtifactId, Shape::Text),
    (Field::MediaType, Shape::Text),
    (Field::SchemaVersion, Shape::Json),
    (Field::Digest, Shape::Text),
    (Field::DigestCheck, Shape::Text),
    (Field::Payload, Shape::Json),
    (Field::PayloadBase64, Shape::Text),
    (Field::Append, Shape::Plain),
    (Field::LastChunk, Shape::Plain),
    (Field::Disposition, Shape::Text),
];

/// The journal's line. `time`: when the record has none of its own that is mapped (a span's).
/// Errors with the field whose time cannot be read.
///
/// A duration gives a fetch the time when it was asked for, and an attempt its end.
pub fn journal_line(
    values: &Values<'_, '_, '_>,
    time: Option<i64>,
    context: &Context<'_>,
) -> Result<(String, Odd), (Field, BadTime)> {
    let mut line = String::from("{");
    let mut odd = Odd::default();
    let mut read = |field: Field| match values.time(field, context) {
        None => Ok(None),
        Some(Ok(instant)) => {
            odd = odd.and(instant.odd);
            Ok(Some(instant.nanos))
        }
        Some(Err(why)) => Err((field, why)),
    };
    let time = read(Field::Time)?.or(time);
    let (mut sent_at, mut end_time) = (read(Field::SentAt)?, read(Field::EndTime)?);
    if let (Some(time), Some(Ok(length))) = (time, values.duration()) {
        let is_card = values.text(Field::Event).is_some_and(|event| event.starts_with("card"));
        if is_card {
            sent_at = sent_at.or(time.checked_sub(length));
        } else {
            end_time = end_time.or(time.checked_add(length));
        }
    }
    for (name, value) in [("time", time), ("sent_at", sent_at), ("end_time", end_time)] {
        if let Some(nanos) = value {
            key(&mut line, name);
            let _ = write!(line, "{nanos}");
        }
    }
    for (field, shape) in FIELDS {
        let Some(found) = values.find(*field) else { continue };
        match (shape, found) {
            (Shape::Json, Found::Raw(raw)) => {
                key(&mut line, field.word());
                line.push_str(&raw);
            }
            (Shape::Plain, found) => {
                let text = found.into_text();
                let text = match text.as_ref() {
                    "True" => "true",
                    "False" => "false",
                    other => other.trim(),
                };
                if text.is_empty() {
                    continue;
                }
                key(&mut line, field.word());
                if is_plain(text) {
                    line.push_str(text);
                } else {
                    string(&mut line, text);
                }
            }
            (Shape::Json | Shape::Text, found) => {
                key(&mut line, field.word());
                string(&mut line, &found.into_text());
            }
        }
    }
    line.push('}');
    Ok((line, odd))
}

fn key(line: &mut String, name: &str) {
    if line.len() > 1 {
        line.push(',');
    }
    let _ = write!(line, "\"{name}\":");
}

/// A number or a truth value, as JSON writes it.
fn is_plain(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text)
        .is_ok_and(|value| value.is_number() || value.is_boolean())
}

fn string(line: &mut String, text: &str) {
    line.push_str(&serde_json::Value::from(text).to_string());
}
