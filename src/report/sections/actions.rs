//! What to do, for people; `carddrift actions` gives it to machines.

use super::{MOST, View, titled};
use crate::report::causes;
use crate::report::document::{Prose, Section, Table};
use crate::report::figures::count;
use crate::report::findings::Action;

pub(super) fn section(view: View<'_>) -> Section {
    let mut section = titled("What to do");
    let all = &view.findings.actions;
    if all.is_empty() {
        return section;
    }
    let (artifacts, others): (Vec<&Action>, Vec<&Action>) =
        all.iter().partition(|a| a.action == "quarantine_artifact");
    let mut table =
        Table::new(&["action", "agent", "target", "stale ETag", "cause", ">tasks", "in words"]);
    for a in others.iter().take(MOST) {
        table.row([
            a.action.as_str().into(),
            a.agent.as_deref().map_or_else(Prose::new, |agent| view.agent(agent)),
            a.target.as_ref().map_or_else(|| "unknown".into(), |t| Prose::new().name(t)),
            a.card_etag.as_ref().map_or_else(Prose::new, |etag| Prose::new().name(etag)),
            a.reason.as_str().into(),
            count(a.tasks).into(),
            causes::action(&a.action).into(),
        ]);
    }
    let left = others.len().saturating_sub(table.rows.len());
    if left > 0 {
        table.more = Some(Prose::from(format!("… and {left} more: ")).code("carddrift actions"));
    }
    section.table(table);
    if !artifacts.is_empty() {
        let targets: Vec<&str> = artifacts.iter().filter_map(|a| a.target.as_deref()).collect();
        section.line(
            Prose::from(format!("quarantine_artifact ({}): ", artifacts.len()))
                .names(&targets, 6)
                .say("."),
        );
    }
    section
}
