//! Runs an ingest: one thread cuts, the others read; duplicates are settled in the order of chunks.

use super::account::{Account, Counts, Fates};
use super::batch::Batch;
use super::before::{After, Before};
use super::cards::Shelf;
use super::census::Census;
use super::clocks::Sights;
use super::cutter::{Cut, Cutter, Job, ReadSource};
use super::dedup::{Earlier, Seen, ordered};
use super::ending::Ending;
use super::error::IngestError;
use super::fold::FoldRules;
use super::identity::Identities;
use super::output::{Output, without_problems_of};
use super::runs::Pieces;
use super::source::SourceFacts;
use super::worker::{WaitingRecords, Worker};
use super::{IngestOptions, Ingested};
use crate::config::Config;
use crate::exchange::join::Joiner;
use crate::formats::{self, Context, Format};
use crate::problem::{At, Kind, Problem};
use crate::tables::{Dataset, Folder};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// What is settled in the order of chunks.
struct Gate<'b> {
    next: u64,
    /// A thread failed, and nothing more will be settled.
    failed: bool,
    seen: Seen,
    earlier: &'b mut dyn Earlier,
}

/// What the threads add up, in any order.
#[derive(Debug, Default)]
struct Sum {
    pieces: Pieces,
    fates: BTreeMap<u32, Fates>,
    waiting: WaitingRecords,
}

/// Lets the chunks through in their order.
struct Turnstile<'b> {
    gate: Mutex<Gate<'b>>,
    moved: Condvar,
    sum: Mutex<Sum>,
    jobs: Mutex<Receiver<Job>>,
}

impl<'b> Turnstile<'b> {
    fn lock(&self) -> MutexGuard<'_, Gate<'b>> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a chunk's turn; `None`: a thread failed.
    fn turn(&self, ticket: u64) -> Option<MutexGuard<'_, Gate<'b>>> {
        let mut gate = self.lock();
        while gate.next != ticket && !gate.failed {
            gate = self.moved.wait(gate).unwrap_or_else(PoisonError::into_inner);
        }
        (!gate.failed).then_some(gate)
    }

    fn sum(&self) -> MutexGuard<'_, Sum> {
        self.sum.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_job(&self) -> Option<Job> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }
}

/// Tells the others when a thread stops before its time, and takes chunks in its place: who waits
/// for it, or for room to cut into, must not wait for ever.
struct Duty<'t, 'b> {
    turnstile: &'t Turnstile<'b>,
    done: bool,
}

impl Drop for Duty<'_, '_> {
    fn drop(&mut self) {
        if !self.done {
            self.turnstile.lock().failed = true;
            self.turnstile.moved.notify_all();
            while self.turnstile.next_job().is_some() {}
        }
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
    let (mut ingested, _) = ingest_into(&folder, inputs, config, options, &mut Before::default())?;
    if let Some(made) = folder.made() {
        ingested.tables.keep(made);
    }
    Ok(ingested)
}

/// The same into a folder that may have had ingests before.
pub(crate) fn ingest_into(
    folder: &Arc<Folder>,
    inputs: &[String],
    config: &Config,
    options: &IngestOptions,
    before: &mut Before,
) -> Result<(Ingested, After), IngestError> {
    let forced = options.input_format.as_deref().map(named).transpose()?;
    let identities = Identities::new(config);
    let redactor = before.redactor.clone();
    let shelf = Shelf::new(config, &identities, &redactor, options.max_cards);
    let rules = FoldRules {
        identities: &identities,
        shelf: &shelf,
        redactor: &redactor,
        keep_payloads: options.keep_payloads,
        ingest: before.ingest,
    };
    let context = Context { config, assume_zone: options.assume_zone.as_ref(), source: None };
    let joiner = Joiner::new(config, options.assume_zone.as_ref());
    let census = Census::default();
    let threads = match options.threads {
        0 => thread::available_parallelism().map_or(1, NonZero::get),
        threads => threads,
    };
    let (sender, receiver) = sync_channel(threads);
    // What was known is asked of by the threads, and its other parts by the one that cuts.
    let mut earlier = std::mem::replace(&mut before.events, Box::new(super::dedup::Nothing));
    let turnstile = Turnstile {
        gate: Mutex::new(Gate {
            next: 0,
            failed: false,
            seen: Seen::default(),
            earlier: &mut *earlier,
        }),
        moved: Condvar::new(),
        sum: Mutex::default(),
        jobs: Mutex::new(receiver),
    };
    let mut cutter = Cutter { options, context: &context, forced, before, cut: Cut::default() };
    let parts = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|number| {
                let output = Output::new(folder, format!("{number}"));
                let worker = Worker::new(&context, &joiner, &census, &rules);
                let turnstile = &turnstile;
                scope.spawn(move || work(worker, output, turnstile))
            })
            .collect();
        cutter.cut(inputs, &sender);
        drop(sender);
        workers
            .into_iter()
            .map(|w| w.join().unwrap_or_else(|_| Err(IngestError::gone())))
            .collect::<Result<Vec<_>, _>>()
    })?;
    let Cut { sources, unreadable, mut problems, mut skipped } = cutter.cut;
    let mut tables = Dataset::default();
    let mut counts = Counts::new();
    for (part, of_part) in parts {
        tables.extend(part);
        for (kind, count) in of_part {
            *counts.entry(kind).or_default() += count;
        }
    }
    let seen = turnstile.gate.into_inner().unwrap_or_else(PoisonError::into_inner).seen;
    let Sum { mut pieces, fates, waiting } =
        turnstile.sum.into_inner().unwrap_or_else(PoisonError::into_inner);
    before.events = earlier;
    let mut end = Ending {
        output: Output::new(folder, "end".to_owned()),
        batch: Batch { counts, ..Batch::default() },
        records: Vec::new(),
        seen,
        fates,
        clocks: Sights::default(),
        waiting,
        sources: &sources,
        before,
    };
    end.exchanges(joiner, &rules, &mut pieces)?;
    let artifacts = pieces.take_artifacts();
    end.runs(pieces)?;
    end.cards(shelf)?;
    let spans = census.finish();
    let mut accounts = Vec::new();
    let mut late = BTreeSet::new();
    for ReadSource { source, format, facts, counts } in &sources {
        let facts =
            SourceFacts { records: counts.records(), blank: counts.blank(), ..facts.clone() };
        let fates = end.fates.get(&source.number).copied().unwrap_or_default();
        let spans = spans.get(&source.number).copied().unwrap_or_default();
        let account = Account { source: source.name.clone(), format: *format, facts, fates, spans };
        problems.extend(account.problems().map(|problem| (account.source.clone(), problem)));
        match end.before.sources.get(&account.facts.sha256) {
            // It was stored in another form (recompressed, say), or came through a pipe.
            Some(known_as) if account.facts.content_bytes > 0 => {
                late.insert(account.source.clone());
                skipped.push((account.source, known_as.clone()));
            }
            _ => accounts.push(account),
        }
    }
    accounts.sort_by(|a, b| a.source.cmp(&b.source));
    problems.extend(unreadable.iter().cloned());
    end.sources(&accounts, &problems)?;
    let Ending { output, batch: Batch { mut counts, .. }, seen, .. } = end;
    tables.extend(output.finish()?);
    if !late.is_empty() {
        let dropped = without_problems_of(&mut tables, folder, &late)?;
        counts.retain(|kind, count| {
            *count -= dropped.get(kind.code()).copied().unwrap_or_default().min(*count);
            *count > 0
        });
    }
    skipped.sort();
    let ingested = Ingested { tables, accounts, unreadable, skipped, problems: counts };
    Ok((ingested, After { events: seen, artifacts }))
}

fn named(name: &str) -> Result<&'static dyn Format, IngestError> {
    let found = formats::ALL.iter().find(|format| format.name() == name);
    found.copied().ok_or_else(|| IngestError::UnknownFormat(name.to_owned()))
}

/// One thread: takes chunks until there are none.
fn work(
    mut worker: Worker<'_>,
    mut output: Output,
    turnstile: &Turnstile<'_>,
) -> Result<(Dataset, Counts), IngestError> {
    let mut duty = Duty { turnstile, done: false };
    let mut duplicate: Vec<bool> = Vec::new();
    while let Some(job) = turnstile.next_job() {
        let mut fates = worker.chunk(&job.source, job.format, &job.chunk)?;
        drop(job.chunk);
        let events = ordered(worker.batch().marks.iter().map(|mark| (mark.time, mark.hash)));
        duplicate.clear();
        duplicate.resize(events.len(), false);
        let Some(mut gate) = turnstile.turn(job.ticket) else { break };
        let Gate { seen, earlier, next, .. } = &mut *gate;
        seen.add(&events, &mut duplicate, *earlier)?;
        *next += 1;
        drop(gate);
        turnstile.moved.notify_all();
        {
            let mut sum = turnstile.sum();
            worker.settle(&job.source, &duplicate, &mut fates, &mut sum.waiting);
            sum.fates.entry(job.source.number).or_default().add(&fates);
        }
        let mut rows = worker.batch().finish(&duplicate)?;
        if !rows.pieces.is_empty() {
            turnstile.sum().pieces.push(std::mem::take(&mut rows.pieces))?;
        }
        output.write_rows(&rows)?;
    }
    let done = (output.finish()?, std::mem::take(&mut worker.batch().counts));
    // When another thread failed, chunks are still taken until there are none.
    duty.done = !turnstile.lock().failed;
    Ok(done)
}

impl Account {
    /// What was wrong with the source as such; that its records and their fates differ, too.
    fn problems(&self) -> impl Iterator<Item = Problem> {
        let contradiction = (!self.adds_up()).then(|| {
            let detail = format!(
                "{} records read, {} of them blank, but fates {:?}",
                self.facts.records, self.facts.blank, self.fates
            );
            Problem::new(Kind::Internal, At::default(), detail)
        });
        self.facts.problems.iter().cloned().chain(contradiction)
    }
}
