//! Card fetches (model §1 *registry*, §2).

use super::Derived;
use super::answer::Texts;
use super::facts::{Facts, owned, response_header};
use crate::a2a::card::Card;
use crate::a2a::digest::sha256_hex;
use crate::a2a::json::{self, Raw, object};
use crate::a2a::method::Operation;
use crate::a2a::object::answer::result_text;
use crate::event::{CardFetch, CardSeen, Common, FetchKind, Text, TimeFrom};
use crate::exchange::Exchange;
use crate::problem::Kind;
use std::borrow::Cow;

/// Media types of answers that are no card, whatever they hold.
const NEVER_CARDS: [&str; 8] = [
    "image/",
    "font/",
    "audio/",
    "video/",
    "text/css",
    "text/javascript",
    "application/javascript",
    "text/event-stream",
];

/// The card fetch that a GET is, or may be.
pub(super) fn of_get(exchange: &Exchange<'_>, facts: &Facts<'_>) -> Option<CardFetch<'static>> {
    let named = exchange.rpc_method.as_deref().map(Operation::of);
    if facts.method != "GET" && named != Some(Operation::Card) {
        return None;
    }
    let known = facts.operation_of_path().or(named).unwrap_or(Operation::Unknown);
    let body = exchange.response_body.as_deref();
    let is_card = facts.status == Some(200) && body.is_some_and(looks_like_card);
    let kind = match known {
        Operation::Card => FetchKind::Fetch,
        _ if is_card => FetchKind::Fetch,
        Operation::ExtendedCard if matches!(facts.status, Some(200 | 304)) && body.is_none() => {
            FetchKind::Fetch
        }
        Operation::ExtendedCard => FetchKind::Get,
        Operation::Unknown if may_be_card(exchange, facts) => FetchKind::Get,
        _ => return None,
    };
    let mut fetch = fetch(exchange, facts, kind);
    fetch.extended = known == Operation::ExtendedCard;
    if fetch.status == Some(200) {
        fetch.card = seen(exchange);
        if exchange.cut && !is_card {
            fetch.error.get_or_insert(Cow::Borrowed("the answer broke off"));
        }
    }
    Some(fetch)
}

/// The extended card that a JSON-RPC call returned. A call that failed is none: its URL never serves
/// cards.
pub(super) fn of_call(
    exchange: &Exchange<'_>,
    facts: &Facts<'_>,
    texts: &Texts<'_>,
) -> Option<CardFetch<'static>> {
    let (_, text) = texts.data.first()?;
    let card = result_text(text).filter(|card| Card::parse(card.as_bytes()).is_ok())?;
    let mut fetch = fetch(exchange, facts, FetchKind::Fetch);
    fetch.extended = true;
    fetch.status = Some(200);
    fetch.card = CardSeen::Body(Cow::Owned(card.as_bytes().to_vec()));
    Some(fetch)
}

/// Notes that a card was fetched of which nothing was kept.
pub(super) fn note_missing(exchange: &Exchange<'_>, fetch: &CardFetch<'_>, derived: &mut Derived) {
    if fetch.kind == FetchKind::Fetch
        && fetch.status == Some(200)
        && matches!(fetch.card, CardSeen::Unknown)
    {
        derived.note(exchange, Kind::MissingBody, "neither body nor hash of the card is on record");
    }
}

/// All but the card.
fn fetch(exchange: &Exchange<'_>, facts: &Facts<'_>, kind: FetchKind) -> CardFetch<'static> {
    let stated = exchange.stated.as_deref();
    let header = |name| response_header(exchange, name).filter(|value| !value.is_empty());
    let kept = |name| header(name).map(|value| Cow::Owned(value.to_owned()));
    let (time, time_from) = match exchange.ended_at {
        Some(end) => (end, TimeFrom::ExchangeEnd),
        None => (exchange.started_at, TimeFrom::ExchangeStart),
    };
    let mut error = owned(exchange.error.as_ref());
    if error.is_none() && facts.status.is_none() {
        error = Some(Cow::Borrowed("no answer"));
    }
    CardFetch {
        common: Common {
            time,
            time_from,
            url: owned(exchange.url.as_ref()),
            ..facts.common.clone()
        },
        kind,
        registry: owned(stated.and_then(|stated| stated.registry.as_ref())),
        sent_at: Some(exchange.started_at),
        status: facts.status,
        etag: kept("etag").or_else(|| confirmed(exchange, facts)),
        cache_control: kept("cache-control"),
        last_modified: kept("last-modified"),
        age_s: header("age").and_then(|age| age.parse().ok()).filter(|age| *age >= 0),
        authority: stated.and_then(|stated| stated.authority),
        from_cache: exchange.from_cache,
        variant: variant(exchange, facts),
        error,
        ..CardFetch::default()
    }
}

/// The `ETag` that a 304 confirms although it leaves it out: the only one that was asked with.
fn confirmed(exchange: &Exchange<'_>, facts: &Facts<'_>) -> Option<Text<'static>> {
    let asked = exchange.request_headers.iter();
    let mut asked = asked.filter(|(name, _)| name.eq_ignore_ascii_case("if-none-match"));
    let (_, only) = asked.next().filter(|_| facts.status == Some(304))?;
    let only = only.trim();
    let is_one = only.matches('"').count() == 2 && only.ends_with('"') && asked.next().is_none();
    is_one.then(|| Cow::Owned(only.to_owned()))
}

/// The version asked for, when the answer says that it varies by it; no version means 0.3.
fn variant(exchange: &Exchange<'_>, facts: &Facts<'_>) -> Option<Text<'static>> {
    let varies = exchange
        .response_headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("vary"))
        .flat_map(|(_, value)| value.split(','))
        .any(|name| name.trim().eq_ignore_ascii_case("a2a-version"));
    varies.then(|| Cow::Owned(facts.version_asked(exchange).unwrap_or("0.3").to_owned()))
}

/// The card as far as it was recorded.
fn seen(exchange: &Exchange<'_>) -> CardSeen<'static> {
    let hash = exchange.response_sha256.as_deref().map(str::to_ascii_lowercase);
    let body = exchange.response_body.as_deref().filter(|body| !body.is_empty());
    match (hash, body) {
        (Some(sha256), None) => CardSeen::Hash(Cow::Owned(sha256)),
        (Some(sha256), Some(body)) if sha256 != sha256_hex(body) => {
            CardSeen::HashedBody { sha256: Cow::Owned(sha256), body: Cow::Owned(body.to_vec()) }
        }
        (None, Some(body)) if exchange.reserialised => {
            CardSeen::Object(Cow::Owned(json::lossy(body).into_owned()))
        }
        (_, Some(body)) => CardSeen::Body(Cow::Owned(body.to_vec())),
        (None, None) => CardSeen::Unknown,
    }
}

object! {
    /// What tells a card from other JSON objects.
    struct Marks<'a> {
        "name" => name: Raw<'a>,
        "url" => url: Raw<'a>,
        "skills" => skills: Raw<'a>,
        "supportedInterfaces" | "supported_interfaces" => interfaces: Raw<'a>,
        "capabilities" => capabilities: Raw<'a>,
        "artifactSchema" | "artifact_schema" => schema: Raw<'a>,
        "protocolVersion" | "protocol_version" => protocol: Raw<'a>,
    }
}

/// Whether the body of any GET is a card. Many APIs answer with an object that has a `name` or a
/// `url`; alone they make a card only where one is expected.
fn looks_like_card(body: &[u8]) -> bool {
    let text = json::lossy(body);
    let Ok(Some(marks)) = json::read::<Marks<'_>>(&text) else { return false };
    let starts = |raw: Raw<'_>, first: char| raw.0.is_some_and(|raw| raw.starts_with(first));
    starts(marks.skills, '[')
        || starts(marks.interfaces, '[')
        || starts(marks.capabilities, '{')
        || marks.name.0.is_some()
            && (marks.url.0.is_some() || marks.schema.0.is_some() || marks.protocol.0.is_some())
}

/// Whether the same URL might give a card at another time.
fn may_be_card(exchange: &Exchange<'_>, facts: &Facts<'_>) -> bool {
    let media = response_header(exchange, "content-type").unwrap_or_default().to_ascii_lowercase();
    facts.url.is_some() && !NEVER_CARDS.iter().any(|never| media.starts_with(never))
}
