//! A record as an HTTP exchange, or as one half of one.

use std::borrow::Cow;

use crate::a2a::sse;
use crate::config::mapping::{Field, Mapping};
use crate::event::Text;
use crate::exchange::{Exchange, Half, Stated, StreamPiece};
use crate::formats::time::{BadTime, Odd};
use crate::formats::{Context, Sink};
use crate::problem::{At, Kind, Problem};

use super::headers;
use super::values::{Found, Values, read_time, text_of};

/// Lays what the mapping finds over what is known of the exchange already (`base`: its position;
/// of a span also its times, URL and headers). Nothing when it has no time.
pub fn read<'a>(
    values: &Values<'_, '_, 'a>,
    base: Exchange<'a>,
    timed: bool,
    context: &Context<'_>,
    sink: &mut dyn Sink,
) -> Option<Exchange<'a>> {
    let mut exchange = base;
    times(values, &mut exchange, timed, context, sink)?;
    if let Some(is_request) = values.is_request() {
        exchange.half = if is_request { Half::Request } else { Half::Response };
        exchange.key = values.text(Field::Join).or(exchange.key);
        if !is_request {
            exchange.ended_at = exchange.ended_at.or(Some(exchange.started_at));
        }
    }
    line(values, &mut exchange);
    set(&mut exchange.client, values.text(Field::Client));
    set(&mut exchange.agent, values.text(Field::Agent));
    set(&mut exchange.trace_id, values.text(Field::TraceId));
    set(&mut exchange.span_id, values.text(Field::SpanId));
    set(&mut exchange.parent_span_id, values.text(Field::ParentSpanId));
    set(&mut exchange.task_id, values.text(Field::TaskId));
    set(&mut exchange.context_id, values.text(Field::ContextId));
    set(&mut exchange.task_state, values.text(Field::TaskState));
    set(&mut exchange.grpc_status, values.text(Field::GrpcStatus));
    set(&mut exchange.rpc_code, values.number(Field::RpcCode));
    set(
        &mut exchange.status,
        values.number(Field::Status).or_else(|| values.number(Field::HttpStatus)),
    );
    let error = values.text(Field::Error).or_else(|| values.text(Field::TransportError));
    set(&mut exchange.error, error.filter(|text| text != "false"));
    if exchange.status.is_some_and(|status| status >= 400) {
        // An answer came: what is called an error says in words what its status says.
        exchange.error = None;
    }
    exchange.from_cache = values.flag(Field::FromCache).unwrap_or(exchange.from_cache);
    exchange.side = values.mapping.recorded_by.unwrap_or(exchange.side);
    for (field, into, other) in [
        (Field::RequestHeaders, &mut exchange.request_headers, Half::Response),
        (Field::ResponseHeaders, &mut exchange.response_headers, Half::Request),
    ] {
        if exchange.half == other {
            continue;
        }
        let Some(Found::Raw(raw)) = values.find(field) else { continue };
        match headers::read(&raw) {
            Some(list) => into.extend(list),
            None => sink.problem(
                Problem::new(
                    Kind::BadField,
                    exchange.at,
                    "no headers: an object, an array, or lines of `name: value`",
                )
                .pointing(values.mapping.spelled(field)),
            ),
        }
    }
    for (field, header) in [
        (Field::Etag, "etag"),
        (Field::CacheControl, "cache-control"),
        (Field::LastModified, "last-modified"),
        (Field::AgeS, "age"),
    ] {
        if let Some(value) = values.text(field) {
            exchange.response_headers.push((Cow::Borrowed(header), value));
        }
    }
    if exchange.half != Half::Response
        && let Some((body, _)) = body(values, Field::RequestBody)
    {
        exchange.request_body = Some(body);
        // Only a POST of A2A has a body.
        exchange.method.get_or_insert(Cow::Borrowed("POST"));
    }
    if exchange.half != Half::Request {
        answer(values, &mut exchange, context);
    }
    stated(values, &mut exchange);
    Some(exchange)
}

fn set<T>(slot: &mut Option<T>, value: Option<T>) {
    if value.is_some() {
        *slot = value;
    }
}

/// Method and URL. A method that is no HTTP verb is one of A2A.
fn line<'a>(values: &Values<'_, '_, 'a>, exchange: &mut Exchange<'a>) {
    if let Some(both) = values.text(Field::MethodUrl) {
        if let Some((method, url)) = both.split_once(' ') {
            exchange.method = Some(Cow::Owned(method.to_owned()));
            exchange.url =
                Some(Cow::Owned(url.trim().split(' ').next().unwrap_or_default().to_owned()));
        } else {
            exchange.url = Some(both);
        }
    }
    if let Some(method) = values.text(Field::Method) {
        if is_verb(&method) {
            exchange.method = Some(method);
        } else {
            exchange.rpc_method = Some(method);
        }
    }
    set(&mut exchange.rpc_method, values.text(Field::RpcMethod));
    set(&mut exchange.url, values.text(Field::Url));
}

fn is_verb(method: &str) -> bool {
    ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]
        .iter()
        .any(|verb| method.eq_ignore_ascii_case(verb))
}

/// Start and end; `None` (and a problem) when there is neither.
fn times(
    values: &Values<'_, '_, '_>,
    exchange: &mut Exchange<'_>,
    timed: bool,
    context: &Context<'_>,
    sink: &mut dyn Sink,
) -> Option<()> {
    let mut odd = Odd::default();
    let mut time = |field: Field| match values.time(field, context) {
        None => Some(None),
        Some(Ok(instant)) => {
            odd = odd.and(instant.odd);
            Some(Some(instant.nanos))
        }
        Some(Err(why)) => {
            sink.problem(no_time(Some(why), values.mapping, field, exchange.at));
            None
        }
    };
    let start = time(Field::SentAt)?;
    let start = if start.is_some() { start } else { time(Field::Time)? };
    // A wrong end costs the end only.
    let end = time(Field::EndTime).flatten();
    let duration = values.duration().and_then(Result::ok);
    match (start, end, duration) {
        (None, None, _) if timed => {}
        (None, None, _) => {
            sink.problem(no_time(None, values.mapping, Field::Time, exchange.at));
            return None;
        }
        (Some(start), Some(end), _) => {
            (exchange.started_at, exchange.ended_at) = (start, Some(end));
        }
        (Some(start), None, duration) => {
            exchange.started_at = start;
            exchange.ended_at = duration.and_then(|length| start.checked_add(length));
        }
        (None, Some(end), duration) => {
            exchange.started_at =
                duration.and_then(|length| end.checked_sub(length)).unwrap_or(end);
            exchange.ended_at = Some(end);
        }
    }
    odd.tell(exchange.at, values.mapping.spelled(Field::Time), sink);
    Some(())
}

/// The problem of a time for want of which the record, or the element of `each`, was left out.
pub fn no_time(why: Option<BadTime>, mapping: &Mapping, field: Field, at: At) -> Problem {
    let place = mapping.spelled(field);
    let problem = match why {
        None => Problem::new(Kind::MissingField, at, format!("{place}: no time")),
        Some(BadTime::Spelling) => {
            Problem::new(Kind::BadTime, at, format!("{place}: not in the mapping's unit or format"))
        }
        Some(BadTime::Range) => {
            Problem::new(Kind::TimeOutOfRange, at, format!("{place}: too far away"))
        }
    };
    if mapping.each.is_some() { problem.pointing(place) } else { problem }
}

/// A body, and whether it stood there as a JSON value of its own rather than as text.
fn body<'a>(values: &Values<'_, '_, 'a>, field: Field) -> Option<(Cow<'a, [u8]>, bool)> {
    let found = values.find(field)?;
    let is_value = matches!(&found, Found::Raw(raw) if !raw.starts_with('"'));
    let bytes = match found.into_text() {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    Some((bytes, is_value))
}

/// The response's body: whole, in pieces, or as a stream taken apart.
fn answer<'a>(values: &Values<'_, '_, 'a>, exchange: &mut Exchange<'a>, context: &Context<'_>) {
    exchange.response_sha256 = values.text(Field::ResponseSha256);
    let events = values.all(Field::SseEvents);
    if !events.is_empty() {
        let times = piece_times(values, context);
        let texts: Vec<_> = events
            .into_iter()
            .map(|(element, raw)| (time_of(&times, element), text_of(raw)))
            .collect();
        if texts.iter().any(|(_, text)| sse::looks_like_stream(text)) {
            // Frames kept one by one, not yet taken apart.
            exchange.stream = unframed(&texts);
        } else {
            exchange.stream =
                texts.into_iter().map(|(time, data)| StreamPiece { time, data }).collect();
        }
        return;
    }
    let chunks = values.all(Field::SseChunks);
    if !chunks.is_empty() {
        let times = piece_times(values, context);
        let texts: Vec<_> = chunks
            .into_iter()
            .map(|(element, raw)| (time_of(&times, element), text_of(raw)))
            .collect();
        let joined = texts.iter().map(|(_, text)| text.as_ref()).collect::<String>();
        if sse::looks_like_stream(&joined) {
            exchange.stream = unframed(&texts);
        } else {
            exchange.response_body = Some(Cow::Owned(joined.into_bytes()));
        }
        return;
    }
    if let Some((body, is_value)) = body(values, Field::ResponseBody) {
        exchange.response_body = Some(body);
        exchange.reserialised = is_value;
    }
}

/// Captured pieces of a framed stream: its events, each dated at the piece that completed it.
fn unframed<'a>(pieces: &[(Option<i64>, Text<'_>)]) -> Vec<StreamPiece<'a>> {
    let mut joined = String::new();
    let mut ends = Vec::with_capacity(pieces.len());
    for (time, text) in pieces {
        joined.push_str(text);
        ends.push((joined.len(), *time));
    }
    let events: Vec<_> = sse::events(&joined).collect();
    let mut stream = Vec::with_capacity(events.len());
    for (index, event) in events.iter().enumerate() {
        let until = events.get(index + 1).map_or(joined.len(), |next| next.offset);
        let piece = ends.partition_point(|(end, _)| *end < until);
        let time = ends.get(piece).and_then(|(_, time)| *time);
        stream.push(StreamPiece { time, data: Cow::Owned(event.data.clone().into_owned()) });
    }
    stream
}

fn piece_times(values: &Values<'_, '_, '_>, context: &Context<'_>) -> Vec<(u64, i64)> {
    let read = |raw| read_time(&text_of(raw), values.mapping, context).ok();
    values
        .all(Field::SseTimes)
        .into_iter()
        .filter_map(|(element, raw)| Some((element, read(raw)?.nanos)))
        .collect()
}

fn time_of(times: &[(u64, i64)], element: u64) -> Option<i64> {
    let at = times.binary_search_by_key(&element, |(index, _)| *index).ok()?;
    times.get(at).map(|(_, time)| *time)
}

/// Fields of the journal that no request or response holds.
fn stated<'a>(values: &Values<'_, '_, 'a>, exchange: &mut Exchange<'a>) {
    let mapping: &Mapping = values.mapping;
    let named = |field: &Field| !mapping.places(*field).is_empty();
    let fields = [
        Field::Registry,
        Field::Authority,
        Field::ProtocolVersion,
        Field::SkillId,
        Field::AdmittedUnder,
        Field::AcceptedOutputModes,
        Field::Stream,
        Field::Push,
        Field::Outcome,
        Field::ErrorReason,
        Field::Disposition,
    ];
    if !fields.iter().any(named) {
        return;
    }
    let modes: Vec<_> = values
        .all(Field::AcceptedOutputModes)
        .into_iter()
        .map(|(_, raw)| text_of(raw))
        .filter(|mode| mode != "null")
        .collect();
    let stated = Stated {
        registry: values.text(Field::Registry),
        authority: values.flag(Field::Authority),
        protocol_version: values.text(Field::ProtocolVersion),
        skill_id: values.text(Field::SkillId),
        admitted_under: values.text(Field::AdmittedUnder),
        accepted_output_modes: (!modes.is_empty()).then_some(modes),
        stream: values.flag(Field::Stream),
        push: values.flag(Field::Push),
        outcome: values.text(Field::Outcome),
        error_reason: values.text(Field::ErrorReason),
        disposition: values.text(Field::Disposition),
    };
    if stated != Stated::default() {
        exchange.stated = Some(Box::new(stated));
    }
}
