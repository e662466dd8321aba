//! What is kept of a sighting in memory: enough to tell whether another is of the same exchange.

use crate::a2a::json::{self, Raw, object};
use crate::exchange::derive::Rules;
use crate::exchange::derive::facts::{client_of, method_of, path_of, trace_of, traceparent};
use crate::exchange::{Exchange, Half, Side};
use crate::problem::At;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU64;

/// A text reduced to a number that tells it from others. Two texts with one number would have to say
/// the same of all else, too, to be taken for each other.
pub(super) type Mark = NonZeroU64;

/// One recorder's sight of an exchange.
#[derive(Debug, Clone)]
pub(in crate::exchange) struct Sighting {
    /// Rank of its source among the names.
    pub(in crate::exchange) source: u32,
    /// The record.
    pub(in crate::exchange) at: At,
    /// Tells apart the exchanges of one record.
    content: Mark,
    /// Who wrote it down.
    pub(super) side: Side,
    /// Which halves it holds.
    pub(super) half: Half,
    /// What was kept of the answer: 0 nothing, 1 a hash, 2 a body.
    pub(super) answer: u8,
    /// Whether the request's body was kept.
    pub(super) asked: bool,
    /// Who within the source wrote it.
    writer: u16,
    /// What it says, to be compared.
    pub(super) facts: Facts,
    /// The configured key, and before it what it is unique within: the resource, or the source.
    pub(super) key: Option<(Mark, Mark)>,
    /// The configured key alone, of records that name no resource.
    pub(super) bare_key: Option<Mark>,
    /// The recorded trace and span.
    span: Option<Mark>,
    /// Trace and span that the caller sent along.
    sent_span: Option<Mark>,
    /// Trace and the span's parent.
    pub(super) parent: Option<Mark>,
}

/// What a sighting says of its exchange, `None` where it does not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    /// When the request was sent.
    pub(super) start: i64,
    /// When the answer was complete; the start when that is not known.
    pub(super) end: i64,
    /// HTTP status; 0: no answer; `None`: the half without one, or a span that does not see it.
    pub(super) status: Option<i32>,
    /// HTTP method.
    pub(super) method: Option<Mark>,
    /// Path of the URL.
    pub(super) path: Option<Mark>,
    /// Host and port of the URL.
    pub(super) host: Option<Mark>,
    /// The client.
    pub(super) client: Option<Mark>,
    /// Id of the JSON-RPC call.
    pub(super) call: Option<Mark>,
    /// The trace, recorded or sent along.
    pub(super) trace: Option<Mark>,
}

impl Sighting {
    pub(in crate::exchange) fn of(exchange: &Exchange<'_>, rules: &Rules) -> Self {
        let url = exchange.url.as_deref();
        let path = url.map(|url| {
            let path = path_of(url);
            path.split(['?', '#']).next().unwrap_or(path)
        });
        let told = exchange.method.is_some()
            || exchange.request_body.is_some()
            || exchange.rpc_method.is_some();
        let method = told.then(|| method_of(exchange, path.unwrap_or_default()));
        let trace = exchange.trace_id.as_deref();
        let within = |span: Option<&str>| Some(ids(trace?, span.filter(|span| !span.is_empty())?));
        let key = exchange.key.as_deref();
        let resource = exchange.resource.as_deref();
        let status = exchange.status.unwrap_or(0).max(0);
        // A span around the HTTP exchange (an SDK's, of one call) does not see the status.
        let sees_http = !exchange.bare
            && (exchange.method.is_some() || url.is_some() || exchange.status.is_some());
        Self {
            source: 0,
            at: exchange.at,
            content: content(exchange),
            side: exchange.side,
            half: exchange.half,
            answer: match (&exchange.response_body, &exchange.response_sha256) {
                _ if !exchange.stream.is_empty() => 2,
                (Some(_), _) => 2,
                (None, Some(_)) => 1,
                (None, None) => 0,
            },
            asked: exchange.request_body.is_some(),
            // A span around one call and that of the HTTP exchange in it are two views.
            writer: writer(exchange.recorder.as_deref(), sees_http),
            facts: Facts {
                start: exchange.started_at,
                end: exchange.ended_at.unwrap_or(exchange.started_at).max(exchange.started_at),
                status: (exchange.half != Half::Request && sees_http)
                    .then(|| i32::try_from(status).unwrap_or(i32::MAX)),
                method: method.map(|method| mark(&*method)),
                path: path.map(mark),
                host: url.and_then(host).map(mark),
                client: client_of(exchange, rules).map(mark),
                call: exchange.request_body.as_deref().and_then(call),
                trace: trace_of(exchange).map(|(trace, _)| mark(&trace.to_ascii_lowercase())),
            },
            key: key.map(|key| (mark(&resource), mark(key))),
            bare_key: key.filter(|_| resource.is_none()).map(mark),
            span: within(exchange.span_id.as_deref()),
            sent_span: traceparent(exchange).map(|(trace, span)| ids(trace, span)),
            parent: within(exchange.parent_span_id.as_deref()),
        }
    }

    /// Says which source it is of.
    pub(in crate::exchange) fn set_source(&mut self, source: u32) {
        self.source = source;
        if let Some(key) = self.bare_key {
            self.key = Some((mark(&source), key));
        }
    }

    /// Total order, so that what comes out does not depend on the order of adding.
    pub(in crate::exchange) fn order(&self) -> (u32, At, Mark) {
        (self.source, self.at, self.content)
    }

    /// Trace and span ids that name it.
    pub(super) fn spans(&self) -> impl Iterator<Item = Mark> + use<> {
        let sent = self.sent_span.filter(|sent| self.span != Some(*sent));
        self.span.into_iter().chain(sent)
    }

    /// Which recorder wrote it: two sightings of one recorder are two exchanges, unless they are
    /// halves or bear the same ids. A log and spans may share a file.
    pub(super) fn recorder(&self) -> Recorder {
        Recorder {
            source: self.source,
            kind: self.side as u8
                | u8::from(self.key.is_some()) << 2
                | u8::from(self.span.is_some()) << 3,
            writer: self.writer,
        }
    }
}

/// A source, and what of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Recorder {
    source: u32,
    kind: u8,
    writer: u16,
}

/// A recorder within its source, reduced to what fits beside the rest of a sighting.
fn writer(recorder: Option<&str>, sees_http: bool) -> u16 {
    let [first, second, ..] = mark(&(recorder, sees_http)).get().to_be_bytes();
    u16::from_be_bytes([first, second])
}

object! {
    /// The id of a call.
    struct Id<'a> {
        "id" => id: Raw<'a>,
        "method" => method: Raw<'a>,
    }
}

/// The id of a JSON-RPC call.
fn call(body: &[u8]) -> Option<Mark> {
    let text = std::str::from_utf8(body).ok()?;
    let id = json::read::<Id<'_>>(text).ok()??;
    id.method.0?;
    id.id.0.map(mark)
}

/// Host and port of a URL.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    rest.split(['/', '?', '#']).next()
}

/// Trace and span, in any case.
fn ids(trace: &str, span: &str) -> Mark {
    mark(&(trace.to_ascii_lowercase(), span.to_ascii_lowercase()))
}

/// Enough to tell apart exchanges that stand in one record.
fn content(exchange: &Exchange<'_>) -> Mark {
    mark(&(
        (&exchange.url, exchange.started_at, &exchange.request_body, &exchange.response_body),
        (&exchange.rpc_method, &exchange.task_id, &exchange.key),
        (exchange.half as u8, exchange.side as u8),
    ))
}

fn mark<T: Hash + ?Sized>(value: &T) -> Mark {
    // Its keys are fixed: the same in every run.
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    NonZeroU64::new(hasher.finish()).unwrap_or(NonZeroU64::MIN)
}
