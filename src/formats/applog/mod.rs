//! Text logs of programs that use the A2A SDK for Python.
//!
//! They are the most common accidental archive of Agent Cards: the SDK's card resolver logs the whole
//! card, as Python writes a dict. httpx logs each request with its status. Both say nothing of calls.

pub mod repr;

use std::borrow::Cow;

use crate::exchange::{Exchange, Half};
use crate::problem::{At, Kind, Problem};

use super::{Context, Format, Framing, Sink, time};

/// The reader.
#[derive(Debug)]
pub struct AppLog;

/// What the card resolver logs, before the URL.
const FETCHED: &str = "Successfully fetched agent card data from ";
/// What httpx logs, before the method.
const REQUEST: &str = "HTTP Request: ";

impl Format for AppLog {
    fn name(&self) -> &'static str {
        "python-log"
    }

    fn summary(&self) -> &'static str {
        "text logs of programs with the A2A SDK for Python: cards as fetched (not their bytes), times and status of GETs; no calls"
    }

    fn framing(&self) -> Framing {
        Framing::TextLines
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        let text = String::from_utf8_lossy(head);
        let names = [" a2a.", FETCHED, REQUEST];
        let is_log =
            |line: &str| when(line).is_some() && names.iter().any(|name| line.contains(name));
        if text.lines().any(is_log) {
            Ok(())
        } else {
            Err("no line begins with a time and is one of the A2A SDK for Python or of httpx"
                .to_owned())
        }
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let line = String::from_utf8_lossy(record);
        let Some(exchange) = card_of(&line, at, sink).or_else(|| request_of(&line)) else { return };
        let instant = when(&line).map(|text| time::text(text, None, context.assume_zone));
        let instant = match instant {
            Some(Ok(instant)) => instant,
            Some(Err(_)) => {
                return sink.problem(Problem::new(Kind::BadTime, at, "the line's time"));
            }
            None => {
                return sink.problem(Problem::new(
                    Kind::MissingField,
                    at,
                    "the line does not begin with a time; add %(asctime)s to the log's format",
                ));
            }
        };
        instant.odd.tell(at, "time", sink);
        sink.exchange(Exchange {
            at,
            started_at: instant.nanos,
            ended_at: Some(instant.nanos),
            ..exchange
        });
    }
}

/// The time at the beginning of a line: a date, a time of day and perhaps a zone.
fn when(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['[', '"', ' ']);
    let date = line.get(..10)?;
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let is_date = date.split('-').map(str::len).eq([4, 2, 2]) && date.split('-').all(digits);
    let rest = line.get(11..)?;
    if !is_date || !line.get(10..11).is_some_and(|between| matches!(between, " " | "T")) {
        return None;
    }
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | ',' | '+' | '-' | 'Z')))
        .unwrap_or(rest.len());
    let text = line.get(..11 + end)?;
    // `12:00:00,123 - INFO` and `12:00:00.123: INFO`
    Some(text.trim_end_matches([',', ':', '-', '.']))
}

/// httpx logs the request, and the card resolver next what came of it: two lines of one fetch, and
/// nothing in them but the URL that tells which belong together.
fn key(url: &str, status: i64) -> String {
    format!("{status} {url}")
}

/// A card that was fetched.
fn card_of<'a>(line: &'a str, at: At, sink: &mut dyn Sink) -> Option<Exchange<'a>> {
    let (_, rest) = line.split_once(FETCHED)?;
    let (url, card) = rest.split_once(": ")?;
    let body = repr::to_json(card.trim());
    if body.is_none() {
        sink.problem(Problem::new(
            Kind::BadAnswer,
            at,
            "the card is cut, or no dict as Python writes it",
        ));
    }
    Some(Exchange {
        method: Some(Cow::Borrowed("GET")),
        url: Some(Cow::Borrowed(url)),
        status: Some(200),
        response_body: body.map(|json| Cow::Owned(json.into_bytes())),
        reserialised: true,
        key: Some(Cow::Owned(key(url, 200))),
        half: Half::Response,
        ..Exchange::default()
    })
}

/// `HTTP Request: GET http://… "HTTP/1.1 304 Not Modified"`
fn request_of(line: &str) -> Option<Exchange<'_>> {
    let (_, rest) = line.split_once(REQUEST)?;
    let mut words = rest.split(' ');
    let (method, url) = (words.next()?, words.next()?);
    // Nothing tells what a POST asked for.
    if method != "GET" {
        return None;
    }
    let status = words.nth(1)?.trim_end_matches('"').parse().ok()?;
    Some(Exchange {
        method: Some(Cow::Borrowed(method)),
        url: Some(Cow::Borrowed(url)),
        status: Some(status),
        key: Some(Cow::Owned(key(url, status))),
        half: Half::Request,
        ..Exchange::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_common_formats() {
        for (line, wanted) in [
            ("2026-11-30 11:15:43,968 INFO a2a.client: x", Some("2026-11-30 11:15:43,968")),
            ("2026-11-30T11:15:43.968+01:00 - INFO - x", Some("2026-11-30T11:15:43.968+01:00")),
            ("[2026-11-30 11:15:43,968] x", Some("2026-11-30 11:15:43,968")),
            ("2026-11-30 11:15:43: x", Some("2026-11-30 11:15:43")),
            ("INFO:a2a.client:x", None),
            ("11:15:43 x", None),
        ] {
            assert_eq!(when(line), wanted, "{line}");
        }
    }

    #[test]
    fn requests_of_httpx() {
        let line = "t INFO httpx: HTTP Request: GET http://h/.well-known/agent-card.json \"HTTP/1.1 304 Not Modified\"";
        let exchange = request_of(line).unwrap();
        assert_eq!(exchange.status, Some(304));
        assert_eq!(exchange.url.as_deref(), Some("http://h/.well-known/agent-card.json"));
        assert!(request_of("HTTP Request: GET http://h").is_none());
    }
}
