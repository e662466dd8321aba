//! Lines of a log that begin with a text and end with a JSON object: `2026-11-14 08:00:00 INFO {...}`,
//! a container's `... stdout F {...}` (cut lines are whole again when they come here), JSON text sequences. Only a `[[mapping]]` of the configuration
//! reads them; what stands in the text before is not looked at.

use crate::formats::{Context, Format, Framing, Sink, container};
use crate::problem::At;

use super::scan::Hits;
use super::{Base, holds, not_json, read};

/// The reader.
#[derive(Debug)]
pub struct MappedText;

/// Where the object may begin: a text may hold braces, too.
const TRIES: usize = 8;

impl Format for MappedText {
    fn name(&self) -> &'static str {
        "mapped-text"
    }

    fn summary(&self) -> &'static str {
        "lines of text that end with a JSON object which a [[mapping]] of the configuration describes: whatever it names"
    }

    fn framing(&self) -> Framing {
        Framing::TextLines
    }

    fn recognises(&self, head: &[u8], context: &Context<'_>) -> Result<(), String> {
        let mappings = &context.config.mapping;
        if mappings.is_empty() {
            return Err("no [[mapping]] is configured".to_owned());
        }
        let head = container::joined(head);
        let text = String::from_utf8_lossy(&head);
        let known = |line: &str| {
            objects(line).any(|(_, object)| {
                let (hits, _) = Hits::scan(mappings.plan(), object);
                mappings.iter().any(|mapping| holds(mapping, &hits))
            })
        };
        if text.lines().any(known) {
            Ok(())
        } else {
            Err("no line ends with a JSON object that a [[mapping]] of the configuration matches"
                .to_owned())
        }
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let line = String::from_utf8_lossy(record);
        let mappings = &context.config.mapping;
        let mut broken = None;
        for (before, object) in objects(&line) {
            let (hits, whole) = Hits::scan(mappings.plan(), object);
            let Some(mapping) = mappings.iter().find(|mapping| holds(mapping, &hits)) else {
                continue;
            };
            if let Err(error) = whole {
                let at = At { byte: at.byte + before as u64, ..at };
                broken.get_or_insert_with(|| not_json(&error, at));
                continue;
            }
            return read(mapping, &hits, &Base { at, ..Base::default() }, context, sink);
        }
        if let Some(problem) = broken {
            sink.problem(problem);
        }
    }
}

/// What may be the object at the end of a line, outermost first, each with the length of the text
/// before it. A line that begins as JSON does is JSON: nothing within it is looked for.
pub fn objects(line: &str) -> impl Iterator<Item = (usize, &str)> + use<'_> {
    let line = line.trim_end();
    let first = line.trim_start();
    let is_json = ['{', '['].iter().any(|open| {
        let inner = first.strip_prefix(*open).map(str::trim_start);
        inner.is_some_and(|inner| inner.starts_with(['"', '{', '}']))
    });
    let tries = if is_json { usize::from(first.starts_with('{')) } else { TRIES };
    line.match_indices('{').take(tries).filter_map(|(at, _)| Some((at, line.get(at..)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_object_may_begin() {
        let of = |line| objects(line).collect::<Vec<_>>();
        assert_eq!(of("no object"), []);
        assert_eq!(
            of("INFO {1} {\"a\":{}} "),
            [(5, "{1} {\"a\":{}}"), (9, "{\"a\":{}}"), (14, "{}}")]
        );
        assert_eq!(of("{\"a\":{}}"), [(0, "{\"a\":{}}")]);
        assert_eq!(of("[{\"a\":{}}]"), []);
        assert_eq!(of("[2026-11-30] {\"a\":1}"), [(13, "{\"a\":1}")]);
    }
}
