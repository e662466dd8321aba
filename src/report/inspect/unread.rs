//! Sources that no reader knows: why not, and the mapping that would read them.

use super::Contents;
use crate::report::document::{Prose, Section, Table};
use crate::report::figures::{Clock, counted};

/// A source that no reader knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Unread {
    /// The source.
    pub source_file: String,
    /// Each reader and why it does not know it.
    pub reasons: Vec<(String, String)>,
    /// A mapping that would read it.
    pub proposal: Option<Proposed>,
}

/// A mapping that would read a source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposed {
    /// The mapping, to be pasted into the configuration.
    pub toml: String,
    /// What would come of its first lines: a kind and how many.
    pub events: Vec<(String, usize)>,
    /// The first of them.
    pub shown: Vec<Shown>,
    /// Lines looked at, and those that the mapping reads.
    pub lines: (usize, usize),
}

/// An event that would come of a source, without secrets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shown {
    /// The line that it comes of.
    pub line: u64,
    /// `attempt`, for example.
    pub kind: String,
    /// UTC nanoseconds.
    pub time: i64,
    /// Who acted.
    pub client: Option<String>,
    /// Agent or URL.
    pub agent: Option<String>,
    /// What else it says.
    pub what: String,
}

impl Contents {
    pub(super) fn unread_section(&self) -> Section {
        let mut section = Section::new("Sources that no reader knows");
        for unread in &self.unread {
            section.item(Prose::new().name(&unread.source_file).say(":"));
            let mut table = Table::new(&["reader", "why not"]);
            for (reader, why) in &unread.reasons {
                table.row([reader.as_str().into(), Prose::new().told(why)]);
            }
            section.table(table);
            match &unread.proposal {
                Some(proposal) => told(proposal, &mut section),
                None => section.line(
                    "No mapping can be proposed: its lines are no JSON objects, or hold nothing of A2A.",
                ),
            }
        }
        section
    }
}

fn told(proposal: &Proposed, section: &mut Section) {
    let events: Vec<String> =
        proposal.events.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    let lines = i64::try_from(proposal.lines.0).unwrap_or(i64::MAX);
    section.line(Prose::from(format!(
        "Of its first {} the mapping below reads {}, as {}:",
        counted(lines, "JSON line", "JSON lines"),
        proposal.lines.1,
        events.join(", "),
    )));
    let times = || proposal.shown.iter().map(|event| event.time);
    let clock = Clock::of(times().min(), times().max());
    let mut table = Table::new(&[">line", "event", "time", "client", "agent or URL", "what"]);
    let name = |text: &Option<String>| {
        text.as_ref().map_or_else(Prose::new, |text| Prose::new().name(text))
    };
    for event in &proposal.shown {
        table.row([
            event.line.to_string().into(),
            event.kind.as_str().into(),
            clock.time(event.time).into(),
            name(&event.client),
            name(&event.agent),
            Prose::new().told(&event.what),
        ]);
    }
    section.table(table);
    section.line(Prose::from("When these are right, put it into ").code("carddrift.toml").say(":"));
    section.lines(&proposal.toml);
}
