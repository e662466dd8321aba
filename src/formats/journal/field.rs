//! The values of a journal's fields, whatever their type: one field of a wrong type must not cost
//! the record.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A value as it stands.
#[derive(Debug, Clone, Default)]
pub enum Field<'a> {
    /// Missing, or null.
    #[default]
    Absent,
    /// A string.
    Text(Cow<'a, str>),
    /// A whole number within 64 bits.
    Int(i64),
    /// Another number.
    Number(f64),
    /// `true` or `false`.
    Bool(bool),
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Field<'_> {
    /// The name of its type, for problems.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Absent => "nothing",
            Self::Text(_) => "a string",
            Self::Int(_) => "an integer",
            Self::Number(_) => "a number that is no 64-bit integer",
            Self::Bool(_) => "a bool",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

struct FieldVisitor;

impl<'de> Visitor<'de> for FieldVisitor {
    type Value = Field<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Field::Text(Cow::Borrowed(text)))
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Field::Text(Cow::Owned(text.to_owned())))
    }
    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Field::Int(number))
    }
    #[expect(clippy::cast_precision_loss, reason = "only its being beyond 64 bits counts")]
    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(i64::try_from(number).map_or(Field::Number(number as f64), Field::Int))
    }
    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Field::Number(number))
    }
    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Field::Bool(value))
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Field::Absent)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Field::Array)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Field::Object)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Field<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FieldVisitor)
    }
}
