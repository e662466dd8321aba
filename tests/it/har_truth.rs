//! The recording of a rotation whose truth is known (`samples/har/rotation-py-1.3.0.har`): what the
//! reader derives from each exchange against what happened.

use crate::reading::{Recording, rfc3339};
use carddrift::a2a::digest::{Digest, sha256_hex};
use carddrift::a2a::outcome::{AttemptFacts, derive as outcome_of};
use carddrift::a2a::payload::{DigestCheck, Payload};
use carddrift::a2a::protocol::Era;
use carddrift::a2a::state::TaskState;
use carddrift::a2a::version;
use carddrift::event::{Artifact, Attempt, CardSeen, Event, FetchKind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Two clocks: the client's and the proxy's.
const CLOCK_SLACK_S: f64 = 0.05;

fn truth() -> Value {
    let text = include_str!("../cases/har/rotation-py-1.3.0.truth.json");
    serde_json::from_str(text).unwrap()
}

fn recording() -> Recording {
    Recording::read("samples/har/rotation-py-1.3.0.har", "[client]\nheader = 'x-client-id'\n")
}

fn list<'v>(value: &'v Value, key: &str) -> &'v Vec<Value> {
    value[key].as_array().unwrap()
}

fn locator(value: &Value) -> usize {
    usize::try_from(value["recorded"]["locator"].as_u64().unwrap()).unwrap()
}

#[expect(clippy::cast_precision_loss, reason = "microseconds do for a comparison")]
fn seconds(nanos: i64) -> f64 {
    nanos as f64 / 1e9
}

fn near(nanos: i64, wanted: &Value, what: &str) {
    let difference = seconds(nanos) - wanted.as_f64().unwrap();
    assert!(difference.abs() < CLOCK_SLACK_S, "{what}: {} is {difference} s off", rfc3339(nanos));
}

fn attempts<'r>(events: &'r [Event<'static>]) -> Vec<&'r Attempt<'static>> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Attempt(attempt) => Some(attempt),
            _ => None,
        })
        .collect()
}

#[test]
fn every_exchange_is_read_without_a_problem() {
    let recording = recording();
    assert_eq!(recording.entries.len(), 157);
    let kinds: BTreeSet<_> = recording.problems().map(|p| (p.kind.code(), p.at.line)).collect();
    // One stream was cut midway: status 200, a partial body, no error.
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), [("CD218", 105)]);
}

#[test]
fn fetches_are_those_that_were_made() {
    let (recording, truth) = (recording(), truth());
    let mut bodies = BTreeSet::new();
    for wanted in list(&truth, "fetches") {
        let number = locator(wanted);
        let [Event::Card(fetch)] = recording.events(number) else { panic!("entry {number}") };
        // The mirror's URL is no well-known one: without a card it only may be a fetch.
        let sure = wanted["source"] == "authority" || fetch.status == Some(200);
        assert_eq!(fetch.kind, if sure { FetchKind::Fetch } else { FetchKind::Get });
        assert_eq!(fetch.common.client.as_deref(), wanted["client"].as_str());
        assert_eq!(fetch.common.url.as_deref(), wanted["url"].as_str());
        assert_eq!(fetch.status, wanted["http_status"].as_i64());
        assert_eq!(fetch.etag.as_deref(), wanted["etag"].as_str(), "entry {number}");
        near(fetch.common.time, &wanted["t_recv"], "received");
        near(fetch.sent_at.unwrap(), &wanted["t_send"], "sent");
        if fetch.status == Some(200) {
            let CardSeen::Body(body) = &fetch.card else { panic!("entry {number}") };
            let hash = sha256_hex(body);
            assert_eq!(Some(hash.as_str()), wanted["sha256"].as_str(), "entry {number}");
            bodies.insert(hash);
        } else {
            assert!(matches!(fetch.card, CardSeen::Unknown), "entry {number}");
        }
    }
    let made = recording.all().filter(|event| matches!(event, Event::Card(_))).count();
    assert_eq!(made, 46);
    assert_eq!(bodies.len(), 4);
}

/// The outcome by the rules of model §7 that need no other event.
fn outcome(attempt: &Attempt<'_>) -> &'static str {
    let facts = AttemptFacts {
        era: Era::of(attempt.protocol_version.as_deref(), attempt.method.as_deref()),
        rpc_code: attempt.rpc_code,
        error_reason: attempt.error_reason.as_deref(),
        transport_error: attempt.transport_error.is_some(),
        stream: attempt.stream == Some(true),
        stream_broke: attempt.broke,
        task_state: attempt.task_state.as_deref().and_then(TaskState::parse),
        grpc_status: attempt.grpc_status.as_deref(),
        http_status: attempt.http_status.map(|status| u16::try_from(status).unwrap()),
    };
    outcome_of(&facts).as_str()
}

#[test]
fn attempts_are_those_that_were_made_with_their_outcomes() {
    let (recording, truth) = (recording(), truth());
    let mut outcomes = BTreeMap::<_, u64>::new();
    for wanted in list(&truth, "attempts") {
        let number = locator(wanted);
        let found = attempts(recording.events(number));
        let [attempt] = found.as_slice() else { panic!("entry {number}: {found:?}") };
        assert_eq!(attempt.common.client.as_deref(), wanted["client"].as_str());
        assert_eq!(attempt.method.as_deref(), wanted["jsonrpc_method"].as_str());
        assert_eq!(attempt.skill_id.as_deref(), wanted["skill_id"].as_str(), "entry {number}");
        assert_eq!(attempt.rpc_code, wanted["rpc_error_code"].as_i64(), "entry {number}");
        if wanted["kind"] == "task" {
            assert_eq!(attempt.task_id.as_deref(), wanted["task_id"].as_str(), "entry {number}");
            assert_eq!(attempt.stream, wanted["streaming"].as_bool());
        }
        near(attempt.common.time, &wanted["t_send"], "sent");
        if !attempt.broke {
            // Of the stream that was cut the proxy did not see the end.
            near(attempt.end_time.unwrap(), &wanted["t_recv"], "answered");
        }
        // A failed task makes its accepted submission midstream: that is the query's to say.
        let failed = attempt.task_state.as_deref() == Some("TASK_STATE_FAILED");
        let found = if failed { "midstream" } else { outcome(attempt) };
        assert_eq!(Some(found), wanted["outcome"].as_str(), "entry {number}: {attempt:?}");
        *outcomes.entry(found).or_default() += 1;
    }
    let made = recording.all().filter(|event| matches!(event, Event::Attempt(_))).count();
    assert_eq!(made, 107);
    assert_eq!(serde_json::to_value(outcomes).unwrap(), truth["totals"]["outcomes"]);
}

/// Records of one artifact, in their order.
fn artifacts<'r>(recording: &'r Recording, task: &str) -> Vec<&'r Artifact<'static>> {
    let of_task = |event: &'r Event<'static>| match event {
        Event::Artifact(artifact) if artifact.task_id == task => Some(artifact),
        _ => None,
    };
    recording.all().filter_map(of_task).collect()
}

/// Model §6 for one artifact with one run of chunks; snapshots later add nothing.
fn digest_status(records: &[&Artifact<'_>]) -> &'static str {
    let flagged = records.iter().position(|record| record.last_chunk);
    let end = flagged.map_or(1, |last| last + 1);
    assert!(flagged.is_some() || !records.get(1).is_some_and(|second| second.append));
    let run = &records[..end];
    let Some(stated) = run.iter().rev().find_map(|record| record.digest.as_deref()) else {
        return "missing";
    };
    let mut whole = Payload::default();
    for record in run {
        assert!(!record.payload.unknown);
        if let Some(json) = record.payload.json.as_deref() {
            whole.push_data(json);
        }
        if let Some(text) = &record.payload.text {
            whole.push_text(text.clone());
        }
    }
    match whole.check(&Digest::parse(stated).unwrap()) {
        DigestCheck::Match => "ok",
        DigestCheck::Mismatch => "mismatch",
        DigestCheck::Unchecked => "unchecked",
    }
}

#[test]
fn tasks_and_artifacts_are_those_that_were_made() {
    let (recording, truth) = (recording(), truth());
    let mut digests = BTreeMap::<_, u64>::new();
    let mut seen = BTreeSet::new();
    for wanted in list(&truth, "tasks") {
        let task = wanted["task_id"].as_str().unwrap();
        let states: Vec<_> = recording
            .all()
            .filter_map(|event| match event {
                Event::Status(status) if status.task_id == task => {
                    Some((status.common.time, TaskState::parse(&status.state).unwrap()))
                }
                _ => None,
            })
            .collect();
        assert!(states.is_sorted_by_key(|(time, _)| *time), "{task}: {states:?}");
        assert_eq!(Some(states.last().unwrap().1.as_str()), wanted["final_state"].as_str());
        if states[0].1 == TaskState::Submitted {
            near(states[0].0, &wanted["t_send"], "submitted");
        }
        seen.insert(task.to_owned());
        let records = artifacts(&recording, task);
        let ids: BTreeSet<_> = records.iter().map(|record| &*record.artifact_id).collect();
        let stated = list(wanted, "artifacts");
        assert_eq!(ids.len(), stated.len(), "{task}");
        for artifact in stated {
            let id = artifact["artifact_id"].as_str().unwrap();
            assert!(ids.contains(id), "{task}");
            let schema = records.iter().find_map(|record| record.schema.as_ref());
            let schema = schema.and_then(|(_, schema)| version::normalise(schema));
            assert_eq!(schema, artifact["schema_version"].as_str(), "{task}");
            if wanted["completed"] == true {
                let status = digest_status(&records);
                // A plain text without a schema has no digest either.
                let stated = artifact["digest_status"].as_str().unwrap();
                let plain = stated == "not_applicable";
                let stated = if plain { "missing" } else { stated };
                *digests.entry(stated.to_owned()).or_default() += 1;
                assert_eq!(status, stated, "{task}: {records:?}");
            }
        }
    }
    let other = recording.all().any(|event| match event {
        Event::Status(status) => !seen.contains(&*status.task_id),
        Event::Artifact(artifact) => !seen.contains(&*artifact.task_id),
        _ => false,
    });
    assert!(!other, "a task that never was");
    assert_eq!((digests["ok"], digests["mismatch"], digests["missing"]), (50, 6, 4 + 4));
}

#[test]
fn reads_of_tasks_are_no_attempts_but_show_them() {
    let (recording, truth) = (recording(), truth());
    for wanted in list(&truth, "other_exchanges") {
        let events = recording.events(locator(wanted));
        assert!(attempts(events).is_empty());
        let [Event::Artifact(artifact), Event::Status(status)] = events else {
            panic!("{events:?}")
        };
        assert_eq!(Some(&*status.task_id), wanted["task_id"].as_str());
        assert_eq!(TaskState::parse(&status.state), Some(TaskState::Completed));
        assert_eq!(Some(&*artifact.artifact_id), wanted["artifacts"][0]["artifact_id"].as_str());
    }
}
