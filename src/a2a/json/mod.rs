//! Reading JSON text leniently, in one pass and without copying.
//!
//! serde's derived structs reject a document for one field of an unexpected type, a repeated key, or
//! both spellings of a key. Recordings have all three, so objects are declared with [`object!`]
//! instead: the first of these is read as absent, of the other two the last present one counts.

mod leaf;
mod object;
mod surrogate;

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

pub use leaf::{Content, Flag, Presence, Raw, Text};
pub(crate) use object::object;
pub use object::{Fields, List, Maybe};
pub use surrogate::without_lone_surrogates;

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

/// Bytes as text; what is no UTF-8 becomes U+FFFD. (The standard library's function of this kind
/// walks valid text far more slowly.)
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
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
                Ok(Lossy(lossy(bytes)))
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Lossy(Cow::Owned(lossy(bytes).into_owned())))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// A key of an object, borrowed unless it has escapes.
pub(crate) struct Key<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Key(Lossy::deserialize(deserializer)?.0))
    }
}

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
