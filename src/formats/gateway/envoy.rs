//! Envoy's access logs: the default text of Envoy and of Istio, and the JSON of Envoy Gateway and
//! Istio. They know nothing of A2A: card fetches (times and status) and calls of the HTTP+JSON
//! binding can be told, JSON-RPC cannot.

use std::borrow::Cow;

use crate::exchange::Exchange;
use crate::formats::telemetry::value::{Attributes, Value};
use crate::formats::{Context, Format, Framing, Sink};
use crate::problem::{At, Kind, Problem};

use jiff::Timestamp;

use super::{Line, duration, flat, instant, read, told, url};

/// The text forms.
#[derive(Debug)]
pub struct EnvoyText;

/// The JSON forms.
#[derive(Debug)]
pub struct EnvoyJson;

const SUMMARY: &str = "access logs of Envoy, Istio and Envoy Gateway: times and status of card fetches and of calls of the HTTP+JSON \
                       binding; no bodies, no client, nothing of JSON-RPC";

/// What follows the request line in Envoy's default text.
const ENVOY: &[&str] = &[
    "response_code",
    "response_flags",
    "bytes_received",
    "bytes_sent",
    "duration",
    "upstream_service_time",
    "x-forwarded-for",
    "user-agent",
    "x-request-id",
    ":authority",
    "upstream_host",
];

/// What follows it in Istio's.
const ISTIO: &[&str] = &[
    "response_code",
    "response_flags",
    "response_code_details",
    "connection_termination_details",
    "upstream_transport_failure_reason",
    "bytes_received",
    "bytes_sent",
    "duration",
    "upstream_service_time",
    "x-forwarded-for",
    "user-agent",
    "x-request-id",
    ":authority",
    "upstream_host",
    "upstream_cluster",
    "upstream_local_address",
    "downstream_local_address",
    "downstream_remote_address",
    "requested_server_name",
    "route_name",
];

impl Format for EnvoyText {
    fn name(&self) -> &'static str {
        "envoy"
    }

    fn summary(&self) -> &'static str {
        SUMMARY
    }

    fn framing(&self) -> Framing {
        Framing::TextLines
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        let text = String::from_utf8_lossy(head);
        if text.lines().any(|line| fields(line).is_some()) {
            Ok(())
        } else {
            Err("no line is [time] \"METHOD path protocol\" and a status".to_owned())
        }
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let text = String::from_utf8_lossy(record);
        // `[2026-11-30T11:15:43.964Z] "` begins a record, and no field is like it.
        let begins = |words: &str| {
            words.rsplit_once('[').is_some_and(|(_, time)| time.parse::<Timestamp>().is_ok())
        };
        let Some(all) = fields(&text) else {
            if text.split_once("] \"").is_some_and(|(words, _)| begins(words)) {
                let detail = "it begins as a request does and has fewer fields";
                sink.problem(Problem::new(Kind::TruncatedRecord, at, detail));
            }
            return;
        };
        if text.split("] \"").filter(|words| begins(words)).count() > 1 {
            return sink.problem(Problem::new(Kind::JoinedLines, at, "a second time begins there"));
        }
        line(all, at, context, sink);
    }
}

impl Format for EnvoyJson {
    fn name(&self) -> &'static str {
        "envoy-json"
    }

    fn summary(&self) -> &'static str {
        SUMMARY
    }

    fn framing(&self) -> Framing {
        Framing::JsonLines
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        let text = String::from_utf8_lossy(head);
        let is_access = |line: &str| {
            flat(line).is_some_and(|all| {
                ["start_time", "method", "response_code"].iter().all(|name| all.get(name).is_some())
            })
        };
        if text.lines().any(is_access) {
            Ok(())
        } else {
            Err("no line is a JSON object with start_time, method and response_code".to_owned())
        }
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let text = String::from_utf8_lossy(record);
        let Some(all) = flat(&text) else {
            return sink.problem(Problem::new(Kind::NotJson, at, "not a JSON object"));
        };
        if all.get("method").is_some() && all.get("response_code").is_some() {
            line(all, at, context, sink);
        }
    }
}

/// The names and values of a text line.
fn fields(line: &str) -> Option<Attributes<'_>> {
    let (when, rest) = line.trim().strip_prefix('[')?.split_once("] \"")?;
    let (request, rest) = rest.split_once('"')?;
    let mut words = request.split(' ');
    let (method, path) = (words.next()?, words.next()?);
    let values = words_of(rest);
    values.first().filter(|code| code.bytes().all(|b| b.is_ascii_digit()))?;
    let names = if values.len() > ENVOY.len() + 2 { ISTIO } else { ENVOY };
    if values.len() < ENVOY.len() {
        return None;
    }
    let text = |value: &'_ str| Value::Text(Cow::Owned(value.to_owned()));
    let mut pairs = vec![
        (Cow::Borrowed("start_time"), text(when)),
        (Cow::Borrowed("method"), text(method)),
        (Cow::Borrowed("path"), text(path)),
    ];
    pairs.extend(names.iter().zip(values).map(|(name, value)| (Cow::Borrowed(*name), text(value))));
    Some(Attributes(pairs))
}

/// Words; a quoted text is one.
fn words_of(mut rest: &str) -> Vec<&str> {
    let mut words = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return words;
        }
        let (word, tail) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        words.push(word);
        rest = tail;
    }
}

fn line(all: Attributes<'_>, at: At, context: &Context<'_>, sink: &mut dyn Sink) {
    let first = |names: &[&str]| names.iter().find_map(|name| told(&all, name));
    let when = told(&all, "start_time");
    let Some(start) = instant("start_time", when.as_deref(), at, context, sink) else { return };
    let number = |name: &str| told(&all, name).and_then(|text| text.parse::<i64>().ok());
    let authority = first(&[":authority", "authority"]);
    let path = first(&["x-envoy-origin-path", "x-envoy-original-path", "path"]);
    // Within a mesh Istio names its own routes; TLS that the caller chose names a host.
    let tls =
        told(&all, "requested_server_name").is_some_and(|name| !name.starts_with("outbound_"));
    let status = number("response_code").filter(|status| *status > 0);
    let flags = first(&["response_flags", "response_code_details"]);
    let exchange = Exchange {
        method: told(&all, "method"),
        url: authority.zip(path).map(|(authority, path)| url(&authority, &path, tls)),
        // 0: the gateway answered nothing.
        error: if status.is_none() { flags.or(Some(Cow::Borrowed("no answer"))) } else { None },
        status,
        grpc_status: first(&["grpc_status", "grpc_status_number"]),
        trace_id: told(&all, "trace_id"),
        ..Exchange::default()
    };
    let duration = duration(&all, at, sink);
    read(Line { start: Some(start), end: None, duration, exchange, all }, at, context, sink);
}
