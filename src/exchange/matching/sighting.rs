//! What is kept of a sighting in memory: enough to tell whether another is of the same exchange.

use crate::a2a::digest::sha256;
use crate::a2a::json::{self, Raw, object};
use crate::exchange::derive::Rules;
use crate::exchange::derive::facts::{client_of, method_of, path_of, trace_of, traceparent};
use crate::exchange::{Exchange, Half, Side};
use crate::problem::At;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A text reduced to what tells it from all others.
pub(super) type Mark = [u8; 16];

/// One recorder's sight of an exchange.
#[derive(Debug, Clone)]
pub(in crate::exchange) struct Sighting {
    /// Rank of its source among the names.
    pub(in crate::exchange) source: u32,
    /// The record.
    pub(in crate::exchange) at: At,
    /// Tells apart the exchanges of one record.
    content: u64,
    /// Who wrote it down.
    pub(super) side: Side,
    /// Which halves it holds.
    pub(super) half: Half,
    /// When the request was sent.
    pub(super) start: i64,
    /// When the answer was complete; the start when that is not known.
    pub(super) end: i64,
    /// Method, when known.
    pub(super) method: Option<u64>,
    /// Path of the URL, when known.
    pub(super) path: Option<u64>,
    /// Host of the URL, when known.
    pub(super) host: Option<u64>,
    /// HTTP status; 0: no answer; `None`: the half without one, or a span that does not see it.
    pub(super) status: Option<i64>,
    /// The client, when known.
    pub(super) client: Option<u64>,
    /// JSON text of the JSON-RPC id, when a request body tells it.
    pub(super) call: Option<u64>,
    /// What was kept of the answer: 0 nothing, 1 a hash, 2 a body.
    pub(super) answer: u8,
    /// Whether the request's body was kept.
    pub(super) asked: bool,
    /// The configured key within its resource or source; the source is added when it is known.
    pub(super) key: Option<(Option<u32>, Mark)>,
    /// The configured key alone, of records that name no resource.
    pub(super) bare_key: Option<Mark>,
    /// The trace, recorded or sent along.
    pub(super) trace: Option<u64>,
    /// The recorded trace and span.
    span: Option<Mark>,
    /// Trace and span that the caller sent along.
    sent_span: Option<Mark>,
    /// Trace and the span's parent.
    pub(super) parent: Option<Mark>,
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
        let within = |span: Option<&str>| Some(mark(&[trace?, span.filter(|s| !s.is_empty())?]));
        let key = exchange.key.as_deref();
        let resource = exchange.resource.as_deref();
        // A span around the HTTP exchange (an SDK's, of one call) does not see the status.
        let sees_http = exchange.method.is_some() || url.is_some() || exchange.status.is_some();
        let answered = exchange.half != Half::Request && sees_http;
        Self {
            source: 0,
            at: exchange.at,
            content: content(exchange),
            side: exchange.side,
            half: exchange.half,
            start: exchange.started_at,
            end: exchange.ended_at.unwrap_or(exchange.started_at).max(exchange.started_at),
            method: method.map(|method| hash(&*method)),
            path: path.map(hash),
            host: url.and_then(host).map(hash),
            status: answered.then(|| exchange.status.unwrap_or(0).max(0)),
            client: client_of(exchange, rules).map(hash),
            call: exchange.request_body.as_deref().and_then(call),
            answer: match (&exchange.response_body, &exchange.response_sha256) {
                _ if !exchange.stream.is_empty() => 2,
                (Some(_), _) => 2,
                (None, Some(_)) => 1,
                (None, None) => 0,
            },
            asked: exchange.request_body.is_some(),
            key: key.map(|key| match resource {
                Some(resource) => (None, mark(&[key, resource])),
                None => (Some(0), mark(&[key])),
            }),
            bare_key: key.filter(|_| resource.is_none()).map(|key| mark(&[key])),
            trace: trace_of(exchange).map(|(trace, _)| hash(&trace.to_ascii_lowercase())),
            span: within(exchange.span_id.as_deref()),
            sent_span: traceparent(exchange).map(|(trace, span)| mark(&[trace, span])),
            parent: within(exchange.parent_span_id.as_deref()),
        }
    }

    /// Says which source it is of.
    pub(in crate::exchange) fn set_source(&mut self, source: u32) {
        self.source = source;
        if let Some((Some(scope), _)) = &mut self.key {
            *scope = source;
        }
    }

    /// Total order, so that what comes out does not depend on the order of adding.
    pub(in crate::exchange) fn order(&self) -> (u32, At, u64) {
        (self.source, self.at, self.content)
    }

    /// Trace and span ids that name it.
    pub(super) fn spans(&self) -> impl Iterator<Item = Mark> {
        let sent = self.sent_span.filter(|sent| self.span.as_ref() != Some(sent));
        self.span.into_iter().chain(sent)
    }

    /// Which recorder wrote it: two sightings of one recorder are two exchanges, unless they are
    /// halves or bear the same ids. A log and spans may share a file.
    pub(super) fn recorder(&self) -> (u32, u8, bool, bool) {
        (self.source, self.side as u8, self.key.is_some(), self.span.is_some())
    }
}

object! {
    /// The id of a call.
    struct Id<'a> {
        "id" => id: Raw<'a>,
        "method" => method: Raw<'a>,
    }
}

/// The id of a JSON-RPC call.
fn call(body: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(body).ok()?;
    let id = json::read::<Id<'_>>(text).ok()??;
    id.method.0?;
    id.id.0.map(hash)
}

/// Host and port of a URL.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    rest.split(['/', '?', '#']).next()
}

/// Enough to tell apart exchanges that stand in one record.
fn content(exchange: &Exchange<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    exchange.url.hash(&mut hasher);
    exchange.started_at.hash(&mut hasher);
    exchange.request_body.hash(&mut hasher);
    exchange.response_body.hash(&mut hasher);
    exchange.rpc_method.hash(&mut hasher);
    exchange.task_id.hash(&mut hasher);
    exchange.key.hash(&mut hasher);
    (exchange.half as u8, exchange.side as u8).hash(&mut hasher);
    hasher.finish()
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    // Its keys are fixed: the same in every run.
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn mark(parts: &[&str]) -> Mark {
    let joined = parts.join("\n").to_ascii_lowercase();
    let [first @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = sha256(joined.as_bytes());
    first
}
