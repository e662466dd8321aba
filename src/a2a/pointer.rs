//! JSON pointers (RFC 6901) in which `*` stands for every element.
//!
//! They are followed in the JSON text itself, so that what they find is the recorded text (`3.00`
//! stays `3.00`) and the rest of a document is skipped, not built.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::json::{Key, scalar, without_bom};

/// A JSON pointer; the empty one is the whole document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer {
    text: String,
    steps: Vec<Step>,
}

/// One step of a pointer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// A key of an object, or an index of an array.
    Into(String),
    /// Every element of an array, every value of an object.
    Every,
}

/// A text that is not a JSON pointer: it must be empty or begin with `/`, and `~` only stands in
/// `~0` and `~1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadPointer;

impl fmt::Display for BadPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON pointer begins with `/`, and has `~` only in `~0` and `~1`")
    }
}

impl std::error::Error for BadPointer {}

impl FromStr for Pointer {
    type Err = BadPointer;

    fn from_str(text: &str) -> Result<Self, BadPointer> {
        let mut steps = Vec::new();
        if !text.is_empty() {
            for token in text.strip_prefix('/').ok_or(BadPointer)?.split('/') {
                steps.push(match token {
                    "*" => Step::Every,
                    _ => Step::Into(unescaped(token)?),
                });
            }
        }
        Ok(Self { text: text.to_owned(), steps })
    }
}

fn unescaped(token: &str) -> Result<String, BadPointer> {
    let mut out = String::with_capacity(token.len());
    let mut chars = token.chars();
    while let Some(c) = chars.next() {
        match c {
            '~' => match chars.next() {
                Some('0') => out.push('~'),
                Some('1') => out.push('/'),
                _ => return Err(BadPointer),
            },
            _ => out.push(c),
        }
    }
    Ok(out)
}

/// A key as a pointer writes it: `~` as `~0`, `/` as `~1`.
pub fn escaped(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) {
        Cow::Owned(key.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(key)
    }
}

impl Pointer {
    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its steps, from the document down.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The JSON texts it points at, in document order; none in a text that is not JSON.
    pub fn select<'a>(&self, json: &'a str) -> Vec<&'a str> {
        let mut found = Vec::new();
        walk(without_bom(json).trim(), &self.steps, &mut found);
        found
    }

    /// The first string or number it points at that is not empty (model §8).
    pub fn first_text<'a>(&self, json: &'a str) -> Option<Cow<'a, str>> {
        self.select(json).into_iter().filter_map(scalar).find(|text| !text.is_empty())
    }

    /// The pointer below its first key, when that is `key`.
    #[must_use]
    pub fn below(&self, key: &str) -> Option<Pointer> {
        let (first, rest) = self.steps.split_first()?;
        if *first != Step::Into(key.to_owned()) {
            return None;
        }
        let text = self.text.strip_prefix('/')?.find('/').and_then(|at| self.text.get(at + 1..));
        Some(Self { text: text.unwrap_or_default().to_owned(), steps: rest.to_vec() })
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Recursion is as deep as the pointer, never as deep as the document.
fn walk<'a>(json: &'a str, steps: &[Step], found: &mut Vec<&'a str>) {
    let Some((step, rest)) = steps.split_first() else {
        found.push(json);
        return;
    };
    if !json.starts_with(['{', '[']) {
        return;
    }
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let Ok(children) = deserializer.deserialize_any(Children(step)) else { return };
    for child in children {
        walk(child, rest, found);
    }
}

/// Collects the values of one container that a step leads to.
struct Children<'s>(&'s Step);

impl<'de> Visitor<'de> for Children<'_> {
    type Value = Vec<&'de str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut children: Vec<&str> = Vec::new();
        while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
            match self.0 {
                Step::Every => children.push(map.next_value::<&RawValue>()?.get()),
                Step::Into(name) if *name == key => {
                    children.clear();
                    children.push(map.next_value::<&RawValue>()?.get());
                }
                Step::Into(_) => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(children)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut children = Vec::new();
        let wanted = match self.0 {
            Step::Every => None,
            Step::Into(name) => Some(name.parse::<usize>().ok()),
        };
        let mut index = 0;
        while let Some(value) = seq.next_element::<&RawValue>()? {
            if wanted.is_none_or(|only| only == Some(index)) {
                children.push(value.get());
            }
            index += 1;
        }
        Ok(children)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select<'a>(pointer: &str, json: &'a str) -> Vec<&'a str> {
        pointer.parse::<Pointer>().unwrap().select(json)
    }

    #[test]
    fn rfc_6901_examples() {
        let json = r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"m~n":8," ":7}"#;
        assert_eq!(select("/foo/0", json), [r#""bar""#]);
        assert_eq!(select("/", json), ["0"]);
        assert_eq!(select("/a~1b", json), ["1"]);
        assert_eq!(select("/m~0n", json), ["8"]);
        assert_eq!(select("/ ", json), ["7"]);
        assert_eq!(select("", json), [json]);
        assert!(select("/nope", json).is_empty());
        assert!(select("/foo/x", json).is_empty());
        assert!(select("/foo/2", json).is_empty());
    }

    #[test]
    fn a_star_is_every_element() {
        let json = r#"{"parts":[{"m":{"v":1}},{"m":3},{"m":{"v":"2"}}]}"#;
        assert_eq!(select("/parts/*/m/v", json), ["1", r#""2""#]);
        assert_eq!(select("/*/0/m/v", json), ["1"]);
    }

    #[test]
    fn texts_are_as_recorded_and_empty_ones_are_passed_over() {
        let pointer: Pointer = "/a/*".parse().unwrap();
        assert_eq!(pointer.first_text(r#"{"a":["",null,{}, 3.00]}"#).unwrap(), "3.00");
        assert_eq!(pointer.first_text(r#"{"a":["\u0041"]}"#).unwrap(), "A");
    }

    #[test]
    fn repeated_keys_and_broken_text() {
        assert_eq!(select("/a", r#"{"a":1,"a":2}"#), ["2"]);
        assert!(select("/a", r#"{"a":1"#).is_empty());
        assert_eq!(
            select("/a", &format!(r#"{{"b":{},"a":1}}"#, "[".repeat(3) + &"]".repeat(3))),
            ["1"]
        );
    }

    #[test]
    fn what_is_no_pointer() {
        assert_eq!("a".parse::<Pointer>(), Err(BadPointer));
        assert_eq!("/a~2".parse::<Pointer>(), Err(BadPointer));
        assert_eq!("/a~".parse::<Pointer>(), Err(BadPointer));
        assert_eq!(escaped("a/b~c"), "a~1b~0c");
    }

    #[test]
    fn below_a_key() {
        let pointer: Pointer = "/metadata/skillId".parse().unwrap();
        assert_eq!(pointer.below("metadata").unwrap().as_str(), "/skillId");
        assert_eq!(pointer.below("metadata").unwrap().select(r#"{"skillId":1}"#), ["1"]);
        assert!(pointer.below("other").is_none());
        assert_eq!("/m".parse::<Pointer>().unwrap().below("m").unwrap().as_str(), "");
    }
}
