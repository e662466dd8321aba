//! Access logs of gateways: what passed, when, with which status. None holds bodies.
//!
//! A gateway sees both sides of an exchange from between them, so nothing in its lines names the
//! client unless a `[[mapping]]` says so: each line passes the mappings as a flat JSON object of its
//! names and values.
//!
//! | module | what |
//! |---|---|
//! | [`agentgateway`] | agentgateway, text and JSON: with A2A method, error code and task state |
//! | [`envoy`] | Envoy's default text, Istio's text, and the JSON of Envoy Gateway and Istio |

pub mod agentgateway;
pub mod envoy;

use std::borrow::Cow;

use crate::config::mapping::TimeUnit;
use crate::event::Text;
use crate::exchange::{Exchange, Side};
use crate::problem::{At, Kind, Problem};

use super::mapping::{self, Base, scan::Hits};
use super::telemetry::value::{Attributes, Value};
use super::time::{self, BadTime, Instant};
use super::{Context, Sink};

/// What a line says.
#[derive(Debug, Default)]
struct Line<'a> {
    /// When the request came; `None`: told by `end` and `duration`.
    start: Option<Instant>,
    /// When the answer was complete.
    end: Option<Instant>,
    /// Nanoseconds.
    duration: Option<i64>,
    /// What is known of the exchange.
    exchange: Exchange<'a>,
    /// All names and values, for mappings.
    all: Attributes<'a>,
}

/// Gives a line to the sink.
fn read(line: Line<'_>, at: At, context: &Context<'_>, sink: &mut dyn Sink) {
    let Line { start, end, duration, exchange, all } = line;
    let nanos = |instant: Instant| instant.nanos;
    let Some(started_at) = start
        .map(nanos)
        .or_else(|| end.and_then(|end| end.nanos.checked_sub(duration.unwrap_or_default())))
    else {
        return sink.problem(Problem::new(Kind::MissingField, at, "the line has no time"));
    };
    let ended_at = end.map(nanos).or_else(|| started_at.checked_add(duration?));
    if let Some(instant) = start.or(end) {
        instant.odd.tell(at, "time", sink);
    }
    let exchange = Exchange { at, started_at, ended_at, side: Side::Gateway, ..exchange };
    let mappings = &context.config.mapping;
    if !mappings.is_empty() {
        let mut seen = String::new();
        all.write(&mut seen);
        let (hits, whole) = Hits::scan(mappings.plan(), &seen);
        if whole.is_ok()
            && let Some(mapping) = mappings.iter().find(|mapping| mapping::holds(mapping, &hits))
        {
            return mapping::read(
                mapping,
                &hits,
                &Base { at, exchange, timed: true },
                context,
                sink,
            );
        }
    }
    if (exchange.method.is_some() && exchange.url.is_some()) || exchange.rpc_method.is_some() {
        sink.exchange(exchange);
    }
}

/// An absolute URL from what gateways log. Lines do not tell the scheme; TLS on the way in does.
fn url(authority: &str, path: &str, tls: bool) -> Text<'static> {
    let scheme = if tls { "https" } else { "http" };
    if path.contains("://") {
        return Cow::Owned(path.to_owned());
    }
    Cow::Owned(format!("{scheme}://{authority}{path}"))
}

/// The fields of a flat JSON object.
fn flat<'a>(text: &'a str) -> Option<Attributes<'a>> {
    let named: std::collections::BTreeMap<String, &'a serde_json::value::RawValue> =
        serde_json::from_str(text).ok()?;
    let pairs = named.into_iter();
    Some(Attributes(
        pairs
            .map(|(name, raw)| (Cow::Owned(name), Value::Json(Cow::Borrowed(raw.get()))))
            .collect(),
    ))
}

/// How long it took; said when that cannot be read.
fn duration(all: &Attributes<'_>, at: At, sink: &mut dyn Sink) -> Option<i64> {
    let length = time::length(&told(all, "duration")?, TimeUnit::Millis);
    if length.is_err() {
        let problem = Problem::new(Kind::BadField, at, "no length of time");
        sink.problem(problem.pointing("duration"));
    }
    length.ok()
}

/// A time of a line; said when it has none, or none that can be read.
fn instant(
    name: &str,
    text: Option<&str>,
    at: At,
    context: &Context<'_>,
    sink: &mut dyn Sink,
) -> Option<Instant> {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        sink.problem(Problem::new(Kind::MissingField, at, format!("{name}: no time")));
        return None;
    };
    let (kind, why) = match time::text(text, None, context.assume_zone) {
        Ok(instant) => return Some(instant),
        Err(BadTime::Spelling) => (Kind::BadTime, "not RFC 3339"),
        Err(BadTime::Range) => (Kind::TimeOutOfRange, "too far away"),
    };
    sink.problem(Problem::new(kind, at, format!("{name}: {why}")));
    None
}

/// A field that is neither empty nor the `-` that logs write for nothing.
fn told<'a>(all: &Attributes<'a>, name: &str) -> Option<Text<'a>> {
    all.text(name).filter(|text| !text.is_empty() && text != "-")
}
