//! Answers: of JSON-RPC (single or batch), of the HTTP+JSON binding, events of a stream, and what an
//! agent posts to a webhook.

use super::body::Body;
use super::error::ErrorFacts;
use super::request::Message;
use super::task::{ArtifactUpdate, StatusUpdate, Task};
use crate::a2a::error_name;
use crate::a2a::json::{self, BadJson, Raw, object};

/// One answer; a stream has one for each event, a batch one for each call.
#[derive(Debug, Clone, Default)]
pub struct Reply<'a> {
    /// JSON text of the JSON-RPC id (`"1"` and `1` differ), to pair it with a call of the same
    /// exchange.
    pub id: Option<&'a str>,
    /// What it carried, in order. Empty for an answer without an A2A object (`{}`, `result: null`).
    pub items: Vec<Item<'a>>,
}

/// Something that an answer carried.
#[derive(Debug, Clone)]
pub enum Item<'a> {
    /// A whole task: the answer of a send, of a read, the first event of a stream, a webhook.
    Task(Task<'a>),
    /// A message in place of a task.
    Message(Message<'a>),
    /// A task changed state.
    Status(StatusUpdate<'a>),
    /// An artifact, or a chunk of one.
    Artifact(ArtifactUpdate<'a>),
    /// An error.
    Error(ErrorFacts<'a>),
}

/// Reads an answer's body, or the data of one event of a stream.
pub fn replies(text: &str) -> Result<Vec<Reply<'_>>, BadJson> {
    let bodies = json::read_each::<Body<'_>>(text)?;
    Ok(bodies.into_iter().map(reply).collect())
}

/// The JSON text of a JSON-RPC `result`: the card, when `GetExtendedAgentCard` was called.
pub fn result_text(text: &str) -> Option<&str> {
    object! {
        /// The result alone.
        struct Envelope<'a> {
            "result" => result: Raw<'a>,
        }
    }
    json::read::<Envelope<'_>>(text).ok()??.result.0
}

fn reply(body: Body<'_>) -> Reply<'_> {
    let rpc = body.result.0.is_some() || body.error.0.is_some();
    let id = body.id.0.filter(|_| rpc);
    let mut items = Vec::new();
    add(body, &mut items);
    Reply { id, items }
}

/// Tells what a body is by the keys it has, and adds what it carries.
fn add<'a>(body: Body<'a>, items: &mut Vec<Item<'a>>) {
    if let Some(error) = error(&body) {
        items.push(Item::Error(error));
        return;
    }
    if let Some(result) = body.result.0 {
        return add(*result, items);
    }
    let before = items.len();
    wrapped(&body, items);
    if items.len() == before {
        bare(&body, items);
    }
}

fn error<'a>(body: &Body<'a>) -> Option<ErrorFacts<'a>> {
    if let Some(error) = body.error.0 {
        return ErrorFacts::of_json(error);
    }
    if let Some(problem) = &body.problem.0
        && body.role.0.is_none()
        && (body.title.0.is_some() || error_name::code(problem).is_some())
    {
        let facts = ErrorFacts::said(problem.clone());
        let message = body.detail.clone().or(body.title.clone()).0;
        return Some(ErrorFacts { message: message.or(facts.message.clone()), ..facts });
    }
    // A bare error object, as some servers of the HTTP+JSON binding send it.
    let code = body.code.as_i64().filter(|code| *code < 0)?;
    let message = body.message.0.and_then(json::scalar);
    Some(ErrorFacts { code: Some(code), message, ..ErrorFacts::default() })
}

/// What stands under a wrapper key (v1.0, gRPC's JSON form, lists).
fn wrapped<'a>(body: &Body<'a>, items: &mut Vec<Item<'a>>) {
    if let Some(inner) = &body.task.0 {
        items.push(Item::Task(inner.to_task()));
    }
    if let Some(message) = body.message.0.and_then(Message::of_json) {
        items.push(Item::Message(message));
    }
    if let Some(inner) = &body.status_update.0 {
        items.push(Item::Status(inner.to_status_update()));
    }
    if let Some(inner) = &body.artifact_update.0 {
        items.extend(inner.to_artifact_update().map(Item::Artifact));
    }
    for inner in body.tasks.0.iter().filter_map(|task| task.0.as_ref()) {
        items.push(Item::Task(inner.to_task()));
    }
    let Some(choice) = &body.payload.0 else { return };
    let (Some(case), Some(inner)) = (choice.case.get(), &choice.value.0) else { return };
    match case {
        "task" => items.push(Item::Task(inner.to_task())),
        "message" | "msg" => items.push(Item::Message(inner.to_message())),
        "statusUpdate" => items.push(Item::Status(inner.to_status_update())),
        "artifactUpdate" => items.extend(inner.to_artifact_update().map(Item::Artifact)),
        _ => {}
    }
}

/// An object that is not wrapped: by its `kind`, else (v0.1) by its keys.
fn bare<'a>(body: &Body<'a>, items: &mut Vec<Item<'a>>) {
    match body.kind.get() {
        Some("task") => items.push(Item::Task(body.to_task())),
        Some("message") => items.push(Item::Message(body.to_message())),
        Some("status-update") => items.push(Item::Status(body.to_status_update())),
        Some("artifact-update") => items.extend(body.to_artifact_update().map(Item::Artifact)),
        _ if body.artifact.0.is_some() => {
            items.extend(body.to_artifact_update().map(Item::Artifact));
        }
        _ if body.role.0.is_some() => items.push(Item::Message(body.to_message())),
        _ if body.status.0.is_some() => {
            // A v0.1 update has the task's id as its own; `final` tells it from a task.
            if body.task_id.0.is_some() || body.last.0.is_some() {
                items.push(Item::Status(body.to_status_update()));
            } else if body.id.0.is_some() {
                items.push(Item::Task(body.to_task()));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::state::TaskState;

    fn one(text: &str) -> Item<'_> {
        let mut replies = replies(text).unwrap();
        assert_eq!((replies.len(), replies[0].items.len()), (1, 1), "{text}");
        replies.remove(0).items.remove(0)
    }

    fn status(text: &str) -> StatusUpdate<'_> {
        match one(text) {
            Item::Status(update) => update,
            other => panic!("{other:?}"),
        }
    }

    fn artifact(text: &str) -> ArtifactUpdate<'_> {
        match one(text) {
            Item::Artifact(update) => update,
            other => panic!("{other:?}"),
        }
    }

    fn task_of(text: &str) -> Task<'_> {
        match one(text) {
            Item::Task(task) => task,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn v01_artifact_event() {
        let text = r#"{"jsonrpc":"2.0","id":"req-002","result":{"id":"task-story-456","artifact":{"name":"MarsStory.txt","index":0,"append":true,"lastChunk":true,"parts":[]}}}"#;
        assert_eq!(replies(text).unwrap()[0].id, Some("\"req-002\""));
        assert_eq!(artifact(text).task_id.get(), Some("task-story-456"));
    }

    #[test]
    fn v01_status_event_and_task() {
        let update =
            status(r#"{"id":1,"result":{"id":"t","status":{"state":"working"},"final":false}}"#);
        assert_eq!(update.task_id.get(), Some("t"));
        assert_eq!(update.status.task_state(), Some(TaskState::Working));
        let task = task_of(
            r#"{"id":1,"result":{"id":"t","sessionId":"s","status":{"state":"completed"}}}"#,
        );
        assert_eq!((task.id.get(), task.context_id.get()), (Some("t"), Some("s")));
    }

    #[test]
    fn v03_events() {
        let update = status(
            r#"{"id":"8c","jsonrpc":"2.0","result":{"contextId":"c","final":true,"kind":"status-update","status":{"state":"submitted"},"taskId":"t"}}"#,
        );
        assert!(update.is_final);
        assert_eq!(update.task_id.get(), Some("t"));
        let update = artifact(
            r#"{"id":"5e","result":{"append":false,"artifact":{"artifactId":"a"},"kind":"artifact-update","lastChunk":false,"taskId":"t"}}"#,
        );
        assert_eq!((update.append.0, update.last_chunk.0), (Some(false), Some(false)));
    }

    #[test]
    fn v10_wrappers_bare_or_in_an_envelope_and_both_casings() {
        for text in [
            r#"{"result":{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING"}}},"id":"4"}"#,
            r#"{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING"}}}"#,
            r#"{"status_update":{"task_id":"t","status":{"state":"working"}}}"#,
            r#"{"payload":{"$case":"statusUpdate","value":{"taskId":"t","status":{"state":"working"}}}}"#,
        ] {
            let update = status(text);
            assert_eq!(update.task_id.get(), Some("t"), "{text}");
            assert_eq!(update.status.task_state(), Some(TaskState::Working));
        }
        let task =
            task_of(r#"{"task":{"id":"t","contextId":"","artifacts":[{"artifactId":"a"},null]}}"#);
        assert_eq!((task.context_id.get(), task.artifacts.len()), (None, 1));
    }

    #[test]
    fn messages() {
        for text in [
            r#"{"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[]}}}"#,
            r#"{"result":{"kind":"message","messageId":"m","role":"agent","parts":[]}}"#,
            r#"{"messageId":"m","role":"agent","parts":[]}"#,
        ] {
            let Item::Message(message) = one(text) else { panic!("{text}") };
            assert_eq!(message.message_id.get(), Some("m"));
        }
    }

    #[test]
    fn lists_and_batches() {
        let listed =
            replies(r#"{"tasks":[{"id":"a","status":{}},{"id":"b"}],"pageSize":2}"#).unwrap();
        assert_eq!(listed[0].items.len(), 2);
        let batch =
            replies(r#"[{"id":1,"result":{"task":{"id":"a"}}},{"id":2,"error":{"code":-32001}}]"#);
        let batch = batch.unwrap();
        assert_eq!((batch[0].id, batch[1].id), (Some("1"), Some("2")));
        assert!(matches!(&batch[1].items[0], Item::Error(error) if error.code == Some(-32001)));
    }

    #[test]
    fn errors_of_every_binding() {
        for (text, code) in [
            (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}"#, Some(-32600)),
            (
                r#"{"error":{"code":404,"status":"NOT_FOUND","details":[{"reason":"TASK_NOT_FOUND"}]}}"#,
                Some(-32001),
            ),
            (
                r#"{"type":"https://a2a-protocol.org/errors/version-not-supported","title":"x","status":400}"#,
                Some(-32009),
            ),
            (r#"{"type":"about:blank","title":"Not Found","status":404}"#, None),
            (r#"{"code":-32004,"message":"no"}"#, Some(-32004)),
            (r#"{"error":"TaskNotFoundError","message":"x"}"#, Some(-32001)),
        ] {
            let Item::Error(error) = one(text) else { panic!("{text}") };
            assert_eq!(error.code, code, "{text}");
        }
    }

    #[test]
    fn answers_that_carry_nothing() {
        for text in [
            "{}",
            r#"{"id":1,"result":null}"#,
            r#"{"id":1,"result":{}}"#,
            "3",
            "null",
            r#"{"detail":"busy"}"#,
        ] {
            let items: usize = replies(text).unwrap().iter().map(|reply| reply.items.len()).sum();
            assert_eq!(items, 0, "{text}");
        }
        assert!(replies("<html>").is_err());
        assert!(replies(r#"{"result":{"task":{"id":"#).unwrap_err().truncated);
    }

    #[test]
    fn the_text_of_a_result() {
        assert_eq!(result_text(r#"{"id":1,"result": {"name" : "S"} }"#), Some(r#"{"name" : "S"}"#));
        assert_eq!(result_text("{}"), None);
    }
}
