//! What happened.

use serde::Serialize;
use std::collections::BTreeMap;

/// What happened in a recording, in the model's words.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Truth {
    /// Lines that are whole, each counted once.
    pub lines: u64,
    /// Lines that are cut off.
    pub damaged: u64,
    /// Lines that stand there a second time.
    pub duplicates: u64,
    /// The last event, RFC 3339.
    pub last_at: String,
    /// Tasks.
    pub tasks: u64,
    /// Tasks that completed; all of them can be checked.
    pub completed: u64,
    /// Completed tasks whose artifact contradicts the card of their admission.
    pub split_brain: u64,
    /// Those of them whose digest matches.
    pub silent: u64,
    /// Completed tasks whose artifact fits the card, but not its digest.
    pub corrupt: u64,
    /// Completed tasks that are sound.
    pub consistent: u64,
    /// Attempts.
    pub attempts: u64,
    /// Accepted ones.
    pub accepted: u64,
    /// Rejections.
    pub rejections: u64,
    /// Replays.
    pub replays: u64,
    /// Retry storms.
    pub storms: u64,
    /// Fetches of cards.
    pub card_fetches: u64,
    /// Cards that were seen.
    pub cards: u64,
    /// Rotations.
    pub rotations: u64,
    /// How each mirror followed each rotation.
    pub lags: Vec<Lag>,
    /// Split-brain tasks by cause.
    pub causes: BTreeMap<&'static str, u64>,
    /// Split-brain tasks, by agent and task.
    pub splits: Vec<Split>,
}

/// How a mirror followed a rotation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Lag {
    /// The agent.
    pub agent: String,
    /// The mirror.
    pub registry: String,
    /// The rotation, from 1.
    pub rotation: usize,
    /// `closed`, `open` or `unobserved`.
    pub status: &'static str,
    /// How long the mirror took; `None` unless closed.
    pub lag_s: Option<i64>,
}

/// A split-brain task.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Split {
    /// The agent.
    pub agent: String,
    /// The task.
    pub task_id: String,
    /// Why (model §6).
    pub cause: &'static str,
}
