//! What could not be measured and why, and what was assumed.

use super::{View, titled};
use crate::report::document::{Prose, Section};
use crate::report::figures::{count, counted};
use crate::report::trouble::reasons;

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
    for note in &view.findings.notes {
        let subject = note.subject.as_deref().filter(|s| !note.text.contains(s));
        let lead = subject.map_or_else(Prose::new, |s| Prose::new().name(s).say(": "));
        section.item(lead.told(&note.text));
    }
    if section.is_empty() {
        section.line("Nothing: every completed task could be checked, and no assumption was made.");
    }
    section
}
