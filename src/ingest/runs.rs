//! Artifacts that came in chunks: the hashes of what was received up to each chunk (model §6).
//!
//! The order is that of time, not of arrival, so the records wait in a spool until all is read, parted
//! by artifact so that each part fits into memory.

use super::batch::signed;
use super::fold::contradicts;
use super::payload::{Hashes, json_sha256, text_as_json_sha256};
use crate::a2a::digest::hex;
use crate::event::Payload;
use crate::exchange::spool::{Slot, Spool, damaged};
use crate::problem::{At, Kind, Problem};
use crate::tables::ArtifactRow;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use xxhash_rust::xxh3::xxh3_64;

/// One record of an artifact that may consist of several, encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Hash of the artifact's identity.
    pub artifact: u64,
    appends: bool,
    bytes: Vec<u8>,
}

impl Piece {
    /// A record that appends: its row is kept with it.
    pub fn appended(row: &ArtifactRow<'_>, payload: &Payload<'_>, source: u32) -> Self {
        let mut piece = Self::head(row, payload, source, true, false);
        encode_row(row, &mut Encoder(&mut piece.bytes));
        piece
    }

    /// A record that others may append to; its row is written already. `contradicted`: were it
    /// whole, its recorded check would contradict its digest.
    pub fn begun(
        row: &ArtifactRow<'_>,
        payload: &Payload<'_>,
        source: u32,
        contradicted: bool,
    ) -> Self {
        Self::head(row, payload, source, false, contradicted)
    }

    fn head(
        row: &ArtifactRow<'_>,
        payload: &Payload<'_>,
        source: u32,
        appends: bool,
        contradicted: bool,
    ) -> Self {
        let mut bytes = Vec::new();
        let mut e = Encoder(&mut bytes);
        e.text(row.agent.or(row.url).unwrap_or_default());
        e.text(row.task_id);
        e.text(row.artifact_id);
        let artifact =
            hash_of((row.agent.or(row.url).unwrap_or_default(), row.task_id, row.artifact_id));
        e.flag(appends);
        e.flag(contradicted);
        e.number(i64::from(source));
        e.number(row.time);
        e.maybe_text(row.client);
        e.number(row.source_line);
        e.number(row.source_byte);
        e.number(row.source_event);
        e.maybe_text(payload.text.as_deref());
        e.maybe_text(payload.json.as_deref());
        e.maybe_bytes(payload.bytes.as_deref());
        e.flag(payload.unknown);
        Self { artifact, appends, bytes }
    }
}

/// A piece as read back.
#[derive(Debug, Clone)]
struct Held<'b> {
    appends: bool,
    contradicted: bool,
    source: u32,
    time: i64,
    client: Option<&'b str>,
    at: At,
    event: i64,
    payload: Payload<'b>,
    /// The row of one that appends, still encoded.
    row: &'b [u8],
}

type Identity<'b> = (&'b str, &'b str, &'b str);

/// A hash of an artifact's identity.
fn hash_of((agent, task, artifact): Identity<'_>) -> u64 {
    let mut bytes = Vec::new();
    let mut e = Encoder(&mut bytes);
    e.text(agent);
    e.text(task);
    e.text(artifact);
    xxh3_64(&bytes)
}

fn decode(bytes: &[u8]) -> Option<(Identity<'_>, Held<'_>)> {
    let mut d = Decoder(bytes);
    let identity = (d.text()?, d.text()?, d.text()?);
    let piece = Held {
        appends: d.flag()?,
        contradicted: d.flag()?,
        source: u32::try_from(d.number()?).ok()?,
        time: d.number()?,
        client: d.maybe_text()?,
        at: At { line: u64::try_from(d.number()?).ok()?, byte: u64::try_from(d.number()?).ok()? },
        event: d.number()?,
        payload: Payload {
            text: d.maybe_text()?.map(Cow::Borrowed),
            json: d.maybe_text()?.map(Cow::Borrowed),
            bytes: d.maybe_bytes()?.map(Cow::Borrowed),
            unknown: d.flag()?,
        },
        row: d.0,
    };
    Some((identity, piece))
}

/// How many parts the artifacts fall into.
const PARTS: u64 = 64;

/// Bytes that wait before the parts move into the spool.
const WAITING_BYTES: usize = 8 << 20;

#[derive(Debug, Default)]
struct Part {
    waiting: Vec<u8>,
    spooled: Vec<Slot>,
}

/// All pieces of one ingest.
#[derive(Debug)]
pub struct Pieces {
    parts: Vec<Part>,
    spool: Spool,
    waiting: usize,
    artifacts: BTreeMap<u64, bool>,
}

impl Default for Pieces {
    fn default() -> Self {
        Self {
            parts: (0..PARTS).map(|_| Part::default()).collect(),
            spool: Spool::default(),
            waiting: 0,
            artifacts: BTreeMap::new(),
        }
    }
}

impl Pieces {
    /// Adds pieces. Errors when the temporary folder cannot be written.
    pub fn push(&mut self, pieces: Vec<Piece>) -> io::Result<()> {
        for piece in pieces {
            let part = usize::try_from(piece.artifact % PARTS).unwrap_or_default();
            let Some(part) = self.parts.get_mut(part) else { continue };
            *self.artifacts.entry(piece.artifact).or_default() |= piece.appends;
            Encoder(&mut part.waiting).bytes(&piece.bytes);
            self.waiting += piece.bytes.len();
        }
        if self.waiting > WAITING_BYTES {
            for part in &mut self.parts {
                part.spooled.push(self.spool.push(&part.waiting)?);
                part.waiting = Vec::new();
            }
            self.waiting = 0;
        }
        Ok(())
    }

    /// Takes out the artifacts that may consist of several records, and whether one appended.
    pub fn take_artifacts(&mut self) -> BTreeMap<u64, bool> {
        std::mem::take(&mut self.artifacts)
    }

    /// Computes the runs. `earlier`: artifacts of earlier ingests. `rank` orders the sources (by their SHA-256, model §1); `row` takes each row
    /// that appends, `problem` what is wrong with a record of a source (by its number).
    pub fn finish(
        mut self,
        earlier: &BTreeMap<u64, bool>,
        rank: impl Fn(u32) -> u32,
        mut row: impl FnMut(&ArtifactRow<'_>) -> io::Result<()>,
        mut problem: impl FnMut(u32, Problem),
    ) -> io::Result<()> {
        for part in self.parts {
            let mut bytes = Vec::new();
            for slot in part.spooled {
                bytes.extend_from_slice(&self.spool.read(slot)?);
            }
            bytes.extend_from_slice(&part.waiting);
            let mut artifacts: BTreeMap<Identity<'_>, Vec<Held<'_>>> = BTreeMap::new();
            let mut rest = Decoder(&bytes);
            while !rest.0.is_empty() {
                let found = rest.bytes().and_then(decode);
                let (identity, piece) = found.ok_or_else(damaged)?;
                artifacts.entry(identity).or_default().push(piece);
            }
            for (identity, mut pieces) in artifacts {
                pieces.sort_by_key(|p| {
                    (p.time, p.client.is_none(), p.client, rank(p.source), p.at.byte, p.event)
                });
                let known = earlier.get(&hash_of(identity));
                if known.is_some_and(|appended| *appended || pieces.iter().any(|p| p.appends))
                    && let Some(first) = pieces.first()
                {
                    problem(first.source, Problem::new(Kind::ChunksAcrossCommits, first.at, ""));
                }
                one_artifact(&pieces, &mut row, &mut problem)?;
            }
        }
        Ok(())
    }
}

/// All records of one artifact, in order.
fn one_artifact(
    pieces: &[Held<'_>],
    row: &mut impl FnMut(&ArtifactRow<'_>) -> io::Result<()>,
    problem: &mut impl FnMut(u32, Problem),
) -> io::Result<()> {
    let mut run: Option<Run<'_>> = None;
    for (index, piece) in pieces.iter().enumerate() {
        let next_appends = pieces.get(index + 1).is_some_and(|next| next.appends);
        if !piece.appends {
            run = Some(Run::default());
            if piece.contradicted && !next_appends {
                problem(piece.source, contradicted(piece.at));
            }
        }
        if let Some(run) = &mut run {
            run.add(&piece.payload);
        }
        if !piece.appends {
            continue;
        }
        let mut seen_by = Vec::new();
        let mut own = decode_row(piece.row, &mut seen_by).ok_or_else(damaged)?;
        let hashes =
            run.as_ref().map(|run| run.hashes(own.last_chunk || !next_appends)).unwrap_or_default();
        if (own.last_chunk || !next_appends)
            && contradicts(own.digest_sha256, own.digest_check, &hashes)
        {
            problem(piece.source, contradicted(piece.at));
        }
        own.run_text_sha256 = hashes.text.as_deref();
        own.run_json_sha256 = hashes.json.as_deref();
        own.run_bytes_sha256 = hashes.bytes.as_deref();
        row(&own)?;
    }
    Ok(())
}

fn contradicted(at: At) -> Problem {
    Problem::new(Kind::DigestContradicted, at, "").pointing("/digest_check")
}

/// A run of records: one that does not append, and those that append to it.
#[derive(Debug, Default)]
struct Run<'b> {
    text: Option<(String, Sha256)>,
    json: Option<&'b str>,
    file: Option<&'b [u8]>,
    /// A record without payload, or with more than can be told.
    unknown: bool,
}

impl<'b> Run<'b> {
    fn add(&mut self, payload: &'b Payload<'_>) {
        if !payload.is_recorded() || payload.unknown {
            self.unknown = true;
        }
        if let Some(text) = &payload.text {
            let (joined, hasher) = self.text.get_or_insert_default();
            joined.push_str(text);
            hasher.update(text.as_bytes());
        }
        if let Some(json) = &payload.json {
            self.unknown |= self.json.replace(json).is_some();
        }
        if let Some(file) = &payload.bytes {
            self.unknown |= self.file.replace(file).is_some();
        }
    }

    /// Of all records so far. Text is read as JSON only where the artifact may be whole: each time
    /// would take time with the square of its length.
    fn hashes(&self, may_be_whole: bool) -> Hashes {
        if self.unknown {
            return Hashes::default();
        }
        let joined = self.text.as_ref().filter(|_| may_be_whole);
        Hashes {
            text: self.text.as_ref().map(|(_, hasher)| hex(&hasher.clone().finalize())),
            json: match self.json {
                Some(json) => json_sha256(json),
                None => joined.and_then(|(text, _)| text_as_json_sha256(text)),
            },
            bytes: self.file.map(|file| hex(&Sha256::digest(file))),
        }
    }
}

struct Encoder<'v>(&'v mut Vec<u8>);

impl Encoder<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.0.extend_from_slice(bytes);
    }
    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }
    fn flag(&mut self, flag: bool) {
        self.0.push(u8::from(flag));
    }
    fn number(&mut self, number: i64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }
    fn maybe_bytes(&mut self, bytes: Option<&[u8]>) {
        self.flag(bytes.is_some());
        if let Some(bytes) = bytes {
            self.bytes(bytes);
        }
    }
    fn maybe_text(&mut self, text: Option<&str>) {
        self.maybe_bytes(text.map(str::as_bytes));
    }
    fn maybe_number(&mut self, number: Option<i64>) {
        self.flag(number.is_some());
        if let Some(number) = number {
            self.number(number);
        }
    }
}

struct Decoder<'b>(&'b [u8]);

#[expect(clippy::option_option, reason = "the outer one says whether it can be read")]
impl<'b> Decoder<'b> {
    fn take(&mut self, len: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }
    fn bytes(&mut self) -> Option<&'b [u8]> {
        let len = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
        self.take(usize::try_from(len).ok()?)
    }
    fn text(&mut self) -> Option<&'b str> {
        std::str::from_utf8(self.bytes()?).ok()
    }
    fn flag(&mut self) -> Option<bool> {
        Some(self.take(1)? == [1])
    }
    fn number(&mut self) -> Option<i64> {
        Some(i64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
    fn maybe_bytes(&mut self) -> Option<Option<&'b [u8]>> {
        if self.flag()? { Some(Some(self.bytes()?)) } else { Some(None) }
    }
    fn maybe_text(&mut self) -> Option<Option<&'b str>> {
        if self.flag()? { Some(Some(self.text()?)) } else { Some(None) }
    }
    fn maybe_number(&mut self) -> Option<Option<i64>> {
        if self.flag()? { Some(Some(self.number()?)) } else { Some(None) }
    }
    fn maybe_flag(&mut self) -> Option<Option<bool>> {
        Some(self.maybe_number()?.map(|number| number == 1))
    }
}

/// Writes a row down; the columns of the run are not known yet.
fn encode_row(row: &ArtifactRow<'_>, e: &mut Encoder<'_>) {
    e.number(row.time);
    e.text(row.time_from);
    for text in [row.client, row.agent, row.url] {
        e.maybe_text(text);
    }
    e.text(row.task_id);
    e.text(row.artifact_id);
    for text in [
        row.context_id,
        row.media_type,
        row.media_base,
        row.schema_stated,
        row.schema_normalised,
        row.digest,
        row.digest_sha256,
        row.text_sha256,
        row.json_sha256,
        row.bytes_sha256,
        row.payload,
        row.disposition,
        row.trace_id,
        row.span_id,
    ] {
        e.maybe_text(text);
    }
    e.number(row.ingest);
    e.maybe_number(row.schema_rule);
    e.maybe_number(row.digest_check.map(i64::from));
    e.maybe_number(row.payload_size_bytes);
    e.flag(row.last_chunk);
    e.flag(row.has_payload);
    e.maybe_number(row.seen_by.map(|names| signed(names.len() as u64)));
    for name in row.seen_by.unwrap_or_default() {
        e.text(name);
    }
    e.text(row.source_file);
    e.number(row.source_line);
    e.number(row.source_byte);
    e.number(row.source_event);
}

fn decode_row<'b>(bytes: &'b [u8], seen_by: &'b mut Vec<&'b str>) -> Option<ArtifactRow<'b>> {
    let mut d = Decoder(bytes);
    let (time, time_from) = (d.number()?, d.text()?);
    let (client, agent, url) = (d.maybe_text()?, d.maybe_text()?, d.maybe_text()?);
    let (task_id, artifact_id) = (d.text()?, d.text()?);
    let mut texts = [None; 14];
    for text in &mut texts {
        *text = d.maybe_text()?;
    }
    let [
        context_id,
        media_type,
        media_base,
        schema_stated,
        schema_normalised,
        digest,
        digest_sha256,
        text_sha256,
        json_sha256,
        bytes_sha256,
        payload,
        disposition,
        trace_id,
        span_id,
    ] = texts;
    let ingest = d.number()?;
    let schema_rule = d.maybe_number()?;
    let digest_check = d.maybe_flag()?;
    let payload_size_bytes = d.maybe_number()?;
    let (last_chunk, has_payload) = (d.flag()?, d.flag()?);
    let names = d.maybe_number()?;
    for _ in 0..names.unwrap_or_default() {
        seen_by.push(d.text()?);
    }
    Some(ArtifactRow {
        time,
        time_from,
        client,
        agent,
        url,
        task_id,
        artifact_id,
        context_id,
        media_type,
        media_base,
        schema_stated,
        schema_normalised,
        schema_rule,
        digest,
        digest_sha256,
        digest_check,
        append: true,
        last_chunk,
        has_payload,
        text_sha256,
        json_sha256,
        bytes_sha256,
        run_text_sha256: None,
        run_json_sha256: None,
        run_bytes_sha256: None,
        payload_size_bytes,
        payload,
        disposition,
        trace_id,
        span_id,
        ingest,
        seen_by: names.map(|_| seen_by.as_slice()),
        source_file: d.text()?,
        source_line: d.number()?,
        source_byte: d.number()?,
        source_event: d.number()?,
    })
}
