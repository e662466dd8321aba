//! HTTP headers in the shapes in which recorders keep them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;

use crate::event::Text;

use super::values::text_of;

/// Reads an object (values may be arrays), an array of pairs or of `{name, value}`, an array of names and
/// values in turn, or lines `name: value`. `None`: another shape.
pub fn read<'a>(raw: &Cow<'a, str>) -> Option<Vec<(Text<'a>, Text<'a>)>> {
    match raw {
        Cow::Borrowed(text) => parse(text),
        Cow::Owned(text) => Some(
            parse(text)?
                .into_iter()
                .map(|(name, value)| {
                    (Cow::Owned(name.into_owned()), Cow::Owned(value.into_owned()))
                })
                .collect(),
        ),
    }
}

fn parse(text: &str) -> Option<Vec<(Text<'_>, Text<'_>)>> {
    // A string: JSON within JSON.
    if text.starts_with('"') {
        let inner: String = serde_json::from_str(text).ok()?;
        if !inner.starts_with(['{', '[']) {
            return lines(&inner);
        }
        return read(&Cow::Owned(inner));
    }
    let mut list = Vec::new();
    Headers(&mut list).deserialize(&mut serde_json::Deserializer::from_str(text)).ok()?;
    Some(list)
}

/// The lines of a message's head, without the first.
fn lines(text: &str) -> Option<Vec<(Text<'static>, Text<'static>)>> {
    let line = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic());
        is_name.then(|| (Cow::Owned(name.to_owned()), Cow::Owned(value.trim().to_owned())))
    };
    text.lines().filter(|text| !text.is_empty()).map(line).collect()
}

struct Headers<'l, 'a>(&'l mut Vec<(Text<'a>, Text<'a>)>);

impl<'a> Headers<'_, 'a> {
    fn push(&mut self, name: Text<'a>, raw: &'a str) {
        if raw.starts_with('[') {
            let values: Vec<&RawValue> = serde_json::from_str(raw).unwrap_or_default();
            for value in values {
                self.0.push((name.clone(), text_of(Cow::Borrowed(value.get()))));
            }
        } else if raw != "null" {
            self.0.push((name, text_of(Cow::Borrowed(raw))));
        }
    }
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for Headers<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de: 'a, 'a> Visitor<'de> for Headers<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("headers")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Name<'de>>()? {
            let raw = map.next_value::<&RawValue>()?.get();
            self.push(name.0, raw);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        let mut waiting: Option<Text<'de>> = None;
        while let Some(header) = seq.next_element::<Header<'de>>()? {
            match header {
                Header::Pair(Some((name, raw))) => self.push(name, raw),
                Header::Pair(None) => {}
                // Names and values in turn.
                Header::Word(word) => match waiting.take() {
                    Some(name) => self.0.push((name, word)),
                    None => waiting = Some(word),
                },
            }
        }
        Ok(())
    }
}

struct Name<'a>(Text<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Key;
        impl<'de> Visitor<'de> for Key {
            type Value = Name<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(name)))
            }
            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(Key)
    }
}

/// One element of an array of headers.
enum Header<'a> {
    /// A name and a value, if it has both.
    Pair(Option<(Text<'a>, &'a str)>),
    /// A name or a value.
    Word(Text<'a>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Header<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct One;
        impl<'de> Visitor<'de> for One {
            type Value = Header<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a pair, an object with name and value, or a text")
            }
            fn visit_borrowed_str<E>(self, word: &'de str) -> Result<Self::Value, E> {
                Ok(Header::Word(Cow::Borrowed(word)))
            }
            fn visit_str<E>(self, word: &str) -> Result<Self::Value, E> {
                Ok(Header::Word(Cow::Owned(word.to_owned())))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let (mut name, mut value) = (None, None);
                while let Some(key) = map.next_key::<Name<'de>>()? {
                    match key.0.as_ref() {
                        "name" | "key" => name = Some(map.next_value::<&RawValue>()?.get()),
                        "value" => value = Some(map.next_value::<&RawValue>()?.get()),
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(Header::Pair(
                    name.zip(value).map(|(name, value)| (text_of(Cow::Borrowed(name)), value)),
                ))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let name = seq.next_element::<&RawValue>()?;
                let value = seq.next_element::<&RawValue>()?;
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Header::Pair(
                    name.zip(value)
                        .map(|(name, value)| (text_of(Cow::Borrowed(name.get())), value.get())),
                ))
            }
        }
        deserializer.deserialize_any(One)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(json: &str) -> Vec<(String, String)> {
        let read = read(&Cow::Borrowed(json)).unwrap();
        read.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
    }

    #[test]
    fn all_shapes_say_the_same() {
        let wanted = [("etag".to_owned(), "\"3\"".to_owned()), ("age".to_owned(), "5".to_owned())];
        assert_eq!(pairs(r#"{"etag":"\"3\"","age":5}"#), wanted);
        assert_eq!(pairs(r#"{"etag":["\"3\""],"age":["5"]}"#), wanted);
        assert_eq!(pairs(r#"[["etag","\"3\""],["age",5,"more"]]"#), wanted);
        assert_eq!(
            pairs(r#"[{"value":"\"3\"","name":"etag"},{"name":"age","value":"5"}]"#),
            wanted
        );
        assert_eq!(pairs(r#""{\"etag\":\"\\\"3\\\"\",\"age\":5}""#), wanted);
        assert_eq!(pairs(r#"["etag","\"3\"","age","5","alone"]"#), wanted);
        assert_eq!(pairs(r#""etag: \"3\"\r\nage:5\r\n""#), wanted);
        assert!(read(&Cow::Borrowed(r#""no headers""#)).is_none());
        assert_eq!(pairs(r#"[{"name":"lonely"}]"#), []);
        assert!(read(&Cow::Borrowed("7")).is_none());
    }
}
