//! What could not be measured and why, and what was assumed.

use super::{View, titled};
use crate::report::document::{Prose, Section};
use crate::report::figures::{count, counted};
use crate::report::trouble::reasons;

/// Notes that say what is told here with its whole.
const TOLD: [&str; 6] = [
    "no_admission_card",
    "card_not_in_archive",
    "card_declares_no_schema",
    "artifact_declares_no_schema",
    "without_artifact",
    "lag_not_seen",
];

pub(super) fn section(view: View<'_>) -> Section {
    let mut section = titled("What could not be measured");
    let s = &view.findings.summary;
    if s.unverifiable > 0 {
        section.item(format!(
            "{} of {} could not be checked, and are in no rate: {}.",
            count(s.unverifiable),
            counted(s.completed, "completed task", "completed tasks"),
            reasons(s).join(", "),
        ));
    }
    if s.without_artifact > 0 {
        section.item(format!(
            "{} completed without an artifact on record.",
            counted(s.without_artifact, "task", "tasks")
        ));
    }
    if s.no_digest > 0 {
        section.item(format!(
            "{} kept the schema but stated no digest, so corruption cannot be seen.",
            counted(s.no_digest, "task", "tasks")
        ));
    }
    let unobserved = view.findings.lags.iter().filter(|l| l.status == "unobserved").count();
    if unobserved > 0 {
        section.item(format!(
            "Of {unobserved} rotation windows nothing is known: nobody looked at the mirror."
        ));
    }
    for note in view.findings.notes.iter().filter(|n| !TOLD.contains(&n.kind.as_str())) {
        let subject = note.subject.as_deref().filter(|s| !note.text.contains(s));
        let lead = subject.map_or_else(Prose::new, |s| Prose::new().name(s).say(": "));
        section.item(lead.told(&note.text));
    }
    if section.is_empty() {
        section.line("Nothing: every completed task could be checked, and no assumption was made.");
    }
    section
}
