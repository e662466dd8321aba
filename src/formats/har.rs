//! HAR 1.2, as browsers and proxies export it.
//!
//! Knows the file's shape and the habits of its writers, nothing of A2A: each entry becomes one
//! [`Exchange`]. Entries may stand in any order; what they lack is left open.
//!
//! | writer | habit |
//! |---|---|
//! | all | bodies may be missing; `time` or `timings` may be `-1`; offsets in `startedDateTime` |
//! | Chrome | `_fromCache`, `_error`, the events of a stream in `_eventSourceMessages` |
//! | Firefox | bodies beyond its limit are dropped, their `size` is kept |
//! | mitmproxy | a reset is status 0 with `_error`; a body with much non-ASCII text is base64; an event stream whose type names no charset is read as Latin-1 |

mod body;
mod entry;

use super::{Context, Format, Framing, Sink};
use crate::problem::At;

/// The reader.
#[derive(Debug, Clone, Copy)]
pub struct Har;

impl Format for Har {
    fn name(&self) -> &'static str {
        "har"
    }

    fn summary(&self) -> &'static str {
        "HAR 1.2 of browsers and proxies: HTTP exchanges with headers, bodies and times"
    }

    fn framing(&self) -> Framing {
        Framing::JsonArray(&["log", "entries"])
    }

    fn recognises(&self, head: &[u8], _: &Context<'_>) -> Result<(), String> {
        let mut keys = Keys::new(head);
        if keys.next_within(1, "log").is_none() {
            return Err("no object with a `log`".to_owned());
        }
        if keys.any_within(2, &["entries", "creator", "browser", "pages"]) {
            Ok(())
        } else {
            Err("its `log` has neither `entries` nor `creator`".to_owned())
        }
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        entry::read(record, at, context, sink);
    }
}

/// The keys at the beginning of a JSON document, with the depth of the object they stand in.
struct Keys<'a> {
    rest: &'a [u8],
    depth: usize,
}

impl<'a> Keys<'a> {
    fn new(head: &'a [u8]) -> Self {
        Self { rest: head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head), depth: 0 }
    }

    /// The next string at or above `depth` that a colon follows; `None` where the head or an
    /// object of that depth ends.
    fn next_at(&mut self, depth: usize) -> Option<&'a [u8]> {
        while let Some((first, rest)) = self.rest.split_first() {
            self.rest = rest;
            match first {
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth < depth {
                        return None;
                    }
                }
                b'"' => {
                    let text = self.string()?;
                    let colon = self.rest.iter().find(|b| !b.is_ascii_whitespace());
                    if self.depth == depth && colon == Some(&b':') {
                        return Some(text);
                    }
                }
                b if self.depth == 0 && !b.is_ascii_whitespace() => return None,
                _ => {}
            }
        }
        None
    }

    /// The rest of a string, without its quotes.
    fn string(&mut self) -> Option<&'a [u8]> {
        let text = self.rest;
        let mut escaped = false;
        let end = text.iter().position(|b| {
            let ends = *b == b'"' && !escaped;
            escaped = *b == b'\\' && !escaped;
            ends
        })?;
        self.rest = text.get(end + 1..)?;
        text.get(..end)
    }

    fn next_within(&mut self, depth: usize, name: &str) -> Option<()> {
        loop {
            if self.next_at(depth)? == name.as_bytes() {
                return Some(());
            }
        }
    }

    fn any_within(&mut self, depth: usize, names: &[&str]) -> bool {
        while let Some(key) = self.next_at(depth) {
            if names.iter().any(|name| name.as_bytes() == key) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests;
