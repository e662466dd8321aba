//! Spans and log records, whatever format they were written in, become exchanges.
//!
//! Knows no encoding: OTLP (JSON and protobuf), Jaeger and the console exporter give [`Span`]s and
//! [`LogRecord`]s; here they pass the mappings of the configuration, and their attributes of the
//! semantic conventions (HTTP, RPC, the drafts for A2A) are read.
//!
//! | module | what |
//! |---|---|
//! | [`attributes`] | one table of the names under which recorders keep the same fact |
//! | [`exchange`] | what a span or log record says by itself |
//! | [`view`] | a span or log record as the JSON object that mappings see |
//! | [`sampling`] | what a span tells of how its trace was chosen to be kept |
//! | [`id`], [`value`] | trace and span ids, attribute values |

pub mod attributes;
pub mod exchange;
pub mod id;
pub mod sampling;
pub mod value;
pub mod view;

use std::borrow::Cow;

use crate::a2a::pointer::{Pointer, Step};
use crate::config::mapping::{Mapping, Mappings};
use crate::event::Text;
use crate::exchange::{Exchange, Side};
use crate::problem::{At, Kind, Problem};

use super::mapping::{self, Base, scan::Hits};
use super::{Context, Sink};
use value::Attributes;

/// What a span is to its caller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SpanKind {
    /// Neither, or not told.
    #[default]
    Internal,
    /// The called side.
    Server,
    /// The calling side.
    Client,
    /// Sends a message.
    Producer,
    /// Receives a message.
    Consumer,
}

impl SpanKind {
    /// Which side of an exchange wrote it.
    pub fn side(self) -> Side {
        match self {
            Self::Server | Self::Consumer => Side::Server,
            Self::Internal | Self::Client | Self::Producer => Side::Caller,
        }
    }

    /// Reads a number of OTLP or a name in any spelling (`SPAN_KIND_CLIENT`, `SpanKind.CLIENT`,
    /// `client`).
    pub fn parse(text: &str) -> Self {
        let last = text.rsplit(['.', '_']).next().unwrap_or(text);
        match last.to_ascii_lowercase().as_str() {
            "2" | "server" => Self::Server,
            "3" | "client" => Self::Client,
            "4" | "producer" => Self::Producer,
            "5" | "consumer" => Self::Consumer,
            _ => Self::Internal,
        }
    }
}

/// Who wrote a span or log record.
#[derive(Debug, Clone, Default)]
pub struct Resource<'a> {
    /// `service.name` and the like.
    pub attributes: Attributes<'a>,
}

impl<'a> Resource<'a> {
    /// The client, by model §1: `service.instance.id`, then `service.name`.
    pub fn client(&self) -> Option<Text<'a>> {
        let named = |name| self.attributes.text(name).filter(|text| !text.is_empty());
        named("service.instance.id").or_else(|| named("service.name"))
    }

    /// All attributes in a stable spelling: what an exchange key is unique within.
    pub fn identity(&self) -> String {
        let mut pairs: Vec<_> = self
            .attributes
            .0
            .iter()
            .map(|(name, value)| format!("{name}={}", value.to_json()))
            .collect();
        pairs.sort_unstable();
        pairs.join("\u{1f}")
    }
}

/// One span.
#[derive(Debug, Clone, Default)]
pub struct Span<'a> {
    /// Hex.
    pub trace_id: Option<Text<'a>>,
    /// Hex.
    pub span_id: Option<Text<'a>>,
    /// Hex.
    pub parent_span_id: Option<Text<'a>>,
    /// As given.
    pub name: Text<'a>,
    /// The side.
    pub kind: SpanKind,
    /// UTC nanoseconds.
    pub start: Option<i64>,
    /// UTC nanoseconds.
    pub end: Option<i64>,
    /// As given.
    pub attributes: Attributes<'a>,
    /// Exceptions and the like.
    pub events: Vec<SpanEvent<'a>>,
    /// Its status is ERROR.
    pub failed: bool,
    /// What its status says in words.
    pub status_message: Option<Text<'a>>,
    /// The instrumentation scope that wrote it.
    pub scope: Option<Text<'a>>,
    /// The backend moved its times to hide clock skew.
    pub adjusted: bool,
    /// W3C tracestate.
    pub trace_state: Option<Text<'a>>,
    /// A tail sampler left its mark.
    pub tail_sampled: bool,
}

/// Something that happened during a span.
#[derive(Debug, Clone, Default)]
pub struct SpanEvent<'a> {
    /// UTC nanoseconds.
    pub time: Option<i64>,
    /// `exception`, for example.
    pub name: Text<'a>,
    /// As given.
    pub attributes: Attributes<'a>,
}

/// One log record.
#[derive(Debug, Clone, Default)]
pub struct LogRecord<'a> {
    /// UTC nanoseconds; of a record without a time, when it was observed.
    pub time: Option<i64>,
    /// The instrumentation scope that wrote it.
    pub scope: Option<Text<'a>>,
    /// The name of the event, when it has one.
    pub event_name: Option<Text<'a>>,
    /// What was logged.
    pub body: value::Value<'a>,
    /// As given.
    pub attributes: Attributes<'a>,
    /// Hex.
    pub trace_id: Option<Text<'a>>,
    /// Hex.
    pub span_id: Option<Text<'a>>,
}

/// Reads one span.
pub fn span(
    span: &Span<'_>,
    resource: &Resource<'_>,
    at: At,
    context: &Context<'_>,
    sink: &mut dyn Sink,
) {
    sink.span(&sampling::seen(span));
    let known = exchange::of_span(span, resource, at, context);
    let timed = span.start.is_some() || span.end.is_some();
    let own = exchange::tells_an_exchange(&known);
    if mapped(
        &known,
        &span.attributes,
        timed,
        resource,
        || view::of_span(span, resource),
        context,
        sink,
    ) || !own
    {
        return;
    }
    if !timed {
        sink.problem(
            Problem::new(Kind::MissingField, at, "neither start nor end; one span was left out")
                .pointing("/startTimeUnixNano"),
        );
        return;
    }
    if span.adjusted {
        sink.problem(Problem::new(Kind::ClockAdjusted, at, "the backend moved this span's times"));
    }
    sink.exchange(known);
}

/// Reads one log record.
pub fn log(
    log: &LogRecord<'_>,
    resource: &Resource<'_>,
    at: At,
    context: &Context<'_>,
    sink: &mut dyn Sink,
) {
    let known = exchange::of_log(log, resource, at, context);
    let own = exchange::tells_an_exchange(&known);
    let timed = log.time.is_some();
    if mapped(
        &known,
        &log.attributes,
        timed,
        resource,
        || view::of_log(log, resource),
        context,
        sink,
    ) {
        return;
    }
    if own && timed {
        sink.exchange(known);
    }
}

/// Lets the configured mappings read the record; whether one did.
fn mapped(
    known: &Exchange<'_>,
    attributes: &Attributes<'_>,
    timed: bool,
    resource: &Resource<'_>,
    seen: impl FnOnce() -> String,
    context: &Context<'_>,
    sink: &mut dyn Sink,
) -> bool {
    let mappings = &context.config.mapping;
    if !mappings.iter().any(|mapping| may_hold(mapping, mappings, attributes)) {
        return false;
    }
    let seen = seen();
    let (hits, whole) = Hits::scan(mappings.plan(), &seen);
    if whole.is_err() {
        return false;
    }
    let Some(mapping) = mappings.iter().find(|mapping| mapping::holds(mapping, &hits)) else {
        return false;
    };
    let at = known.at;
    let exchange = Exchange { resource: Some(Cow::Owned(resource.identity())), ..known.clone() };
    mapping::read(mapping, &hits, &Base { at, exchange, timed }, context, sink);
    true
}

/// Whether a mapping may read a record with these attributes: so that a record which none may read
/// is not written as JSON only to find that out.
fn may_hold(mapping: &Mapping, mappings: &Mappings, attributes: &Attributes<'_>) -> bool {
    let may_lead = |slot: usize| {
        let steps = mappings.plan().pointer(slot).map(Pointer::steps).unwrap_or_default();
        match steps {
            [Step::Into(first), Step::Into(name), ..] if first == "attributes" => {
                attributes.get(name).is_some()
            }
            _ => true,
        }
    };
    mapping.when.iter().all(|condition| condition.slots.iter().copied().any(may_lead))
}
