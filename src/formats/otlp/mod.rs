//! OTLP: traces and logs as the OpenTelemetry Collector and SDKs write them to files.
//!
//! | module | what |
//! |---|---|
//! | [`json`] | JSON lines, whole files, and Jaeger's api_v3 (OTLP inside `result`) |
//! | `value` | attributes in JSON
//! | `look` | whether bytes are protobuf of OTLP |
//! | [`proto`] | protobuf, whole files or frames of the Collector |

pub mod json;
mod look;
pub mod proto;
mod value;

use crate::formats::Sink;
use crate::formats::time::BadTime;
use crate::problem::{At, Kind, Problem};

pub use json::OtlpJson;
pub use proto::{OtlpFrames, OtlpProto};

/// Where a span or log record stands in its request.
#[derive(Debug, Clone, Copy)]
struct Place {
    at: At,
    /// Spans, or log records.
    is_span: bool,
    resource: usize,
    scope: usize,
    item: usize,
}

impl Place {
    /// The pointer to one of its fields, as JSON names it.
    fn pointer(self, field: &str) -> String {
        let (resources, scopes, items) = if self.is_span {
            ("resourceSpans", "scopeSpans", "spans")
        } else {
            ("resourceLogs", "scopeLogs", "logRecords")
        };
        let Self { resource, scope, item, .. } = self;
        format!("/{resources}/{resource}/{scopes}/{scope}/{items}/{item}/{field}")
    }

    /// Says that its time cannot be told, and that it was left out for that.
    fn no_time(self, why: BadTime, field: &str, sink: &mut dyn Sink) {
        let kind = match why {
            BadTime::Spelling => Kind::BadTime,
            BadTime::Range => Kind::TimeOutOfRange,
        };
        let what =
            if self.is_span { "the span was left out" } else { "the log record was left out" };
        sink.problem(Problem::new(kind, self.at, what).pointing(self.pointer(field)));
    }
}
