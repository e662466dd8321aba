//! Tasks and their updates.

use crate::a2a::json::{Flag, Raw, Text, object};
use crate::a2a::state::TaskState;

object! {
    /// The status of a task.
    pub struct Status<'a> {
        /// The state, as written.
        "state" => state: Text<'a>,
        /// When it was reached, as written; often missing on the first one.
        "timestamp" => timestamp: Text<'a>,
    }
}

impl Status<'_> {
    /// The state; `None` when it is missing or no A2A state.
    pub fn task_state(&self) -> Option<TaskState> {
        TaskState::parse(self.state.get()?)
    }
}

/// A task, as an answer gives it.
#[derive(Debug, Clone, Default)]
pub struct Task<'a> {
    /// Its id.
    pub id: Text<'a>,
    /// Its conversation (`sessionId` in v0.1).
    pub context_id: Text<'a>,
    /// Its status.
    pub status: Status<'a>,
    /// JSON texts of its artifacts ([`crate::a2a::artifact::read`]).
    pub artifacts: Vec<&'a str>,
    /// JSON text of its metadata.
    pub metadata: Raw<'a>,
}

/// A task changed state.
#[derive(Debug, Clone, Default)]
pub struct StatusUpdate<'a> {
    /// The task.
    pub task_id: Text<'a>,
    /// Its conversation.
    pub context_id: Text<'a>,
    /// The new status.
    pub status: Status<'a>,
    /// Nothing follows in this stream (before v1.0).
    pub is_final: bool,
    /// JSON text of the event's metadata.
    pub metadata: Raw<'a>,
}

/// An artifact, or a chunk of one, of a task.
#[derive(Debug, Clone, Default)]
pub struct ArtifactUpdate<'a> {
    /// The task.
    pub task_id: Text<'a>,
    /// Its conversation.
    pub context_id: Text<'a>,
    /// JSON text of the artifact ([`crate::a2a::artifact::read`]).
    pub artifact: &'a str,
    /// It continues the artifact. In v0.1 the artifact itself says so.
    pub append: Flag,
    /// It is the artifact's last chunk. In v0.1 the artifact itself says so.
    pub last_chunk: Flag,
    /// Schema version that the event states beside the artifact (model §8, "the envelope's").
    pub schema_version: Text<'a>,
}
