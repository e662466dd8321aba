//! The hashes of payloads (model §6): of text its bytes, of JSON its RFC 8785 form, of files their bytes.

use crate::a2a::canonical;
use crate::a2a::digest::{canonical_sha256, hex, sha256};
use crate::event::Payload;

/// Hashes of a payload, hex; those that can be told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hashes {
    /// Of its text.
    pub text: Option<String>,
    /// Of its JSON, or of its text read as JSON.
    pub json: Option<String>,
    /// Of its file.
    pub bytes: Option<String>,
}

impl Hashes {
    /// Of one record's payload.
    pub fn of(payload: &Payload<'_>) -> Self {
        if payload.unknown {
            return Self::default();
        }
        let text = payload.text.as_deref();
        let json = match &payload.json {
            Some(json) => json_sha256(json),
            None => text.and_then(text_as_json_sha256),
        };
        Self {
            text: text.map(|text| hex(&sha256(text.as_bytes()))),
            json,
            bytes: payload.bytes.as_deref().map(|bytes| hex(&sha256(bytes))),
        }
    }

    /// Whether nothing can be told.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a digest equals one of them.
    pub fn holds(&self, digest: &str) -> bool {
        [&self.text, &self.json, &self.bytes]
            .into_iter()
            .any(|hash| hash.as_deref() == Some(digest))
    }
}

/// Length of a payload in bytes, as recorded.
pub fn size_bytes(payload: &Payload<'_>) -> Option<i64> {
    let sizes = [
        payload.text.as_ref().map(|t| t.len()),
        payload.json.as_ref().map(|t| t.len()),
        payload.bytes.as_ref().map(|b| b.len()),
    ];
    let sum = sizes.into_iter().flatten().reduce(|a, b| a + b);
    sum.and_then(|sum| i64::try_from(sum).ok())
}

/// SHA-256 of the RFC 8785 form of a JSON text.
pub fn json_sha256(json: &str) -> Option<String> {
    if is_canonical(json.as_bytes()) {
        return Some(hex(&sha256(json.as_bytes())));
    }
    if canonical::repeats_a_key(json) {
        // RFC 8785 has no form for it; of what was sent the bytes are left.
        return Some(hex(&sha256(json.as_bytes())));
    }
    canonical_sha256(json).map(|sha| hex(&sha))
}

/// The same of a text, when it is JSON.
pub fn text_as_json_sha256(text: &str) -> Option<String> {
    // Cheap to tell of most texts: JSON begins and ends in few ways.
    let trimmed = text.trim_ascii();
    let plausible = match (trimmed.as_bytes().first()?, trimmed.as_bytes().last()?) {
        (b'{', b'}') | (b'[', b']') | (b'"', b'"') | (b'-' | b'0'..=b'9', b'0'..=b'9') => true,
        _ => matches!(trimmed, "true" | "false" | "null"),
    };
    if plausible { canonical_sha256(text).map(|sha| hex(&sha)) } else { None }
}

/// Whether an object in a JSON text has one key twice: what was meant is not known.
pub fn repeats_a_key(json: &str) -> bool {
    !is_canonical(json.as_bytes()) && canonical::repeats_a_key(json)
}

/// How deep JSON may nest to be looked at here.
const MAX_DEPTH: usize = 64;

/// Whether valid JSON is surely in RFC 8785 form already: most recorders write compact JSON with sorted
/// keys and small whole numbers. `false`: it may be all the same.
fn is_canonical(json: &[u8]) -> bool {
    // For each open bracket the last key, as its place in the text; `None`: an array.
    let mut open: Vec<Option<&[u8]>> = Vec::new();
    let mut at = 0;
    let mut key_next = false;
    while let Some(&byte) = json.get(at) {
        match byte {
            b'{' | b'[' => {
                if open.len() >= MAX_DEPTH {
                    return false;
                }
                open.push((byte == b'{').then_some(&[]));
                key_next = byte == b'{';
                at += 1;
            }
            b'}' | b']' => {
                open.pop();
                key_next = false;
                at += 1;
            }
            b',' => {
                key_next = matches!(open.last(), Some(Some(_)));
                at += 1;
            }
            b':' => {
                key_next = false;
                at += 1;
            }
            b'"' => {
                let Some(len) = plain_string(json.get(at + 1..).unwrap_or_default()) else {
                    return false;
                };
                if key_next {
                    let key = json.get(at + 1..at + 1 + len).unwrap_or_default();
                    let Some(Some(last)) = open.last_mut() else { return false };
                    // Beyond ASCII, RFC 8785 orders by UTF-16. An empty key comes first or is alone.
                    if !key.is_ascii() || key <= *last {
                        return false;
                    }
                    *last = key;
                    key_next = false;
                }
                at += len + 2;
            }
            b'-' | b'0'..=b'9' => {
                let rest = json.get(at..).unwrap_or_default();
                let len = rest
                    .iter()
                    .take_while(|b| matches!(b, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'))
                    .count();
                let number = rest.get(..len).unwrap_or_default();
                let digits = number.strip_prefix(b"-").unwrap_or(number);
                if digits.len() > 15 || !digits.iter().all(u8::is_ascii_digit) || number == b"-0" {
                    return false;
                }
                at += len;
            }
            b't' | b'n' => at += 4,
            b'f' => at += 5,
            _ => return false,
        }
    }
    true
}

/// Length of a string without escapes, up to its closing quote.
fn plain_string(rest: &[u8]) -> Option<usize> {
    let end = memchr::memchr2(b'"', b'\\', rest)?;
    (rest.get(end) == Some(&b'"')).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::canonical::canonical;
    use proptest::prelude::*;
    use serde_json::Value;
    use std::borrow::Cow;

    #[test]
    fn what_is_surely_canonical() {
        for json in
            [r#"{"a":[1,-2,{"b":"é","c":null}],"b":true}"#, "0", "[]", r#"{"a":{},"b":{"a":1}}"#]
        {
            assert!(is_canonical(json.as_bytes()), "{json}");
        }
        for json in [
            r#"{"b":1,"a":2}"#,
            r#"{"a":1,"a":2}"#,
            r#"{"a": 1}"#,
            "1.0",
            "1e2",
            "-0",
            "12345678901234567",
            r#""\u0041""#,
            r#"{"é":1}"#,
            r#"{"a":1,"":2}"#,
        ] {
            assert!(!is_canonical(json.as_bytes()), "{json}");
        }
    }

    #[test]
    fn a_text_that_is_json_has_both() {
        let hashes = |payload: Payload<'_>| Hashes::of(&payload);
        let text = hashes(Payload {
            text: Some(Cow::Borrowed(r#"{"b": 1.0, "a": 2}"#)),
            ..Payload::default()
        });
        // The case `digest_more`, e and f.
        let (json, bytes) = (
            "d3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415c76af7a772",
            "464c2bbc3adc6c6775af18987687c81240217d55d5726766f2132be5bd19a938",
        );
        assert_eq!((text.json.as_deref(), text.text.as_deref()), (Some(json), Some(bytes)));
        assert!(text.holds(json) && text.holds(bytes) && !text.holds(""));
        let unknown =
            Payload { text: Some(Cow::Borrowed("x")), unknown: true, ..Payload::default() };
        assert!(hashes(unknown).is_empty());
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1000_i64..1000).prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("[a-cé\"]{0,2}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_short_cut_agrees_with_the_library(value in json()) {
            let text = value.to_string();
            if is_canonical(text.as_bytes()) {
                prop_assert_eq!(canonical(&text).unwrap(), text);
            }
        }
    }
}
