//! What became of the artifacts that contradict their cards: who took them.

use super::{View, titled};
use crate::report::document::{Prose, Section, Table};
use crate::report::figures::{bar, count, counted, ratio};
use crate::report::trouble::tally;

pub(super) fn section(view: View<'_>) -> Section {
    let mut section = titled("Damage");
    let all = &view.findings.split_brains;
    if all.is_empty() {
        return section;
    }
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let fates = tally(all.iter().map(|b| b.disposition.as_deref().unwrap_or("")));
    let mut table = Table::new(&["the client", ">artifacts", ""]);
    for (fate, n) in &fates {
        let words = match fate.as_str() {
            "" => "said nothing (fate unknown)".into(),
            "accepted" => "accepted it: look at what used it".into(),
            "rejected" => "rejected it".into(),
            "quarantined" => "quarantined it".into(),
            other => Prose::new().name(other),
        };
        table.row([words, count(*n).into(), bar(ratio(*n, total), 8).into()]);
    }
    section.table(table);
    let clients = tally(all.iter().map(|b| b.client.as_deref().unwrap_or("unknown")));
    let named: Vec<String> = clients.iter().map(|(c, _)| c.clone()).collect();
    section.line(
        Prose::from(format!(
            "{} received them: ",
            counted(i64::try_from(named.len()).unwrap_or(i64::MAX), "client", "clients")
        ))
        .names(&named, 5)
        .say("."),
    );
    let downstream = &view.findings.downstream;
    if !downstream.is_empty() {
        section.line(format!(
            "{} built on their tasks (by reference or in the same context):",
            counted(
                i64::try_from(downstream.len()).unwrap_or(i64::MAX),
                "later task",
                "later tasks"
            )
        ));
        let mut table = Table::new(&["split-brain task", "later task", "client", "sent", "by"]);
        for d in downstream.iter().take(super::MOST) {
            table.row([
                Prose::new().name(&d.task_id),
                Prose::new().name(&d.later_task_id),
                super::client(d.client.as_ref()),
                view.time(Some(d.sent_at)),
                d.by.as_str().into(),
            ]);
        }
        let left = downstream.len().saturating_sub(table.rows.len());
        if left > 0 {
            table.more = Some(format!("… and {left} more").into());
        }
        section.table(table);
    }
    section
}
