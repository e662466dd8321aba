//! Sources, events and agents.

use super::Contents;
use crate::report::document::{Prose, Section, Table};
use crate::report::figures::{Clock, count};

/// Sources named one by one, when there are no more than this; else the first, and how many more.
const SOURCES: usize = 40;

impl Contents {
    pub(super) fn sources_section(&self) -> Section {
        let mut section = Section::new("Sources");
        let mut table = Table::new(&[
            "source",
            "format",
            "compression",
            ">records",
            ">accepted",
            ">repaired",
            ">rejected",
            ">duplicate",
            ">blank",
            ">events",
            ">without events",
            "first",
            "last",
            "truncated",
        ]);
        let times = || self.sources.iter().flat_map(|s| [s.first_time, s.last_time]).flatten();
        let clock = Clock::of(times().min(), times().max());
        let time = |ns: Option<i64>| ns.map_or_else(Prose::new, |ns| clock.time(ns).into());
        for s in self.sources.iter().take(SOURCES) {
            let some = |n: i64| if n == 0 { Prose::new() } else { count(n).into() };
            table.row([
                Prose::new().name(&s.source_file),
                Prose::new().name(&s.format),
                if s.compression == "none" {
                    Prose::new()
                } else {
                    Prose::new().name(&s.compression)
                },
                count(s.records).into(),
                count(s.accepted).into(),
                some(s.repaired),
                some(s.rejected),
                some(s.duplicate),
                some(s.blank),
                count(s.events).into(),
                some(s.without_events),
                time(s.first_time),
                time(s.last_time),
                if s.truncated { "yes".into() } else { Prose::new() },
            ]);
        }
        let left = self.sources.len().saturating_sub(table.rows.len());
        if left > 0 {
            let sql = "carddrift query -e 'SELECT * FROM sources'";
            table.more = Some(Prose::from(format!("… and {left} more: ")).code(sql));
        }
        section.table(table);
        section
    }

    pub(super) fn events_section(&self) -> Section {
        let mut section = Section::new("Events");
        let mut table = Table::new(&["event", ">events", ">with a client"]);
        for e in &self.events {
            table.row([
                e.event.as_str().into(),
                count(e.events).into(),
                count(e.with_client).into(),
            ]);
        }
        section.table(table);
        section
    }

    pub(super) fn agents_section(&self) -> Section {
        let mut section = Section::new("Agents and registries");
        let mut table = Table::new(&["agent", "registry", "role", ">cards seen", ">contracts"]);
        for a in self.agents.iter().take(SOURCES) {
            table.row([
                Prose::new().name(&a.agent),
                Prose::new().name(&a.registry),
                match &a.authority_source {
                    Some(rule) => format!("authority ({rule})").into(),
                    None => "mirror".into(),
                },
                count(a.sights).into(),
                count(a.contracts).into(),
            ]);
        }
        let left = self.agents.len().saturating_sub(table.rows.len());
        if left > 0 {
            table.more = Some(format!("… and {left} more").into());
        }
        section.table(table);
        section
    }
}
