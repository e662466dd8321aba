//! What the fields of a mapping say in one record.

use std::borrow::Cow;

use crate::a2a::json::scalar;
use crate::config::mapping::{Field, Mapping, Place, TimeUnit};
use crate::event::Text;
use crate::formats::Context;
use crate::formats::time::{self, BadTime, Instant};

use super::scan::Hits;

/// The fields of one record, or of one element of it, as one mapping reads them.
#[derive(Debug, Clone, Copy)]
pub struct Values<'h, 'm, 'a> {
    /// How it is read.
    pub mapping: &'m Mapping,
    /// What stands in the record.
    pub record: &'h Hits<'a>,
    /// What stands in the element of `each`.
    pub element: Option<&'h Hits<'a>>,
}

/// What a place holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<'a> {
    /// JSON text.
    Raw(Cow<'a, str>),
    /// A constant of the configuration.
    Constant(String),
}

impl<'a> Found<'a> {
    /// A string's content, or the JSON text of anything else.
    pub fn into_text(self) -> Text<'a> {
        match self {
            Self::Constant(text) => Cow::Owned(text),
            Self::Raw(raw) => text_of(raw),
        }
    }
}

/// The content of a JSON string, or the JSON text of any other value.
pub fn text_of(raw: Cow<'_, str>) -> Cow<'_, str> {
    match raw {
        Cow::Borrowed(raw) => scalar(raw).unwrap_or(Cow::Borrowed(raw)),
        Cow::Owned(raw) => match scalar(&raw) {
            Some(Cow::Borrowed(text)) if text.len() == raw.len() => Cow::Owned(raw),
            Some(text) => Cow::Owned(text.into_owned()),
            None => Cow::Owned(raw),
        },
    }
}

impl<'a> Values<'_, '_, 'a> {
    /// The first place of a field that holds something other than null.
    pub fn find(&self, field: Field) -> Option<Found<'a>> {
        self.first(self.mapping.places(field))
    }

    fn first(&self, places: &[Place]) -> Option<Found<'a>> {
        places.iter().find_map(|place| match place {
            Place::Constant(text) => Some(Found::Constant(text.clone())),
            Place::Record(slot) => self.record.first(*slot).cloned().map(Found::Raw),
            Place::Element(slot) => self.element?.first(*slot).cloned().map(Found::Raw),
        })
    }

    /// All values of the first place that has any, each with the indexes that `*` stood for. An
    /// array without a `*` after it stands for its elements.
    pub fn all(&self, field: Field) -> Vec<(u64, Cow<'a, str>)> {
        for place in self.mapping.places(field) {
            let (hits, slot) = match place {
                Place::Constant(_) => continue,
                Place::Record(slot) => (Some(self.record), *slot),
                Place::Element(slot) => (self.element, *slot),
            };
            let Some(hits) = hits else { continue };
            let found: Vec<_> =
                hits.all(slot).map(|(element, raw)| (element, raw.clone())).collect();
            if let [(_, only)] = found.as_slice()
                && only.starts_with('[')
            {
                return elements(only);
            }
            if found.iter().any(|(_, raw)| raw != "null") {
                return found;
            }
        }
        Vec::new()
    }

    /// A field as text; an empty one is absent.
    pub fn text(&self, field: Field) -> Option<Text<'a>> {
        self.find(field).map(Found::into_text).filter(|text| !text.is_empty())
    }

    /// A field as text that may be empty.
    pub fn content(&self, field: Field) -> Option<Text<'a>> {
        self.find(field).map(Found::into_text)
    }

    /// A field as a whole number; what follows the number (`200 OK`) is passed over.
    pub fn number(&self, field: Field) -> Option<i64> {
        let text = self.text(field)?;
        let text = text.trim();
        let end = text
            .char_indices()
            .find(|(at, c)| !(c.is_ascii_digit() || (*at == 0 && *c == '-')))
            .map_or(text.len(), |(at, _)| at);
        text.get(..end)?.parse().ok()
    }

    /// A field as a truth value.
    pub fn flag(&self, field: Field) -> Option<bool> {
        match self.text(field)?.as_ref() {
            "true" | "True" | "1" => Some(true),
            "false" | "False" | "0" => Some(false),
            _ => None,
        }
    }

    /// A field as a time, in the spelling of the mapping; `None`: it is not there.
    pub fn time(&self, field: Field, context: &Context<'_>) -> Option<Result<Instant, BadTime>> {
        Some(read_time(&self.text(field)?, self.mapping, context))
    }

    /// `duration` in nanoseconds.
    pub fn duration(&self) -> Option<Result<i64, BadTime>> {
        Some(time::length(&self.text(Field::Duration)?, self.mapping.duration_unit))
    }

    /// Which half of an exchange the record holds: `Some(true)` the request; `None`: neither word.
    pub fn is_request(&self) -> Option<bool> {
        let side = self.mapping.side.as_ref()?;
        let word = self.first(&side.places)?.into_text();
        match word.as_ref() {
            word if word == side.request => Some(true),
            word if word == side.response => Some(false),
            _ => None,
        }
    }
}

/// Reads a time in the spelling of a mapping.
pub fn read_time(text: &str, mapping: &Mapping, context: &Context<'_>) -> Result<Instant, BadTime> {
    let zone = mapping.time_zone.as_ref();
    if let Some(format) = &mapping.time_format {
        return time::spelled(text, format, zone, context.assume_zone);
    }
    let is_number = !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E'));
    match mapping.time_unit {
        TimeUnit::Rfc3339 if is_number && text.parse::<i128>().is_ok() => {
            time::number(text, TimeUnit::Nanos).map(Instant::of)
        }
        TimeUnit::Rfc3339 => time::text(text, zone, context.assume_zone),
        unit => time::number(text, unit).map(Instant::of),
    }
}

/// The elements of an array, as JSON text; none of another value.
pub fn elements<'a>(array: &Cow<'a, str>) -> Vec<(u64, Cow<'a, str>)> {
    let list = match array {
        Cow::Borrowed(text) => {
            raw_elements(text).into_iter().map(Cow::Borrowed).collect::<Vec<_>>()
        }
        Cow::Owned(text) => {
            raw_elements(text).into_iter().map(|raw| Cow::Owned(raw.to_owned())).collect()
        }
    };
    (0..).zip(list).collect()
}

fn raw_elements(text: &str) -> Vec<&str> {
    let raw: Vec<&serde_json::value::RawValue> = serde_json::from_str(text).unwrap_or_default();
    raw.into_iter().map(serde_json::value::RawValue::get).collect()
}
