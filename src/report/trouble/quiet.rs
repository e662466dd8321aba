//! Nothing is wrong, as far as the recording can tell; and how far that is.

use super::Trouble;
use crate::report::document::Prose;
use crate::report::figures::{Clock, count, counted, rate};
use crate::report::findings::{Findings, Summary};

pub(super) fn find(findings: &Findings, clock: Clock) -> Trouble {
    let s = &findings.summary;
    Trouble {
        what: what(s, findings.limits()),
        how_bad: how_bad(s),
        since: covers(findings, clock),
        side: unmeasured(s),
        next: match findings.limits() {
            Some(_) if s.tasks == 0 && s.attempts == 0 => {
                "look at the names and times of the limits".into()
            }
            _ => next(s),
        },
    }
}

fn what(s: &Summary, limits: Option<&str>) -> Prose {
    if let Some(limits) = limits.filter(|_| s.tasks == 0 && s.attempts == 0) {
        return Prose::new().strong("No task and no attempt falls under the limits: ").told(limits);
    }
    if s.verifiable > 0 && few_checked(s) {
        return Prose::new().strong("No drift found, but little was checked: ").say(format!(
            "{} of {} could be, and kept the contract",
            count(s.verifiable),
            counted(s.completed, "completed task", "completed tasks")
        ));
    }
    if s.verifiable > 0 {
        return Prose::new()
            .strong("No drift found: ")
            .say("every verifiable task kept the contract it was admitted under");
    }
    let unsaid = Prose::new().strong("Nothing can be said about bindings: ");
    if s.completed > 0 {
        return unsaid.say("no completed task could be checked");
    }
    if s.tasks > 0 {
        return unsaid.say("no task completed in this recording");
    }
    if s.attempts > 0 {
        return unsaid.say("the recording holds attempts, but no task that came of one");
    }
    if cards_only(s) {
        return unsaid.say("the recording holds cards, but no task and no attempt");
    }
    Prose::new()
        .strong("Nothing can be said: ")
        .say("the recording holds no card, no attempt and no task")
}

/// Whether fewer than half of the completed tasks could be checked, or there is none.
pub(super) fn few_checked(s: &Summary) -> bool {
    s.verifiable == 0 || s.verifiable.saturating_mul(2) < s.completed
}

/// Whether the recording tells of cards and of nothing that was done with them.
fn cards_only(s: &Summary) -> bool {
    s.tasks == 0 && s.attempts == 0 && (s.cards > 0 || s.card_fetches > 0 || s.rotations > 0)
}

fn how_bad(s: &Summary) -> Prose {
    let mut prose = Prose::new();
    if s.verifiable > 0 {
        prose = prose
            .strong(rate(s.split_brain, s.verifiable, "verifiable tasks"))
            .say(" are split-brain");
    } else if s.tasks > 0 {
        prose = prose.say(format!(
            "Of {} {} completed, none of them verifiable",
            counted(s.tasks, "task", "tasks"),
            count(s.completed)
        ));
    } else {
        prose = prose.say("No task is on record");
    }
    if s.attempts == 0 {
        return prose.say("; no attempt is on record");
    }
    if s.rejections == 0 {
        let attempts = counted(s.attempts, "attempt", "attempts");
        return prose.say(format!("; none of {attempts} was rejected"));
    }
    prose.say(format!(
        "; {} of {} {} rejected, none of them replayed",
        count(s.rejections),
        counted(s.attempts, "attempt", "attempts"),
        if s.rejections == 1 { "was" } else { "were" }
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
        } else if s.verifiable == 0 {
            "No completed task has an artifact on record, so there was nothing to hold against a card".into()
        } else if s.without_artifact > 0 {
            Prose::new().say(format!(
                "Every completed task with an artifact could be checked; {} of {} completed ones have none on record",
                count(s.without_artifact),
                count(s.completed)
            ))
        } else {
            "Every completed task could be checked".into()
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
    let mut pieces = Vec::new();
    if few_checked(s) {
        pieces.extend(to_check_more(s));
    }
    if s.rejections > 0 {
        pieces.push(Prose::from(
            "let the clients fetch the card again after a rejection, else drift cannot be told from refusal",
        ));
    }
    if pieces.is_empty() && few_checked(s) {
        return Prose::from("see with ").code("carddrift inspect").say(" what the input holds");
    }
    if pieces.is_empty() {
        return "nothing to do".into();
    }
    Prose::join(pieces, "; ")
}

/// What to record so that more tasks can be checked.
fn to_check_more(s: &Summary) -> Option<Prose> {
    let words = if s.no_admission_card > 0 || s.card_not_in_archive > 0 {
        "record the bodies of card fetches (or at least their SHA-256), and who fetched them"
    } else if s.card_declares_no_schema > 0 || s.artifact_declares_no_schema > 0 {
        "state the schema version in card and artifact, or tell in [extract] where it stands"
    } else if cards_only(s) {
        "add what clients or agents recorded of their tasks; what the cards changed is told below"
    } else {
        return None;
    };
    Some(words.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document::text::plain;
    use crate::report::trouble::{Tone, told};

    fn opening(summary: Summary) -> (String, Tone) {
        let (troubles, tone) = told(&Findings { summary, ..Findings::default() });
        (troubles.iter().map(|t| plain(&t.what)).collect(), tone)
    }

    #[test]
    fn nothing_under_the_limits_is_not_an_empty_recording() {
        let limited = crate::query::Note {
            kind: crate::report::findings::LIMITED.to_owned(),
            subject: Some("agent nope".to_owned()),
            count: 0,
            text: String::new(),
        };
        let findings = Findings { notes: vec![limited], ..Findings::default() };
        let (troubles, tone) = told(&findings);
        let first = &troubles[0];
        assert_eq!(plain(&first.what), "No task and no attempt falls under the limits: agent nope");
        assert!(plain(&first.how_bad).ends_with("; only a part was measured: agent nope"));
        assert_eq!(tone, Tone::Open);
    }

    #[test]
    fn what_could_not_be_measured_is_no_good_news() {
        let of = |tasks, completed, verifiable| Summary {
            tasks,
            completed,
            verifiable,
            unverifiable: completed - verifiable,
            ..Summary::default()
        };
        for (summary, words, tone) in [
            (of(10, 9, 9), "No drift found: every", Tone::Calm),
            // Half of them is enough, less than half is not.
            (of(10, 8, 4), "No drift found: every", Tone::Calm),
            (of(10, 9, 4), "little was checked: 4 of 9 completed tasks could be", Tone::Open),
            (of(10, 9, 0), "no completed task could be checked", Tone::Open),
            (of(10, 0, 0), "no task completed", Tone::Open),
            (Summary { attempts: 3, ..of(0, 0, 0) }, "holds attempts, but no task", Tone::Open),
            (
                Summary { cards: 47, rotations: 10, ..of(0, 0, 0) },
                "holds cards, but no task",
                Tone::Open,
            ),
            (Summary { card_fetches: 1, ..of(0, 0, 0) }, "holds cards, but no task", Tone::Open),
            (of(0, 0, 0), "holds no card, no attempt and no task", Tone::Open),
        ] {
            let (told, sounds) = opening(summary);
            assert!(told.contains(words), "{told}");
            assert_eq!(sounds, tone, "{told}");
        }
    }

    #[test]
    fn what_had_no_artifact_was_not_checked() {
        let of = |completed, verifiable| Summary {
            tasks: completed,
            completed,
            verifiable,
            without_artifact: completed - verifiable,
            ..Summary::default()
        };
        let told = |summary| plain(&unmeasured(&summary));
        assert!(told(of(24, 0)).starts_with("No completed task has an artifact on record"));
        assert!(told(of(24, 20)).ends_with("; 4 of 24 completed ones have none on record"));
        assert_eq!(told(of(24, 24)), "Every completed task could be checked");
    }
}
