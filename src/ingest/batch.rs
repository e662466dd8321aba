//! The rows of one chunk of records, before it is known which of its events are duplicates.

use super::account::Counts;
use super::runs::Piece;
use crate::problem::Problem;
use crate::tables::{Artifacts, Attempts, CardFetches, ProblemRow, Problems, TaskEvents};
use arrow::array::{BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;
use arrow::error::ArrowError;

/// The tables that a chunk fills, and what waits for the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// `card_fetches`.
    Fetches,
    /// `attempts`.
    Attempts,
    /// `task_events`.
    Statuses,
    /// `artifacts`.
    Artifacts,
    /// An artifact's record that appends: its row is made at the end.
    Appended,
}

/// One event of the chunk, as far as duplicates need it.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    /// The event's time: equal events have equal times.
    pub time: i64,
    /// Over all fields of the model.
    pub hash: u64,
    /// Where its row is.
    pub target: Target,
    /// The row's number there.
    pub row: u32,
    /// The record's number in the chunk.
    pub record: u32,
}

/// Rows of one chunk.
#[derive(Debug, Default)]
pub struct Batch {
    /// `card_fetches`.
    pub fetches: CardFetches,
    /// `attempts`.
    pub attempts: Attempts,
    /// `task_events`.
    pub statuses: TaskEvents,
    /// `artifacts`.
    pub artifacts: Artifacts,
    /// `problems`.
    pub problems: Problems,
    /// Artifacts that append.
    pub appended: Vec<Piece>,
    /// Artifacts that others may append to: the number of the row in `artifacts`.
    pub begun: Vec<(u32, Piece)>,
    /// The events, in order.
    pub marks: Vec<Mark>,
    /// Scratch for hashing.
    pub scratch: Vec<u8>,
    /// All problems ever added, by kind.
    pub counts: Counts,
}

impl Batch {
    /// Adds a problem of a record of `source`.
    pub fn problem(&mut self, source: &str, problem: &Problem) {
        *self.counts.entry(problem.kind).or_default() += 1;
        self.problems.push(&ProblemRow {
            source_file: source,
            source_line: signed(problem.at.line),
            source_byte: signed(problem.at.byte),
            code: problem.kind.code(),
            severity: problem.kind.severity().as_str(),
            kind: problem.kind.title(),
            pointer: &problem.pointer,
            detail: &problem.detail,
        });
    }

    /// Ends the chunk: the rows whose events are no duplicates, by table; the batch is empty again.
    /// `duplicate` tells for each of the marks.
    pub fn finish(&mut self, duplicate: &[bool]) -> Result<Rows, ArrowError> {
        let any = duplicate.contains(&true);
        let keep = |target: Target, rows: usize| {
            any.then(|| {
                let mut keep = vec![true; rows];
                for (mark, _) in
                    self.marks.iter().zip(duplicate).filter(|(m, d)| **d && m.target == target)
                {
                    if let Some(slot) = keep.get_mut(mark.row as usize) {
                        *slot = false;
                    }
                }
                keep
            })
        };
        let masks = [
            keep(Target::Fetches, self.fetches.len()),
            keep(Target::Attempts, self.attempts.len()),
            keep(Target::Statuses, self.statuses.len()),
            keep(Target::Artifacts, self.artifacts.len()),
            keep(Target::Appended, self.appended.len()),
        ];
        let [fetches, attempts, statuses, artifacts, appended] = masks;
        let kept = |mask: &Option<Vec<bool>>, row: usize| {
            mask.as_ref().is_none_or(|mask| mask.get(row).copied().unwrap_or(true))
        };
        let mut pieces = Vec::new();
        for (row, piece) in self.appended.drain(..).enumerate() {
            if kept(&appended, row) {
                pieces.push(piece);
            }
        }
        for (row, piece) in self.begun.drain(..) {
            if kept(&artifacts, row as usize) {
                pieces.push(piece);
            }
        }
        self.marks.clear();
        Ok(Rows {
            fetches: filtered(&self.fetches.finish()?, fetches)?,
            attempts: filtered(&self.attempts.finish()?, attempts)?,
            statuses: filtered(&self.statuses.finish()?, statuses)?,
            artifacts: filtered(&self.artifacts.finish()?, artifacts)?,
            problems: self.problems.finish()?,
            pieces,
        })
    }
}

/// What is left of a chunk.
#[derive(Debug)]
pub struct Rows {
    /// `card_fetches`.
    pub fetches: RecordBatch,
    /// `attempts`.
    pub attempts: RecordBatch,
    /// `task_events`.
    pub statuses: RecordBatch,
    /// `artifacts`.
    pub artifacts: RecordBatch,
    /// `problems`.
    pub problems: RecordBatch,
    /// Chunks of artifacts that wait for the end.
    pub pieces: Vec<Piece>,
}

fn filtered(batch: &RecordBatch, keep: Option<Vec<bool>>) -> Result<RecordBatch, ArrowError> {
    match keep {
        Some(keep) if keep.contains(&false) => {
            filter_record_batch(batch, &BooleanArray::from(keep))
        }
        _ => Ok(batch.clone()),
    }
}

/// Unsigned positions as the tables hold them.
pub fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
