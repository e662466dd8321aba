//! Documents that hold a log's lines in a list: what an API answered that was asked for them.

use serde_json::Value;

use crate::a2a::pointer::escaped;

use super::guess;
use super::survey::Survey;

/// How deep the list may lie.
const DEEPEST: usize = 3;

/// The mapping of such documents: `each` element of the longest list of objects. `None`: there is no list,
/// or nothing of A2A in its elements, or requests and answers are elements of their own.
pub(super) fn mapping(documents: &[&str]) -> Option<String> {
    let documents: Vec<Value> =
        documents.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
    let mut lists = Vec::new();
    find(documents.first()?, String::new(), 0, &mut lists);
    let (_, list) = lists.into_iter().max_by(|a, b| (a.0, &b.1).cmp(&(b.0, &a.1)))?;
    let elements: Vec<String> = documents
        .iter()
        .filter_map(|document| document.pointer(&list)?.as_array())
        .flatten()
        .map(Value::to_string)
        .collect();
    let elements: Vec<&str> = elements.iter().map(String::as_str).collect();
    let of_elements = guess::mapping(&Survey::of(&elements))?;
    (of_elements.matches("[[mapping]]").count() == 1).then(|| within(&of_elements, &list))
}

/// The lists of objects in a document: how long, and where.
fn find(value: &Value, pointer: String, depth: usize, lists: &mut Vec<(usize, String)>) {
    match value {
        Value::Array(list) if list.first().is_some_and(Value::is_object) => {
            lists.push((list.len(), pointer));
        }
        Value::Object(object) if depth < DEEPEST => {
            for (key, inner) in object {
                find(inner, format!("{pointer}/{}", escaped(key)), depth + 1, lists);
            }
        }
        _ => {}
    }
}

/// The same mapping with its pointers starting at the elements of a list.
fn within(mapping: &str, list: &str) -> String {
    let quoted = |text: String| toml::Value::from(text).to_string();
    let line = |line: &str| {
        if line.starts_with("when = ") {
            let (list, each) = (quoted(list.to_owned()), quoted(format!("{list}/*")));
            return format!("when = {{ pointer = {list} }}\neach = {each}\n");
        }
        let mut line = format!("{line}\n");
        for (from, to) in [
            ("= \"/", "= \"./"),
            ("[\"/", "[\"./"),
            (", \"/", ", \"./"),
            ("= '/", "= './"),
            ("['/", "['./"),
            (", '/", ", './"),
        ] {
            line = line.replace(from, to);
        }
        line
    };
    mapping.lines().map(line).collect()
}
