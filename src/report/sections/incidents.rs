//! What the card said after a rejection.

use super::{MOST, View, client, mind, more, names, titled};
use crate::report::audit::Measure;
use crate::report::document::{Prose, Section, Table};
use crate::report::figures::{count, counted};
use crate::report::findings::Incident;
use crate::report::trouble::tally;

pub(super) fn section(view: View<'_>) -> Section {
    let mut section = titled("Drift incidents");
    let incidents = &view.findings.incidents;
    if incidents.is_empty() {
        return section;
    }
    let results: Vec<String> = tally(incidents.iter().map(|i| i.result.as_str()))
        .into_iter()
        .map(|(result, n)| format!("{} {}", count(n), result.replace('_', " ")))
        .collect();
    section.line(format!(
        "{}: after the first rejection under a card, the client's next fetch showed: {}.",
        counted(i64::try_from(incidents.len()).unwrap_or(i64::MAX), "incident", "incidents"),
        results.join(", "),
    ));
    mind(view, Measure::Incidents, &mut section);
    let mut shown: Vec<&Incident> = incidents.iter().collect();
    shown.sort_by_key(|i| (rank(i), i.rejected_at));
    let mut table = Table::new(&[
        "client",
        "agent",
        "rejected",
        "outcome",
        "skill",
        "fresh card",
        "changed",
        "skills added",
        "skills removed",
        "skill still offered",
        ">loop",
    ]);
    for i in shown.into_iter().take(MOST) {
        table.row([
            client(i.client.as_ref()),
            view.agent(&i.agent),
            view.time(Some(i.rejected_at)),
            i.outcome.as_str().into(),
            i.skill_id.as_ref().map_or_else(Prose::new, |s| Prose::new().name(s)),
            i.result.replace('_', " ").into(),
            names(i.changed.as_ref()),
            names(i.skills_added.as_ref()),
            names(i.skills_removed.as_ref()),
            match i.skill_still_advertised {
                Some(true) => "yes".into(),
                Some(false) => "no".into(),
                None => Prose::new(),
            },
            i.r#loop.map_or_else(Prose::new, |n| n.to_string().into()),
        ]);
    }
    more(&mut table, incidents.len(), "drift_incidents");
    section.table(table);
    section
}

/// The telling ones first.
fn rank(incident: &Incident) -> u8 {
    match incident.result.as_str() {
        "changed" => 0,
        "identical" => 1,
        "cosmetic" => 2,
        "never_refetched" => 3,
        _ => 4,
    }
}
