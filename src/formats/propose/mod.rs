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
//! | [`told`] | what an event says in a few words |

mod guess;
mod survey;
mod told;

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

/// Looks at the beginning of a source. `None`: no JSON lines, or nothing of A2A in them.
pub fn propose(head: &[u8]) -> Option<Proposal> {
    let text = String::from_utf8_lossy(head);
    let lines: Vec<(u64, &str)> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| {
            serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok()
                && line.trim_start().starts_with('{')
        })
        .collect();
    let texts: Vec<&str> = lines.iter().map(|(_, line)| *line).collect();
    let survey = Survey::of(&texts);
    let toml = guess::mapping(&survey)?;
    let table: Config = toml::from_str(&toml).ok()?;
    let Count { events, mut shown, read, .. } = try_out(&table.mapping, &lines);
    shown.sort();
    (!events.is_empty()).then_some(Proposal { toml, events, shown, lines: (lines.len(), read) })
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
