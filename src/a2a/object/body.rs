//! The body of an answer before it is told what it is.

use super::request::Message;
use super::task::{ArtifactUpdate, Status, StatusUpdate, Task};
use crate::a2a::json::{self, Flag, List, Maybe, Raw, Text, object};

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

impl<'a> Body<'a> {
    /// As a task.
    pub(super) fn to_task(&self) -> Task<'a> {
        Task {
            id: self.own_id(),
            context_id: self.context_id.clone(),
            status: self.status.0.clone().unwrap_or_default(),
            artifacts: self.artifacts.0.iter().filter_map(|artifact| artifact.0).collect(),
            metadata: self.metadata,
        }
    }

    /// As a status update.
    pub(super) fn to_status_update(&self) -> StatusUpdate<'a> {
        StatusUpdate {
            task_id: self.task_id.clone().or(self.own_id()),
            context_id: self.context_id.clone(),
            status: self.status.0.clone().unwrap_or_default(),
            is_final: self.last.0 == Some(true),
            metadata: self.metadata,
        }
    }

    /// As an artifact update; `None` without an artifact.
    pub(super) fn to_artifact_update(&self) -> Option<ArtifactUpdate<'a>> {
        Some(ArtifactUpdate {
            task_id: self.task_id.clone().or(self.own_id()),
            context_id: self.context_id.clone(),
            artifact: self.artifact.0.filter(|artifact| artifact.starts_with('{'))?,
            append: self.append,
            last_chunk: self.last_chunk,
            schema_version: self.schema_version.clone(),
        })
    }

    /// As a message, without its parts.
    pub(super) fn to_message(&self) -> Message<'a> {
        Message {
            message_id: self.message_id.clone(),
            task_id: self.task_id.clone(),
            context_id: self.context_id.clone(),
            ..Message::default()
        }
    }

    /// Its own id: a task's, or in v0.1 the task's of an update.
    fn own_id(&self) -> Text<'a> {
        Text(self.id.0.and_then(json::scalar).filter(|id| !id.is_empty()))
    }
}
