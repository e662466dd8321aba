//! The carddrift journal: one JSON object a line, for people who write their own recorder.
//!
//! The fast path of the program: each record is read once, into borrowed fields; card and payload stay
//! raw text until the fold knows whether it saw them before.

mod field;
mod instant;
mod plain;
mod record;

use super::{Context, Format, Framing, Sink};
use crate::a2a::artifact::{schema_of_record, states};
use crate::a2a::digest::from_base64;
use crate::a2a::json::{Raw, scalar};
use crate::a2a::pointer::Pointer;
use crate::event::{
    Artifact, Attempt, CardFetch, CardSeen, Common, Event, FetchKind, Payload, TaskStatus, Text,
};
use crate::problem::{At, Kind, Problem};
use field::Field;
use memchr::memmem;
use record::Record;
use serde::Deserialize;
use std::borrow::Cow;

/// The kinds of events, as `event` spells them.
const EVENTS: [&str; 5] = ["card_publish", "card_fetch", "attempt", "task_status", "artifact"];

/// The reader.
#[derive(Debug, Clone, Copy)]
pub struct Journal;

impl Format for Journal {
    fn name(&self) -> &'static str {
        "journal"
    }

    fn summary(&self) -> &'static str {
        "the carddrift journal: JSON lines with `time` and `event`, for recorders of one's own"
    }

    fn framing(&self) -> Framing {
        Framing::JsonLines
    }

    fn recognises(&self, head: &[u8], _: &Context<'_>) -> Result<(), String> {
        if names_an_event(head) {
            Ok(())
        } else {
            Err("no line has `time` and a known `event`".to_owned())
        }
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let Ok(text) = simdutf8::basic::from_utf8(record) else {
            return sink.problem(Problem::new(Kind::NotJson, at, "it is not UTF-8"));
        };
        let object = text.trim_ascii_start().starts_with('{');
        let mut record = Record::default();
        match record.read(text) {
            Ok(())
                if [record.card.0, record.payload.0]
                    .into_iter()
                    .flatten()
                    .any(has_lone_surrogate) =>
            {
                sink.problem(Problem::new(
                    Kind::NotJson,
                    at,
                    "a lone surrogate in card or payload",
                ));
            }
            Ok(()) => {
                let mut reading = Reading { text, at, context, sink };
                if let Err(problem) = reading.event(&mut record) {
                    sink.problem(problem);
                }
            }
            Err(error) => {
                // The message of a syntax error names places and characters of JSON, no values.
                sink.problem(match (error.is_data(), object) {
                    (false, _) => Problem::new(Kind::NotJson, at, error.to_string()),
                    // Every field takes a value of any type, so only a key can be wrong.
                    (true, true) => Problem::new(Kind::NotJson, at, "a key occurs twice"),
                    (true, false) => Problem::new(Kind::WrongType, at, "a record is an object"),
                });
            }
        }
    }
}

/// Whether a text that is kept raw holds a lone surrogate, which no parser looked for.
fn has_lone_surrogate(json: &str) -> bool {
    // Surrogates are rare, so nearly all texts end here.
    memmem::find_iter(json.as_bytes(), b"\\u")
        .any(|at| matches!(json.as_bytes().get(at + 2), Some(b'd' | b'D')))
        && serde_json::from_str::<Strict>(json).is_err()
}

/// Any value, all of its strings looked at, without recursion beyond the parser's own limit.
struct Strict;

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_json::Value::deserialize(deserializer).map(|_| Self)
    }
}

/// Whether some line of the beginning of a source looks like a journal's. Damaged lines may come first.
fn names_an_event(head: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Marks<'a> {
        #[serde(borrow)]
        time: Field<'a>,
        #[serde(borrow)]
        event: Field<'a>,
    }
    let mut whole_lines = 0;
    for line in head.split(|b| *b == b'\n').take(64) {
        let Ok(line) = std::str::from_utf8(line) else { continue };
        let line = line.trim_start_matches('\u{feff}');
        match serde_json::from_str::<Marks<'_>>(line) {
            Ok(Marks { time: Field::Text(_) | Field::Int(_), event: Field::Text(event) })
                if EVENTS.contains(&event.as_ref()) =>
            {
                return true;
            }
            Ok(_) => whole_lines += 1,
            Err(error) if error.is_data() => whole_lines += 1,
            Err(_) => {}
        }
    }
    // Without one readable line (a first line longer than the head, a damaged file) the words decide.
    whole_lines == 0
        && memmem::find(head, b"\"time\"").is_some()
        && memmem::find_iter(head, b"\"event\"").any(|at| {
            let rest = head.get(at + 7..).unwrap_or_default().trim_ascii_start();
            let Some(value) = rest.strip_prefix(b":") else { return false };
            let value = value.trim_ascii_start();
            EVENTS.iter().any(|name| {
                value
                    .strip_prefix(b"\"")
                    .and_then(|v| v.strip_prefix(name.as_bytes()))
                    .is_some_and(|v| v.starts_with(b"\""))
            })
        })
}

/// One record being read.
struct Reading<'r, 's, 'c> {
    text: &'r str,
    at: At,
    context: &'c Context<'c>,
    sink: &'s mut dyn Sink,
}

type Needed<T> = Result<T, Problem>;

impl<'r> Reading<'r, '_, '_> {
    fn event(&mut self, record: &mut Record<'r>) -> Needed<()> {
        let kind = std::mem::take(&mut record.event);
        let kind = match &kind {
            Field::Text(kind) => kind.as_ref(),
            Field::Absent => return Err(self.missing("event")),
            other => return Err(self.wrong("event", "a string", other)),
        };
        if !EVENTS.contains(&kind) {
            let detail = format!("its name has {} bytes", kind.len());
            return Err(Problem::new(Kind::UnknownEvent, self.at, detail).pointing("/event"));
        }
        let common = self.common(record)?;
        let event = match kind {
            "card_publish" => Event::Card(self.card(record, common, FetchKind::Publish)?),
            "card_fetch" => Event::Card(self.card(record, common, FetchKind::Fetch)?),
            "attempt" => Event::Attempt(self.attempt(record, common)?),
            "task_status" => Event::Status(self.status(record, common)?),
            _ => Event::Artifact(self.artifact(record, common)?),
        };
        self.sink.event(self.at, event);
        Ok(())
    }

    fn common(&mut self, record: &mut Record<'r>) -> Needed<Common<'r>> {
        let time = match std::mem::take(&mut record.time) {
            Field::Absent => return Err(self.missing("time")),
            time => {
                self.instant("time", &time).map_err(|kind| self.bad_time("time", kind, &time))?
            }
        };
        Ok(Common {
            time,
            client: self.text("client", &mut record.client),
            agent: self.text("agent", &mut record.agent),
            url: self.text("url", &mut record.url),
            trace_id: self.text("trace_id", &mut record.trace_id),
            span_id: self.text("span_id", &mut record.span_id),
            ..Common::default()
        })
    }

    fn card(
        &mut self,
        record: &mut Record<'r>,
        common: Common<'r>,
        kind: FetchKind,
    ) -> Needed<CardFetch<'r>> {
        let registry = self.text("registry", &mut record.registry);
        if registry.is_none() && common.url.is_none() {
            return Err(self.missing("registry"));
        }
        let status = self.int("status", &record.status);
        let card = self.seen_card(record);
        if common.agent.is_none() && common.url.is_none() && matches!(card, CardSeen::Unknown) {
            return Err(self.missing("agent"));
        }
        Ok(CardFetch {
            common,
            kind,
            registry,
            sent_at: self.maybe_instant("sent_at", &record.sent_at),
            status: Some(status.unwrap_or(200)),
            etag: self.text("etag", &mut record.etag),
            cache_control: self.text("cache_control", &mut record.cache_control),
            last_modified: self.text("last_modified", &mut record.last_modified),
            age_s: self.int("age_s", &record.age_s),
            card,
            authority: self.flag("authority", &record.authority),
            from_cache: self.flag("from_cache", &record.from_cache) == Some(true),
            extended: false,
            variant: None,
            error: self.text("error", &mut record.error),
        })
    }

    fn seen_card(&mut self, record: &mut Record<'r>) -> CardSeen<'r> {
        let sha256 = self.text("card_sha256", &mut record.card_sha256);
        let raw = record.card.0;
        match raw.and_then(|raw| raw.as_bytes().first()) {
            Some(b'"') => return CardSeen::JsonString(raw.unwrap_or_default()),
            Some(b'{') => {
                let object = Cow::Borrowed(raw.unwrap_or_default());
                return match sha256 {
                    Some(sha256) => CardSeen::HashedBody { sha256, body: bytes_of(object) },
                    None => CardSeen::Object(object),
                };
            }
            None => {}
            Some(_) => self.note("card", "a string or an object was expected"),
        }
        if let Some(text) = self.text("card_base64", &mut record.card_base64) {
            match from_base64(&text) {
                Some(bytes) => return CardSeen::Body(Cow::Owned(bytes)),
                None => self.note("card_base64", "it is not base64"),
            }
        }
        sha256.map_or(CardSeen::Unknown, CardSeen::Hash)
    }

    fn attempt(&mut self, record: &mut Record<'r>, common: Common<'r>) -> Needed<Attempt<'r>> {
        let task_id = self.text("task_id", &mut record.task_id);
        if common.agent.is_none() && common.url.is_none() && task_id.is_none() {
            return Err(self.missing("agent"));
        }
        Ok(Attempt {
            common,
            end_time: self.maybe_instant("end_time", &record.end_time),
            method: self.text("method", &mut record.method),
            protocol_version: self.text("protocol_version", &mut record.protocol_version),
            task_id,
            context_id: self.text("context_id", &mut record.context_id),
            skill_id: self.skill(record),
            admitted_under: self.text("admitted_under", &mut record.admitted_under),
            accepted_output_modes: self
                .texts("accepted_output_modes", record.accepted_output_modes),
            stream: self.flag("stream", &record.stream),
            push: self.flag("push", &record.push),
            outcome: self.text("outcome", &mut record.outcome),
            http_status: self.int("http_status", &record.http_status),
            rpc_code: self.int("rpc_code", &record.rpc_code),
            task_state: self.text("task_state", &mut record.task_state),
            grpc_status: self.text_or_number("grpc_status", &mut record.grpc_status),
            error_reason: self.text("error_reason", &mut record.error_reason),
            transport_error: self.text("transport_error", &mut record.transport_error),
            broke: false,
            error: self.text("error", &mut record.error),
            reference_task_ids: None,
        })
    }

    /// The skill as stated; with pointers configured, what they find in the record when it is not.
    fn skill(&mut self, record: &mut Record<'r>) -> Option<Text<'r>> {
        let stated = self.text("skill_id", &mut record.skill_id);
        stated.or_else(|| {
            self.pointed(self.context.config.extract.skill.as_deref()?, |_| true)
                .map(|(_, text)| text)
        })
    }

    fn status(&mut self, record: &mut Record<'r>, common: Common<'r>) -> Needed<TaskStatus<'r>> {
        Ok(TaskStatus {
            common,
            task_id: self.needed("task_id", &mut record.task_id)?,
            state: self.needed("state", &mut record.state)?,
            context_id: self.text("context_id", &mut record.context_id),
            admitted_under: self.text("admitted_under", &mut record.admitted_under),
        })
    }

    fn artifact(&mut self, record: &mut Record<'r>, common: Common<'r>) -> Needed<Artifact<'r>> {
        let task_id = self.needed("task_id", &mut record.task_id)?;
        let artifact_id = self.needed("artifact_id", &mut record.artifact_id)?;
        let media_type = self.text("media_type", &mut record.media_type);
        let payload = self.payload(record);
        let digest = self.text("digest", &mut record.digest);
        let extract = &self.context.config.extract;
        Ok(Artifact {
            common,
            task_id,
            artifact_id,
            context_id: self.text("context_id", &mut record.context_id),
            schema: self.schema(record, media_type.as_ref(), &payload),
            media_type,
            digest: match extract.digest.as_deref() {
                Some(pointers) => self.pointed(pointers, |_| true).map(|(_, text)| text),
                None => digest,
            },
            digest_check: self
                .word("digest_check", &record.digest_check, &["pass", "fail"])
                .map(|word| word == "pass"),
            payload,
            append: self.flag("append", &record.append) == Some(true),
            last_chunk: self.flag("last_chunk", &record.last_chunk) == Some(true),
            disposition: self
                .word("disposition", &record.disposition, &["accepted", "rejected", "quarantined"])
                .map(Cow::Borrowed),
        })
    }

    fn schema(
        &mut self,
        record: &Record<'r>,
        media_type: Option<&Text<'r>>,
        payload: &Payload<'r>,
    ) -> Option<(u8, Text<'r>)> {
        if let Some(pointers) = self.context.config.extract.artifact_schema.as_deref() {
            return self.pointed(pointers, states);
        }
        let stated = record.schema_version.0.and_then(|raw| {
            let stated = scalar(raw);
            if stated.is_none() {
                self.note("schema_version", "a string or a number was expected");
            }
            stated.filter(|text| states(text))
        });
        if let Some(stated) = stated {
            return Some((0, stated));
        }
        let found = schema_of_record(None, media_type.map(AsRef::as_ref), payload.json.as_deref());
        found.map(|(rule, text)| (rule, Cow::Owned(text.into_owned())))
    }

    fn payload(&mut self, record: &mut Record<'r>) -> Payload<'r> {
        let mut payload = Payload::default();
        match record.payload.0 {
            Some(raw) if raw.starts_with('"') => payload.text = scalar(raw),
            None => {}
            Some(raw) => payload.json = Some(Cow::Borrowed(raw)),
        }
        if let Some(text) = self.text("payload_base64", &mut record.payload_base64) {
            match from_base64(&text) {
                Some(bytes) => payload.bytes = Some(Cow::Owned(bytes)),
                None => self.note("payload_base64", "it is not base64"),
            }
        }
        payload
    }

    /// What the first of the configured pointers finds in the record.
    fn pointed(
        &self,
        pointers: &[String],
        counts: impl Fn(&str) -> bool,
    ) -> Option<(u8, Text<'r>)> {
        (0..=u8::MAX).zip(pointers).find_map(|(rule, pointer)| {
            let pointer: Pointer = pointer.parse().ok()?;
            Some((rule, pointer.first_text(self.text).filter(|text| counts(text))?))
        })
    }

    fn missing(&self, name: &str) -> Problem {
        Problem::new(Kind::MissingField, self.at, "").pointing(format!("/{name}"))
    }

    fn wrong(&self, name: &str, expected: &str, found: &Field<'_>) -> Problem {
        let detail = format!("{expected} was expected, found {}", found.type_name());
        Problem::new(Kind::WrongType, self.at, detail).pointing(format!("/{name}"))
    }

    fn note(&mut self, name: &str, detail: impl Into<Cow<'static, str>>) {
        self.sink
            .problem(Problem::new(Kind::BadField, self.at, detail).pointing(format!("/{name}")));
    }

    fn odd(&mut self, name: &str, expected: &str, found: &Field<'_>) {
        self.note(name, format!("{expected} was expected, found {}", found.type_name()));
    }

    fn needed(&mut self, name: &str, field: &mut Field<'r>) -> Needed<Text<'r>> {
        match std::mem::take(field) {
            Field::Text(text) if !text.is_empty() => Ok(text),
            Field::Text(_) | Field::Absent => Err(self.missing(name)),
            other => Err(self.wrong(name, "a string", &other)),
        }
    }

    /// A text; an empty one is absent.
    fn text(&mut self, name: &str, field: &mut Field<'r>) -> Option<Text<'r>> {
        match std::mem::take(field) {
            Field::Text(text) => (!text.is_empty()).then_some(text),
            Field::Absent => None,
            other => {
                self.odd(name, "a string", &other);
                None
            }
        }
    }

    fn text_or_number(&mut self, name: &str, field: &mut Field<'r>) -> Option<Text<'r>> {
        if let Field::Int(number) = field {
            return Some(Cow::Owned(number.to_string()));
        }
        self.text(name, field)
    }

    /// One of some words.
    fn word(
        &mut self,
        name: &str,
        field: &Field<'_>,
        words: &[&'static str],
    ) -> Option<&'static str> {
        match field {
            Field::Absent => None,
            Field::Text(text) => {
                let word = words.iter().find(|word| **word == text.as_ref()).copied();
                if word.is_none() {
                    self.note(name, format!("one of {} was expected", words.join(", ")));
                }
                word
            }
            other => {
                self.odd(name, "a string", other);
                None
            }
        }
    }

    fn int(&mut self, name: &str, field: &Field<'_>) -> Option<i64> {
        match field {
            Field::Int(number) => Some(*number),
            Field::Absent => None,
            other => {
                self.odd(name, "an integer", other);
                None
            }
        }
    }

    fn flag(&mut self, name: &str, field: &Field<'_>) -> Option<bool> {
        match field {
            Field::Bool(value) => Some(*value),
            Field::Absent => None,
            other => {
                self.odd(name, "a bool", other);
                None
            }
        }
    }

    fn texts(&mut self, name: &str, raw: Raw<'r>) -> Option<Vec<Text<'r>>> {
        let Ok(fields) = serde_json::from_str::<Vec<Field<'r>>>(raw.0?) else {
            self.note(name, "an array of strings was expected");
            return None;
        };
        let count = fields.len();
        let texts: Vec<_> = fields
            .into_iter()
            .filter_map(|field| if let Field::Text(text) = field { Some(text) } else { None })
            .collect();
        if texts.len() < count {
            self.note(name, "an array of strings was expected");
        }
        Some(texts)
    }

    /// A time; one without a zone is noted.
    fn instant(&mut self, name: &str, field: &Field<'_>) -> Result<i64, Kind> {
        match field {
            Field::Text(text) => {
                let instant = instant::parse(text, self.context.assume_zone)?;
                let odd = [(instant.naive, Kind::NaiveTime), (instant.leap, Kind::LeapSecond)];
                for (_, kind) in odd.into_iter().filter(|(is_so, _)| *is_so) {
                    let problem = Problem::new(kind, self.at, "");
                    self.sink.problem(problem.pointing(format!("/{name}")));
                }
                Ok(instant.nanos)
            }
            Field::Int(nanos) => Ok(*nanos),
            Field::Number(number) if number.abs() >= 9.223_372_036_854_775e18 => {
                Err(Kind::TimeOutOfRange)
            }
            _ => Err(Kind::BadTime),
        }
    }

    fn bad_time(&self, name: &str, kind: Kind, found: &Field<'_>) -> Problem {
        Problem::new(kind, self.at, format!("found {}", found.type_name()))
            .pointing(format!("/{name}"))
    }

    fn maybe_instant(&mut self, name: &str, field: &Field<'_>) -> Option<i64> {
        if matches!(field, Field::Absent) {
            return None;
        }
        match self.instant(name, field) {
            Ok(nanos) => Some(nanos),
            Err(kind) => {
                self.note(name, format!("{}, found {}", kind.title(), field.type_name()));
                None
            }
        }
    }
}

fn bytes_of(text: Text<'_>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

#[cfg(test)]
mod tests;
