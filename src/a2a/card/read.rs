//! Reading fields of a card: every spelling of a key, and a note for each value of the wrong type.

use serde_json::{Map, Value};

use super::Note;
use crate::a2a::pointer::escaped;

/// No more notes than this are kept of one card.
const MOST_NOTES: usize = 100;

/// An object within a card, and where it stands.
pub(super) struct At<'v> {
    map: &'v Map<String, Value>,
    pointer: String,
}

impl<'v> At<'v> {
    /// The card itself.
    pub(super) fn root(map: &'v Map<String, Value>) -> Self {
        Self { map, pointer: String::new() }
    }

    /// The value of the first key that is there, not null and not an empty string.
    fn value(&self, keys: &[&'static str]) -> Option<(&'static str, &'v Value)> {
        keys.iter().find_map(|key| {
            let value = self.map.get(*key)?;
            let absent = value.is_null() || value.as_str() == Some("");
            (!absent).then_some((*key, value))
        })
    }

    fn typed<T>(
        &self,
        keys: &[&'static str],
        expected: &'static str,
        notes: &mut Vec<Note>,
        read: impl Fn(&'v Value) -> Option<T>,
    ) -> Option<(&'static str, T)> {
        let (key, value) = self.value(keys)?;
        let found = read(value);
        if found.is_none() {
            note(notes, format!("{}/{}", self.pointer, escaped(key)), expected);
        }
        found.map(|found| (key, found))
    }

    /// A string.
    pub(super) fn text(&self, keys: &[&'static str], notes: &mut Vec<Note>) -> Option<String> {
        self.typed(keys, "a string", notes, Value::as_str).map(|(_, text)| text.to_owned())
    }

    /// A string, or a number as text.
    pub(super) fn label(&self, keys: &[&'static str], notes: &mut Vec<Note>) -> Option<String> {
        let read = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        self.typed(keys, "a string", notes, read).map(|(_, text)| text)
    }

    /// A boolean; absent is false.
    pub(super) fn flag(&self, keys: &[&'static str], notes: &mut Vec<Note>) -> bool {
        self.typed(keys, "a boolean", notes, Value::as_bool).is_some_and(|(_, flag)| flag)
    }

    /// An object within this one.
    pub(super) fn object(&self, keys: &[&'static str], notes: &mut Vec<Note>) -> Option<At<'v>> {
        let (key, map) = self.typed(keys, "an object", notes, Value::as_object)?;
        Some(At { map, pointer: format!("{}/{}", self.pointer, escaped(key)) })
    }

    /// The objects of an array; elements of another type are noted.
    pub(super) fn objects(&self, keys: &[&'static str], notes: &mut Vec<Note>) -> Vec<At<'v>> {
        let Some((key, list)) = self.typed(keys, "an array", notes, Value::as_array) else {
            return Vec::new();
        };
        let mut objects = Vec::new();
        for (index, value) in list.iter().enumerate() {
            let pointer = format!("{}/{key}/{index}", self.pointer);
            match value.as_object() {
                Some(map) => objects.push(At { map, pointer }),
                None => note(notes, pointer, "an object"),
            }
        }
        objects
    }

    /// The strings of an array, each once, without empty ones; other elements are noted.
    pub(super) fn texts(&self, keys: &[&'static str], notes: &mut Vec<Note>) -> Vec<String> {
        let Some((key, list)) = self.typed(keys, "an array", notes, Value::as_array) else {
            return Vec::new();
        };
        let mut texts = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for (index, value) in list.iter().enumerate() {
            match value.as_str() {
                Some("") => {}
                Some(text) if seen.insert(text) => texts.push(text.to_owned()),
                Some(_) => {}
                None => note(notes, format!("{}/{key}/{index}", self.pointer), "a string"),
            }
        }
        texts
    }

    /// Any value.
    pub(super) fn any(&self, keys: &[&'static str]) -> Option<&'v Value> {
        self.value(keys).map(|(_, value)| value)
    }

    /// Every entry.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'v String, &'v Value)> + use<'v> {
        self.map.iter()
    }

    /// Notes that something within this object is not what it should be.
    pub(super) fn wrong(&self, key: &str, expected: &'static str, notes: &mut Vec<Note>) {
        note(notes, format!("{}/{}", self.pointer, escaped(key)), expected);
    }
}

fn note(notes: &mut Vec<Note>, pointer: String, expected: &'static str) {
    if notes.len() < MOST_NOTES {
        notes.push(Note { pointer, expected });
    }
}
