//! A file that is one Agent Card. When it was seen stands in its name
//! (`summarizer.2026-01-30T134956.json`), else in an attribute of the document.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::a2a::card::Card;
use crate::a2a::json::{Text, object, read};
use crate::event::CardSeen;
use crate::formats::keys::Keys;
use crate::formats::time::Instant;
use crate::formats::{Context, Format, Framing, Sink, time};
use crate::problem::{At, Kind, Problem};

use super::{file_name, observe, registry_of};

/// The reader.
#[derive(Debug)]
pub struct CardFile;

object! {
    /// When a registry changed it.
    struct Times<'a> {
        "updatedAt" | "updated_at" | "lastUpdated" | "last_updated" => updated: Text<'a>,
    }
}

impl Format for CardFile {
    fn name(&self) -> &'static str {
        "card"
    }

    fn summary(&self) -> &'static str {
        "an Agent Card in a file of its own, with its time in the file's name or in `updatedAt`: what a registry showed then"
    }

    fn framing(&self) -> Framing {
        Framing::Whole
    }

    fn recognises(&self, head: &[u8], context: &Context<'_>) -> Result<(), String> {
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if !text.starts_with('{') {
            return Err("is no JSON object".to_owned());
        }
        let parts = ["skills", "capabilities", "supportedInterfaces", "defaultOutputModes"];
        // Cards that are no JSON are told by their file's name.
        let named =
            context.source.is_some_and(|source| time_of_name(file_name(source), context).is_some());
        let marks = if named {
            parts.iter().filter(|part| text.contains(&format!("\"{part}\""))).count()
        } else {
            // Of its own members: cards may lie deeper in documents of any kind.
            let mut keys = Keys::new(text.as_bytes());
            let own: BTreeSet<&[u8]> = std::iter::from_fn(|| keys.next_at(1)).collect();
            parts.iter().filter(|part| own.contains(part.as_bytes())).count()
        };
        if marks >= 2 && (named || is_whole_card(text)) {
            Ok(())
        } else {
            Err("is no Agent Card".to_owned())
        }
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        if let Err(error) = Card::parse(record) {
            return sink.problem(Problem::new(Kind::NotJson, at, format!("the card: {error}")));
        }
        let named = context.source.and_then(|source| time_of_name(file_name(source), context));
        let text = String::from_utf8_lossy(record);
        let attribute = || {
            let updated = read::<Times<'_>>(&text).ok()??.updated.0?;
            time::text(&updated, None, context.assume_zone).ok()
        };
        let Some(instant) = named.or_else(attribute) else {
            let detail =
                "no time in the file's name (NAME.2026-01-30T134956.json) and no updatedAt";
            return sink.problem(Problem::new(Kind::MissingField, at, detail));
        };
        instant.odd.tell(at, "time", sink);
        let registry = Cow::Owned(registry_of(context.source).to_owned());
        observe(instant.nanos, registry, None, CardSeen::Body(Cow::Borrowed(record)), at, sink);
    }
}

/// A head that holds the whole file, or so much of it that only its end is missing.
fn is_whole_card(text: &str) -> bool {
    match Card::parse(text.as_bytes()) {
        Ok(_) => true,
        Err(crate::a2a::card::NotACard::NotJson(error)) => error.truncated,
        Err(_) => false,
    }
}

/// A date, and perhaps a time of day, in a file's name: `2026-01-30`, `2026-01-30T134956`,
/// `2026-01-30T13:49:56Z`, `20260130-134956`.
fn time_of_name(name: &str, context: &Context<'_>) -> Option<Instant> {
    let bytes = name.as_bytes();
    (0..bytes.len()).find_map(|start| {
        if start > 0 && bytes.get(start - 1).is_some_and(u8::is_ascii_digit) {
            return None;
        }
        time_at(name.get(start..)?, context)
    })
}

fn time_at(text: &str, context: &Context<'_>) -> Option<Instant> {
    let mut rest = text;
    let year = digits(&mut rest, 4)?;
    let dashes = rest.starts_with('-');
    skip(&mut rest, "-");
    let month = digits(&mut rest, 2)?;
    if rest.starts_with('-') != dashes {
        return None;
    }
    skip(&mut rest, "-");
    let day = digits(&mut rest, 2)?;
    let mut clock = rest;
    let time_of_day = (|| {
        skip(&mut clock, "T_- ").then_some(())?;
        let hour = digits(&mut clock, 2)?;
        skip(&mut clock, ":-_");
        let minute = digits(&mut clock, 2)?;
        skip(&mut clock, ":-_");
        let second = digits(&mut clock, 2)?;
        Some(format!("{hour}:{minute}:{second}"))
    })();
    let zone = if time_of_day.is_some() && clock.starts_with('Z') { "Z" } else { "" };
    let clock = time_of_day.unwrap_or_else(|| "00:00:00".to_owned());
    time::text(&format!("{year}-{month}-{day}T{clock}{zone}"), None, context.assume_zone).ok()
}

fn digits<'t>(rest: &mut &'t str, count: usize) -> Option<&'t str> {
    let (digits, tail) = rest.split_at_checked(count)?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    *rest = tail;
    Some(digits)
}

fn skip(rest: &mut &str, any: &str) -> bool {
    let found = rest.chars().next().is_some_and(|c| any.contains(c));
    if found {
        *rest = rest.get(1..).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn times_in_names() {
        let config = Config::default();
        let context = Context::new(&config);
        let at = |name| {
            time_of_name(name, &context)
                .map(|instant| (instant.nanos / 1_000_000_000, instant.odd.naive))
        };
        assert_eq!(at("a2abench.01.2026-01-30T134956.cbbecb71.json"), Some((1_769_780_996, true)));
        assert_eq!(at("card-20260130-134956.json"), Some((1_769_780_996, true)));
        assert_eq!(at("card.2026-01-30T13:49:56Z.json"), Some((1_769_780_996, false)));
        assert_eq!(at("card.2026-01-30T13-49-56Z.json"), Some((1_769_780_996, false)));
        assert_eq!(at("2026-01-30.json"), Some((1_769_731_200, true)));
        for name in [
            "card.json",
            "card.12026-01-30.json",
            "card.2026-13-30.json",
            "card.2026-0130.json",
            "v2026.json",
        ] {
            assert_eq!(at(name), None, "{name}");
        }
    }
}
