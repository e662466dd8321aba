//! Runs an ingest: one thread cuts, the others read; duplicates are settled in the order of chunks.

use super::account::{Account, Counts, Fates};
use super::batch::{Batch, Rows};
use super::cards::{CardTables, Shelf, Spot};
use super::dedup::{Event, Seen};
use super::discover::discover;
use super::error::IngestError;
use super::fold::{Fold, FoldRules, Origin};
use super::identity::Identities;
use super::open::{Failed, open};
use super::output::Output;
use super::runs::Pieces;
use super::split::{Chunk, SourceReader};
use super::worker::{Source, WaitingRecords, Worker};
use super::{IngestOptions, Ingested};
use crate::config::Config;
use crate::exchange::join::Joiner;
use crate::formats::{self, Context, Format};
use crate::problem::{At, Kind, Problem};
use crate::tables::{
    Artifacts, CardInterfaces, CardModes, CardSchemas, CardSkills, Cards, Dataset, Folder,
    Problems, Sources,
};
use std::collections::BTreeMap;
use std::io;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Rows of the tables that one thread fills at the end before they are written.
const ROWS_AT_ONCE: usize = 16 << 10;

/// A chunk on its way to a thread.
struct Job {
    /// Its number among all chunks of all sources.
    ticket: u64,
    source: Arc<Source>,
    format: &'static dyn Format,
    chunk: Chunk,
}

/// What is settled in the order of chunks.
#[derive(Debug, Default)]
struct Gate {
    next: u64,
    /// A thread failed, and nothing more will be settled.
    failed: bool,
    seen: Seen,
    pieces: Pieces,
    fates: BTreeMap<u32, Fates>,
    waiting: WaitingRecords,
}

#[derive(Debug, Default)]
struct Turnstile {
    gate: Mutex<Gate>,
    moved: Condvar,
}

impl Turnstile {
    fn lock(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a chunk's turn; `None`: a thread failed.
    fn turn(&self, ticket: u64) -> Option<MutexGuard<'_, Gate>> {
        let mut gate = self.lock();
        while gate.next != ticket && !gate.failed {
            gate = self.moved.wait(gate).unwrap_or_else(PoisonError::into_inner);
        }
        (!gate.failed).then_some(gate)
    }

    fn fail(&self) {
        self.lock().failed = true;
        self.moved.notify_all();
    }
}

/// Ingests what the arguments name (files, folders, globs, `-`) into Parquet in memory, or in a private
/// folder when there is much of it.
pub fn ingest(
    inputs: &[String],
    config: &Config,
    options: &IngestOptions,
) -> Result<Ingested, IngestError> {
    let folder = Arc::new(Folder::scratch());
    let mut ingested = ingest_into(&folder, inputs, config, options)?;
    if let Some(made) = folder.made() {
        ingested.tables.keep(made);
    }
    Ok(ingested)
}

/// The same into files of a folder.
pub(crate) fn ingest_into(
    folder: &Arc<Folder>,
    inputs: &[String],
    config: &Config,
    options: &IngestOptions,
) -> Result<Ingested, IngestError> {
    let forced = options.input_format.as_deref().map(named).transpose()?;
    let identities = Identities::new(config);
    let shelf = Shelf::new(config, &identities, |text| (text.to_owned(), false));
    let rules =
        FoldRules { identities: &identities, shelf: &shelf, keep_payloads: options.keep_payloads };
    let context = Context { config, assume_zone: options.assume_zone.as_ref(), source: None };
    let joiner = Joiner::new(config, options.assume_zone.as_ref());
    let turnstile = Turnstile::default();
    let threads = match options.threads {
        0 => thread::available_parallelism().map_or(1, NonZero::get),
        threads => threads,
    };
    let (sender, receiver) = sync_channel(threads);
    let receiver = Mutex::new(receiver);
    let mut cutter = Cutter { options, context: &context, forced, read: Read::default() };
    let parts = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|number| {
                let output = Output::new(folder, format!("{number}"));
                let worker = Worker::new(&context, &joiner, &rules);
                let (receiver, turnstile) = (&receiver, &turnstile);
                scope.spawn(move || {
                    let result = work(worker, output, receiver, turnstile);
                    if result.is_err() {
                        turnstile.fail();
                        // Who cuts must not wait for a thread that is gone.
                        while next_job(receiver).is_some() {}
                    }
                    result
                })
            })
            .collect();
        cutter.cut(inputs, &sender);
        drop(sender);
        workers
            .into_iter()
            .map(|w| w.join().unwrap_or_else(|_| Err(gone())))
            .collect::<Result<Vec<_>, _>>()
    })?;
    let Read { sources, unreadable, mut problems } = cutter.read;
    let mut tables = Dataset::default();
    let mut counts = Counts::new();
    for (part, of_part) in parts {
        tables.extend(part);
        for (kind, count) in of_part {
            *counts.entry(kind).or_default() += count;
        }
    }
    let gate = turnstile.gate.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut end = End {
        output: Output::new(folder, "end".to_owned()),
        batch: Batch::default(),
        records: Vec::new(),
        seen: gate.seen,
        pieces: gate.pieces,
        fates: gate.fates,
        waiting: gate.waiting,
        sources: &sources,
        counts,
    };
    end.exchanges(joiner, &rules)?;
    end.runs()?;
    let End { mut output, fates, mut counts, .. } = end;
    let names: Vec<String> = sources.iter().map(|(source, ..)| source.name.clone()).collect();
    write_cards(&mut output, shelf.rows(&names, |_| false))?;
    let mut accounts: Vec<Account> = sources
        .into_iter()
        .map(|(source, format, mut facts, counted)| {
            facts.records = counted.records();
            facts.blank = counted.blank();
            Account {
                fates: fates.get(&source.number).copied().unwrap_or_default(),
                source: source.name.clone(),
                format,
                facts,
            }
        })
        .collect();
    accounts.sort_by(|a, b| a.source.cmp(&b.source));
    for account in &accounts {
        problems.extend(account.facts.problems.iter().map(|p| (account.source.clone(), p.clone())));
        if !account.adds_up() {
            let detail = format!(
                "{} records read, but fates {:?}, {} blank",
                account.facts.records, account.fates, account.facts.blank
            );
            problems.push((
                account.source.clone(),
                Problem::new(Kind::Internal, At::default(), detail),
            ));
        }
    }
    problems.extend(unreadable.iter().cloned());
    write_sources(&mut output, &accounts)?;
    write_problems(&mut output, &problems, &mut counts)?;
    tables.extend(output.finish()?);
    Ok(Ingested { tables, accounts, unreadable, problems: counts })
}

fn named(name: &str) -> Result<&'static dyn Format, IngestError> {
    let found = formats::ALL.iter().find(|format| format.name() == name);
    found.copied().ok_or_else(|| IngestError::UnknownFormat(name.to_owned()))
}

fn gone() -> IngestError {
    IngestError::Write("a thread stopped without a word".to_owned())
}

fn next_job(receiver: &Mutex<Receiver<Job>>) -> Option<Job> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// One thread: takes chunks until there are none.
fn work(
    mut worker: Worker<'_>,
    mut output: Output,
    receiver: &Mutex<Receiver<Job>>,
    turnstile: &Turnstile,
) -> Result<(Dataset, Counts), IngestError> {
    let mut events: Vec<Event> = Vec::new();
    let mut duplicate: Vec<bool> = Vec::new();
    while let Some(job) = next_job(receiver) {
        let mut fates = worker.chunk(&job.source, job.format, &job.chunk)?;
        drop(job.chunk);
        events.clear();
        events.extend(worker.batch().marks.iter().map(|mark| (mark.time, mark.hash)));
        duplicate.clear();
        duplicate.resize(events.len(), false);
        let rows = {
            let Some(mut gate) = turnstile.turn(job.ticket) else { break };
            let gate = &mut *gate;
            gate.seen.add(&events, &mut duplicate)?;
            worker.settle_all(&job.source, &duplicate, &mut fates, &mut gate.waiting);
            gate.fates.entry(job.source.number).or_default().add(&fates);
            let rows = finish(worker.batch(), &duplicate, &mut gate.pieces)?;
            gate.next += 1;
            rows
        };
        turnstile.moved.notify_all();
        output.write_rows(&rows)?;
    }
    Ok((output.finish()?, worker.counts))
}

fn finish(batch: &mut Batch, duplicate: &[bool], pieces: &mut Pieces) -> Result<Rows, IngestError> {
    let mut rows = batch.finish(duplicate)?;
    pieces.push(std::mem::take(&mut rows.pieces))?;
    Ok(rows)
}

/// A source, its format, what is known of it, and what was counted in it when all chunks were looked
/// through: that may be after it was read.
type ReadSource =
    (Arc<Source>, Option<&'static str>, super::split::SourceFacts, Arc<super::split::Counts>);

/// What the cutting thread knows at the end.
#[derive(Debug, Default)]
struct Read {
    sources: Vec<ReadSource>,
    unreadable: Vec<(String, Problem)>,
    problems: Vec<(String, Problem)>,
}

/// Finds, opens and cuts the sources.
struct Cutter<'c> {
    options: &'c IngestOptions,
    context: &'c Context<'c>,
    forced: Option<&'static dyn Format>,
    read: Read,
}

impl Cutter<'_> {
    fn cut(&mut self, inputs: &[String], sender: &SyncSender<Job>) {
        let found = discover(inputs);
        self.read.unreadable.extend(found.problems);
        let mut ticket = 0;
        for source in &found.sources {
            for content in open(source, &self.options.limits) {
                match content {
                    Ok(reader) => self.source(reader, &mut ticket, sender),
                    Err(Failed { name, problem }) => self.read.unreadable.push((name, problem)),
                }
            }
        }
    }

    fn source(&mut self, mut reader: SourceReader, ticket: &mut u64, sender: &SyncSender<Job>) {
        let number = u32::try_from(self.read.sources.len()).unwrap_or(u32::MAX);
        let source = Arc::new(Source { number, name: reader.name().to_owned() });
        let format = match self.forced {
            Some(format) => Some(format),
            None => self.recognised(&source.name, reader.head()),
        };
        if let Some(format) = format {
            for chunk in reader.chunks(format.framing()) {
                let job = Job { ticket: *ticket, source: Arc::clone(&source), format, chunk };
                if sender.send(job).is_err() {
                    break;
                }
                *ticket += 1;
            }
        }
        let counts = reader.counts();
        self.read.sources.push((source, format.map(Format::name), reader.finish(), counts));
    }

    /// The first reader that knows the source.
    fn recognised(&mut self, name: &str, head: &[u8]) -> Option<&'static dyn Format> {
        if head.is_empty() {
            return None;
        }
        let mut why = Vec::new();
        let context = Context { source: Some(name), ..*self.context };
        for format in formats::ALL {
            match format.recognises(head, &context) {
                Ok(()) => return Some(*format),
                Err(reason) => why.push(format!("{}: {reason}", format.name())),
            }
        }
        let problem = Problem::new(Kind::UnknownFormat, At::default(), why.join("; "));
        self.read.problems.push((name.to_owned(), problem));
        None
    }
}

/// What is done when all sources are read.
struct End<'e> {
    output: Output,
    batch: Batch,
    /// The records whose events lie in `batch`.
    records: Vec<Spot>,
    seen: Seen,
    pieces: Pieces,
    fates: BTreeMap<u32, Fates>,
    waiting: WaitingRecords,
    sources: &'e [ReadSource],
    counts: Counts,
}

impl End<'_> {
    /// Joins the exchanges, and folds what they say.
    fn exchanges(&mut self, joiner: Joiner, rules: &FoldRules<'_>) -> Result<(), IngestError> {
        if joiner.is_empty() {
            return Ok(());
        }
        let numbers: BTreeMap<&str, u32> =
            self.sources.iter().map(|(s, ..)| (s.name.as_str(), s.number)).collect();
        let mut fold = Fold::new(rules);
        for joined in joiner.finish() {
            let joined = joined?;
            let source: &str = &joined.place.source;
            let number = numbers.get(source).copied().unwrap_or_default();
            let at = joined.place.at;
            if self.records.last() != Some(&(number, at)) {
                if self.batch.marks.len() + self.batch.problems.len() > ROWS_AT_ONCE {
                    self.settle()?;
                }
                self.records.push((number, at));
            }
            let record = u32::try_from(self.records.len() - 1).unwrap_or(u32::MAX);
            for problem in &joined.problems {
                self.problem(source, problem);
            }
            let seen_by = joined.seen_by();
            let seen_by: Vec<&str> = seen_by.iter().map(AsRef::as_ref).collect();
            let seen_by = (!seen_by.is_empty()).then_some(seen_by.as_slice());
            let origin = Origin { source, number, at, record, seen_by };
            for event in &joined.events {
                if let Err(problem) = fold.event(event, origin, &mut self.batch) {
                    self.problem(source, &problem);
                }
            }
        }
        self.settle()
    }

    fn problem(&mut self, source: &str, problem: &Problem) {
        *self.counts.entry(problem.kind).or_default() += 1;
        self.batch.problem(source, problem);
    }

    /// Finds the duplicates among the events of the batch, settles their records, and writes the rows.
    fn settle(&mut self) -> Result<(), IngestError> {
        let events: Vec<Event> =
            self.batch.marks.iter().map(|mark| (mark.time, mark.hash)).collect();
        let mut duplicate = vec![false; events.len()];
        self.seen.add(&events, &mut duplicate)?;
        // Of each record: its events, and those of them that are known.
        let mut counted = vec![(0_u32, 0_u32); self.records.len()];
        for (mark, duplicate) in self.batch.marks.iter().zip(&duplicate) {
            let place = mark.record as usize;
            let Some(&(source, _)) = self.records.get(place) else { continue };
            let fates = self.fates.entry(source).or_default();
            if *duplicate {
                fates.duplicate_events += 1;
            } else {
                fates.event_at(mark.time);
            }
            if let Some((events, known)) = counted.get_mut(place) {
                *events += 1;
                *known += u32::from(*duplicate);
            }
        }
        for (spot, (events, known)) in self.records.drain(..).zip(counted) {
            let waiting = self.waiting.remove(&spot).unwrap_or_default();
            let fates = self.fates.entry(spot.0).or_default();
            if waiting.events || events > known {
                continue;
            }
            if events == 0 {
                fates.without_events += 1;
                continue;
            }
            fates.duplicate += 1;
            let kept = if waiting.repaired { &mut fates.repaired } else { &mut fates.accepted };
            *kept = kept.saturating_sub(1);
        }
        let rows = finish(&mut self.batch, &duplicate, &mut self.pieces)?;
        Ok(self.output.write_rows(&rows)?)
    }

    /// Writes the records that append, now that all of their artifacts' records are known.
    fn runs(&mut self) -> Result<(), IngestError> {
        let mut by_sha256: Vec<(&str, u32)> =
            self.sources.iter().map(|(s, _, facts, _)| (facts.sha256.as_str(), s.number)).collect();
        by_sha256.sort_unstable();
        let ranks: BTreeMap<u32, u32> =
            by_sha256.into_iter().zip(0..).map(|((_, number), rank)| (number, rank)).collect();
        let names: BTreeMap<u32, &str> =
            self.sources.iter().map(|(s, ..)| (s.number, s.name.as_str())).collect();
        let mut artifacts = Artifacts::default();
        let mut batch = Batch::default();
        let (output, counts) = (&mut self.output, &mut self.counts);
        std::mem::take(&mut self.pieces).finish(
            |source| ranks.get(&source).copied().unwrap_or_default(),
            |row| {
                artifacts.push(row);
                if artifacts.len() < ROWS_AT_ONCE {
                    return Ok(());
                }
                let rows = artifacts.finish().map_err(io::Error::other)?;
                output.write(Artifacts::NAME, &rows).map_err(io::Error::other)
            },
            |source, problem| {
                *counts.entry(problem.kind).or_default() += 1;
                batch.problem(names.get(&source).copied().unwrap_or_default(), &problem);
            },
        )?;
        self.output.write(Artifacts::NAME, &artifacts.finish()?)?;
        Ok(self.output.write(Problems::NAME, &batch.problems.finish()?)?)
    }
}

fn write_cards(output: &mut Output, mut tables: CardTables) -> Result<(), IngestError> {
    output.write(Cards::NAME, &tables.cards.finish()?)?;
    output.write(CardSkills::NAME, &tables.skills.finish()?)?;
    output.write(CardModes::NAME, &tables.modes.finish()?)?;
    output.write(CardSchemas::NAME, &tables.schemas.finish()?)?;
    output.write(CardInterfaces::NAME, &tables.interfaces.finish()?)?;
    Ok(())
}

fn write_sources(output: &mut Output, accounts: &[Account]) -> Result<(), IngestError> {
    let mut sources = Sources::default();
    for account in accounts {
        sources.push(&account.row(0));
    }
    Ok(output.write(Sources::NAME, &sources.finish()?)?)
}

fn write_problems(
    output: &mut Output,
    all: &[(String, Problem)],
    counts: &mut Counts,
) -> Result<(), IngestError> {
    let mut batch = Batch::default();
    for (source, problem) in all {
        *counts.entry(problem.kind).or_default() += 1;
        batch.problem(source, problem);
    }
    Ok(output.write(Problems::NAME, &batch.problems.finish()?)?)
}
