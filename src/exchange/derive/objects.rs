//! Tasks, updates and artifacts of an answer, each with its time (model §1 *Times*).

use super::answer::Answer;
use super::calls::Call;
use super::{Derived, Rules, times};
use crate::a2a::artifact;
use crate::a2a::digest::from_base64;
use crate::a2a::json::Text as Field;
use crate::a2a::method::Operation;
use crate::a2a::object::answer::{Item, Reply, replies};
use crate::a2a::object::task::{ArtifactUpdate, Status, Task};
use crate::a2a::payload::Payload as Carried;
use crate::a2a::state::TaskState;
use crate::event::{Artifact, Common, Event, Payload, TaskStatus, Text, TimeFrom};
use crate::exchange::Exchange;
use crate::problem::Kind;
use std::borrow::Cow;
use std::collections::HashSet;

/// Something with a time of its own or one to be found.
#[derive(Debug)]
pub(super) struct Object<'a> {
    task_id: Text<'a>,
    context_id: Option<Text<'a>>,
    /// When its piece of the stream was captured.
    chunk: Option<i64>,
    kind: ObjectKind<'a>,
}

#[derive(Debug)]
enum ObjectKind<'a> {
    Status {
        state: Text<'a>,
        timestamp: Option<Text<'a>>,
    },
    Artifact {
        json: &'a str,
        envelope_schema: Field<'a>,
        append: Option<bool>,
        last_chunk: Option<bool>,
    },
}

/// Collects the objects of an answer.
struct Collector<'a> {
    objects: Vec<Object<'a>>,
    /// The task of an object that names none.
    task: Option<Text<'a>>,
    context: Option<Text<'a>>,
    chunk: Option<i64>,
    /// Only objects that are A2A's beyond doubt: nothing else says that this is an A2A exchange.
    strict: bool,
}

/// What an agent posted to its client's webhook: a bare task, or an update. `None`: it is something
/// else.
pub(super) fn posted<'a>(body: &'a str, exchange: &Exchange<'_>) -> Option<Vec<Object<'a>>> {
    let method = exchange.method.as_deref().unwrap_or("POST");
    if !method.eq_ignore_ascii_case("POST") {
        return None;
    }
    let mut collector = Collector::new(None, true);
    for reply in replies(body).ok()? {
        collector.add(&reply);
    }
    (!collector.objects.is_empty()).then_some(collector.objects)
}

/// The objects of an answer. `task`: the one that was asked about.
pub(super) fn answered<'a>(
    answer: &Answer<'a>,
    calls: &[Call<'_>],
    task: Option<Text<'static>>,
    exchange: &Exchange<'a>,
) -> Vec<Object<'a>> {
    let known = calls.iter().any(|call| call.operation != Operation::Unknown);
    let mut collector = Collector::new(task, !known);
    for (chunk, reply) in &answer.replies {
        collector.chunk = *chunk;
        collector.add(reply);
    }
    if collector.objects.is_empty() && answer.replies.iter().all(|(_, r)| r.items.is_empty()) {
        // Spans and gateway logs name the task and its state beside the bodies.
        collector.task = collector.task.or_else(|| exchange.task_id.clone());
        collector.context.clone_from(&exchange.context_id);
        if let Some(state) = exchange.task_state.clone() {
            collector.status(None, None, state, None);
        }
    }
    collector.objects
}

impl<'a> Collector<'a> {
    fn new(task: Option<Text<'a>>, strict: bool) -> Self {
        Self { objects: Vec::new(), task, context: None, chunk: None, strict }
    }

    fn add(&mut self, reply: &Reply<'a>) {
        for item in &reply.items {
            match item {
                Item::Task(task) => self.task(task),
                Item::Status(update) => {
                    self.status_of(&update.task_id, &update.context_id, &update.status);
                }
                Item::Artifact(update) => self.artifact(update),
                Item::Message(_) | Item::Error(_) => {}
            }
        }
    }

    /// A snapshot: what its artifacts say comes before its status, which was reached with them. They
    /// are never flagged as last chunks: that would take an artifact's time from the stream that
    /// brought it (model §6).
    fn task(&mut self, task: &Task<'a>) {
        for json in &task.artifacts {
            let kind = ObjectKind::Artifact {
                json,
                envelope_schema: Field::default(),
                append: None,
                last_chunk: None,
            };
            self.push(task.id.0.clone(), task.context_id.0.clone(), kind);
        }
        self.status_of(&task.id, &task.context_id, &task.status);
    }

    fn artifact(&mut self, update: &ArtifactUpdate<'a>) {
        let kind = ObjectKind::Artifact {
            json: update.artifact,
            envelope_schema: update.schema_version.clone(),
            append: update.append.0,
            last_chunk: update.last_chunk.0,
        };
        self.push(update.task_id.0.clone(), update.context_id.0.clone(), kind);
    }

    fn status_of(&mut self, task: &Field<'a>, context: &Field<'a>, status: &Status<'a>) {
        let Some(state) = status.state.0.clone() else { return };
        if self.strict && TaskState::parse(&state).is_none() {
            return;
        }
        self.status(task.0.clone(), context.0.clone(), state, status.timestamp.0.clone());
    }

    fn status(
        &mut self,
        task: Option<Text<'a>>,
        context: Option<Text<'a>>,
        state: Text<'a>,
        timestamp: Option<Text<'a>>,
    ) {
        self.push(task, context, ObjectKind::Status { state, timestamp });
    }

    fn push(&mut self, task: Option<Text<'a>>, context: Option<Text<'a>>, kind: ObjectKind<'a>) {
        if task.is_some() {
            self.task.clone_from(&task);
        }
        if context.is_some() {
            self.context.clone_from(&context);
        }
        let Some(task_id) = task.or_else(|| self.task.clone()) else { return };
        let context_id = context.or_else(|| self.context.clone());
        self.objects.push(Object { task_id, context_id, chunk: self.chunk, kind });
    }
}

/// Makes events of the objects.
pub(super) fn push(
    objects: Vec<Object<'_>>,
    common: &Common<'static>,
    exchange: &Exchange<'_>,
    rules: &Rules,
    derived: &mut Derived,
) {
    let times = dated(&objects, exchange, rules, derived);
    let mut unread = false;
    for (object, (time, time_from)) in objects.into_iter().zip(times) {
        let common = Common { time, time_from, ..common.clone() };
        let task_id = Cow::Owned(object.task_id.into_owned());
        let context_id = object.context_id.map(|context| Cow::Owned(context.into_owned()));
        match object.kind {
            ObjectKind::Status { state, .. } => derived.events.push(Event::Status(TaskStatus {
                common,
                task_id,
                context_id,
                state: Cow::Owned(state.into_owned()),
                admitted_under: None,
            })),
            ObjectKind::Artifact { json, envelope_schema, append, last_chunk } => {
                let Ok(facts) = artifact::read(json, &envelope_schema, &rules.artifact) else {
                    unread = true;
                    continue;
                };
                let own = |text: Cow<'_, str>| -> Text<'static> { Cow::Owned(text.into_owned()) };
                let stated = exchange.stated.as_deref();
                derived.events.push(Event::Artifact(Artifact {
                    common,
                    task_id,
                    artifact_id: own(facts.artifact_id),
                    context_id,
                    media_type: facts.media_type.map(own),
                    schema: facts.schema.map(|(rule, schema)| (rule, own(schema))),
                    digest: facts.digest.map(own),
                    digest_check: None,
                    payload: payload(facts.payload, exchange.mended),
                    append: append.or(facts.append).unwrap_or(false),
                    last_chunk: last_chunk.unwrap_or(false) || facts.last_chunk.unwrap_or(false),
                    disposition: stated
                        .and_then(|stated| stated.disposition.clone())
                        .map(|text| Cow::Owned(text.into_owned())),
                }));
            }
        }
    }
    if unread {
        derived.note(exchange, Kind::BadAnswer, "an artifact cannot be read");
    }
}

/// The time of each object: its own; of the first `submitted` of a task without one, the exchange's
/// start; else its chunk's, else the next one that the answer carries, else the exchange's end.
fn dated(
    objects: &[Object<'_>],
    exchange: &Exchange<'_>,
    rules: &Rules,
    derived: &mut Derived,
) -> Vec<(i64, TimeFrom)> {
    let (mut naive, mut leap, mut bad) = (false, false, false);
    let own: Vec<Option<i64>> = objects
        .iter()
        .map(|object| {
            let ObjectKind::Status { timestamp: Some(text), .. } = &object.kind else {
                return None;
            };
            let stated = times::read(text, rules.assume_zone.as_ref());
            naive |= stated.is_some_and(|stated| stated.naive);
            leap |= stated.is_some_and(|stated| stated.leap);
            bad |= stated.is_none();
            stated.map(|stated| stated.nanos)
        })
        .collect();
    if naive {
        derived.note(exchange, Kind::NaiveTime, "a status's timestamp has no zone");
    }
    if leap {
        derived.note(exchange, Kind::LeapSecond, "a status's timestamp");
    }
    if bad {
        derived.note(exchange, Kind::BadField, "a status's timestamp cannot be read");
    }
    let end = match exchange.ended_at {
        Some(end) => (end, TimeFrom::ExchangeEnd),
        None => (exchange.started_at, TimeFrom::ExchangeStart),
    };
    let mut begun = HashSet::new();
    let begins: Vec<bool> = objects
        .iter()
        .map(|object| match &object.kind {
            ObjectKind::Status { state, .. } => {
                TaskState::parse(state) == Some(TaskState::Submitted)
                    && begun.insert(&*object.task_id)
            }
            ObjectKind::Artifact { .. } => false,
        })
        .collect();
    let mut next = None;
    let mut times: Vec<_> = objects
        .iter()
        .zip(own)
        .zip(begins)
        .rev()
        .map(|((object, own), begins)| {
            if let Some(own) = own {
                next = Some(own);
                return (own, TimeFrom::Object);
            }
            if begins {
                return (exchange.started_at, TimeFrom::ExchangeStart);
            }
            match (object.chunk, next) {
                (Some(chunk), _) => (chunk, TimeFrom::Chunk),
                (None, Some(next)) => (next, TimeFrom::NextInAnswer),
                (None, None) => end,
            }
        })
        .collect();
    times.reverse();
    times
}

/// The payload as events carry it; `mended`: it may be another one than was sent.
fn payload(carried: Carried<'_>, mended: bool) -> Payload<'static> {
    if carried.is_empty() {
        return Payload::default();
    }
    let bytes = carried.file.as_deref().map(from_base64);
    let unknown = mended || carried.is_unknown() || matches!(bytes, Some(None));
    let own = |text: Cow<'_, str>| -> Text<'static> { Cow::Owned(text.into_owned()) };
    Payload {
        text: carried.text.map(own),
        json: carried.data.filter(|_| carried.data_parts == 1).map(own),
        bytes: bytes.flatten().filter(|_| carried.file_parts == 1).map(Cow::Owned),
        unknown,
    }
}
