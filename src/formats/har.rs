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

use super::keys::Keys;
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

#[cfg(test)]
mod tests;
