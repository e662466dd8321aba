//! The recordings of a rotation whose truth is known, as an application's log and as OTLP: what is
//! read and joined against what happened.

use crate::recorded::{Recorded, cut, file, frames, gunzipped, lines, read};
use carddrift::a2a::outcome::{AttemptFacts, derive as outcome_of};
use carddrift::a2a::protocol::Era;
use carddrift::a2a::state::TaskState;
use carddrift::a2a::version;
use carddrift::event::{Attempt, CardFetch, CardSeen, Event};
use carddrift::formats::mapping::Mapped;
use carddrift::formats::otlp::{OtlpFrames, OtlpJson};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A span of the client ends when the body has arrived, its application's log a little later.
const SLACK_NS: i64 = 25_000_000;

fn jsonl() -> (Recorded, Value) {
    let config = String::from_utf8(file("samples/mapped/carddrift.toml")).unwrap();
    let records = lines(&file("samples/mapped/rotation-py-1.3.0.jsonl"));
    (read(&[("log", &Mapped, records)], &config), truth("py-1.3.0.jsonl"))
}

fn otlp_config() -> String {
    String::from_utf8(file("samples/otlp/carddrift.toml")).unwrap()
}

fn otlp() -> (Recorded, Value) {
    let records =
        |name: &str| lines(&gunzipped(&format!("samples/otlp/rotation-js-1.3.0.{name}.jsonl.gz")));
    let sources: [(&str, &dyn carddrift::formats::Format, _); 2] =
        [("logs", &OtlpJson, records("logs")), ("traces", &OtlpJson, records("traces"))];
    (read(&sources, &otlp_config()), truth("js-1.3.0.otlp"))
}

pub fn truth(name: &str) -> Value {
    let text = file(&format!("tests/cases/rotation/{name}.truth.json"));
    serde_json::from_slice(&text).unwrap()
}

fn list<'v>(value: &'v Value, key: &str) -> &'v Vec<Value> {
    value[key].as_array().unwrap()
}

#[expect(clippy::cast_possible_truncation, reason = "seconds of this century")]
fn nanos(seconds: &Value) -> i64 {
    (seconds.as_f64().unwrap() * 1e6).round() as i64 * 1000
}

fn near(time: i64, wanted: &Value) -> bool {
    (time - nanos(wanted)).abs() <= SLACK_NS
}

/// A stream was cut midway; of the mirror's own GETs there are no bodies.
fn kinds(recorded: &Recorded) -> Vec<&'static str> {
    let mut codes: Vec<_> = recorded.problems.iter().map(|problem| problem.kind.code()).collect();
    codes.sort_unstable();
    codes
}

fn fetches(recorded: &Recorded) -> Vec<&CardFetch<'static>> {
    let events = recorded.events.iter();
    events
        .filter_map(|event| match event {
            Event::Card(fetch) => Some(fetch),
            _ => None,
        })
        .collect()
}

fn attempts(recorded: &Recorded) -> Vec<&Attempt<'static>> {
    let events = recorded.events.iter();
    events
        .filter_map(|event| match event {
            Event::Attempt(attempt) => Some(attempt),
            _ => None,
        })
        .collect()
}

pub fn fetches_are_those_that_were_made(recorded: &Recorded, truth: &Value) {
    let found = fetches(recorded);
    for wanted in list(truth, "fetches") {
        let of_client =
            |fetch: &&&CardFetch<'_>| fetch.common.client.as_deref() == wanted["client"].as_str();
        let then: Vec<_> = found
            .iter()
            .filter(of_client)
            .filter(|fetch| near(fetch.sent_at.unwrap(), &wanted["t_send"]))
            .collect();
        let [fetch] = then.as_slice() else { panic!("{wanted}: {then:?}") };
        assert!(near(fetch.common.time, &wanted["t_recv"]), "{wanted}: {fetch:?}");
        assert_eq!(fetch.status, wanted["http_status"].as_i64(), "{wanted}");
        assert_eq!(fetch.etag.as_deref(), wanted["etag"].as_str(), "{wanted}");
        assert_eq!(fetch.common.url.as_deref(), wanted["url"].as_str());
        let hash = match &fetch.card {
            CardSeen::Body(body) => Some(carddrift::a2a::digest::sha256_hex(body)),
            CardSeen::HashedBody { sha256, .. } => Some(sha256.clone().into_owned()),
            CardSeen::Unknown => None,
            other => panic!("{other:?}"),
        };
        let served = wanted["sha256"].as_str().filter(|_| fetch.status == Some(200));
        assert_eq!(hash.as_deref(), served, "{wanted}");
    }
    let of_clients = found.iter().filter(|fetch| fetch.common.client.is_some()).count() as u64;
    assert_eq!(of_clients, truth["totals"]["card_fetches"].as_u64().unwrap());
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

pub fn attempts_are_those_that_were_made(recorded: &Recorded, truth: &Value) {
    let found = attempts(recorded);
    let failed: BTreeSet<_> = recorded
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Status(status) if TaskState::parse(&status.state) == Some(TaskState::Failed) => {
                Some(status.task_id.as_ref())
            }
            _ => None,
        })
        .collect();
    let mut outcomes = BTreeMap::<_, u64>::new();
    for wanted in list(truth, "attempts") {
        let of_client =
            |attempt: &&&Attempt<'_>| attempt.common.client.as_deref() == wanted["client"].as_str();
        let then: Vec<_> = found
            .iter()
            .filter(of_client)
            .filter(|attempt| near(attempt.common.time, &wanted["t_send"]))
            .collect();
        let [attempt] = then.as_slice() else { panic!("{} found: {wanted}", then.len()) };
        assert_eq!(attempt.method.as_deref(), wanted["jsonrpc_method"].as_str());
        assert_eq!(attempt.skill_id.as_deref(), wanted["skill_id"].as_str(), "{wanted}");
        assert_eq!(attempt.rpc_code, wanted["rpc_error_code"].as_i64(), "{wanted}: {attempt:?}");
        if wanted["kind"] == "task" {
            assert_eq!(
                attempt.task_id.as_deref(),
                wanted["task_id"].as_str(),
                "{wanted}: {attempt:?}"
            );
        }
        assert!(near(attempt.end_time.unwrap(), &wanted["t_recv"]), "{wanted}: {attempt:?}");
        let answer = outcome(attempt);
        let broke_later = answer == "accepted"
            && attempt.task_id.as_deref().is_some_and(|id| failed.contains(id));
        let found = if broke_later { "midstream" } else { answer };
        assert_eq!(Some(found), wanted["outcome"].as_str(), "{wanted}: {attempt:?}");
        *outcomes.entry(found).or_default() += 1;
    }
    assert_eq!(found.len() as u64, truth["totals"]["attempts"].as_u64().unwrap());
    assert_eq!(serde_json::to_value(outcomes).unwrap(), truth["totals"]["outcomes"]);
}

pub fn tasks_are_those_that_were_made(recorded: &Recorded, truth: &Value) {
    for wanted in list(truth, "tasks") {
        let task = wanted["task_id"].as_str().unwrap();
        let mut states = Vec::new();
        let mut schemas = BTreeMap::new();
        for event in &recorded.events {
            match event {
                Event::Status(status) if status.task_id == task => {
                    states.push((status.common.time, TaskState::parse(&status.state).unwrap()));
                }
                Event::Artifact(artifact) if artifact.task_id == task => {
                    let schema =
                        artifact.schema.as_ref().and_then(|(_, schema)| version::normalise(schema));
                    let known = schemas.entry(artifact.artifact_id.as_ref()).or_insert(None);
                    *known = (*known).or(schema);
                }
                _ => {}
            }
        }
        states.sort_by_key(|(time, _)| *time);
        assert_eq!(
            states.last().map(|(_, state)| state.as_str()),
            wanted["final_state"].as_str(),
            "{task}"
        );
        let stated: BTreeMap<_, _> = list(wanted, "artifacts")
            .iter()
            .map(|artifact| {
                (artifact["artifact_id"].as_str().unwrap(), artifact["schema_version"].as_str())
            })
            .collect();
        assert_eq!(schemas, stated, "{task}");
    }
}

#[test]
fn an_applications_log_tells_the_truth() {
    let (recorded, truth) = jsonl();
    assert_eq!(recorded.sightings as u64, truth["totals"]["exchanges"].as_u64().unwrap());
    assert_eq!(kinds(&recorded), ["CD218"]);
    fetches_are_those_that_were_made(&recorded, &truth);
    attempts_are_those_that_were_made(&recorded, &truth);
    tasks_are_those_that_were_made(&recorded, &truth);
}

#[test]
fn traces_and_logs_together_tell_the_truth() {
    let (recorded, truth) = otlp();
    // 152 exchanges: two log records each, spans of both sides and one around each of 105 calls;
    // three GETs of the mirror itself, which only the agent's spans saw.
    assert_eq!(recorded.sightings, 152 * 4 + 105 + 3);
    assert_eq!(kinds(&recorded), ["CD218", "CD219", "CD219", "CD219"]);
    let unknown = fetches(&recorded).iter().filter(|fetch| fetch.common.client.is_none()).count();
    assert_eq!(unknown, 3);
    fetches_are_those_that_were_made(&recorded, &truth);
    attempts_are_those_that_were_made(&recorded, &truth);
    tasks_are_those_that_were_made(&recorded, &truth);
}

#[test]
fn frames_of_the_collector_give_the_same() {
    let records = |name: &str| frames(&format!("samples/otlp/rotation-js-1.3.0.{name}.zst.lp"));
    let sources: [(&str, &dyn carddrift::formats::Format, _); 2] =
        [("logs", &OtlpFrames, records("logs")), ("traces", &OtlpFrames, records("traces"))];
    let framed = read(&sources, &otlp_config());
    assert_eq!(format!("{:?}", framed.events), format!("{:?}", otlp().0.events));
}

#[test]
fn protobuf_gives_the_same() {
    let records =
        |name: &str| cut(&gunzipped(&format!("samples/otlp/rotation-js-1.3.0.{name}.pb.lp.gz")));
    let sources: [(&str, &dyn carddrift::formats::Format, _); 2] =
        [("logs", &OtlpFrames, records("logs")), ("traces", &OtlpFrames, records("traces"))];
    let binary = read(&sources, &otlp_config());
    assert_eq!(format!("{:?}", binary.events), format!("{:?}", otlp().0.events));
}
