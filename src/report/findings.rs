//! The answers that a report is made of, read by the names of their columns.
//!
//! Times are UTC nanoseconds, `None` is unknown. What each field says stands in the header of its
//! query under `queries/`.

use super::rows::View;
use super::typed;
use crate::query::Note;
use serde::de::DeserializeOwned;
use serde::de::value::Error;
use serde::{Deserialize, Serialize};

macro_rules! answer {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
        #[expect(missing_docs, reason = "documented by the query's header")]
        pub struct $name { $(pub $field: $type,)* }
    };
}

answer!(/// The row of `summary`.
Summary {
    tasks: i64,
    completed: i64,
    verifiable: i64,
    split_brain: i64,
    rate: Option<f64>,
    rate_low: Option<f64>,
    rate_high: Option<f64>,
    silent: i64,
    corrupt: i64,
    no_digest: i64,
    consistent: i64,
    unverifiable: i64,
    without_artifact: i64,
    no_admission_card: i64,
    card_not_in_archive: i64,
    card_declares_no_schema: i64,
    artifact_declares_no_schema: i64,
    window_verifiable: i64,
    window_split_brain: i64,
    window_rate: Option<f64>,
    window_silent: i64,
    after_verifiable: i64,
    after_split_brain: i64,
    after_rate: Option<f64>,
    attempts: i64,
    accepted: i64,
    transport: i64,
    rate_limited: i64,
    task_error: i64,
    rejections: i64,
    replays: i64,
    replays_unknown_client: i64,
    storms: i64,
    loops: i64,
    card_fetches: i64,
    cards: i64,
    rotations: i64,
    windows_open: i64,
    lag_p50_s: Option<f64>,
    lag_p95_s: Option<f64>,
    lag_longest_s: Option<f64>,
});

answer!(/// A row of `bindings`.
Binding {
    task_id: String,
    artifact_id: String,
    agent: Option<String>,
    client: Option<String>,
    registry: Option<String>,
    admitted_at: Option<i64>,
    admission_evidence: Option<String>,
    card: Option<String>,
    card_etag: Option<String>,
    card_schema: Option<String>,
    artifact_at: Option<i64>,
    artifact_schema: Option<String>,
    digest_status: String,
    task_state: Option<String>,
    verdict: String,
    reason: Option<String>,
    silent: Option<bool>,
    cause: Option<String>,
    cause_certain: Option<bool>,
    action: Option<String>,
    source_file: Option<String>,
    source_line: Option<i64>,
    disposition: Option<String>,
});

answer!(/// A row of `rotations`.
Rotation {
    agent: String,
    rotation: i64,
    authority: String,
    authority_source: String,
    rotated_after: i64,
    rotated_at: i64,
    from_card: Option<String>,
    to_card: Option<String>,
    from_schema: Option<String>,
    to_schema: Option<String>,
    changed: Option<Vec<String>>,
    skills_added: Option<Vec<String>>,
    skills_removed: Option<Vec<String>>,
    stale_at_source: i64,
});

answer!(/// A row of `registry_lag`.
Lag {
    agent: String,
    registry: String,
    rotation: i64,
    rotated_at: i64,
    last_old_at: Option<i64>,
    caught_up_at: Option<i64>,
    lag_s: Option<f64>,
    lag_min_s: Option<f64>,
    lag_max_s: Option<f64>,
    status: String,
    last_stale_at: Option<i64>,
    distinguishable: Option<bool>,
});

answer!(/// A row of `split_brain_rate`.
Window {
    agent: String,
    registry: String,
    rotation: i64,
    opened_at: i64,
    closed_at: Option<i64>,
    status: String,
    tasks: i64,
    completed: i64,
    verifiable: i64,
    split_brain: i64,
    rate: Option<f64>,
    rate_low: Option<f64>,
    rate_high: Option<f64>,
    silent: i64,
    unverifiable: i64,
    after_tasks: Option<i64>,
    after_verifiable: Option<i64>,
    after_split_brain: Option<i64>,
    after_rate: Option<f64>,
});

answer!(/// A row of `replays`.
Replays {
    client: Option<String>,
    agent: String,
    first_failed_at: i64,
    last_failed_at: i64,
    card: Option<String>,
    failed_attempts: i64,
    replays: i64,
    skills: Option<Vec<String>>,
    errors: Option<Vec<String>>,
    ended_by: Option<String>,
});

answer!(/// A row of `retry_storms`.
Storm {
    agent: String,
    started_at: i64,
    card: Option<String>,
    ended_at: i64,
    clients: i64,
    failed_attempts: i64,
    replays: i64,
    peak_per_minute: i64,
    skills: Option<Vec<String>>,
    errors: Option<Vec<String>>,
});

answer!(/// A row of `drift_incidents`.
Incident {
    client: Option<String>,
    agent: String,
    rejected_at: i64,
    outcome: String,
    skill_id: Option<String>,
    card: Option<String>,
    failed_attempts: i64,
    refetched_at: Option<i64>,
    refetched_card: Option<String>,
    result: String,
    skill_still_advertised: Option<bool>,
    changed: Option<Vec<String>>,
    skills_added: Option<Vec<String>>,
    skills_removed: Option<Vec<String>>,
    r#loop: Option<i64>,
    mode_still_advertised: Option<bool>,
});

answer!(/// A row of `actions`.
Action {
    action: String,
    agent: Option<String>,
    target: Option<String>,
    card_etag: Option<String>,
    reason: String,
    tasks: i64,
    first_at: Option<i64>,
    last_at: Option<i64>,
});

answer!(/// A row of the table `sources`.
Source {
    source_file: String,
    sha256: String,
    size_bytes: i64,
    content_bytes: i64,
    format: String,
    compression: String,
    records: i64,
    accepted: i64,
    repaired: i64,
    rejected: i64,
    duplicate: i64,
    blank: i64,
    events: i64,
    duplicate_events: i64,
    without_events: i64,
    first_time: Option<i64>,
    last_time: Option<i64>,
    truncated: bool,
    spans: i64,
    spans_by_chance: i64,
    lowest_chance: Option<f64>,
    spans_by_outcome: i64,
    parents: i64,
    parents_missing: i64,
});

answer!(/// One of the first problems of a kind.
ProblemExample {
    code: String,
    severity: String,
    kind: String,
    source_file: String,
    source_line: i64,
    source_byte: i64,
    pointer: String,
    detail: String,
    of_kind: i64,
    sources_of_kind: i64,
});

answer!(/// A later task that builds on a split-brain one.
Downstream {
    task_id: String,
    later_task_id: String,
    client: Option<String>,
    sent_at: i64,
    by: String,
});

answer!(/// A row of `slo_daily`.
Daily {
    day: String,
    agent: Option<String>,
    registry: Option<String>,
    verifiable: i64,
    split_brain: i64,
    corrupt: i64,
    binding_sli: Option<f64>,
    integrity_sli: Option<f64>,
});

/// All that a report is made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// `summary`.
    pub summary: Summary,
    /// `bindings`, split-brain ones only.
    pub split_brains: Vec<Binding>,
    /// `bindings`, corrupt ones only.
    pub corrupt: Vec<Binding>,
    /// Tasks that build on split-brain ones.
    pub downstream: Vec<Downstream>,
    /// `rotations`.
    pub rotations: Vec<Rotation>,
    /// `registry_lag`.
    pub lags: Vec<Lag>,
    /// `split_brain_rate`.
    pub windows: Vec<Window>,
    /// `replays`.
    pub replays: Vec<Replays>,
    /// `retry_storms`.
    pub storms: Vec<Storm>,
    /// `drift_incidents`.
    pub incidents: Vec<Incident>,
    /// `actions`.
    pub actions: Vec<Action>,
    /// `slo_daily`.
    pub daily: Vec<Daily>,
    /// The table `sources`.
    pub sources: Vec<Source>,
    /// The first problems of each kind that cost records, then of the others.
    pub problems: Vec<ProblemExample>,
    /// Notes.
    pub notes: Vec<Note>,
}

/// The kind of the note that tells of limits.
pub const LIMITED: &str = "limited";

impl Findings {
    /// Time of the first event.
    pub fn first_time(&self) -> Option<i64> {
        self.sources.iter().filter_map(|s| s.first_time).min()
    }

    /// Time of the last event.
    pub fn last_time(&self) -> Option<i64> {
        self.sources.iter().filter_map(|s| s.last_time).max()
    }

    /// The limits under which all was measured, in words; `None`: there were none.
    pub fn limits(&self) -> Option<&str> {
        self.notes.iter().find(|note| note.kind == LIMITED)?.subject.as_deref()
    }

    /// The sum of a count over all sources.
    pub fn total(&self, count: impl Fn(&Source) -> i64) -> i64 {
        self.sources.iter().map(count).sum()
    }
}

/// Reads the rows of an answer; which one is named in the error.
pub fn read<T: DeserializeOwned>(name: &str, view: View<'_>) -> Result<Vec<T>, Error> {
    typed::read(view).map_err(|e| serde::de::Error::custom(format!("{name}: {e}")))
}
