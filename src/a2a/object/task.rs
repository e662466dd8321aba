//! Tasks and their updates.

use crate::a2a::json::{Flag, List, Maybe, Raw, Text, object};
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

object! {
    /// Every key that tells one answer from another, in one read.
    pub(super) struct Body<'a> {
        /// JSON-RPC id.
        "id" => id: Raw<'a>,
        /// JSON-RPC result.
        "result" => result: Maybe<Box<Body<'a>>>,
        /// JSON-RPC or REST error: an object, or the name of one.
        "error" => error: Raw<'a>,
        /// Discriminator of v0.2 and v0.3.
        "kind" => kind: Text<'a>,
        /// Wrapper of v1.0, and of gRPC's JSON form.
        "task" => task: Maybe<Box<Body<'a>>>,
        /// The same for a message.
        "message" | "msg" => message: Raw<'a>,
        /// The same for a status update.
        "statusUpdate" | "status_update" => status_update: Maybe<Box<Body<'a>>>,
        /// The same for an artifact update.
        "artifactUpdate" | "artifact_update" => artifact_update: Maybe<Box<Body<'a>>>,
        /// The wrapper as `@a2a-js/sdk` keeps it in memory.
        "payload" => payload: Maybe<Box<Case<'a>>>,
        /// Answer of `ListTasks`.
        "tasks" => tasks: List<Maybe<Body<'a>>>,
        /// A push-notification configuration.
        "pushNotificationConfig" | "push_notification_config" => push_config: Raw<'a>,
        /// Task of an update.
        "taskId" | "task_id" => task_id: Text<'a>,
        /// Conversation.
        "contextId" | "context_id" | "sessionId" | "session_id" => context_id: Text<'a>,
        /// Status of a task or a status update.
        "status" => status: Maybe<Status<'a>>,
        /// End marker of a status update.
        "final" => last: Flag,
        /// Artifact of an update.
        "artifact" => artifact: Raw<'a>,
        /// Continuation marker of an artifact update.
        "append" => append: Flag,
        /// End marker of an artifact update.
        "lastChunk" | "last_chunk" => last_chunk: Flag,
        /// Schema version beside an artifact.
        "schemaVersion" | "schema_version" => schema_version: Text<'a>,
        /// Artifacts of a task.
        "artifacts" => artifacts: List<Raw<'a>>,
        /// Who wrote a message.
        "role" => role: Text<'a>,
        /// Id of a message.
        "messageId" | "message_id" => message_id: Text<'a>,
        /// Metadata.
        "metadata" => metadata: Raw<'a>,
        /// Type of a problem document.
        "type" => problem: Text<'a>,
        /// Title of a problem document.
        "title" => title: Text<'a>,
        /// Explanation in a problem document.
        "detail" => detail: Text<'a>,
        /// Code of a bare error.
        "code" => code: Text<'a>,
    }
}

object! {
    /// A choice as protobuf libraries for JavaScript keep it: the chosen field's name and value.
    pub(super) struct Case<'a> {
        /// The field.
        "$case" => case: Text<'a>,
        /// Its value.
        "value" => value: Maybe<Box<Body<'a>>>,
    }
}

impl<T> crate::a2a::json::Presence for Box<T> {
    fn is_present(&self) -> bool {
        true
    }
}

impl<'de, T: crate::a2a::json::Fields<'de>> crate::a2a::json::Fields<'de> for Box<T> {
    fn field<A: serde::de::MapAccess<'de>>(
        &mut self,
        key: &str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        (**self).field(key, map)
    }
}
