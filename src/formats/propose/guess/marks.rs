//! What a value may be, by itself.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::a2a::card::Card;
use crate::a2a::object::{replies, requests};
use crate::a2a::sse;

use super::super::survey::{name, text};

fn body(value: &Value) -> Option<String> {
    let text = text(value);
    text.trim_start().starts_with(['{', '[']).then_some(text)
}

pub(super) fn is_request(value: &Value) -> bool {
    use crate::a2a::method::Operation;
    body(value).is_some_and(|text| {
        requests(&text)
            .is_ok_and(|list| list.iter().any(|request| request.operation() != Operation::Unknown))
    })
}

pub(super) fn is_answer(value: &Value) -> bool {
    use crate::a2a::object::Item;
    body(value).is_some_and(|text| {
        replies(&text).is_ok_and(|list| {
            list.iter().flat_map(|reply| &reply.items).any(|item| match item {
                Item::Task(task) => task.id.get().is_some(),
                Item::Status(update) => update.task_id.get().is_some(),
                Item::Artifact(update) => update.task_id.get().is_some(),
                Item::Message(_) | Item::Error(_) => text.contains("\"jsonrpc\""),
            })
        })
    })
}

/// A card: what only cards have stands in the object itself, not somewhere within it.
pub(super) fn is_card(value: &Value) -> bool {
    body(value).is_some_and(|text| {
        let Ok(map) = serde_json::from_str::<BTreeMap<String, &RawValue>>(&text) else {
            return false;
        };
        let has = |key: &&str| map.contains_key(*key);
        let own = ["skills", "capabilities", "supportedInterfaces", "url", "name"];
        own.iter().filter(|key| has(key)).count() >= 2
            && own.iter().take(3).any(has)
            && Card::parse(text.as_bytes())
                .is_ok_and(|card| !card.skills.is_empty() || card.preferred_url().is_some())
    })
}

/// A piece of a framed stream.
pub(super) fn is_stream(value: &Value) -> bool {
    value.as_str().is_some_and(|text| sse::looks_like_stream(text) && text.contains("data:"))
}

pub(super) fn is_url(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with("http://") || text.starts_with("https://"))
}

pub(super) fn is_verb(value: &Value) -> bool {
    value.as_str().is_some_and(|text| ["GET", "POST", "PUT", "DELETE", "HEAD"].contains(&text))
}

pub(super) fn is_method_url(value: &Value) -> bool {
    let parts = value.as_str().and_then(|text| text.split_once(' '));
    parts.is_some_and(|(verb, url)| is_verb(&Value::from(verb)) && is_url(&Value::from(url)))
}

pub(super) fn is_status(value: &Value) -> bool {
    let number = value.as_i64().or_else(|| value.as_str()?.parse().ok());
    number.is_some_and(|number| number == 0 || (100..600).contains(&number))
}

pub(super) fn is_hash(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit()))
}

pub(super) fn is_header(pointer: &str) -> bool {
    pointer.contains("header") || pointer.contains("hdr")
}

pub(super) fn is_error(pointer: &str) -> bool {
    let name = name(pointer);
    ["error", "failure", "exception", "fault"].iter().any(|word| name.contains(word))
        || ["err", "exc"].contains(&name.as_str())
}
