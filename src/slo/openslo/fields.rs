//! Reading mappings key by key: what is not known, lacks or has another type is a fault with its line.

use super::super::exact::Ratio;
use super::super::span::Span;
use crate::config::nearest;
use crate::yaml::{Key, Node, Value};
use std::fmt;

/// One wrong thing in a file of objectives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The file, as given.
    pub file: String,
    /// From 1; 0: the file as a whole.
    pub line: usize,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub help: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.what)?,
            line => write!(f, "{}:{line}: {}", self.file, self.what)?,
        }
        if self.help.is_empty() { Ok(()) } else { write!(f, "\n  help: {}", self.help) }
    }
}

/// The faults found so far.
#[derive(Debug, Default)]
pub struct Faults {
    /// The file that is read now.
    pub file: String,
    /// All of them.
    pub found: Vec<Fault>,
}

impl Faults {
    /// Adds one.
    pub fn add(&mut self, line: usize, what: impl Into<String>, help: impl Into<String>) {
        let fault = Fault { file: self.file.clone(), line, what: what.into(), help: help.into() };
        if !self.found.contains(&fault) {
            self.found.push(fault);
        }
    }
}

/// A mapping whose keys are all known.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    /// Where it begins.
    pub line: usize,
    /// Its name for people, for example `spec.timeWindow[0]`.
    path: &'a str,
    entries: &'a [(Key, Node)],
}

impl<'a> Fields<'a> {
    /// The mapping in `node`; keys beside `known` are faults.
    pub fn of(node: &'a Node, path: &'a str, known: &[&str], faults: &mut Faults) -> Option<Self> {
        let fields = Self::open(node, path, faults)?;
        for (key, _) in fields.entries {
            if !known.contains(&key.name.as_str()) {
                let help = match nearest(&key.name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known keys: {}", known.join(", ")),
                };
                faults.add(key.line, format!("`{path}` has no key `{}`", key.name), help);
            }
        }
        Some(fields)
    }

    /// The mapping in `node`, whatever its keys.
    pub fn open(node: &'a Node, path: &'a str, faults: &mut Faults) -> Option<Self> {
        if let Value::Map(entries) = &node.value {
            return Some(Self { line: node.line, path, entries });
        }
        faults.add(
            node.line,
            format!("`{path}` is {}, not a mapping", node.kind()),
            "write `key: value` lines below it",
        );
        None
    }

    /// The keys with their nodes.
    pub fn entries(&self) -> &'a [(Key, Node)] {
        self.entries
    }

    /// The node of `key`; one that holds nothing is none.
    pub fn get(&self, key: &str) -> Option<&'a Node> {
        let entry = self.entries.iter().find(|(k, _)| k.name == key);
        entry.map(|(_, node)| node).filter(|node| node.value != Value::Null)
    }

    /// The same, a fault without it.
    pub fn need(&self, key: &str, help: &str, faults: &mut Faults) -> Option<&'a Node> {
        let node = self.get(key);
        if node.is_none() {
            faults.add(self.line, format!("`{}` lacks `{key}`", self.path), help);
        }
        node
    }

    /// The text of `key`.
    pub fn text(&self, key: &str, faults: &mut Faults) -> Option<&'a str> {
        let node = self.get(key)?;
        let text = scalar(node);
        if text.is_none() {
            let what = format!("`{}.{key}` is {}, not a text", self.path, node.kind());
            faults.add(node.line, what, format!("write `{key}: text`"));
        }
        text
    }

    /// The text of `key`, a fault without it.
    pub fn need_text(&self, key: &str, help: &str, faults: &mut Faults) -> Option<&'a str> {
        self.need(key, help, faults)?;
        self.text(key, faults)
    }

    /// The truth value of `key`.
    pub fn flag(&self, key: &str, faults: &mut Faults) -> Option<bool> {
        let node = self.get(key)?;
        let flag = match scalar(node) {
            Some("true" | "True" | "TRUE") => Some(true),
            Some("false" | "False" | "FALSE") => Some(false),
            _ => None,
        };
        if flag.is_none() {
            faults.add(
                node.line,
                format!("`{}.{key}` is no truth value", self.path),
                "write true or false",
            );
        }
        flag
    }

    /// The number of `key`, and exactly as written.
    pub fn number(&self, key: &str, faults: &mut Faults) -> Option<(f64, Ratio)> {
        let node = self.get(key)?;
        let number = scalar(node)
            .filter(|text| text.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
            .and_then(|text| text.parse::<f64>().ok())
            .and_then(|number| Ratio::of(number).map(|ratio| (number, ratio)));
        if number.is_none() {
            let what = format!("`{}.{key}` is no number from 0 up", self.path);
            faults.add(node.line, what, format!("write for example `{key}: 0.999`"));
        }
        number
    }

    /// The duration of `key`.
    pub fn span(&self, key: &str, faults: &mut Faults) -> Option<Span> {
        let node = self.get(key)?;
        let span = scalar(node).and_then(Span::parse);
        if span.is_none() {
            let what = format!("`{}.{key}` is no duration", self.path);
            let help = "write a whole number and one of m, h, d, w, M, Q, Y, for example 28d";
            faults.add(node.line, what, help);
        }
        span
    }

    /// The list of `key`; without it an empty one.
    pub fn list(&self, key: &str, faults: &mut Faults) -> &'a [Node] {
        match self.get(key) {
            None => &[],
            Some(Node { value: Value::List(items), .. }) => items,
            Some(node) => {
                let what = format!("`{}.{key}` is {}, not a list", self.path, node.kind());
                faults.add(node.line, what, "begin each of its lines with `- `");
                &[]
            }
        }
    }
}

/// The text of a node that holds a single value.
pub fn scalar(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Scalar { text, .. } => Some(text),
        _ => None,
    }
}
