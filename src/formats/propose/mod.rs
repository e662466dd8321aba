//! A `[[mapping]]` for JSON lines that no reader knows, from what stands in them.
//!
//! It looks at values first and at names second: a request is what reads as one of A2A, a URL is what
//! begins like one, and only among equals does `began` count for a start. Nothing is proposed that
//! would not give events.
//!
//! | module | what |
//! |---|---|
//! | [`survey`] | every place in some lines, with the values that stand there |
//! | [`guess`] | what each place may be |
//! | [`wrapped`] | documents that hold a log's lines in a list |
//! | [`told`] | what an event says in a few words |

mod guess;
mod survey;
mod told;
mod wrapped;

use std::collections::BTreeMap;

use serde::de::IgnoredAny;

use crate::config::Config;
use crate::config::mapping::Mappings;
use crate::event::{Event, FetchKind};
use crate::exchange::Exchange;
use crate::exchange::join::Joiner;
use crate::problem::{At, Problem};

use super::mapping::Mapped;
use super::mapping::text::objects;
use super::{Context, Format, Sink};
use survey::Survey;
pub use told::Told;

/// A mapping and what would come of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The table, as it may be pasted into the configuration.
    pub toml: String,
    /// How many events of each kind the lines looked at would give.
    pub events: BTreeMap<&'static str, usize>,
    /// The first events of each kind, by their lines.
    pub shown: Vec<Told>,
    /// How many lines were looked at, and how many of them the mapping reads.
    pub lines: (usize, usize),
}

/// So many events of a kind are shown.
const SHOWN: usize = 2;

/// Looks at the beginning of a source. `None`: no JSON objects, or nothing of A2A in them.
pub fn propose(head: &[u8]) -> Option<Proposal> {
    let text = String::from_utf8_lossy(head);
    let texts = values(&text);
    let lines = numbered(&text, &texts);
    let of_lines = guess::mapping(&Survey::of(&texts)).and_then(|toml| tried(toml, &lines));
    of_lines.or_else(|| tried(wrapped::mapping(&texts)?, &lines))
}

/// What would come of a mapping; `None`: nothing.
fn tried(toml: String, lines: &[(u64, &str)]) -> Option<Proposal> {
    let table: Config = toml::from_str(&toml).ok()?;
    let Count { events, mut shown, read, .. } = try_out(&table.mapping, lines);
    shown.sort();
    (!events.is_empty()).then_some(Proposal { toml, events, shown, lines: (lines.len(), read) })
}

/// The whole objects in it: one a line, perhaps behind a text; the elements of an array; or each over
/// several lines.
fn values(text: &str) -> Vec<&str> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let elements = text.strip_prefix('[').map(str::trim_start).filter(|at| at.starts_with('{'));
    let over_lines = text.lines().next().is_some_and(|first| first.trim() == "{");
    if elements.is_none() && !over_lines {
        let whole = |value: &&str| serde_json::from_str::<IgnoredAny>(value).is_ok();
        let object = |line| objects(line).map(|(_, object)| object).find(whole);
        return text.lines().filter_map(object).collect();
    }
    let mut values = Vec::new();
    let mut rest = elements.unwrap_or(text);
    while rest.starts_with('{') {
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        let Some(Ok(_)) = stream.next() else { break };
        let Some((value, after)) = rest.split_at_checked(stream.byte_offset()) else { break };
        values.push(value);
        rest = after.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
    }
    values
}

/// Values of a text with the lines on which they begin, from 1.
fn numbered<'t>(text: &str, values: &[&'t str]) -> Vec<(u64, &'t str)> {
    let (mut line, mut at) = (1, 0);
    let number = |value: &&'t str| {
        let begins = (value.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let passed = text.get(at..begins).unwrap_or_default();
        line += passed.bytes().filter(|byte| *byte == b'\n').count() as u64;
        at = begins;
        (line, *value)
    };
    values.iter().map(number).collect()
}

struct Count {
    joiner: Joiner,
    events: BTreeMap<&'static str, usize>,
    shown: Vec<Told>,
    /// Lines that the mapping reads.
    read: usize,
    /// Whether it reads the present one.
    reads: bool,
}

impl Count {
    fn add(&mut self, line: u64, event: &Event<'_>) {
        let kind = kind(event);
        let count = self.events.entry(kind).or_default();
        *count += 1;
        if *count <= SHOWN {
            self.shown.push(Told::of(line, kind, event));
        }
    }
}

impl Sink for Count {
    fn event(&mut self, at: At, event: Event<'_>) {
        self.reads = true;
        self.add(at.line, &event);
    }

    fn exchange(&mut self, exchange: Exchange<'_>) {
        self.reads = true;
        // Without a place to put it, it is not counted.
        let _ = self.joiner.add("", &exchange);
    }

    fn problem(&mut self, _: Problem) {}
}

fn kind(event: &Event<'_>) -> &'static str {
    match event {
        Event::Card(card) if card.kind == FetchKind::Publish => "card_publish",
        Event::Card(_) => "card_fetch",
        Event::Attempt(_) => "attempt",
        Event::Status(_) => "task_status",
        Event::Artifact(_) => "artifact",
    }
}

fn try_out(mappings: &Mappings, lines: &[(u64, &str)]) -> Count {
    let config = Config { mapping: mappings.clone(), ..Config::default() };
    let context = Context::new(&config);
    let mut sink = Count {
        joiner: Joiner::new(&config, None),
        events: BTreeMap::new(),
        shown: Vec::new(),
        read: 0,
        reads: false,
    };
    for (number, line) in lines {
        sink.reads = false;
        Mapped.parse(line.as_bytes(), At { line: *number, byte: 0 }, &context, &mut sink);
        sink.read += usize::from(sink.reads);
    }
    let joiner = std::mem::replace(&mut sink.joiner, Joiner::new(&config, None));
    for joined in joiner.finish().flatten() {
        for event in &joined.events {
            sink.add(joined.place.at.line, event);
        }
    }
    sink
}

#[cfg(test)]
mod tests;
