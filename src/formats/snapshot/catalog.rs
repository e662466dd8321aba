//! AI Catalog and ARD documents: a list of entries, some of them with an Agent Card inside.
//!
//! An entry that only links to its card shows nothing of it.

use std::borrow::Cow;

use crate::a2a::card::Card;
use crate::a2a::json::{List, Maybe, Raw, Text, object, read};
use crate::event::CardSeen;
use crate::formats::keys::Keys;
use crate::formats::mapping::values::text_of;
use crate::formats::{Context, Format, Framing, Sink, time};
use crate::problem::{At, Kind, Problem};

use super::{observe, registry_of};

/// The reader.
#[derive(Debug)]
pub struct Catalog;

object! {
    /// The document.
    struct Document<'a> {
        "host" => host: Maybe<Host<'a>>,
        "updatedAt" | "updated_at" | "lastUpdated" => updated: Text<'a>,
        "entries" => entries: List<Maybe<Entry<'a>>>,
    }
}

object! {
    /// Who publishes it.
    struct Host<'a> {
        "identifier" => identifier: Text<'a>,
        "displayName" | "display_name" => name: Text<'a>,
    }
}

object! {
    /// One thing that it lists.
    struct Entry<'a> {
        "mediaType" | "media_type" | "type" => media_type: Text<'a>,
        "url" => url: Text<'a>,
        "data" => data: Raw<'a>,
        "updatedAt" | "updated_at" => updated: Text<'a>,
    }
}

impl Format for Catalog {
    fn name(&self) -> &'static str {
        "ai-catalog"
    }

    fn summary(&self) -> &'static str {
        "AI Catalog and ARD documents: the cards inside them, as their registry showed them at `updatedAt`"
    }

    fn framing(&self) -> Framing {
        Framing::Whole
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        let text = String::from_utf8_lossy(head);
        if !text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            return Err("is no JSON object".to_owned());
        }
        if !Keys::new(text.as_bytes()).any_within(1, &["entries"]) {
            return Err("has no `entries` at its beginning".to_owned());
        }
        let kinds =
            ["\"specVersion\"", "application/a2a-agent-card+json", "application/ai-catalog+json"];
        if kinds.iter().any(|kind| text.contains(kind)) && !text.contains("\"log\"") {
            Ok(())
        } else {
            Err("its entries are none of a catalogue".to_owned())
        }
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let text = String::from_utf8_lossy(record);
        let document = match read::<Document<'_>>(&text) {
            Ok(Some(document)) => document,
            Ok(None) => {
                return sink.problem(Problem::new(Kind::WrongType, at, "a catalogue is an object"));
            }
            Err(error) => {
                let kind = if error.truncated { Kind::TruncatedRecord } else { Kind::NotJson };
                return sink.problem(Problem::new(kind, at, error.to_string()));
            }
        };
        let host = document.host.0.unwrap_or_default();
        let registry =
            host.identifier.0.or(host.name.0).unwrap_or(Cow::Borrowed(registry_of(context.source)));
        for (number, entry) in document.entries.0.iter().enumerate() {
            let Some(entry) = &entry.0 else { continue };
            let is_card = entry
                .media_type
                .get()
                .is_some_and(|kind| kind.starts_with("application/a2a-agent-card"));
            let Some(data) = entry.data.0.filter(|_| is_card) else { continue };
            let pointer = |field: &str| format!("/entries/{number}/{field}");
            let Some(updated) = entry.updated.get().or(document.updated.get()) else {
                let detail = "the card has no updatedAt, so that it cannot be placed";
                sink.problem(
                    Problem::new(Kind::MissingField, at, detail).pointing(pointer("updatedAt")),
                );
                continue;
            };
            let Ok(instant) = time::text(updated, None, context.assume_zone) else {
                sink.problem(
                    Problem::new(Kind::BadTime, at, "not RFC 3339").pointing(pointer("updatedAt")),
                );
                continue;
            };
            instant.odd.tell(at, &pointer("updatedAt"), sink);
            let card = text_of(Cow::Borrowed(data));
            if Card::parse(card.as_bytes()).is_err() {
                sink.problem(
                    Problem::new(Kind::BadAnswer, at, "not an Agent Card")
                        .pointing(pointer("data")),
                );
                continue;
            }
            let seen = if data.starts_with('"') {
                CardSeen::Body(Cow::Owned(card.into_owned().into_bytes()))
            } else {
                CardSeen::Object(card)
            };
            observe(instant.nanos, registry.clone(), entry.url.0.clone(), seen, at, sink);
        }
    }
}
