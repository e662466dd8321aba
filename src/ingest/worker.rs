//! One thread's part: a chunk of records becomes rows.

use super::account::Fates;
use super::batch::Batch;
use super::cards::Spot;
use super::census::{Census, Tally};
use super::fold::{Fold, FoldRules, Origin};
use super::repair::Reading;
use super::split::{Chunk, Record};
use crate::event::Event;
use crate::exchange::Exchange;
use crate::exchange::join::Joiner;
use crate::formats::telemetry::sampling::SpanSeen;
use crate::formats::{self, Context, Format, Sink};
use crate::problem::{At, Kind, Problem, Severity};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

/// A source while its chunks are read.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its number in the order of names.
    pub number: u32,
    /// Its name.
    pub name: String,
}

/// What a record gave, as far as its fate needs it.
#[derive(Debug, Clone, Copy, Default)]
struct Given {
    events: u32,
    exchanges: u32,
    lost: bool,
    unreadable: bool,
}

/// A record kept so far.
#[derive(Debug, Clone, Copy)]
struct Kept {
    at: At,
    given: Given,
    repaired: bool,
}

/// A record whose exchanges are still to be joined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// It was repaired.
    pub repaired: bool,
    /// It has events of its own that are kept.
    pub events: bool,
    /// How many exchanges it holds that are no copies of others.
    pub exchanges: u32,
}

/// The records whose exchanges are still to be joined, by place.
pub type WaitingRecords = BTreeMap<Spot, Waiting>;

/// Makes rows of the chunks that one thread takes.
#[derive(Debug)]
pub struct Worker<'c> {
    context: &'c Context<'c>,
    joiner: &'c Joiner,
    census: &'c Census,
    fold: Fold<'c>,
    batch: Batch,
    tally: Tally,
    records: Vec<Kept>,
}

impl<'c> Worker<'c> {
    /// With nothing read yet.
    pub fn new(
        context: &'c Context<'c>,
        joiner: &'c Joiner,
        census: &'c Census,
        rules: &'c FoldRules<'c>,
    ) -> Self {
        Self {
            context,
            joiner,
            census,
            fold: Fold::new(rules),
            batch: Batch::default(),
            tally: Tally::default(),
            records: Vec::new(),
        }
    }

    /// Folds the records of a chunk into the batch. What was rejected is counted at once.
    pub fn chunk(
        &mut self,
        source: &Source,
        format: &dyn Format,
        chunk: &Chunk,
    ) -> io::Result<Fates> {
        let mut fates = Fates::default();
        // The journal's reader sees for itself that a key comes twice or a number is too large; others
        // build values, which pass over both in silence.
        let careful = chunk.holds_json() && format.name() != formats::journal::Journal.name();
        for record in chunk.records() {
            if let Some(text) = record.text.filter(|_| !careful) {
                let given =
                    self.read(source, format, text.as_bytes(), record.at, Mending::NotTried)?;
                if !given.unreadable {
                    self.keep(record.at, given, false, &mut fates);
                    continue;
                }
            }
            self.mend(source, format, chunk, &record, &mut fates)?;
        }
        self.census.add(source.number, &mut self.tally);
        Ok(fates)
    }

    /// Reads a record that a strict parser refused.
    fn mend(
        &mut self,
        source: &Source,
        format: &dyn Format,
        chunk: &Chunk,
        record: &Record<'_>,
        fates: &mut Fates,
    ) -> io::Result<()> {
        for piece in chunk.repair(record) {
            let repaired = piece.is_repaired();
            let mut problems = piece.problems;
            match piece.reading {
                Reading::Blank => {}
                Reading::Rejected => fates.rejected += 1,
                Reading::Readable(bytes) => {
                    let changed = matches!(bytes, Cow::Owned(_))
                        && problems.iter().any(|problem| CHANGES.contains(&problem.kind));
                    let mending = if changed { Mending::Changed } else { Mending::Harmless };
                    let given = self.read(source, format, &bytes, piece.at, mending)?;
                    self.keep(piece.at, given, repaired, fates);
                    if given.is_rejected() {
                        // What it was rejected for is told; that it was mended before helps nobody.
                        problems.clear();
                    }
                }
            }
            for problem in problems {
                self.problem(source, &problem);
            }
        }
        Ok(())
    }

    fn keep(&mut self, at: At, given: Given, repaired: bool, fates: &mut Fates) {
        if given.is_rejected() {
            fates.rejected += 1;
        } else {
            // Its number in the chunk is its place here.
            self.records.push(Kept { at, given, repaired });
        }
    }

    /// Reads one record. Before mending was tried, one that is no JSON leaves nothing behind.
    fn read(
        &mut self,
        source: &Source,
        format: &dyn Format,
        bytes: &[u8],
        at: At,
        mending: Mending,
    ) -> io::Result<Given> {
        let record = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
        let mut sink = RecordSink {
            origin: Origin {
                source: &source.name,
                number: source.number,
                at,
                record,
                event: 0,
                seen_by: None,
            },
            fold: &mut self.fold,
            batch: &mut self.batch,
            joiner: self.joiner,
            tally: &mut self.tally,
            given: Given::default(),
            problems: Vec::new(),
            failed: None,
            changed: mending == Mending::Changed,
        };
        let name = Some(source.name.as_str()).filter(|name| *name != "-");
        let context = Context { source: name, ..*self.context };
        format.parse(bytes, at, &context, &mut sink);
        let RecordSink { mut given, problems, failed, .. } = sink;
        if let Some(error) = failed {
            return Err(error);
        }
        given.unreadable = given.is_rejected() && problems.iter().any(|p| p.kind == Kind::NotJson);
        if !(mending == Mending::NotTried && given.unreadable) {
            for problem in problems {
                self.problem(source, &problem);
            }
        }
        Ok(given)
    }

    fn problem(&mut self, source: &Source, problem: &Problem) {
        self.batch.problem(&source.name, problem);
    }

    /// The rows so far, and what is known of their events.
    pub fn batch(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// Ends the chunk: counts what became of its records, now that it is known which of its events
    /// are duplicates. Records with exchanges are settled when those are joined.
    pub fn settle(
        &mut self,
        source: &Source,
        duplicate: &[bool],
        fates: &mut Fates,
        waiting: &mut WaitingRecords,
    ) {
        let mut known = vec![0_u32; self.records.len()];
        for (mark, duplicate) in self.batch.marks.iter().zip(duplicate) {
            if *duplicate {
                fates.duplicate_events += 1;
                if let Some(count) = known.get_mut(mark.record as usize) {
                    *count += 1;
                }
            } else {
                fates.event_at(mark.time);
            }
        }
        for (record, known) in self.records.drain(..).zip(known) {
            let given = record.given;
            if given.exchanges > 0 {
                let events = given.events > known;
                waiting.insert(
                    (source.number, record.at),
                    Waiting { repaired: record.repaired, events, exchanges: given.exchanges },
                );
            }
            if given.events > 0 && known == given.events && given.exchanges == 0 {
                fates.duplicate += 1;
                continue;
            }
            if record.repaired {
                fates.repaired += 1;
            } else {
                fates.accepted += 1;
            }
            fates.without_events += u64::from(given.events == 0 && given.exchanges == 0);
        }
    }
}

impl Given {
    fn is_rejected(self) -> bool {
        self.lost && self.events == 0 && self.exchanges == 0
    }
}

/// What was done to a record before it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mending {
    /// Nothing: it is tried as it stands.
    NotTried,
    /// Nothing that a reader would see.
    Harmless,
    /// A value in it is another one now.
    Changed,
}

/// Repairs that put another value in the place of the one that was sent: a digest of it cannot be checked.
const CHANGES: [Kind; 6] = [
    Kind::RepairedUtf8,
    Kind::RepairedSurrogate,
    Kind::RepairedEscape,
    Kind::RepairedNan,
    Kind::RepairedNumber,
    Kind::DuplicateKeys,
];

/// Takes what one record gives.
struct RecordSink<'w, 'c> {
    origin: Origin<'w>,
    fold: &'w mut Fold<'c>,
    batch: &'w mut Batch,
    joiner: &'c Joiner,
    tally: &'w mut Tally,
    given: Given,
    problems: Vec<Problem>,
    failed: Option<io::Error>,
    /// See [`Mending::Changed`].
    changed: bool,
}

impl Sink for RecordSink<'_, '_> {
    fn event(&mut self, at: At, mut event: Event<'_>) {
        let origin = Origin { at, event: self.given.events, ..self.origin };
        if let Event::Artifact(artifact) = &mut event
            && self.changed
            && artifact.payload.is_recorded()
        {
            artifact.payload.unknown = true;
        }
        match self.fold.event(&mut event, origin, self.batch) {
            Ok(None) => self.given.events += 1,
            Ok(Some(problem)) => self.problem(problem),
            Err(error) => self.failed = Some(error),
        }
    }

    fn exchange(&mut self, mut exchange: Exchange<'_>) {
        exchange.mended = self.changed;
        match self.joiner.add(self.origin.source, &exchange) {
            Ok(()) => self.given.exchanges += 1,
            Err(error) => self.failed = Some(error),
        }
    }

    fn problem(&mut self, problem: Problem) {
        self.given.lost |= problem.kind.severity() >= Severity::DataLoss;
        self.problems.push(problem);
    }

    fn span(&mut self, span: &SpanSeen<'_>) {
        self.tally.span(span);
    }
}
