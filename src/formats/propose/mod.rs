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

mod guess;
mod survey;

use std::collections::BTreeMap;

use crate::config::Config;
use crate::config::mapping::Mappings;
use crate::event::{Event, FetchKind};
use crate::exchange::Exchange;
use crate::exchange::join::Joiner;
use crate::problem::{At, Problem};

use super::mapping::Mapped;
use super::{Context, Format, Sink};
use survey::Survey;

/// A mapping and what would come of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The table, as it may be pasted into the configuration.
    pub toml: String,
    /// How many events of each kind the lines looked at would give.
    pub events: BTreeMap<&'static str, usize>,
    /// How many lines were looked at, and how many of them the mapping reads.
    pub lines: (usize, usize),
}

/// Looks at the beginning of a source. `None`: no JSON lines, or nothing of A2A in them.
pub fn propose(head: &[u8]) -> Option<Proposal> {
    let text = String::from_utf8_lossy(head);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| {
            serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok()
                && line.trim_start().starts_with('{')
        })
        .collect();
    let survey = Survey::of(&lines);
    let toml = guess::mapping(&survey)?;
    let table: Config = toml::from_str(&toml).ok()?;
    let (events, read) = try_out(&table.mapping, &lines);
    (!events.is_empty()).then_some(Proposal { toml, events, lines: (lines.len(), read) })
}

struct Count {
    joiner: Joiner,
    events: BTreeMap<&'static str, usize>,
    read: bool,
}

impl Sink for Count {
    fn event(&mut self, _: At, event: Event<'_>) {
        self.read = true;
        *self.events.entry(kind(&event)).or_default() += 1;
    }

    fn exchange(&mut self, exchange: Exchange<'_>) {
        self.read = true;
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

fn try_out(mappings: &Mappings, lines: &[&str]) -> (BTreeMap<&'static str, usize>, usize) {
    let config = Config { mapping: mappings.clone(), ..Config::default() };
    let context = Context::new(&config);
    let mut sink =
        Count { joiner: Joiner::new(&config, None), events: BTreeMap::new(), read: false };
    let mut read = 0;
    for (number, line) in (1..).zip(lines) {
        sink.read = false;
        Mapped.parse(line.as_bytes(), At { line: number, byte: 0 }, &context, &mut sink);
        read += usize::from(sink.read);
    }
    let mut events = sink.events;
    for joined in sink.joiner.finish().flatten() {
        for event in &joined.events {
            *events.entry(kind(event)).or_default() += 1;
        }
    }
    (events, read)
}

#[cfg(test)]
mod tests;
