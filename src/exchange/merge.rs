//! Several sightings of one exchange become one (model §1 *Joining*).

use super::{Exchange, Half, Side, Stated};

/// The first is the one whose times count. What it lacks comes from the others, in their order:
/// bodies beat hashes, and hashes beat nothing.
pub(super) fn merge(exchanges: Vec<Exchange<'_>>) -> Exchange<'_> {
    let mut rest = exchanges.into_iter();
    let Some(mut exchange) = rest.next() else { return Exchange::default() };
    for other in rest {
        add(&mut exchange, other);
    }
    exchange
}

fn add<'a>(exchange: &mut Exchange<'a>, other: Exchange<'a>) {
    let halves = exchange.half != other.half && exchange.half != Half::Whole;
    // An answer over several records of one log: events of a stream, what broke it.
    let goes_on = !halves
        && exchange.half == Half::Whole
        && other.half == Half::Response
        && exchange.key.is_some()
        && exchange.key == other.key;
    if halves && other.half == Half::Response {
        // The response half bears the time at which it was written.
        exchange.ended_at = Some(other.ended_at.unwrap_or(other.started_at));
    } else if goes_on {
        let ended_at = other.ended_at.unwrap_or(other.started_at);
        exchange.ended_at = Some(exchange.ended_at.map_or(ended_at, |end| end.max(ended_at)));
    } else if exchange.ended_at.is_none() && other.side == exchange.side {
        exchange.ended_at = other.ended_at;
    }
    if halves {
        exchange.half = Half::Whole;
    }
    // Whoever is called knows who calls only by what the caller sent along.
    if other.side != Side::Server {
        fill(&mut exchange.client, other.client);
    }
    if exchange.response_body.is_none() && other.response_body.is_some() {
        exchange.response_body = other.response_body;
        exchange.reserialised = other.reserialised;
    }
    let chunked =
        |pieces: &[super::StreamPiece<'_>]| pieces.iter().any(|piece| piece.time.is_some());
    if goes_on {
        exchange.stream.extend(other.stream);
    } else if exchange.stream.is_empty() || chunked(&other.stream) && !chunked(&exchange.stream) {
        exchange.stream = other.stream;
    }
    add_headers(&mut exchange.request_headers, other.request_headers);
    add_headers(&mut exchange.response_headers, other.response_headers);
    match (&mut exchange.stated, other.stated) {
        (Some(stated), Some(other)) => add_stated(stated, *other),
        (stated, other) => *stated = stated.take().or(other),
    }
    exchange.cut |= other.cut;
    exchange.mended |= other.mended;
    exchange.from_cache |= other.from_cache;
    fill(&mut exchange.agent, other.agent);
    fill(&mut exchange.method, other.method);
    fill(&mut exchange.url, other.url);
    fill(&mut exchange.request_body, other.request_body);
    fill(&mut exchange.status, other.status);
    fill(&mut exchange.response_sha256, other.response_sha256);
    fill(&mut exchange.error, other.error);
    fill(&mut exchange.rpc_method, other.rpc_method);
    fill(&mut exchange.rpc_code, other.rpc_code);
    fill(&mut exchange.grpc_status, other.grpc_status);
    fill(&mut exchange.task_id, other.task_id);
    fill(&mut exchange.context_id, other.context_id);
    fill(&mut exchange.task_state, other.task_state);
    if exchange.trace_id.is_none() {
        exchange.trace_id = other.trace_id;
        exchange.span_id = other.span_id;
        exchange.parent_span_id = other.parent_span_id;
    }
}

fn fill<T>(slot: &mut Option<T>, other: Option<T>) {
    if slot.is_none() {
        *slot = other;
    }
}

/// Adds the headers that only the other one recorded.
fn add_headers<'a>(
    headers: &mut Vec<(crate::event::Text<'a>, crate::event::Text<'a>)>,
    others: Vec<(crate::event::Text<'a>, crate::event::Text<'a>)>,
) {
    let known = headers.len();
    for (name, value) in others {
        if !headers.iter().take(known).any(|(key, _)| key.eq_ignore_ascii_case(&name)) {
            headers.push((name, value));
        }
    }
}

fn add_stated<'a>(stated: &mut Stated<'a>, other: Stated<'a>) {
    fill(&mut stated.registry, other.registry);
    fill(&mut stated.authority, other.authority);
    fill(&mut stated.protocol_version, other.protocol_version);
    fill(&mut stated.skill_id, other.skill_id);
    fill(&mut stated.admitted_under, other.admitted_under);
    fill(&mut stated.accepted_output_modes, other.accepted_output_modes);
    fill(&mut stated.stream, other.stream);
    fill(&mut stated.push, other.push);
    fill(&mut stated.outcome, other.outcome);
    fill(&mut stated.error_reason, other.error_reason);
    fill(&mut stated.disposition, other.disposition);
}
