//! Nothing is wrong, as far as the recording can tell; and how far that is.

use super::Trouble;
use crate::report::document::Prose;
use crate::report::figures::{Clock, count, counted, rate};
use crate::report::findings::{Findings, Summary};

pub(super) fn find(findings: &Findings, clock: Clock) -> Trouble {
    let s = &findings.summary;
    let checked = s.verifiable > 0;
    Trouble {
        what: if checked {
            Prose::new()
                .strong("No drift found: ")
                .say("every verifiable task kept the contract it was admitted under")
        } else if s.attempts > 0 || s.card_fetches > 0 || s.tasks > 0 {
            Prose::new()
                .strong("Nothing can be said about bindings: ")
                .say("no completed task could be checked")
        } else {
            Prose::new()
                .strong("Nothing can be said: ")
                .say("the recording holds no card, no attempt and no task")
        },
        how_bad: how_bad(s),
        since: covers(findings, clock),
        side: unmeasured(s),
        next: next(s),
    }
}

fn how_bad(s: &Summary) -> Prose {
    let mut prose = Prose::new();
    if s.verifiable > 0 {
        prose = prose
            .strong(rate(s.split_brain, s.verifiable, "verifiable tasks"))
            .say(" are split-brain");
    } else {
        prose = prose.say(format!(
            "Of {} {} completed, none of them verifiable",
            counted(s.tasks, "task", "tasks"),
            count(s.completed)
        ));
    }
    prose.say(format!(
        "; {} of {} were rejected, none of them replayed",
        count(s.rejections),
        counted(s.attempts, "attempt", "attempts")
    ))
}

fn covers(findings: &Findings, clock: Clock) -> Prose {
    let s = &findings.summary;
    let mut prose = Prose::new();
    if let (Some(first), Some(last)) = (findings.first_time(), findings.last_time()) {
        prose = prose
            .say("The recording covers ")
            .strong(clock.utc(first))
            .say(" to ")
            .strong(clock.utc(last))
            .say(": ");
    } else {
        prose = prose.say("The recording holds ");
    }
    prose.say(format!(
        "{}, {}, {} of contracts",
        counted(s.card_fetches, "card fetch", "card fetches"),
        counted(s.cards, "card", "cards"),
        counted(s.rotations, "rotation", "rotations"),
    ))
}

fn unmeasured(s: &Summary) -> Prose {
    if s.unverifiable == 0 {
        return if s.completed == 0 {
            "No task completed, so there was nothing to check".into()
        } else {
            "Every completed task with an artifact could be checked".into()
        };
    }
    let reasons = reasons(s);
    Prose::new().say(format!(
        "{} could not be checked: {}",
        counted(s.unverifiable, "completed task", "completed tasks"),
        reasons.join(", ")
    ))
}

/// Why completed tasks could not be checked, most frequent first as the model lists them.
pub(in crate::report) fn reasons(s: &Summary) -> Vec<String> {
    [
        (s.no_admission_card, "no card is known for the admission"),
        (s.card_not_in_archive, "only the hash of the card is known"),
        (s.card_declares_no_schema, "the card states no schema version"),
        (s.artifact_declares_no_schema, "the artifact states no schema version"),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, why)| format!("{} because {why}", count(n)))
    .collect()
}

fn next(s: &Summary) -> Prose {
    if s.rejections > 0 {
        return Prose::from(
            "let the clients fetch the card again after a rejection, else drift cannot be told from refusal",
        );
    }
    if s.verifiable > 0 {
        return Prose::from("nothing to do");
    }
    if s.no_admission_card > 0 || s.card_not_in_archive > 0 {
        return Prose::from(
            "record the bodies of card fetches (or at least their SHA-256), and who fetched them",
        );
    }
    if s.card_declares_no_schema > 0 || s.artifact_declares_no_schema > 0 {
        return Prose::from(
            "state the schema version in card and artifact, or tell in [extract] where it stands",
        );
    }
    Prose::from("see with ").code("carddrift inspect").say(" what the input holds")
}
