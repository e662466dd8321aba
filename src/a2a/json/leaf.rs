//! Values of fields: texts, flags, JSON left as it is.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;

use super::scalar;

/// Whether a field said something; an absent one never replaces what an earlier one said.
pub trait Presence {
    /// False for null, the wrong type and, where the type says so, the empty string.
    fn is_present(&self) -> bool;
}

/// A string or a number, as text; `None` when absent, empty, or of another type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text<'a>(pub Option<Cow<'a, str>>);

impl<'a> Text<'a> {
    /// The text, borrowed.
    pub fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The text as a whole number (`-32003`, `-32003.0`).
    pub fn as_i64(&self) -> Option<i64> {
        let text = self.get()?.trim();
        text.strip_suffix(".0").unwrap_or(text).parse().ok()
    }

    /// This text, else the other.
    #[must_use]
    pub fn or(self, other: Text<'a>) -> Text<'a> {
        if self.0.is_some() { self } else { other }
    }
}

impl Presence for Text<'_> {
    fn is_present(&self) -> bool {
        self.0.is_some()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        Ok(Text(scalar(raw.get()).filter(|text| !text.is_empty())))
    }
}

/// A string that may be empty (content rather than a name).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content<'a>(pub Option<Cow<'a, str>>);

impl Presence for Content<'_> {
    fn is_present(&self) -> bool {
        self.0.is_some()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        Ok(Content(if raw.starts_with('"') { scalar(raw) } else { None }))
    }
}

/// `true` or `false`; anything else is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flag(pub Option<bool>);

impl Presence for Flag {
    fn is_present(&self) -> bool {
        self.0.is_some()
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Flag(match <&RawValue>::deserialize(deserializer)?.get() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }))
    }
}

/// The JSON text of a value; null is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Raw<'a>(pub Option<&'a str>);

impl Presence for Raw<'_> {
    fn is_present(&self) -> bool {
        self.0.is_some()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?.get();
        Ok(Raw((raw != "null").then_some(raw)))
    }
}
