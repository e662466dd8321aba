//! Reading JSON text leniently, in one pass and without copying.
//!
//! serde's derived structs reject a document for one field of an unexpected type, a repeated key, or
//! both spellings of a key. Recordings have all three, so objects are declared with [`object!`]
//! instead: the first of these is read as absent, of the other two the last present one counts.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A text that is not one JSON value, and where it stops being one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadJson {
    /// Line in the text, from 1.
    pub line: usize,
    /// Column in that line, in bytes, from 1.
    pub column: usize,
    /// The text ended too early: it was cut, not garbled.
    pub truncated: bool,
}

impl fmt::Display for BadJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.truncated { "ends too early" } else { "is not valid" };
        write!(f, "JSON {what} at line {} column {}", self.line, self.column)
    }
}

impl std::error::Error for BadJson {}

impl From<serde_json::Error> for BadJson {
    fn from(error: serde_json::Error) -> Self {
        Self { line: error.line(), column: error.column(), truncated: error.is_eof() }
    }
}

/// Reads an object; `None` when the text is some other JSON value.
pub fn read<'a, T: Fields<'a>>(text: &'a str) -> Result<Option<T>, BadJson> {
    Ok(serde_json::from_str::<Maybe<T>>(without_bom(text))?.0)
}

/// Reads an object, or each object of an array (a JSON-RPC batch).
pub fn read_each<'a, T: Fields<'a>>(text: &'a str) -> Result<Vec<T>, BadJson> {
    let text = without_bom(text);
    if text.trim_start().starts_with('[') {
        let list: List<Maybe<T>> = serde_json::from_str(text)?;
        return Ok(list.0.into_iter().filter_map(|item| item.0).collect());
    }
    Ok(read(text)?.into_iter().collect())
}

/// The text without a leading byte order mark, which some recorders keep.
pub fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The string or number that a JSON text stands for; a number is its text (model §8).
///
/// Lone surrogates, which Rust strings cannot hold, become U+FFFD.
pub fn scalar(json: &str) -> Option<Cow<'_, str>> {
    match json.as_bytes().first()? {
        b'"' => {
            let inner = json.strip_prefix('"')?.strip_suffix('"')?;
            if inner.contains('\\') { unescaped(json) } else { Some(Cow::Borrowed(inner)) }
        }
        b'-' | b'0'..=b'9' => Some(Cow::Borrowed(json)),
        _ => None,
    }
}

fn unescaped(json: &str) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Lossy<'_>>(json).ok().map(|lossy| Cow::Owned(lossy.0.into_owned()))
}

/// A string whose lone surrogates have been replaced.
struct Lossy<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Lossy<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Lossy<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Lossy(String::from_utf8_lossy(bytes)))
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Lossy(Cow::Owned(String::from_utf8_lossy(bytes).into_owned())))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

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

/// A key of an object, borrowed unless it has escapes.
pub(crate) struct Key<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Key(Lossy::deserialize(deserializer)?.0))
    }
}

/// The fields of an object, filled one by one; written by [`object!`].
pub trait Fields<'de>: Default {
    /// Reads the value of one key, or skips it.
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;
}

/// An object, or nothing when the value is of another type.
#[derive(Debug, Clone, Default)]
pub struct Maybe<T>(pub Option<T>);

impl<T> Presence for Maybe<T> {
    fn is_present(&self) -> bool {
        self.0.is_some()
    }
}

impl<'de, T: Fields<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

/// The values of an array; empty when the value is of another type.
#[derive(Debug, Clone)]
pub struct List<T>(pub Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        List(Vec::new())
    }
}

impl<T> Presence for List<T> {
    fn is_present(&self) -> bool {
        !self.0.is_empty()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

/// The visits that both visitors answer with "nothing".
macro_rules! nothing_else {
    () => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any JSON value")
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Fields<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Maybe<T>;
    nothing_else!();
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut object = T::default();
        while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
            object.field(&key, &mut map)?;
        }
        Ok(Maybe(Some(object)))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Maybe(None))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;
    nothing_else!();
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(List::default())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = seq.next_element()? {
            list.push(item);
        }
        Ok(List(list))
    }
}

/// Declares a struct and the keys (all spellings) that fill its fields.
macro_rules! object {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident<$life:lifetime> {
            $( $(#[$field_about:meta])* $($key:literal)|+ => $field:ident: $type:ty, )*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default)]
        $vis struct $name<$life> {
            $( $(#[$field_about])* pub $field: $type, )*
        }

        impl<'de: $life, $life> $crate::a2a::json::Fields<'de> for $name<$life> {
            fn field<A: serde::de::MapAccess<'de>>(
                &mut self,
                key: &str,
                map: &mut A,
            ) -> Result<(), A::Error> {
                match key {
                    $( $($key)|+ => {
                        let value: $type = map.next_value()?;
                        if $crate::a2a::json::Presence::is_present(&value) {
                            self.$field = value;
                        }
                    } )*
                    _ => { map.next_value::<serde::de::IgnoredAny>()?; }
                }
                Ok(())
            }
        }
    };
}
pub(crate) use object;

#[cfg(test)]
mod tests {
    use super::*;

    object! {
        /// A thing.
        struct Thing<'a> {
            /// Id.
            "taskId" | "task_id" => id: Text<'a>,
            /// Flag.
            "final" => last: Flag,
            /// Inner.
            "inner" => inner: Maybe<Box<Thing<'a>>>,
            /// List.
            "list" => list: List<Text<'a>>,
        }
    }

    fn thing(text: &str) -> Thing<'_> {
        read(text).unwrap().unwrap()
    }

    #[test]
    fn wrong_types_are_absent_and_do_not_hide_what_follows() {
        let thing = thing(
            r#"{"taskId":{"a":[1]},"final":"yes","inner":[1,{"x":2}],"list":{"a":1},"task_id":7}"#,
        );
        assert_eq!(thing.id.get(), Some("7"));
        assert_eq!(thing.last.0, None);
        assert!(thing.inner.0.is_none());
        assert!(thing.list.0.is_empty());
    }

    #[test]
    fn the_last_present_spelling_counts() {
        assert_eq!(thing(r#"{"taskId":"a","task_id":""}"#).id.get(), Some("a"));
        assert_eq!(thing(r#"{"taskId":"a","taskId":"b"}"#).id.get(), Some("b"));
    }

    #[test]
    fn numbers_keep_their_text() {
        let thing = thing(r#"{"list":[3.00,"x",1e2,null,-1]}"#);
        let texts: Vec<_> = thing.list.0.iter().filter_map(Text::get).collect();
        assert_eq!(texts, ["3.00", "x", "1e2", "-1"]);
    }

    #[test]
    fn lone_surrogates_and_escapes_are_read() {
        assert_eq!(thing(r#"{"taskId":"a\ud800b"}"#).id.get(), Some("a\u{fffd}\u{fffd}\u{fffd}b"));
        assert_eq!(thing(r#"{"task\u0049d":"\u00e9\n"}"#).id.get(), Some("é\n"));
        assert_eq!(thing(r#"{"\udead":1,"taskId":"x"}"#).id.get(), Some("x"));
    }

    #[test]
    fn other_values_and_broken_text() {
        assert!(read::<Thing<'_>>("[1]").unwrap().is_none());
        assert!(read::<Thing<'_>>("3").unwrap().is_none());
        let cut = read::<Thing<'_>>(r#"{"taskId":"a"#).unwrap_err();
        assert!(cut.truncated);
        assert!(!read::<Thing<'_>>("{]").unwrap_err().truncated);
        assert_eq!(read_each::<Thing<'_>>(" [{},3,{}]").unwrap().len(), 2);
        assert_eq!(read_each::<Thing<'_>>("\u{feff}{}").unwrap().len(), 1);
    }

    #[test]
    fn depth_is_an_error_not_a_crash() {
        let deep = format!("{}{{}}{}", r#"{"inner":"#.repeat(500), "}".repeat(500));
        assert!(read::<Thing<'_>>(&deep).is_err());
        let skipped = format!(r#"{{"other":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert!(read::<Thing<'_>>(&skipped).is_ok());
    }
}
