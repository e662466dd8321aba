//! What a recording lets be measured, by source and in total, and what its recorder would have to do
//! for the rest.
//!
//! Knows counts and names of formats, no value of a record.
//!
//! | module | what |
//! |---|---|
//! | [`holds`] | what is counted of each source |
//! | [`lack`] | what a measure lacks, and the one change of a recorder that would give it |
//!
//! *A measure*: one variant of [`Measure`] with its case in [`Measure::judge`].

pub mod holds;
pub mod lack;

pub use holds::Holds;
pub use lack::Lack;

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Split-brain bindings (model §6).
    Bindings,
    /// Artifacts that differ from their digests (model §6).
    Corruption,
    /// Registry lag (model §4).
    Lag,
    /// Replays and storms (model §7).
    Replays,
    /// What the card showed after a rejection (model §7).
    Incidents,
    /// What became of split-brain artifacts.
    Damage,
}

/// How far a measure can be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It can.
    Yes,
    /// It can, for a part or with an assumption; what is missing most.
    Partly(Lack),
    /// It cannot; what is missing first.
    No(Lack),
}

impl Verdict {
    /// `yes`, `partly` or `no`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Partly(_) => "partly",
            Self::No(_) => "no",
        }
    }

    /// What is missing.
    pub fn lack(self) -> Option<Lack> {
        match self {
            Self::Yes => None,
            Self::Partly(lack) | Self::No(lack) => Some(lack),
        }
    }
}

/// The first requirement that nothing meets, else the one that is met least often.
fn first_lacking(requirements: &[(i64, i64, Lack)]) -> Verdict {
    if let Some((.., lack)) = requirements.iter().find(|(have, ..)| *have == 0) {
        return Verdict::No(*lack);
    }
    let partly = requirements.iter().filter(|(have, of, _)| have < of);
    // Compared as fractions: have/of of one against the other.
    let least = partly.min_by(|a, b| {
        let left = i128::from(a.0) * i128::from(b.1);
        left.cmp(&(i128::from(b.0) * i128::from(a.1)))
    });
    least.map_or(Verdict::Yes, |(.., lack)| Verdict::Partly(*lack))
}

impl Measure {
    /// All, in the order of the report.
    pub const ALL: [Self; 6] =
        [Self::Bindings, Self::Corruption, Self::Lag, Self::Replays, Self::Incidents, Self::Damage];

    /// What it is called in tables and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bindings => "bindings",
            Self::Corruption => "corruption",
            Self::Lag => "lag",
            Self::Replays => "replays",
            Self::Incidents => "incidents",
            Self::Damage => "damage",
        }
    }

    /// What it is called in sentences.
    pub fn title(self) -> &'static str {
        match self {
            Self::Bindings => "Split-brain bindings",
            Self::Corruption => "Corruption",
            Self::Lag => "Registry lag",
            Self::Replays => "Replays and storms",
            Self::Incidents => "Drift incidents",
            Self::Damage => "Damage",
        }
    }

    /// How far it can be taken with what is on record.
    pub fn judge(self, h: &Holds) -> Verdict {
        let sights = h.fetched + h.publishes;
        let shown = h.fetched_card + h.publishes_card;
        let cards = (shown + h.admitted, sights.max(h.admitted), Lack::CardBodies);
        // A fetch without a card helps nobody, but without a fetch there is none to be recorded.
        let sights = (sights + h.admitted, 0, Lack::Fetches);
        let clients = |events: i64| {
            // Unknown clients are taken as one: that is an assumption, not a stop.
            (if h.named == 0 && events > 0 { 1 } else { h.named }, events, Lack::Clients)
        };
        match self {
            Self::Bindings => first_lacking(&[
                (h.artifacts, 0, Lack::Artifacts),
                (h.completed, 0, Lack::States),
                sights,
                cards,
                (h.content, 0, Lack::CardContent),
                (h.content_schema, h.content, Lack::CardSchema),
                (h.artifacts_schema, h.artifacts, Lack::ArtifactSchema),
                clients(h.attempts + h.fetches),
            ]),
            Self::Corruption => first_lacking(&[
                (h.artifacts, 0, Lack::Artifacts),
                (h.digests, h.artifacts, Lack::Digest),
                (h.checked, h.digests, Lack::Payload),
            ]),
            Self::Lag => first_lacking(&[
                (sights.0 - h.admitted, 0, Lack::Fetches),
                (shown, h.fetched + h.publishes, Lack::CardBodies),
                (h.registries - 1, 0, Lack::Registries),
            ]),
            Self::Replays => first_lacking(&[
                (h.attempts, 0, Lack::Attempts),
                (h.fetched, 0, Lack::Fetches),
                clients(h.attempts + h.fetches),
            ]),
            Self::Incidents => first_lacking(&[
                (h.attempts, 0, Lack::Attempts),
                (h.fetched, 0, Lack::Fetches),
                (h.fetched_card, h.fetched, Lack::CardBodies),
                // Without one it is not told whether the skill is still offered; the rest is.
                (h.skills.max(1), h.submissions, Lack::Skill),
            ]),
            Self::Damage => first_lacking(&[
                (h.artifacts, 0, Lack::Artifacts),
                (h.dispositions, h.artifacts, Lack::Disposition),
            ]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A recording that holds everything.
    fn whole() -> Holds {
        Holds {
            fetches: 4,
            fetched: 4,
            fetched_card: 4,
            registries: 2,
            content: 2,
            content_schema: 2,
            attempts: 10,
            submissions: 10,
            named: 14,
            skills: 10,
            completed: 9,
            artifacts: 9,
            artifacts_schema: 9,
            digests: 9,
            checked: 9,
            dispositions: 9,
            ..Holds::default()
        }
    }

    #[test]
    fn a_whole_recording_lets_everything_be_measured() {
        for measure in Measure::ALL {
            assert_eq!(measure.judge(&whole()), Verdict::Yes, "{}", measure.name());
        }
    }

    #[test]
    fn an_empty_one_lets_nothing() {
        for measure in Measure::ALL {
            assert_eq!(measure.judge(&Holds::default()).word(), "no", "{}", measure.name());
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        use Measure::{Bindings, Corruption, Incidents, Lag, Replays};
        let case = |measure: Measure, change: &dyn Fn(&mut Holds), want: Verdict| {
            let mut holds = whole();
            change(&mut holds);
            assert_eq!(measure.judge(&holds), want, "{}: {holds:?}", measure.name());
        };
        // Spans: fetches are seen, no body is.
        let bodiless = |h: &mut Holds| (h.fetched_card, h.content, h.content_schema) = (0, 0, 0);
        case(Bindings, &bodiless, Verdict::No(Lack::CardBodies));
        case(Lag, &bodiless, Verdict::No(Lack::CardBodies));
        case(Incidents, &bodiless, Verdict::No(Lack::CardBodies));
        case(Replays, &bodiless, Verdict::Yes);
        // A journal that names hashes, whose bytes are nowhere.
        let hashes = |h: &mut Holds| (h.content, h.content_schema) = (0, 0);
        case(Bindings, &hashes, Verdict::No(Lack::CardContent));
        let recorded =
            |h: &mut Holds| (h.fetches, h.fetched, h.fetched_card, h.admitted) = (0, 0, 0, 9);
        case(Bindings, &recorded, Verdict::Yes);
        case(Replays, &recorded, Verdict::No(Lack::Fetches));
        case(Lag, &recorded, Verdict::No(Lack::Fetches));
        case(Lag, &|h| h.registries = 1, Verdict::No(Lack::Registries));
        case(Bindings, &|h| h.named = 0, Verdict::Partly(Lack::Clients));
        // Half of the artifacts state a schema, a quarter of the fetches shows a card.
        let worst = |h: &mut Holds| (h.artifacts_schema, h.fetched_card) = (5, 1);
        case(Bindings, &worst, Verdict::Partly(Lack::CardBodies));
        case(Corruption, &|h| h.checked = 3, Verdict::Partly(Lack::Payload));
        case(Incidents, &|h| h.skills = 0, Verdict::Partly(Lack::Skill));
    }
}
