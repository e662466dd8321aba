//! Events in the words of the journal, for golden files.

use crate::reading::rfc3339;
use carddrift::a2a::digest::sha256_hex;
use carddrift::event::{
    Artifact, Attempt, CardFetch, CardSeen, Common, Event, FetchKind, TaskStatus,
};
use serde_json::{Map, Value, json};

/// One event as the journal would tell it; what is absent is left out.
pub fn of(event: &Event<'_>) -> Value {
    let (name, fields) = match event {
        Event::Card(fetch) => (kind(fetch), card(fetch)),
        Event::Attempt(event) => ("attempt", attempt(event)),
        Event::Status(event) => ("task_status", status(event)),
        Event::Artifact(event) => ("artifact", artifact(event)),
    };
    let mut object = Map::new();
    object.insert("event".to_owned(), name.into());
    let pairs = common(event.common()).into_iter().chain(fields);
    for (key, value) in pairs {
        if !matches!(value, Value::Null | Value::Bool(false)) {
            object.insert(key.to_owned(), value);
        }
    }
    object.into()
}

type Fields = Vec<(&'static str, Value)>;

fn common(common: &Common<'_>) -> Fields {
    vec![
        ("time", rfc3339(common.time).into()),
        ("time_from", common.time_from.as_str().into()),
        ("client", json!(common.client)),
        ("agent", json!(common.agent)),
        ("url", json!(common.url)),
        ("trace_id", json!(common.trace_id)),
        ("span_id", json!(common.span_id)),
    ]
}

fn kind(fetch: &CardFetch<'_>) -> &'static str {
    match fetch.kind {
        FetchKind::Publish => "card_publish",
        FetchKind::Fetch => "card_fetch",
        FetchKind::Get => "get",
    }
}

fn card(fetch: &CardFetch<'_>) -> Fields {
    let seen = match &fetch.card {
        CardSeen::Unknown => Value::Null,
        CardSeen::Body(body) => json!({ "body": sha256_hex(body) }),
        CardSeen::Hash(hash) => json!({ "hash": hash }),
        CardSeen::HashedBody { sha256, body } => {
            json!({ "hash": sha256, "content": sha256_hex(body) })
        }
        CardSeen::Object(object) => json!({ "object": sha256_hex(object.as_bytes()) }),
        CardSeen::JsonString(raw) => json!({ "json_string": raw }),
    };
    vec![
        ("registry", json!(fetch.registry)),
        ("authority", json!(fetch.authority)),
        ("sent_at", json!(fetch.sent_at.map(rfc3339))),
        ("status", json!(fetch.status)),
        ("etag", json!(fetch.etag)),
        ("cache_control", json!(fetch.cache_control)),
        ("last_modified", json!(fetch.last_modified)),
        ("age_s", json!(fetch.age_s)),
        ("card", seen),
        ("from_cache", json!(fetch.from_cache)),
        ("extended", json!(fetch.extended)),
        ("variant", json!(fetch.variant)),
        ("error", json!(fetch.error)),
    ]
}

fn attempt(attempt: &Attempt<'_>) -> Fields {
    vec![
        ("end_time", json!(attempt.end_time.map(rfc3339))),
        ("method", json!(attempt.method)),
        ("protocol_version", json!(attempt.protocol_version)),
        ("task_id", json!(attempt.task_id)),
        ("context_id", json!(attempt.context_id)),
        ("skill_id", json!(attempt.skill_id)),
        ("admitted_under", json!(attempt.admitted_under)),
        ("accepted_output_modes", json!(attempt.accepted_output_modes)),
        ("stream", json!(attempt.stream)),
        ("push", json!(attempt.push)),
        ("outcome", json!(attempt.outcome)),
        ("http_status", json!(attempt.http_status)),
        ("rpc_code", json!(attempt.rpc_code)),
        ("task_state", json!(attempt.task_state)),
        ("error_reason", json!(attempt.error_reason)),
        ("transport_error", json!(attempt.transport_error)),
        ("broke", json!(attempt.broke)),
        ("error", json!(attempt.error)),
        ("reference_task_ids", json!(attempt.reference_task_ids)),
    ]
}

fn status(status: &TaskStatus<'_>) -> Fields {
    vec![
        ("task_id", json!(status.task_id)),
        ("context_id", json!(status.context_id)),
        ("state", json!(status.state)),
    ]
}

fn artifact(artifact: &Artifact<'_>) -> Fields {
    let payload = &artifact.payload;
    let json_payload =
        payload.json.as_deref().map(|text| serde_json::from_str::<Value>(text).unwrap());
    vec![
        ("task_id", json!(artifact.task_id)),
        ("artifact_id", json!(artifact.artifact_id)),
        ("context_id", json!(artifact.context_id)),
        ("media_type", json!(artifact.media_type)),
        ("schema", json!(artifact.schema)),
        ("digest", json!(artifact.digest)),
        ("text", json!(payload.text)),
        ("json", json!(json_payload)),
        ("bytes", json!(payload.bytes.as_deref().map(sha256_hex))),
        ("payload_unknown", json!(payload.unknown)),
        ("append", json!(artifact.append)),
        ("last_chunk", json!(artifact.last_chunk)),
    ]
}
