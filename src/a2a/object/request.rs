//! Requests: JSON-RPC calls (single or batch), and bodies of the HTTP+JSON binding.

use std::borrow::Cow;

use super::part::{Metadata, Part};
use crate::a2a::json::{self, BadJson, List, Maybe, Raw, Text, object};
use crate::a2a::method::Operation;

object! {
    /// One JSON-RPC call.
    pub struct Request<'a> {
        /// JSON text of its id.
        "id" => id: Raw<'a>,
        /// Its method, as on the wire.
        "method" => method: Text<'a>,
        /// Its parameters.
        "params" => params: Maybe<Params<'a>>,
    }
}

object! {
    /// The parameters of any method, or the body of a request of the HTTP+JSON binding.
    pub struct Params<'a> {
        /// JSON text of the message that is sent.
        "message" | "request" => message: Raw<'a>,
        /// How the answer is wanted.
        "configuration" | "config" => configuration: Maybe<Configuration<'a>>,
        /// JSON text of the request's metadata.
        "metadata" => metadata: Raw<'a>,
        /// Task, or (v1.0) push configuration.
        "id" => id: Text<'a>,
        /// Task.
        "taskId" | "task_id" => task_id: Text<'a>,
        /// Conversation.
        "contextId" | "context_id" | "sessionId" | "session_id" => context_id: Text<'a>,
        /// Resource name of gRPC's JSON form in v0.3: `tasks/{id}/pushNotificationConfigs/{id}`.
        "parent" | "name" => resource: Text<'a>,
        /// Push configuration sent along, v0.1.
        "pushNotification" | "push_notification" => push_notification: Raw<'a>,
        /// Accepted modes, v0.1.
        "acceptedOutputModes" | "accepted_output_modes" => accepted_output_modes: List<Text<'a>>,
    }
}

object! {
    /// How the client wants the answer.
    pub struct Configuration<'a> {
        /// Output modes that it accepts.
        "acceptedOutputModes" | "accepted_output_modes" => accepted_output_modes: List<Text<'a>>,
        /// Push configuration sent along.
        "pushNotificationConfig" | "push_notification_config" | "taskPushNotificationConfig"
            | "task_push_notification_config" | "pushNotification" | "push_notification"
            => push_config: Raw<'a>,
    }
}

object! {
    /// A message.
    pub struct Message<'a> {
        /// Its id; made anew for a retry.
        "messageId" | "message_id" => message_id: Text<'a>,
        /// The task that it continues.
        "taskId" | "task_id" => task_id: Text<'a>,
        /// Its conversation.
        "contextId" | "context_id" => context_id: Text<'a>,
        /// Its parts.
        "parts" | "content" => parts: List<Maybe<Part<'a>>>,
        /// Its metadata.
        "metadata" => metadata: Maybe<Metadata<'a>>,
        /// Tasks that it refers to.
        "referenceTaskIds" | "reference_task_ids" => reference_task_ids: List<Text<'a>>,
    }
}

impl<'a> Message<'a> {
    /// Reads a message; `None` when the value is no object.
    pub fn of_json(json: &'a str) -> Option<Self> {
        json::read(json).ok()?
    }
}

/// The calls of a JSON-RPC body. A body without a method gives none: see [`params`].
pub fn requests(text: &str) -> Result<Vec<Request<'_>>, BadJson> {
    let mut calls = json::read_each::<Request<'_>>(text)?;
    calls.retain(|call| call.method.0.is_some());
    Ok(calls)
}

/// The body of a request of the HTTP+JSON binding; an empty body has no parameters.
pub fn params(text: &str) -> Result<Params<'_>, BadJson> {
    if text.trim().is_empty() {
        return Ok(Params::default());
    }
    Ok(json::read(text)?.unwrap_or_default())
}

impl Request<'_> {
    /// What the call asks for.
    pub fn operation(&self) -> Operation {
        self.method.get().map_or(Operation::Unknown, Operation::of)
    }
}

impl<'a> Params<'a> {
    /// The message that is sent.
    pub fn message(&self) -> Option<Message<'a>> {
        Message::of_json(self.message.0?)
    }

    /// The task that the call is about: of a message the one it continues, in v0.1 the one the
    /// client made. `None` for a submission from v0.2 on that begins a task.
    pub fn task_of_call(&self, message: Option<&Message<'a>>) -> Option<Cow<'a, str>> {
        let named = self.task_id.0.clone();
        let continued = || message.and_then(|message| message.task_id.0.clone());
        named.or_else(continued).or_else(|| self.resource_task()).or_else(|| self.id.0.clone())
    }

    /// The conversation that the call belongs to.
    pub fn context_of_call(&self, message: Option<&Message<'a>>) -> Option<Cow<'a, str>> {
        self.context_id.0.clone().or_else(|| message.and_then(|m| m.context_id.0.clone()))
    }

    /// The output modes that the client accepts, as written.
    pub fn output_modes(&self) -> Vec<Cow<'a, str>> {
        let configured = self.configuration.0.as_ref().map(|c| &c.accepted_output_modes);
        let listed = configured.filter(|modes| !modes.0.is_empty());
        let modes = listed.unwrap_or(&self.accepted_output_modes);
        modes.0.iter().filter_map(|mode| mode.0.clone()).collect()
    }

    /// Whether a push configuration was sent along with the message.
    pub fn wants_push(&self) -> bool {
        let configured = self.configuration.0.as_ref().is_some_and(|c| c.push_config.0.is_some());
        configured || self.push_notification.0.is_some()
    }

    fn resource_task(&self) -> Option<Cow<'a, str>> {
        let text = self.resource.get()?.strip_prefix("tasks/")?;
        let id = text.split('/').next().filter(|id| !id.is_empty())?;
        Some(Cow::Owned(id.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(text: &str) -> Request<'_> {
        let mut calls = requests(text).unwrap();
        assert_eq!(calls.len(), 1, "{text}");
        calls.remove(0)
    }

    fn task(text: &str) -> Option<String> {
        let params = call(text).params.0.unwrap();
        let message = params.message();
        params.task_of_call(message.as_ref()).map(Cow::into_owned)
    }

    #[test]
    fn the_task_of_a_call_in_each_version() {
        for (text, expected) in [
            (r#"{"method":"tasks/send","params":{"id":"t","message":{"parts":[]}}}"#, Some("t")),
            (r#"{"method":"message/send","params":{"message":{"messageId":"m"}}}"#, None),
            (r#"{"method":"SendMessage","params":{"message":{"taskId":"t"}}}"#, Some("t")),
            (r#"{"method":"SendMessage","params":{"message":{"task_id":"t"}}}"#, Some("t")),
            (r#"{"method":"GetTask","params":{"id":"t"}}"#, Some("t")),
            (r#"{"method":"x","params":{"taskId":"t","id":"config"}}"#, Some("t")),
            (r#"{"method":"x","params":{"name":"tasks/t/pushNotificationConfigs/c"}}"#, Some("t")),
            (r#"{"method":"x","params":{"message":{"taskId":""}}}"#, None),
        ] {
            assert_eq!(task(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_the_client_wants() {
        let params = params(
            r#"{"message":{},"configuration":{"acceptedOutputModes":["a/b",""],"pushNotificationConfig":{"url":"u"}}}"#,
        );
        let params = params.unwrap();
        assert_eq!(params.output_modes(), ["a/b"]);
        assert!(params.wants_push());
        assert!(!super::params("{}").unwrap().wants_push());
        assert!(super::params("").unwrap().message.0.is_none());
    }

    #[test]
    fn ids_methods_and_batches() {
        assert_eq!(call(r#"{"id":7,"method":"message/send"}"#).id.0, Some("7"));
        assert_eq!(call(r#"{"id":null,"method":"GetTask"}"#).id.0, None);
        assert_eq!(call(r#"{"method":"SendStreamingMessage"}"#).operation(), Operation::Stream);
        assert_eq!(requests(r#"[{"method":"a"},{"x":1},{"method":"b"}]"#).unwrap().len(), 2);
        assert!(requests(r#"{"message":{}}"#).unwrap().is_empty());
        assert!(requests("nonsense").is_err());
    }
}
