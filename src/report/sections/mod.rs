//! The sections of the report below its opening, in the order in which they are read.
//!
//! *A section*: one file and one line in [`all`]. A section that has nothing to say is left out, but
//! for the last two: what could not be measured, and what was read.

mod actions;
mod causes;
mod damage;
mod incidents;
mod lags;
mod read;
mod storms;
mod tasks;
mod unmeasured;
mod windows;

pub(super) use read::{accounting, problems_section};

use super::audit::Measure;
use super::bias;
use super::document::{Document, Prose, Section, Table};
use super::figures::{Clock, count};
use super::findings::Findings;
use super::trouble;

/// Tables of the report have at most so many rows: the rest is a query away.
pub(super) const MOST: usize = 15;

/// What sections need to know of the whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'f> {
    pub findings: &'f Findings,
    pub clock: Clock,
    /// Whether the rows speak of more than one agent, so that each must name its own.
    pub several_agents: bool,
}

impl View<'_> {
    /// The cell of an agent; empty when there is only one.
    pub fn agent(&self, agent: &str) -> Prose {
        if self.several_agents { Prose::new().name(agent) } else { Prose::new() }
    }

    /// The cell of an instant.
    pub fn time(&self, ns: Option<i64>) -> Prose {
        ns.map_or_else(Prose::new, |ns| self.clock.time(ns).into())
    }
}

/// The whole report.
pub fn document(findings: &Findings) -> Document {
    let mut agents: Vec<&str> = findings
        .windows
        .iter()
        .map(|w| w.agent.as_str())
        .chain(findings.incidents.iter().map(|i| i.agent.as_str()))
        .chain(findings.split_brains.iter().filter_map(|b| b.agent.as_deref()))
        .collect();
    agents.sort_unstable();
    agents.dedup();
    let view = View {
        findings,
        clock: Clock::of(findings.first_time(), findings.last_time()),
        several_agents: agents.len() > 1,
    };
    let (opening, alarm) = trouble::opening(findings);
    let all = [
        windows::section,
        causes::section,
        lags::section,
        storms::section,
        incidents::section,
        damage::section,
        actions::section,
        tasks::section,
        unmeasured::section,
        read::section,
    ];
    let sections = all.into_iter().map(|section| section(view)).filter(|s| !s.is_empty());
    Document {
        title: "A2A delegation postmortem".to_owned(),
        opening,
        alarm,
        sections: sections.collect(),
    }
}

/// `… and 12 more: carddrift query NAME`, when rows were left out.
pub(super) fn more(table: &mut Table, all: usize, query: &str) {
    let left = all.saturating_sub(table.rows.len());
    if left > 0 {
        let left = count(i64::try_from(left).unwrap_or(i64::MAX));
        table.more = Some(
            Prose::from(format!("… and {left} more: ")).code(format!("carddrift query {query}")),
        );
    }
}

/// A list of names as a cell.
pub(super) fn names(list: Option<&Vec<String>>) -> Prose {
    list.map_or_else(Prose::new, |names| Prose::new().names(names, 5))
}

/// A card as a cell: the first digits of its hash.
pub(super) fn card(card: Option<&String>) -> Prose {
    match card {
        Some(hash) => {
            let head: String = hash.chars().take(12).collect();
            Prose::new().name(head)
        }
        None => "unknown".into(),
    }
}

/// A client as a cell.
pub(super) fn client(client: Option<&String>) -> Prose {
    client.map_or_else(|| "unknown".into(), |name| Prose::new().name(name))
}

/// Adds what to mind beside the numbers of a measure: what biases them.
pub(super) fn mind(view: View<'_>, measure: Measure, section: &mut Section) {
    if let Some(mind) = bias::mind(view.findings, measure) {
        section.line(mind.say("; see what could not be measured."));
    }
}

/// A section with its title.
pub(super) fn titled(title: &'static str) -> Section {
    Section::new(title)
}
