//! YAML as a tree in which every node knows its line.
//!
//! Knows nothing of what is written in it. Scalars keep their text, so that `0.9995` stays exactly that; what a text
//! means is decided by who wants a number or a date. An alias is a copy of its anchor's node, and all
//! nodes together are limited: a bomb of aliases is refused before it goes off.

use granit_parser::{Event, Parser, ScalarStyle};
use std::collections::BTreeMap;

/// Nodes of all documents of one file, copies included.
const MOST_NODES: usize = 100_000;
/// How deep nodes may nest.
const DEEPEST: usize = 64;

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// From 1.
    pub line: usize,
    /// What it holds.
    pub value: Value,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing, `~` or `null`.
    Null,
    /// A text; plain when it was not quoted.
    Scalar {
        /// The text.
        text: String,
        /// Not quoted: it may be a number, a truth value or a date.
        plain: bool,
    },
    /// Nodes in order.
    List(Vec<Node>),
    /// Keys in order, none twice.
    Map(Vec<(Key, Node)>),
}

/// A key of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// From 1.
    pub line: usize,
    /// The key.
    pub name: String,
}

/// What cannot be read: the line and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// From 1.
    pub line: usize,
    /// Why.
    pub what: String,
}

impl Node {
    /// Length of the tree.
    fn size(&self) -> usize {
        match &self.value {
            Value::Null | Value::Scalar { .. } => 1,
            Value::List(items) => 1 + items.iter().map(Self::size).sum::<usize>(),
            Value::Map(entries) => 1 + entries.iter().map(|(_, node)| node.size()).sum::<usize>(),
        }
    }

    /// The same as JSON: plain scalars that are numbers or truth values become such.
    pub fn into_json(self) -> serde_json::Value {
        use serde_json::Value as Json;
        match self.value {
            Value::Null => Json::Null,
            Value::Scalar { text, plain: false } => Json::String(text),
            Value::Scalar { text, plain: true } => match text.as_str() {
                "true" | "True" | "TRUE" => Json::Bool(true),
                "false" | "False" | "FALSE" => Json::Bool(false),
                number => number
                    .parse::<i64>()
                    .map(Json::from)
                    .ok()
                    .or_else(|| {
                        let float = number.parse::<f64>().ok().filter(|n| n.is_finite())?;
                        number
                            .starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
                            .then(|| Json::from(float))
                    })
                    .unwrap_or(Json::String(text)),
            },
            Value::List(items) => Json::Array(items.into_iter().map(Self::into_json).collect()),
            Value::Map(entries) => Json::Object(
                entries.into_iter().map(|(key, node)| (key.name, node.into_json())).collect(),
            ),
        }
    }

    /// What it holds, in a word.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Scalar { .. } => "a single value",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }
}

/// A collection that is not complete.
enum Open {
    List(usize, usize, Vec<Node>),
    Map(usize, usize, Vec<(Key, Node)>, Option<Key>),
}

/// The documents of a text, without the empty ones.
pub fn documents(text: &str) -> Result<Vec<Node>, Wrong> {
    let (mut documents, mut open) = (Vec::new(), Vec::new());
    let mut anchors: BTreeMap<usize, Node> = BTreeMap::new();
    let mut nodes = 0;
    for next in Parser::new_from_str(text) {
        let (event, span) =
            next.map_err(|e| Wrong { line: e.marker().line(), what: e.info().clone() })?;
        let line = span.start.line();
        let wrong = |what: &str| Wrong { line, what: what.to_owned() };
        let done = match event {
            Event::DocumentStart(..) => {
                anchors.clear();
                continue;
            }
            Event::Scalar(text, style, anchor, tag) => {
                let mut text = text.into_owned();
                let tagged = match tag {
                    None => false,
                    Some(tag) if tag.is_yaml_core_schema_tag("str") => true,
                    // Not of the core schema: its own check knows seven names only.
                    Some(tag)
                        if tag.suffix_in_namespace("tag:yaml.org,2002:").as_deref()
                            == Some("binary") =>
                    {
                        text.retain(|c| !c.is_ascii_whitespace());
                        let bytes = crate::a2a::digest::from_base64(&text)
                            .ok_or_else(|| wrong("the binary value is not base64"))?;
                        text = String::from_utf8_lossy(&bytes).into_owned();
                        true
                    }
                    Some(_) => return Err(wrong("tags are not read: leave the `!` out")),
                };
                let plain = style == ScalarStyle::Plain && !tagged;
                let null = plain && matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL");
                let value = if null { Value::Null } else { Value::Scalar { text, plain } };
                Some((anchor, Node { line, value }))
            }
            Event::SequenceStart(_, anchor, None) => {
                open.push(Open::List(line, anchor, Vec::new()));
                None
            }
            Event::MappingStart(_, anchor, None) => {
                open.push(Open::Map(line, anchor, Vec::new(), None));
                None
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                return Err(wrong("tags are not read: leave the `!` out"));
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(line, anchor, items)) => {
                    Some((anchor, Node { line, value: Value::List(items) }))
                }
                Some(Open::Map(line, anchor, entries, _)) => {
                    Some((anchor, Node { line, value: Value::Map(entries) }))
                }
                None => None,
            },
            Event::Alias(id) => {
                // Within its own anchor an alias would have no end.
                let node =
                    anchors.get(&id).ok_or_else(|| wrong("the alias names no earlier node"))?;
                nodes += node.size();
                Some((0, node.clone()))
            }
            _ => None,
        };
        nodes += 1;
        if nodes > MOST_NODES {
            return Err(wrong("the file has more than 100,000 nodes, aliases written out"));
        }
        if open.len() > DEEPEST {
            return Err(wrong("the file nests deeper than 64 levels"));
        }
        let Some((anchor, node)) = done else { continue };
        if anchor > 0 {
            nodes += node.size();
            anchors.insert(anchor, node.clone());
        }
        match open.last_mut() {
            None if node.value == Value::Null => {}
            None => documents.push(node),
            Some(Open::List(_, _, items)) => items.push(node),
            Some(Open::Map(_, _, entries, key)) => {
                if let Some(name) = key.take() {
                    entries.push((name, node));
                    continue;
                }
                let Value::Scalar { text, .. } = node.value else {
                    return Err(wrong("a key must be a single text"));
                };
                if entries.iter().any(|(other, _)| other.name == text) {
                    return Err(wrong(&format!("the key `{text}` occurs twice in one mapping")));
                }
                *key = Some(Key { line, name: text });
            }
        }
    }
    Ok(documents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_texts_are_kept() {
        let read =
            documents("# a\na: 0.9995\nb:\n  - 'x'\n  - ~\n---\n---\nc: {d: [1]}\n").unwrap();
        assert_eq!(read.len(), 2);
        let Value::Map(entries) = &read[0].value else { panic!() };
        assert_eq!(entries[0].0, Key { line: 2, name: "a".into() });
        assert_eq!(entries[0].1.value, Value::Scalar { text: "0.9995".into(), plain: true });
        let Value::List(items) = &entries[1].1.value else { panic!() };
        assert_eq!(
            items[0],
            Node { line: 4, value: Value::Scalar { text: "x".into(), plain: false } }
        );
        assert_eq!(items[1].value, Value::Null);
        assert_eq!(read[1].line, 8);
    }

    #[test]
    fn aliases_are_copies_and_bombs_are_refused() {
        let read = documents("a: &x {b: 1}\nc: *x\n").unwrap();
        let Value::Map(entries) = &read[0].value else { panic!() };
        assert_eq!(entries[0].1, entries[1].1);
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let below = level - 1;
            let items = vec![format!("*a{below}"); 9].join(", ");
            bomb = [bomb, format!("a{level}: &a{level} [{items}]\n")].concat();
        }
        assert!(documents(&bomb).unwrap_err().what.contains("100,000 nodes"));
        assert!(documents("a: &x [*x]\n").is_err());
        assert!(documents("a: *x\n").is_err());
    }

    #[test]
    fn what_is_no_yaml_is_refused_with_its_line() {
        assert_eq!(documents("a: 1\na: 2\n").unwrap_err().line, 2);
        assert_eq!(documents("a: 1\nb: [1, 2\n").unwrap_err().line, 2);
        assert_eq!(documents("a: !!python/object x\n").unwrap_err().line, 1);
        let deep = format!("a: {}{}", "[".repeat(70), "]".repeat(70));
        assert!(documents(&deep).unwrap_err().what.contains("64"));
        assert!(documents(&"[".repeat(100_000)).is_err());
        assert_eq!(documents("").unwrap(), []);
    }
}
