//! Every place in some lines: its pointer, and the values that stand there line by line.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::a2a::pointer::escaped;

/// How many places are looked at, and how deep.
const MOST_PLACES: usize = 4_000;
const DEEPEST: usize = 8;

/// A place in the lines; elements of arrays are one place, written `*`.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// The line, from 0, and what stands there in it.
    pub(super) values: Vec<(usize, Value)>,
}

impl Place {
    /// In how many lines there is something.
    pub(super) fn lines(&self) -> usize {
        let mut lines: Vec<_> = self.values.iter().map(|(line, _)| *line).collect();
        lines.dedup();
        lines.len()
    }

    /// Whether all values hold, and there is one.
    pub(super) fn all(&self, holds: impl Fn(&Value) -> bool) -> bool {
        !self.values.is_empty() && self.values.iter().all(|(_, value)| holds(value))
    }

    /// In how many lines a value holds.
    pub(super) fn count(&self, holds: impl Fn(&Value) -> bool) -> usize {
        let mut lines: Vec<_> =
            self.values.iter().filter(|(_, value)| holds(value)).map(|(line, _)| *line).collect();
        lines.dedup();
        lines.len()
    }

    /// In which lines a value holds.
    pub(super) fn lines_where(&self, holds: impl Fn(&Value) -> bool) -> Vec<usize> {
        let mut lines: Vec<_> =
            self.values.iter().filter(|(_, value)| holds(value)).map(|(line, _)| *line).collect();
        lines.dedup();
        lines
    }
}

/// All places.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// By pointer.
    pub(super) places: BTreeMap<String, Place>,
    /// How many lines.
    pub(super) lines: usize,
}

impl Survey {
    pub(super) fn of(lines: &[&str]) -> Self {
        let mut survey = Self { lines: lines.len(), ..Self::default() };
        for (number, line) in lines.iter().enumerate() {
            if let Ok(value) = serde_json::from_str::<Value>(line) {
                survey.add(number, String::new(), &value, 0);
            }
        }
        survey
    }

    /// Of some of the lines only, which keep their numbers.
    pub(super) fn only(&self, lines: &[usize]) -> Self {
        let of = |place: &Place| {
            let values = place.values.iter().filter(|(line, _)| lines.binary_search(line).is_ok());
            Place { values: values.cloned().collect() }
        };
        let places = self.places.iter().map(|(pointer, place)| (pointer.clone(), of(place)));
        Self {
            places: places.filter(|(_, place)| !place.values.is_empty()).collect(),
            lines: lines.len(),
        }
    }

    fn add(&mut self, line: usize, pointer: String, value: &Value, depth: usize) {
        if depth > DEEPEST
            || (self.places.len() >= MOST_PLACES && !self.places.contains_key(&pointer))
        {
            return;
        }
        if value.is_null() {
            return;
        }
        match value {
            Value::Object(map) => {
                for (key, inner) in map {
                    self.add(line, format!("{pointer}/{}", escaped(key)), inner, depth + 1);
                }
            }
            Value::Array(list) => {
                for inner in list {
                    self.add(line, format!("{pointer}/*"), inner, depth + 1);
                }
            }
            // A log line may hold the application's own as a text; bodies are texts, too.
            Value::String(text) if (1..=2).contains(&depth) && text.starts_with('{') => {
                let inner = serde_json::from_str::<Map<String, Value>>(text)
                    .ok()
                    .filter(|inner| !is_body(inner));
                for (key, inner) in inner.into_iter().flatten() {
                    self.add(line, format!("{pointer}/{}", escaped(&key)), &inner, depth + 1);
                }
            }
            _ => {}
        }
        self.places.entry(pointer).or_default().values.push((line, value.clone()));
    }
}

/// Whether an object is a body of A2A by its own keys: a log's line may have a message and a status, too,
/// but as texts and numbers.
fn is_body(object: &Map<String, Value>) -> bool {
    let has = |key: &&str| object.contains_key(*key);
    let holds = |key: &&str| object.get(*key).is_some_and(Value::is_object);
    ["jsonrpc", "skills", "capabilities", "supportedInterfaces", "supported_interfaces"]
        .iter()
        .any(has)
        || ["status", "task", "message", "statusUpdate", "artifactUpdate", "artifact"]
            .iter()
            .any(holds)
}

/// The last key of a pointer, in lower case; of `/a/*` that of the array.
pub(super) fn name(pointer: &str) -> String {
    let key = pointer.rsplit('/').find(|key| *key != "*").unwrap_or_default();
    key.to_ascii_lowercase()
}

/// A string, or the JSON text of anything else: what a body would be.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
