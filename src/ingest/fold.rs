//! Events become rows: what plain SQL cannot compute is computed here, once for each record.
//!
//! Nothing that later data may change: no epochs, no card of a 304, no agent of a URL (see
//! [`tables`](crate::tables)).

use super::batch::{Batch, Mark, Target, signed};
use super::cards::{CardMemory, Known, Seen, Shelf, Spot, sha256_of};
use super::identity::{Identities, UrlFacts, UrlMemory};
use super::payload::{Hashes, repeats_a_key, size_bytes};
use super::runs::Piece;
use crate::a2a::digest::{Digest, hex};
use crate::a2a::error_name;
use crate::a2a::method::Operation;
use crate::a2a::outcome::{Outcome, grpc_name};
use crate::a2a::protocol::Era;
use crate::a2a::state::TaskState;
use crate::a2a::{media, version};
use crate::event::{
    Artifact, Attempt, CardFetch, CardSeen, Common, Event, FetchKind, TaskStatus, Text,
};
use crate::problem::{At, Kind, Problem};
use crate::redact::{CleanTexts, Redactor};
use crate::tables::{ArtifactRow, AttemptRow, CardFetchRow, TaskEventRow};
use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// What all threads share.
#[derive(Debug)]
pub struct FoldRules<'c> {
    /// Configured identities.
    pub identities: &'c Identities,
    /// The cards.
    pub shelf: &'c Shelf<'c>,
    /// Replaces secrets.
    pub redactor: &'c Redactor,
    /// Whether payloads are kept.
    pub keep_payloads: bool,
    /// Number of the ingest into a store; 0 without one.
    pub ingest: i64,
}

/// Where the record of an event is.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The source's name.
    pub source: &'a str,
    /// Its number in the order of names.
    pub number: u32,
    /// The record.
    pub at: At,
    /// Its number in the chunk.
    pub record: u32,
    /// Place of the event among those of the record.
    pub event: u32,
    /// The other sources that saw it.
    pub seen_by: Option<&'a [&'a str]>,
}

impl Origin<'_> {
    fn spot(&self) -> Spot {
        (self.number, self.at)
    }
}

/// Makes rows of events; one for each thread.
#[derive(Debug)]
pub struct Fold<'c> {
    rules: &'c FoldRules<'c>,
    cards: CardMemory,
    urls: UrlMemory,
    clean: CleanTexts,
}

impl<'c> Fold<'c> {
    /// Remembers nothing yet.
    pub fn new(rules: &'c FoldRules<'c>) -> Self {
        Self {
            rules,
            cards: CardMemory::default(),
            urls: UrlMemory::default(),
            clean: CleanTexts::default(),
        }
    }

    /// Adds the row of an event without its secrets, or tells why it cannot be kept. Errors when the temporary folder cannot
    /// be written.
    pub fn event(
        &mut self,
        event: &mut Event<'_>,
        origin: Origin<'_>,
        batch: &mut Batch,
    ) -> io::Result<Option<Problem>> {
        if self.rules.redactor.event(event, &mut self.clean) {
            note(batch, origin, Kind::Redacted, "", "");
        }
        if let Some(unit) = suspect_unit(event.common().time) {
            note(batch, origin, Kind::SuspectUnit, "", unit);
        }
        match event {
            Event::Card(fetch) => return self.card(fetch, origin, batch),
            Event::Attempt(attempt) => self.attempt(attempt, origin, batch),
            Event::Status(status) => self.status(status, origin, batch),
            Event::Artifact(artifact) => self.artifact(artifact, origin, batch),
        }
        Ok(None)
    }

    fn url(&mut self, common: &Common<'_>) -> Option<Arc<UrlFacts>> {
        common.url.as_deref().map(|url| self.urls.facts(self.rules.identities, url))
    }

    /// The agent as recorded or configured.
    fn agent<'e>(
        &mut self,
        common: &'e Common<'_>,
        url: Option<&'e UrlFacts>,
    ) -> Option<Cow<'e, str>>
    where
        'c: 'e,
    {
        match common.agent.as_deref() {
            Some(name) => Some(self.rules.identities.agent_in(name, &mut self.urls)),
            None => url.and_then(|url| url.agent.as_deref()).map(Cow::Borrowed),
        }
    }

    fn card(
        &mut self,
        e: &CardFetch<'_>,
        origin: Origin<'_>,
        batch: &mut Batch,
    ) -> io::Result<Option<Problem>> {
        let url = self.url(&e.common);
        let url = url.as_deref();
        let registry = e.registry.as_deref().or(url.and_then(|url| url.registry.as_deref()));
        if registry.is_none() {
            return Ok(Some(
                Problem::new(Kind::MissingField, origin.at, "its URL names none")
                    .pointing("/registry"),
            ));
        }
        let seen = self.cards.see(self.rules.shelf, &e.card, origin.spot())?;
        note_card(e, &seen, origin, batch);
        let known: Option<&Known> = if let Seen::Body(known) = &seen { Some(known) } else { None };
        let card_agent = known.and_then(|known| known.agent.as_deref());
        let agent = match e.common.agent.as_deref() {
            Some(name) => Some(self.rules.identities.agent_in(name, &mut self.urls)),
            // What the card says of itself comes before whose prefix its URL begins with.
            None if card_agent.is_some() => None,
            None => url.and_then(|url| url.agent.as_deref()).map(Cow::Borrowed),
        };
        if agent.is_none() && card_agent.is_none() && url.is_none() && known.is_some() {
            let detail = "the record names none, and its card has no interface";
            return Ok(Some(
                Problem::new(Kind::MissingField, origin.at, detail).pointing("/agent"),
            ));
        }
        let row = CardFetchRow {
            time: e.common.time,
            time_from: e.common.time_from.as_str(),
            kind: match e.kind {
                FetchKind::Publish => "publish",
                FetchKind::Fetch => "fetch",
                FetchKind::Get => "get",
            },
            client: e.common.client.as_deref(),
            agent: agent.as_deref(),
            registry,
            url: url.map(|url| url.url.as_str()),
            url_origin: url.and_then(|url| url.origin.as_deref()),
            well_known: url.is_some_and(|url| url.well_known),
            sent_at: e.sent_at.unwrap_or(e.common.time),
            status: e.status,
            etag: e.etag.as_deref(),
            etag_weak: e.etag.as_deref().map(weak),
            cache_control: e.cache_control.as_deref(),
            last_modified: e.last_modified.as_deref(),
            age_s: e.age_s,
            card: match &seen {
                Seen::Hash(hash) | Seen::TooMany(hash) => Some(hash),
                Seen::Body(known) => Some(&known.card),
                _ => None,
            },
            card_agent,
            authority: e.authority,
            from_cache: e.from_cache,
            extended: e.extended,
            variant: e.variant.as_deref(),
            error: e.error.as_deref(),
            trace_id: e.common.trace_id.as_deref(),
            span_id: e.common.span_id.as_deref(),
            seen_by: origin.seen_by,
            source_file: origin.source,
            source_line: signed(origin.at.line),
            source_byte: signed(origin.at.byte),
        };
        batch.scratch.clear();
        row.mark(&mut batch.scratch);
        mark(batch, Target::Fetches, batch.fetches.len(), e.common.time, origin);
        batch.fetches.push(&row);
        Ok(None)
    }

    fn attempt(&mut self, e: &Attempt<'_>, origin: Origin<'_>, batch: &mut Batch) {
        let url = self.url(&e.common);
        let url = url.as_deref();
        let agent = self.agent(&e.common, url);
        let operation = e.method.as_deref().map(Operation::of);
        let outcome = recorded_outcome(e.outcome.as_ref(), origin, batch);
        let task_state =
            e.task_state.as_ref().map(|state| state_of(state, "/task_state", origin, batch));
        let admitted_under = hash_of(e.admitted_under.as_ref(), "/admitted_under", origin, batch);
        let modes = e
            .accepted_output_modes
            .as_ref()
            .map(|modes| modes.iter().map(AsRef::as_ref).collect::<Vec<&str>>());
        let references = e
            .reference_task_ids
            .as_ref()
            .map(|ids| ids.iter().map(AsRef::as_ref).collect::<Vec<&str>>());
        let grpc_status = e.grpc_status.as_deref().map(grpc_name);
        let streams = e.stream == Some(true) || operation.is_some_and(Operation::is_streaming);
        let row = AttemptRow {
            time: e.common.time,
            time_from: e.common.time_from.as_str(),
            end_time: e.end_time,
            client: e.common.client.as_deref(),
            agent: agent.as_deref(),
            url: url.map(UrlFacts::base),
            method: e.method.as_deref(),
            push_config: operation.is_some_and(Operation::is_push_config),
            era: Era::of(e.protocol_version.as_deref(), e.method.as_deref()).as_str(),
            task_id: e.task_id.as_deref(),
            context_id: e.context_id.as_deref(),
            skill_id: e.skill_id.as_deref(),
            admitted_under: admitted_under.as_deref(),
            accepted_output_modes: modes.as_deref(),
            stream: e.stream,
            push: e.push,
            outcome_recorded: outcome.map(Outcome::as_str),
            rpc_code: e.rpc_code.or_else(|| e.error_reason.as_deref().and_then(error_name::code)),
            error_reason: e.error_reason.as_deref(),
            http_status: e.http_status,
            grpc_status: grpc_status.as_deref(),
            transport_error: e.transport_error.is_some(),
            opened: streams && e.http_status.is_some_and(|status| (200..300).contains(&status)),
            broke: e.broke,
            task_state,
            error: e.error.as_deref().or(e.transport_error.as_deref()),
            reference_task_ids: references.as_deref(),
            trace_id: e.common.trace_id.as_deref(),
            span_id: e.common.span_id.as_deref(),
            seen_by: origin.seen_by,
            source_file: origin.source,
            source_line: signed(origin.at.line),
            source_byte: signed(origin.at.byte),
        };
        batch.scratch.clear();
        row.mark(&mut batch.scratch);
        // Not in the row, but in the model.
        extra(
            batch,
            &[e.protocol_version.as_deref(), e.transport_error.as_deref(), e.error.as_deref()],
        );
        mark(batch, Target::Attempts, batch.attempts.len(), e.common.time, origin);
        batch.attempts.push(&row);
    }

    fn status(&mut self, e: &TaskStatus<'_>, origin: Origin<'_>, batch: &mut Batch) {
        let url = self.url(&e.common);
        let url = url.as_deref();
        let agent = self.agent(&e.common, url);
        let state = state_of(&e.state, "/state", origin, batch);
        let admitted_under = hash_of(e.admitted_under.as_ref(), "/admitted_under", origin, batch);
        let row = TaskEventRow {
            time: e.common.time,
            time_from: e.common.time_from.as_str(),
            client: e.common.client.as_deref(),
            agent: agent.as_deref(),
            url: url.map(UrlFacts::base),
            task_id: &e.task_id,
            context_id: e.context_id.as_deref(),
            state,
            admitted_under: admitted_under.as_deref(),
            trace_id: e.common.trace_id.as_deref(),
            span_id: e.common.span_id.as_deref(),
            seen_by: origin.seen_by,
            source_file: origin.source,
            source_line: signed(origin.at.line),
            source_byte: signed(origin.at.byte),
        };
        batch.scratch.clear();
        row.mark(&mut batch.scratch);
        mark(batch, Target::Statuses, batch.statuses.len(), e.common.time, origin);
        batch.statuses.push(&row);
    }

    fn artifact(&mut self, e: &Artifact<'_>, origin: Origin<'_>, batch: &mut Batch) {
        let url = self.url(&e.common);
        let url = url.as_deref();
        let agent = self.agent(&e.common, url);
        let hashes = Hashes::of(&e.payload);
        if e.payload.json.as_deref().is_some_and(repeats_a_key) {
            note(batch, origin, Kind::DuplicateKeys, "/payload", "");
        }
        let media_base = e.media_type.as_deref().and_then(media::base);
        let digest = e.digest.as_deref().and_then(digest_hex);
        let payload = if self.rules.keep_payloads { kept_payload(e) } else { None };
        let payload = payload.as_deref().map(|text| self.rules.redactor.json(text));
        let row = ArtifactRow {
            time: e.common.time,
            time_from: e.common.time_from.as_str(),
            client: e.common.client.as_deref(),
            agent: agent.as_deref(),
            url: url.map(UrlFacts::base),
            task_id: &e.task_id,
            artifact_id: &e.artifact_id,
            context_id: e.context_id.as_deref(),
            media_type: e.media_type.as_deref(),
            media_base: media_base.as_deref(),
            schema_stated: e.schema.as_ref().map(|(_, stated)| stated.as_ref()),
            schema_normalised: e.schema.as_ref().and_then(|(_, stated)| version::normalise(stated)),
            schema_rule: e.schema.as_ref().map(|(rule, _)| i64::from(*rule)),
            digest: e.digest.as_deref(),
            digest_sha256: digest.as_deref(),
            digest_check: e.digest_check,
            append: e.append,
            last_chunk: e.last_chunk,
            has_payload: e.payload.is_recorded(),
            text_sha256: hashes.text.as_deref(),
            json_sha256: hashes.json.as_deref(),
            bytes_sha256: hashes.bytes.as_deref(),
            run_text_sha256: None,
            run_json_sha256: None,
            run_bytes_sha256: None,
            payload_size_bytes: size_bytes(&e.payload),
            payload: payload.as_deref(),
            disposition: e.disposition.as_deref(),
            trace_id: e.common.trace_id.as_deref(),
            span_id: e.common.span_id.as_deref(),
            ingest: self.rules.ingest,
            seen_by: origin.seen_by,
            source_file: origin.source,
            source_line: signed(origin.at.line),
            source_byte: signed(origin.at.byte),
            source_event: i64::from(origin.event),
        };
        batch.scratch.clear();
        row.mark(&mut batch.scratch);
        if e.append {
            let piece = Piece::appended(&row, &e.payload, origin.number);
            mark(batch, Target::Appended, batch.appended.len(), e.common.time, origin);
            batch.appended.push(piece);
            return;
        }
        let contradicted = contradicts(digest.as_deref(), e.digest_check, &hashes);
        if e.last_chunk && contradicted {
            note(batch, origin, Kind::DigestContradicted, "/digest_check", "");
        }
        let number = batch.artifacts.len();
        mark(batch, Target::Artifacts, number, e.common.time, origin);
        batch.artifacts.push(&row);
        if !e.last_chunk {
            // Another record may append to it.
            let piece = Piece::begun(&row, &e.payload, origin.number, contradicted);
            batch.begun.push((u32::try_from(number).unwrap_or(u32::MAX), piece));
        }
    }
}

/// Whether a recorded check says another thing than the computed hashes.
pub fn contradicts(digest: Option<&str>, check: Option<bool>, hashes: &Hashes) -> bool {
    match (digest, check) {
        (Some(digest), Some(check)) if !hashes.is_empty() => hashes.holds(digest) != check,
        _ => false,
    }
}

fn mark(batch: &mut Batch, target: Target, row: usize, time: i64, origin: Origin<'_>) {
    // The tables part the kinds of events; the hash must, too.
    batch.scratch.push(target as u8);
    batch.marks.push(Mark {
        time,
        hash: xxh3_64(&batch.scratch),
        target,
        row: u32::try_from(row).unwrap_or(u32::MAX),
        record: origin.record,
    });
}

fn extra(batch: &mut Batch, texts: &[Option<&str>]) {
    for text in texts {
        batch.scratch.push(u8::from(text.is_some()));
        let text = text.unwrap_or_default();
        batch.scratch.extend_from_slice(&(text.len() as u64).to_le_bytes());
        batch.scratch.extend_from_slice(text.as_bytes());
    }
}

fn note(
    batch: &mut Batch,
    origin: Origin<'_>,
    kind: Kind,
    pointer: &str,
    detail: impl Into<Cow<'static, str>>,
) {
    batch.problem(origin.source, &Problem::new(kind, origin.at, detail).pointing(pointer));
}

fn note_card(e: &CardFetch<'_>, seen: &Seen, origin: Origin<'_>, batch: &mut Batch) {
    match seen {
        Seen::BadHash => note(batch, origin, Kind::BadHash, "/card_sha256", ""),
        Seen::BadText => {
            note(batch, origin, Kind::BadField, "/card", "its text cannot be unescaped");
        }
        Seen::Body(known) => {
            if let Some(why) = &known.not_a_card {
                note(batch, origin, Kind::NotACard, "", why.clone());
            } else if matches!(e.card, CardSeen::Object(_)) {
                note(batch, origin, Kind::CardObject, "/card", "");
            }
            if known.repeats_a_key {
                note(batch, origin, Kind::DuplicateKeys, "/card", "");
            }
        }
        Seen::TooMany(_) => note(batch, origin, Kind::TooManyNames, "/card", "cards"),
        Seen::Unknown | Seen::Hash(_) => {}
    }
}

/// An `ETag` for weak comparison.
fn weak(etag: &str) -> &str {
    etag.strip_prefix("W/").unwrap_or(etag)
}

fn state_of(text: &Text<'_>, pointer: &str, origin: Origin<'_>, batch: &mut Batch) -> &'static str {
    let Some(state) = TaskState::parse(text) else {
        note(batch, origin, Kind::UnknownState, pointer, format!("a text of {} bytes", text.len()));
        return TaskState::Unknown.as_str();
    };
    state.as_str()
}

fn hash_of<'e>(
    text: Option<&'e Text<'_>>,
    pointer: &str,
    origin: Origin<'_>,
    batch: &mut Batch,
) -> Option<Cow<'e, str>> {
    let text = text?;
    let hash = sha256_of(text);
    if hash.is_none() {
        note(batch, origin, Kind::BadHash, pointer, format!("a text of {} bytes", text.len()));
    }
    hash
}

fn recorded_outcome(
    text: Option<&Text<'_>>,
    origin: Origin<'_>,
    batch: &mut Batch,
) -> Option<Outcome> {
    let text = text?;
    let outcome = Outcome::parse(text);
    if outcome.is_none() {
        note(
            batch,
            origin,
            Kind::UnknownOutcome,
            "/outcome",
            format!("a text of {} bytes", text.len()),
        );
    }
    outcome
}

/// The digest in lower-case hex; empty when it claims to be a SHA-256 and is none.
fn digest_hex(text: &str) -> Option<Cow<'_, str>> {
    if let Some(plain) = text.strip_prefix("sha256:")
        && plain.len() == 64
        && plain.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    {
        return Some(Cow::Borrowed(plain));
    }
    match Digest::parse(text)? {
        Digest::Sha256(sha) => Some(Cow::Owned(hex(&sha))),
        Digest::Malformed => Some(Cow::Borrowed("")),
        Digest::UnknownAlgorithm => None,
    }
}

/// The payload as the column holds it: its text, else its JSON, else its file in base64.
fn kept_payload<'e>(e: &'e Artifact<'_>) -> Option<Cow<'e, str>> {
    use base64::Engine;
    let payload = &e.payload;
    let text = payload.text.as_deref().or(payload.json.as_deref()).map(Cow::Borrowed);
    let file =
        || Some(Cow::Owned(base64::prelude::BASE64_STANDARD.encode(payload.bytes.as_deref()?)));
    text.or_else(file)
}
/// What a unix time was likely counted in that was read as nanoseconds: as such it lies in 1970, but not
/// in a unit in which it lies within 2001 to 2286.
fn suspect_unit(nanos: i64) -> Option<&'static str> {
    match nanos {
        1_000_000_000..10_000_000_000 => Some("as seconds it would lie after 2001"),
        1_000_000_000_000..10_000_000_000_000 => Some("as milliseconds it would lie after 2001"),
        1_000_000_000_000_000..10_000_000_000_000_000 => {
            Some("as microseconds it would lie after 2001")
        }
        _ => None,
    }
}
