//! agentgateway's request log. It looks into bodies with the media type `application/json`: of event
//! streams and `application/a2a+json` it logs no answer. It never logs task ids.

use std::borrow::Cow;

use crate::exchange::{Exchange, Side, Stated};
use crate::formats::telemetry::attributes::{Fact, Facts};
use crate::formats::telemetry::value::{Attributes, Value};
use crate::formats::telemetry::{Resource, exchange};
use crate::formats::{Context, Format, Framing, Sink};
use crate::problem::{At, Kind, Problem};

use super::{Line, duration, flat, instant, read, told, url};

/// The text form: time, level, `request`, then `name=value` pairs.
#[derive(Debug)]
pub struct AgentGateway;

/// The JSON form.
#[derive(Debug)]
pub struct AgentGatewayJson;

const SUMMARY: &str = "agentgateway's request log: method, URL, status and A2A method of each request, error code and task state of \
                       JSON answers; no task ids, no bodies, no client";

impl Format for AgentGateway {
    fn name(&self) -> &'static str {
        "agentgateway"
    }

    fn summary(&self) -> &'static str {
        SUMMARY
    }

    fn framing(&self) -> Framing {
        Framing::TextLines
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        let text = String::from_utf8_lossy(head);
        if text.lines().any(|line| parts(line).is_some()) {
            Ok(())
        } else {
            Err("no line is a time, a level, `request` and name=value pairs with http.method"
                .to_owned())
        }
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let text = String::from_utf8_lossy(record);
        // Lines of other scopes are accepted without events.
        let Some((when, pairs)) = parts(&text) else { return };
        let (all, rest) = pairs_of(pairs);
        if !rest.is_empty() {
            let detail = format!("{} bytes at its end are no name=value pairs", rest.len());
            sink.problem(Problem::new(Kind::BadField, at, detail));
        }
        let mut names: Vec<&str> = all.0.iter().map(|(name, _)| name.as_ref()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair.first() == pair.get(1)) {
            return sink.problem(Problem::new(Kind::JoinedLines, at, "a name stands there twice"));
        }
        if !["http.status", "error", "reason"].iter().any(|name| all.get(name).is_some()) {
            let detail = "it ends before it tells what came of the request";
            return sink.problem(Problem::new(Kind::TruncatedRecord, at, detail));
        }
        if all.get("duration").is_none() {
            // It comes last, unless whoever runs the gateway leaves it out.
            let detail = "it is not there: the line may be cut";
            sink.problem(Problem::new(Kind::BadField, at, detail).pointing("/duration"));
        }
        line(when, all, at, context, sink);
    }
}

impl Format for AgentGatewayJson {
    fn name(&self) -> &'static str {
        "agentgateway-json"
    }

    fn summary(&self) -> &'static str {
        SUMMARY
    }

    fn framing(&self) -> Framing {
        Framing::JsonLines
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        let text = String::from_utf8_lossy(head);
        let is_request = |line: &str| {
            flat(line).is_some_and(|all| {
                all.text("scope").is_some_and(|scope| scope == "request")
                    && all.get("http.method").is_some()
            })
        };
        if text.lines().any(is_request) {
            Ok(())
        } else {
            Err("no line is a JSON object with scope `request` and http.method".to_owned())
        }
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let text = String::from_utf8_lossy(record);
        let Some(all) = flat(&text) else {
            return sink.problem(Problem::new(Kind::NotJson, at, "not a JSON object"));
        };
        if all.get("http.method").is_none() {
            return;
        }
        let when = all.text("time").unwrap_or_default().into_owned();
        line(&when, all, at, context, sink);
    }
}

/// Time and pairs of a line of the scope `request`.
fn parts(line: &str) -> Option<(&str, &str)> {
    let mut words = line.splitn(4, ['\t', ' ']);
    let (when, _level, scope, pairs) = (words.next()?, words.next()?, words.next()?, words.next()?);
    (scope == "request" && pairs.contains("http.method=")).then_some((when, pairs))
}

/// `name=value name="quoted value"`, and what could not be read of them.
fn pairs_of(mut rest: &str) -> (Attributes<'_>, &str) {
    let mut pairs = Vec::new();
    while let Some((name, after)) = rest.trim_start().split_once('=') {
        let (value, tail) = if after.starts_with('"') {
            // As JSON: with escapes.
            let mut stream = serde_json::Deserializer::from_str(after).into_iter::<String>();
            match stream.next() {
                Some(Ok(value)) => {
                    (Cow::Owned(value), after.get(stream.byte_offset()..).unwrap_or_default())
                }
                _ => break,
            }
        } else {
            let end = after.find([' ', '\t']).unwrap_or(after.len());
            let (value, tail) = after.split_at(end);
            (Cow::Borrowed(value.trim_end()), tail)
        };
        pairs.push((Cow::Borrowed(name), Value::Text(value)));
        rest = tail;
    }
    (Attributes(pairs), rest.trim())
}

fn line(when: &str, all: Attributes<'_>, at: At, context: &Context<'_>, sink: &mut dyn Sink) {
    let Some(end) = instant("time", Some(when), at, context, sink) else { return };
    let known = exchange::of_attributes(&all, Side::Gateway, &Resource::default(), context);
    let host = Facts::of(&all).text(Fact::Host).unwrap_or_default();
    let path = told(&all, "http.path");
    let error = told(&all, "error").or_else(|| told(&all, "reason"));
    let answered = known.status.is_some_and(|status| status > 0);
    // An error whose code is none: what it means is not known, but accepted it was not.
    let refused = told(&all, "a2a.response.outcome").is_some_and(|outcome| outcome == "error");
    let stated = (refused && known.rpc_code.is_none()).then(|| {
        let known = known.stated.as_deref().cloned().unwrap_or_default();
        Box::new(Stated { outcome: Some(Cow::Borrowed("other")), ..known })
    });
    let known = Exchange {
        stated: stated.or(known.stated),
        url: path.map(|path| url(&host, &path, told(&all, "tls.sni").is_some())),
        trace_id: told(&all, "trace.id"),
        span_id: told(&all, "span.id"),
        error: error.filter(|_| !answered),
        ..known
    };
    let duration = duration(&all, at, sink);
    read(Line { start: None, end: Some(end), duration, exchange: known, all }, at, context, sink);
}
