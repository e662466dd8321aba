//! The split-brain artifacts, each with its evidence.

use super::{View, card, client, more, titled};
use crate::report::document::{Prose, Section, Table};

/// So many are shown; the rest is a query away.
const SHOWN: usize = 10;

pub(super) fn section(view: View<'_>) -> Section {
    let mut section = titled("Split-brain artifacts");
    let all = &view.findings.split_brains;
    if all.is_empty() {
        return section;
    }
    let mut shown: Vec<_> = all.iter().collect();
    shown.sort_by(|a, b| (a.admitted_at, &a.task_id).cmp(&(b.admitted_at, &b.task_id)));
    let mut table = Table::new(&[
        "task",
        "artifact",
        "agent",
        "client",
        "registry",
        "admitted",
        "card",
        ">card says",
        ">artifact says",
        "digest",
        "cause",
        "evidence",
    ]);
    for b in shown.into_iter().take(SHOWN) {
        let text =
            |t: &Option<String>| t.as_ref().map_or_else(Prose::new, |t| Prose::new().name(t));
        let evidence = match (&b.source_file, b.source_line) {
            (Some(file), Some(line)) => Prose::new().name(format!("{file}:{line}")),
            _ => Prose::new(),
        };
        table.row([
            Prose::new().name(&b.task_id),
            Prose::new().name(&b.artifact_id),
            b.agent.as_deref().map_or_else(Prose::new, |agent| view.agent(agent)),
            client(b.client.as_ref()),
            text(&b.registry),
            view.time(b.admitted_at),
            card(b.card.as_ref()),
            text(&b.card_schema),
            text(&b.artifact_schema),
            b.digest_status.as_str().into(),
            b.cause.as_deref().unwrap_or("unknown").into(),
            evidence,
        ]);
    }
    more(&mut table, all.len(), "bindings");
    section.table(table);
    section.line(Prose::from("The whole story of one: ").code("carddrift explain TASK_ID"));
    section
}
