//! Reads a recording with the readers alone, entry by entry, so that tests can look at the events of
//! each entry.

use carddrift::config::Config;
use carddrift::event::Event;
use carddrift::exchange::Exchange;
use carddrift::exchange::derive::{Rules, derive};
use carddrift::formats::har::Har;
use carddrift::formats::{Context, Format, Sink};
use carddrift::problem::{At, Problem};
use serde_json::value::RawValue;
use std::path::Path;

/// What one entry gave.
#[derive(Debug, Default)]
pub struct Entry {
    pub events: Vec<Event<'static>>,
    pub problems: Vec<Problem>,
}

/// A HAR file, read.
#[derive(Debug)]
pub struct Recording {
    pub entries: Vec<Entry>,
}

struct Derive {
    rules: Rules,
    entry: Entry,
}

impl Sink for Derive {
    fn event(&mut self, _: At, event: Event<'_>) {
        panic!("HAR has no events of its own: {event:?}");
    }

    fn exchange(&mut self, exchange: Exchange<'_>) {
        let derived = derive(&exchange, &self.rules);
        self.entry.events.extend(derived.events);
        self.entry.problems.extend(derived.problems);
    }

    fn problem(&mut self, problem: Problem) {
        self.entry.problems.push(problem);
    }
}

#[derive(serde::Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    log: Log<'a>,
}

#[derive(serde::Deserialize)]
struct Log<'a> {
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

impl Recording {
    /// Reads a file of the package under a configuration.
    pub fn read(path: &str, config: &str) -> Self {
        let text =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
        let file: File<'_> = serde_json::from_str(&text).unwrap();
        Self::of(file.log.entries.iter().map(|entry| entry.get().as_bytes()), config)
    }

    /// Reads entries; the first is line 1.
    pub fn of<'e>(entries: impl Iterator<Item = &'e [u8]>, config: &str) -> Self {
        let config: Config = toml::from_str(config).unwrap();
        let context = Context::new(&config);
        let mut sink = Derive { rules: Rules::of(&config, None), entry: Entry::default() };
        let entries = (1..)
            .zip(entries)
            .map(|(line, entry)| {
                Har.parse(entry, At { line, byte: 0 }, &context, &mut sink);
                std::mem::take(&mut sink.entry)
            })
            .collect();
        Self { entries }
    }

    /// The events of one entry, from 0.
    pub fn events(&self, number: usize) -> &[Event<'static>] {
        &self.entries[number].events
    }

    /// All events, in the order of the file.
    pub fn all(&self) -> impl Iterator<Item = &Event<'static>> {
        self.entries.iter().flat_map(|entry| &entry.events)
    }

    /// All problems.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.entries.iter().flat_map(|entry| &entry.problems)
    }
}

/// A time for people.
pub fn rfc3339(nanos: i64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(nanos)).unwrap().to_string()
}
