//! One entry of `log.entries`.

use super::body;
use crate::a2a::json::{self, List, Maybe, Raw, object};
use crate::event::Text;
use crate::exchange::{Exchange, StreamPiece};
use crate::formats::time::is_leap;
use crate::formats::{Context, Sink};
use crate::problem::{At, Kind, Problem};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::borrow::Cow;

object! {
    /// An exchange.
    struct Entry<'a> {
        "startedDateTime" => started: Raw<'a>,
        "time" => time: Raw<'a>,
        "timings" => timings: Maybe<Timings<'a>>,
        "request" => request: Maybe<Request<'a>>,
        "response" => response: Maybe<Response<'a>>,
        "_fromCache" | "fromCache" => from_cache: Raw<'a>,
        "_error" => error: Raw<'a>,
        "_eventSourceMessages" | "eventSourceMessages" => messages: List<Maybe<Message<'a>>>,
    }
}

object! {
    /// Its phases in milliseconds; -1 for those that did not happen. `ssl` is part of `connect`.
    struct Timings<'a> {
        "blocked" => blocked: Raw<'a>,
        "dns" => dns: Raw<'a>,
        "connect" => connect: Raw<'a>,
        "send" => send: Raw<'a>,
        "wait" => wait: Raw<'a>,
        "receive" => receive: Raw<'a>,
    }
}

object! {
    /// What was sent.
    struct Request<'a> {
        "method" => method: Raw<'a>,
        "url" => url: Raw<'a>,
        "headers" => headers: List<Maybe<Header<'a>>>,
        "postData" => post: Maybe<Content<'a>>,
    }
}

object! {
    /// What came back.
    struct Response<'a> {
        "status" => status: Raw<'a>,
        "headers" => headers: List<Maybe<Header<'a>>>,
        "content" => content: Maybe<Content<'a>>,
        "_error" => error: Raw<'a>,
        "_fromCache" | "fromCache" => from_cache: Raw<'a>,
    }
}

object! {
    /// A body.
    pub(super) struct Content<'a> {
        "text" => text: Raw<'a>,
        "encoding" | "_encoding" => encoding: Raw<'a>,
        "size" => size: Raw<'a>,
        "mimeType" => media_type: Raw<'a>,
        "params" => params: Raw<'a>,
    }
}

object! {
    /// A header field.
    struct Header<'a> {
        "name" => name: Raw<'a>,
        "value" => value: Raw<'a>,
    }
}

object! {
    /// One event of a stream, already unframed.
    struct Message<'a> {
        "time" => time: Raw<'a>,
        "data" => data: Raw<'a>,
    }
}

/// Reads an entry; what cannot be read is a problem, not a failure.
pub(super) fn read(record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
    let text = match std::str::from_utf8(record) {
        Ok(text) => text,
        Err(error) => {
            let detail = format!("not UTF-8 at byte {} of the entry", error.valid_up_to());
            return sink.problem(Problem::new(Kind::NotJson, at, detail));
        }
    };
    let entry = match json::read::<Entry<'_>>(text) {
        Ok(Some(entry)) => entry,
        Ok(None) => {
            return sink.problem(Problem::new(Kind::WrongType, at, "the entry is not an object"));
        }
        Err(error) => {
            let kind = if error.truncated { Kind::TruncatedRecord } else { Kind::NotJson };
            return sink.problem(Problem::new(kind, at, error.to_string()));
        }
    };
    let mut reader = Reader { at, context, sink };
    if let Some(exchange) = reader.exchange(entry) {
        reader.sink.exchange(exchange);
    }
}

struct Reader<'s, 'c> {
    at: At,
    context: &'s Context<'c>,
    sink: &'s mut dyn Sink,
}

impl Reader<'_, '_> {
    fn exchange<'a>(&mut self, entry: Entry<'a>) -> Option<Exchange<'a>> {
        let Some(request) = entry.request.0 else { return self.reject("/request", "no request") };
        let Some(url) = self.text(request.url, "/request/url") else {
            return self.reject("/request/url", "no URL");
        };
        let started_at = self.started(entry.started)?;
        let response = entry.response.0.unwrap_or_default();
        let request_headers = headers(request.headers);
        let response_headers = headers(response.headers);
        let (post, content) = (request.post.0, response.content.0);
        let sent = post.and_then(|p| self.body(&p, &request_headers, "/request/postData"));
        let got = content.and_then(|c| self.body(&c, &response_headers, "/response/content"));
        let error = self
            .text(response.error, "/response/_error")
            .or_else(|| self.text(entry.error, "/_error"))
            .filter(|error| !error.is_empty());
        let cached = |raw: Raw<'_>| raw.0.is_some_and(|raw| !matches!(raw, "false" | "\"\""));
        Some(Exchange {
            at: self.at,
            started_at,
            ended_at: self
                .took(entry.time, entry.timings.0)
                .and_then(|t| started_at.checked_add(t)),
            method: self.text(request.method, "/request/method"),
            url: Some(url),
            request_headers,
            request_body: sent,
            status: self.status(response.status),
            response_headers,
            response_body: got,
            stream: entry.messages.0.into_iter().filter_map(|m| piece(&m.0?)).collect(),
            error,
            from_cache: cached(entry.from_cache) || cached(response.from_cache),
            ..Exchange::default()
        })
    }

    /// Leaves the entry out.
    fn reject<T>(&mut self, pointer: &str, what: &str) -> Option<T> {
        let detail = format!("{pointer}: {what}");
        self.sink.problem(Problem::new(Kind::MissingField, self.at, detail));
        None
    }

    /// Notes a field that is left out.
    fn note(&mut self, kind: Kind, pointer: &str, detail: impl Into<Cow<'static, str>>) {
        self.sink.problem(Problem::new(kind, self.at, detail).pointing(pointer));
    }

    /// A string.
    fn text<'a>(&mut self, raw: Raw<'a>, pointer: &str) -> Option<Text<'a>> {
        let raw = raw.0?;
        if !raw.starts_with('"') {
            self.note(Kind::BadField, pointer, "not a string");
            return None;
        }
        json::scalar(raw)
    }

    /// When it was sent.
    fn started(&mut self, raw: Raw<'_>) -> Option<i64> {
        let Some(text) = self.text(raw, "/startedDateTime") else {
            return self.reject("/startedDateTime", "no time");
        };
        let zone = self.context.assume_zone;
        match time(&text, zone) {
            Ok((nanos, naive)) => {
                if naive {
                    self.note(Kind::NaiveTime, "/startedDateTime", "no zone");
                }
                if is_leap(&text) {
                    self.note(Kind::LeapSecond, "/startedDateTime", "");
                }
                Some(nanos)
            }
            Err(kind) => {
                self.sink.problem(Problem::new(kind, self.at, "/startedDateTime"));
                None
            }
        }
    }

    /// How long it took, in nanoseconds: `time`, else its phases.
    fn took(&mut self, time: Raw<'_>, timings: Option<Timings<'_>>) -> Option<i64> {
        if let Some(raw) = time.0 {
            match millis(raw) {
                Some(nanos) => return Some(nanos),
                None if raw.starts_with('-') => {}
                None => self.note(Kind::BadField, "/time", "not a number of milliseconds"),
            }
        }
        let t = timings?;
        let phases = [t.blocked, t.dns, t.connect, t.send, t.wait, t.receive];
        phases.iter().filter_map(|raw| millis(raw.0?)).reduce(i64::saturating_add)
    }

    fn status(&mut self, raw: Raw<'_>) -> Option<i64> {
        let raw = raw.0?;
        let number = json::scalar(raw).and_then(|text| text.trim().parse().ok());
        if number.is_none() {
            self.note(Kind::BadField, "/response/status", "not a number");
        }
        number.filter(|status| *status > 0)
    }

    /// The bytes of a body; `None`: not on record.
    fn body<'a>(
        &mut self,
        content: &Content<'a>,
        headers: &[(Text<'a>, Text<'a>)],
        pointer: &str,
    ) -> Option<Cow<'a, [u8]>> {
        let at = format!("{pointer}/text");
        let text = self.text(content.text, &at)?;
        let encoding = self.text(content.encoding, &format!("{pointer}/encoding"));
        let header = |name: &str| {
            let found = headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
            found.map_or("", |(_, value)| value.trim())
        };
        let size = content.size.0.and_then(|size| size.parse::<f64>().ok());
        if text.is_empty() && size.is_some_and(|size| size > 0.0) {
            return None;
        }
        let encoded = match encoding.as_deref().map(str::trim).unwrap_or_default() {
            "" => {
                let declared = header("content-type");
                let media = content.media_type.0.and_then(json::scalar).unwrap_or_default();
                let charset = body::names_charset(declared) || body::names_charset(&media);
                if let Some(bytes) = body::misdecoded(&text).filter(|_| !charset) {
                    self.note(Kind::MisdecodedBody, &at, "UTF-8 was read as Latin-1");
                    return Some(Cow::Owned(bytes));
                }
                return Some(match text {
                    Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                    Cow::Owned(text) => Cow::Owned(text.into_bytes()),
                });
            }
            name if name.eq_ignore_ascii_case("base64") => body::base64(&text),
            _ => {
                self.note(Kind::BadField, &format!("{pointer}/encoding"), "not base64");
                return None;
            }
        };
        let Some(encoded) = encoded else {
            self.note(Kind::BadField, &at, "not base64, although its encoding says so");
            return None;
        };
        match body::decompressed(encoded, header("content-encoding")) {
            Ok(bytes) => Some(Cow::Owned(bytes)),
            Err(detail) => {
                self.note(Kind::BadAnswer, &at, detail);
                None
            }
        }
    }
}

fn headers<'a>(list: List<Maybe<Header<'a>>>) -> Vec<(Text<'a>, Text<'a>)> {
    let pair = |header: Header<'a>| {
        Some((
            json::scalar(header.name.0?)?,
            header.value.0.and_then(json::scalar).unwrap_or_default(),
        ))
    };
    list.0.into_iter().filter_map(|header| pair(header.0?)).collect()
}

/// One event that a browser unframed; its time is in seconds since 1970.
fn piece<'a>(message: &Message<'a>) -> Option<StreamPiece<'a>> {
    let data = json::scalar(message.data.0?)?;
    let seconds = message.time.0.and_then(|raw| raw.parse::<f64>().ok());
    let wall = seconds.filter(|seconds| (1e9..9e9).contains(seconds));
    Some(StreamPiece { time: wall.and_then(|seconds| nanos(seconds, 1e9)), data })
}

/// A number of milliseconds that is not negative, in nanoseconds.
fn millis(raw: &str) -> Option<i64> {
    let value: f64 = raw.parse().ok()?;
    (value >= 0.0).then(|| nanos(value, 1e6)).flatten()
}

#[expect(clippy::cast_possible_truncation, reason = "checked against the range before")]
fn nanos(value: f64, unit: f64) -> Option<i64> {
    let nanos = (value * unit).round();
    (nanos.abs() < 9.2e18).then_some(nanos as i64)
}

/// ISO 8601 with or without a zone: UTC nanoseconds, and whether the zone was assumed.
fn time(text: &str, assumed: Option<&TimeZone>) -> Result<(i64, bool), Kind> {
    let fits = |timestamp: Timestamp| {
        i64::try_from(timestamp.as_nanosecond()).map_err(|_| Kind::TimeOutOfRange)
    };
    if let Ok(timestamp) = text.parse() {
        return Ok((fits(timestamp)?, false));
    }
    let civil: DateTime = text.parse().map_err(|_| Kind::BadTime)?;
    let zone = assumed.cloned().unwrap_or(TimeZone::UTC);
    let zoned = zone.to_ambiguous_zoned(civil).compatible().map_err(|_| Kind::TimeOutOfRange)?;
    Ok((fits(zoned.timestamp())?, true))
}
