//! A record that holds a bare A2A object: a card, or what an agent answered or posted.

use std::borrow::Cow;

use crate::a2a::card::Card;
use crate::a2a::object;
use crate::config::mapping::Field;
use crate::event::{CardFetch, CardSeen, Common, Event};
use crate::exchange::Exchange;
use crate::formats::Sink;
use crate::problem::{Kind, Problem};

use super::values::{Values, text_of};

/// Gives the object to the sink: a card as a fetch of it, anything else as an exchange of which only
/// the request or only the answer is known. `exchange` holds what the mapping told beside it.
pub fn read<'a>(values: &Values<'_, '_, 'a>, exchange: &Exchange<'a>, sink: &mut dyn Sink) {
    for (_, raw) in whole(values) {
        let mut exchange = exchange.clone();
        exchange.bare = true;
        let is_text = raw.starts_with('"');
        let text = text_of(raw);
        if object::requests(&text)
            .is_ok_and(|list| list.iter().any(|request| request.method.get().is_some()))
        {
            exchange.request_body = Some(bytes(text));
            exchange.method.get_or_insert(Cow::Borrowed("POST"));
        } else if object::replies(&text)
            .is_ok_and(|list| list.iter().any(|reply| !reply.items.is_empty()))
        {
            // Without a method this would look like a GET of the agent's URL.
            exchange.method.get_or_insert(Cow::Borrowed("POST"));
            exchange.response_body = Some(bytes(text));
        } else if Card::parse(text.as_bytes()).is_ok() {
            let seen = if is_text { CardSeen::Body(bytes(text)) } else { CardSeen::Object(text) };
            let event = card_fetch(values, &exchange, seen);
            sink.event(exchange.at, Event::Card(event));
            continue;
        } else {
            sink.problem(
                Problem::new(
                    Kind::BadAnswer,
                    exchange.at,
                    "neither a request, an answer, an update nor a card",
                )
                .pointing(values.mapping.spelled(Field::A2a)),
            );
            continue;
        }
        sink.exchange(exchange);
    }
}

/// The objects: all that `*` led to, but an array without one is not taken apart (a batch).
fn whole<'a>(values: &Values<'_, '_, 'a>) -> Vec<(u64, Cow<'a, str>)> {
    let all = values.all(Field::A2a);
    if all.len() > 1 {
        return all;
    }
    match values.find(Field::A2a) {
        Some(super::values::Found::Raw(raw)) => vec![(0, raw)],
        _ => Vec::new(),
    }
}

fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

fn card_fetch<'a>(
    values: &Values<'_, '_, 'a>,
    exchange: &Exchange<'a>,
    card: CardSeen<'a>,
) -> CardFetch<'a> {
    let stated = exchange.stated.clone().unwrap_or_default();
    CardFetch {
        common: Common {
            time: exchange.ended_at.unwrap_or(exchange.started_at),
            client: exchange.client.clone(),
            agent: exchange.agent.clone(),
            url: exchange.url.clone(),
            trace_id: exchange.trace_id.clone(),
            span_id: exchange.span_id.clone(),
            ..Common::default()
        },
        registry: stated.registry,
        sent_at: exchange.ended_at.map(|_| exchange.started_at),
        status: exchange.status.or(Some(200)),
        etag: values.text(Field::Etag),
        cache_control: values.text(Field::CacheControl),
        last_modified: values.text(Field::LastModified),
        age_s: values.number(Field::AgeS),
        card: match &exchange.response_sha256 {
            Some(sha256) => match card {
                CardSeen::Object(text) => {
                    CardSeen::HashedBody { sha256: sha256.clone(), body: bytes(text) }
                }
                other => other,
            },
            None => card,
        },
        authority: stated.authority,
        from_cache: exchange.from_cache,
        ..CardFetch::default()
    }
}
