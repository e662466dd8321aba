//! The RFC 8785 form of JSON, written while reading.
//!
//! Payloads can be most of an archive, and a tree in memory for each of them (as
//! `serde_json_canonicalizer` needs it) costs several times as much. The tests compare with that.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::io::Write as _;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The RFC 8785 form of a JSON text; `None` when it is not JSON, has a lone surrogate, or is nested
/// deeper than 128.
///
/// Numbers become what ECMAScript makes of them: `1e2` is `100`, `3.0` is `3`, whole numbers beyond
/// 2^53 lose digits. Of a repeated key the last counts.
pub fn canonical(json: &str) -> Option<String> {
    let mut out = Vec::with_capacity(json.len());
    let mut deserializer = serde_json::Deserializer::from_str(json);
    Writer(&mut out).deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    String::from_utf8(out).ok()
}

/// Writes one value at the end of a text.
struct Writer<'o>(&'o mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Writer<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Writer<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.0.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        #[expect(clippy::cast_precision_loss, reason = "RFC 8785 wants the nearest double")]
        self.visit_f64(value as f64)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        #[expect(clippy::cast_precision_loss, reason = "RFC 8785 wants the nearest double")]
        self.visit_f64(value as f64)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        if let Some(whole) = whole(value) {
            write!(self.0, "{whole}").map_err(E::custom)?;
        } else {
            self.0.extend_from_slice(ryu_js::Buffer::new().format(value).as_bytes());
        }
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        write_string(value, self.0);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.0.push(b'[');
        let start = self.0.len();
        loop {
            if self.0.len() > start {
                self.0.push(b',');
            }
            if seq.next_element_seed(Writer(self.0))?.is_none() {
                break;
            }
        }
        if self.0.len() > start {
            self.0.pop();
        }
        self.0.push(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.0.push(b'{');
        let start = self.0.len();
        let mut members: Vec<Member<'de>> = Vec::new();
        let mut sorted = true;
        while let Some(key) = map.next_key_seed(KeySeed)? {
            sorted &= members.last().is_none_or(|last| before(&last.key, &key));
            let from = self.0.len();
            write_string(&key, self.0);
            self.0.push(b':');
            map.next_value_seed(Writer(self.0))?;
            self.0.push(b',');
            members.push(Member { key, from, to: self.0.len() });
        }
        if !sorted {
            in_order(members, start, self.0);
        }
        if self.0.len() > start {
            self.0.pop();
        }
        self.0.push(b'}');
        Ok(())
    }
}

/// Whether an object in a JSON text has one key twice: RFC 8785 forbids it. `false` for what is no JSON.
pub fn repeats_a_key(json: &str) -> bool {
    serde_json::from_str::<Unique>(json).is_err_and(|error| error.is_data())
}

/// Any value without repeated keys.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
        Ok(Unique)
    }
    fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Unique, A::Error> {
        while seq.next_element::<Unique>()?.is_some() {}
        Ok(Unique)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key_seed(KeySeed)? {
            if !keys.insert(key) {
                return Err(A::Error::custom("a key occurs twice"));
            }
            map.next_value::<Unique>()?;
        }
        Ok(Unique)
    }
}

/// A member of an object, and where it was written, with its comma.
struct Member<'a> {
    key: Cow<'a, str>,
    from: usize,
    to: usize,
}

/// Puts the members that were written from `start` on in order; of a repeated key the last stays.
fn in_order(mut members: Vec<Member<'_>>, start: usize, out: &mut Vec<u8>) {
    members.reverse();
    members.sort_by(|a, b| a.key.encode_utf16().cmp(b.key.encode_utf16()));
    members.dedup_by(|later, first| later.key == first.key);
    let mut ordered = Vec::with_capacity(out.len() - start);
    for member in members {
        ordered.extend_from_slice(out.get(member.from..member.to).unwrap_or_default());
    }
    out.truncate(start);
    out.append(&mut ordered);
}

/// Whether a key stands strictly before another in UTF-16 code units.
fn before(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() { a < b } else { a.encode_utf16().lt(b.encode_utf16()) }
}

/// A number that ECMAScript writes without point and exponent, and that fits an integer.
fn whole(value: f64) -> Option<i64> {
    const MOST: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "smaller than 2^53")]
    (value.abs() < MOST && value.fract() == 0.0).then_some(value as i64)
}

fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\')) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((byte, after)) = special.split_first() else { break };
        write_escape(*byte, out);
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' => b'"',
        b'\\' => b'\\',
        0x08 => b'b',
        0x09 => b't',
        0x0a => b'n',
        0x0c => b'f',
        0x0d => b'r',
        _ => {
            out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Reads a key, borrowed unless it has escapes.
struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Cow<'de, str>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeySeed {
    type Value = Cow<'de, str>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }
    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }
    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn by_the_crate(json: &str) -> Option<String> {
        let value: Value = serde_json::from_str(json).ok()?;
        serde_json_canonicalizer::to_string(&value).ok()
    }

    #[test]
    fn numbers() {
        for (json, expected) in [
            ("[0.0,1E400]", None),
            ("[1e2,3.0,-0,-0.0]", Some("[100,3,0,0]")),
            (
                "[1e21,1e-7,123456789012345678901234567890]",
                Some("[1e+21,1e-7,1.2345678901234568e+29]"),
            ),
            (
                "[9007199254740993,18446744073709551615]",
                Some("[9007199254740992,18446744073709552000]"),
            ),
            ("[-9223372036854775808,-5]", Some("[-9223372036854776000,-5]")),
            ("[333333333.33333329,4.50,2e-3]", Some("[333333333.3333333,4.5,0.002]")),
            ("0.1234567890123456789", Some("0.12345678901234568")),
        ] {
            assert_eq!(canonical(json).as_deref(), expected, "{json}");
        }
    }

    #[test]
    fn keys_are_sorted_as_utf_16() {
        // RFC 8785 §3.2.3: U+1F600 (as a surrogate pair) before U+FB33.
        let json = "{\"\u{fb33}\":1,\"\u{1f600}\":2,\"b\":3,\"a\":\"\\u20ac\\n\\/\\u001F\\\"\"}";
        let expected = "{\"a\":\"€\\n/\\u001f\\\"\",\"b\":3,\"\u{1f600}\":2,\"\u{fb33}\":1}";
        assert_eq!(canonical(json).unwrap(), expected);
    }

    #[test]
    fn empty_and_repeated() {
        assert_eq!(canonical(r#" { "b" : [ ] , "a" : { } } "#).unwrap(), r#"{"a":{},"b":[]}"#);
        assert_eq!(canonical(r#"{"a":1,"a":[2,3]}"#).unwrap(), r#"{"a":[2,3]}"#);
        assert_eq!(canonical(r#"{"b":0,"a":1,"b":2,"a":3}"#).unwrap(), r#"{"a":3,"b":2}"#);
    }

    #[test]
    fn what_has_no_canonical_form() {
        for json in ["{", "1 2", r#""\ud800""#, r#"{"\ud800":1}"#, "", "nul", &"[".repeat(200)] {
            assert_eq!(canonical(json), None, "{json}");
        }
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            (-1000.0..1000.0).prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("[ -~é\u{fb33}\u{1f600}]{0,3}", inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn as_the_crate_writes_it(value in json()) {
            let text = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(canonical(&text), by_the_crate(&text));
        }
    }
}
