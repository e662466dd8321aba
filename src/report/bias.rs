//! Notes that say what biases every number, and the measures whose numbers they touch.
//!
//! *A bias*: a kind of note in `queries/views/notes.sql` and one line in [`ALL`].

use super::audit::Measure;
use super::document::Prose;
use super::findings::Findings;
use crate::query::Note;

/// A kind of note that is a warning.
#[derive(Debug, Clone, Copy)]
pub struct Bias {
    /// The kind of note.
    pub kind: &'static str,
    /// In a few words, to stand beside a number.
    pub short: &'static str,
    /// What it touches.
    touches: &'static [Measure],
    /// So grave that no number may stand without it.
    grave: bool,
}

use Measure::{Bindings, Corruption, Incidents, Lag, Replays};

const EVERY: &[Measure] = &[Bindings, Corruption, Lag, Replays, Incidents];

/// All warnings, the gravest first.
pub const ALL: &[Bias] = &[
    Bias {
        kind: "tail_sampled",
        short: "traces were kept for what came of them, so failures are too many",
        touches: EVERY,
        grave: true,
    },
    Bias {
        kind: "head_sampled",
        short: "traces were kept by chance, so events are missing",
        touches: EVERY,
        grave: true,
    },
    Bias {
        kind: "span_gaps",
        short: "spans are missing from traces",
        touches: EVERY,
        grave: false,
    },
    Bias {
        kind: "told_twice",
        short: "some exchanges stand in two sources and count twice",
        touches: EVERY,
        grave: true,
    },
    Bias {
        kind: "ambiguous_exchanges",
        short: "some exchanges seen by several recorders could not be joined",
        touches: EVERY,
        grave: false,
    },
    Bias {
        kind: "silent_period",
        short: "a source holds nothing for a while",
        touches: EVERY,
        grave: true,
    },
    Bias {
        kind: "agent_moved",
        short: "an agent's identity changed with its card's URL",
        touches: &[Bindings, Lag, Incidents],
        grave: true,
    },
    Bias { kind: "records_lost", short: "records could not be read", touches: EVERY, grave: false },
    Bias { kind: "sources_cut", short: "a source ends early", touches: EVERY, grave: false },
    Bias {
        kind: "naive_times",
        short: "times without a zone were read as UTC or as --assume-zone says",
        touches: &[Bindings, Lag, Replays],
        grave: false,
    },
    Bias {
        kind: "adjusted_clocks",
        short: "the recorder moved times",
        touches: &[Bindings, Lag, Replays],
        grave: false,
    },
    Bias {
        kind: "unknown_clients_of_attempts",
        short: "attempts without a client are taken as one client's",
        touches: &[Replays, Incidents],
        grave: false,
    },
];

/// The warning that a note is, if it is one.
pub fn of(note: &Note) -> Option<&'static Bias> {
    ALL.iter().find(|bias| bias.kind == note.kind)
}

/// The notes that are warnings, the gravest first.
pub fn warnings(notes: &[Note]) -> Vec<&Note> {
    ALL.iter().flat_map(|bias| notes.iter().filter(|note| note.kind == bias.kind)).collect()
}

/// What to mind beside the numbers of a measure, without a full stop; `None`: nothing.
pub fn mind(findings: &Findings, measure: Measure) -> Option<Prose> {
    told(findings, |bias| bias.touches.contains(&measure), "Mind that ")
}

/// What no number may stand without, without a full stop; `None`: nothing.
pub fn grave(findings: &Findings) -> Option<Prose> {
    told(findings, |bias| bias.grave, "mind that ")
}

fn told(findings: &Findings, concerns: impl Fn(&Bias) -> bool, lead: &str) -> Option<Prose> {
    let found: Vec<Prose> = ALL
        .iter()
        .filter(|bias| concerns(bias))
        .filter(|bias| findings.notes.iter().any(|note| note.kind == bias.kind))
        .map(|bias| Prose::from(bias.short))
        .collect();
    (!found.is_empty()).then(|| Prose::from(lead).then(Prose::join(found, "; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_warning_is_a_note_that_can_be_given() {
        let sql = include_str!("../../queries/views/notes.sql");
        for bias in ALL {
            assert!(sql.contains(&format!("'{}'", bias.kind)), "{}", bias.kind);
        }
    }

    #[test]
    fn a_number_is_told_what_touches_it() {
        let note = |kind: &str| Note {
            kind: kind.to_owned(),
            subject: None,
            count: 1,
            text: String::new(),
        };
        let notes = vec![note("agent_moved"), note("tail_sampled"), note("lag_open")];
        let findings = Findings { notes, ..Findings::default() };
        let kinds: Vec<&str> = warnings(&findings.notes).iter().map(|n| n.kind.as_str()).collect();
        assert_eq!(kinds, ["tail_sampled", "agent_moved"]);
        let words =
            |measure| mind(&findings, measure).map(|p| crate::report::document::text::plain(&p));
        let lag = words(Measure::Lag).unwrap();
        assert!(lag.starts_with("Mind that traces were kept for") && lag.contains("identity"));
        assert!(!words(Measure::Replays).unwrap().contains("identity"));
        assert_eq!(words(Measure::Damage), None);
    }
}
