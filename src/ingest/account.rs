//! What became of every record: nothing that was read is lost without a trace.
//!
//! Records are counted where they are split, their fates where they are folded; neither number is
//! made of the other, and [`Account::adds_up`] compares them.

use super::batch::signed;
use super::census::SpanFacts;
use super::source::SourceFacts;
use crate::problem::Kind;
use crate::tables::SourceRow;
use std::collections::BTreeMap;

/// Fates of the records of one source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fates {
    /// Kept as they were.
    pub accepted: u64,
    /// Kept after a repair.
    pub repaired: u64,
    /// Left out.
    pub rejected: u64,
    /// All of their events were known already.
    pub duplicate: u64,
    /// Events, known ones not among them.
    pub events: u64,
    /// Events that were known already.
    pub duplicate_events: u64,
    /// Kept records that hold nothing of A2A.
    pub without_events: u64,
    /// Time of the first event.
    pub first_time: Option<i64>,
    /// Time of the last event.
    pub last_time: Option<i64>,
}

impl Fates {
    /// Adds those of another part of the source.
    pub fn add(&mut self, other: &Self) {
        self.accepted += other.accepted;
        self.repaired += other.repaired;
        self.rejected += other.rejected;
        self.duplicate += other.duplicate;
        self.events += other.events;
        self.duplicate_events += other.duplicate_events;
        self.without_events += other.without_events;
        let times = [self.first_time, self.last_time, other.first_time, other.last_time];
        self.first_time = times.into_iter().flatten().min();
        self.last_time = times.into_iter().flatten().max();
    }

    /// A record that was counted as kept turned out to be a duplicate.
    pub fn record_is_duplicate(&mut self, repaired: bool) {
        let kept = if repaired { &mut self.repaired } else { &mut self.accepted };
        *kept = kept.saturating_sub(1);
        self.duplicate += 1;
    }

    /// Notes an event that is kept.
    pub fn event_at(&mut self, time: i64) {
        self.events += 1;
        self.first_time = Some(self.first_time.map_or(time, |first| first.min(time)));
        self.last_time = Some(self.last_time.map_or(time, |last| last.max(time)));
    }
}

/// One source: what it is, and what became of its records.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// Its name.
    pub source: String,
    /// The reader's name; `None`: no reader knows it.
    pub format: Option<&'static str>,
    /// What the reading of it told.
    pub facts: SourceFacts,
    /// What became of its records.
    pub fates: Fates,
    /// What its spans tell of sampling.
    pub spans: SpanFacts,
}

impl Account {
    /// Whether each record has one fate.
    pub fn adds_up(&self) -> bool {
        let f = &self.fates;
        self.facts.records == f.accepted + f.repaired + f.rejected + f.duplicate + self.facts.blank
    }

    /// The row of the table `sources`; `ingest` is the number of the ingest into a store, else 0.
    pub fn row(&self, ingest: i64) -> SourceRow<'_> {
        let (facts, fates, spans) = (&self.facts, &self.fates, &self.spans);
        SourceRow {
            source_file: &self.source,
            ingest,
            sha256: &facts.sha256,
            size_bytes: signed(facts.size_bytes),
            content_bytes: signed(facts.content_bytes),
            format: self.format.unwrap_or("unknown"),
            compression: &facts.compression,
            records: signed(facts.records),
            accepted: signed(fates.accepted),
            repaired: signed(fates.repaired),
            rejected: signed(fates.rejected),
            duplicate: signed(fates.duplicate),
            blank: signed(facts.blank),
            events: signed(fates.events),
            duplicate_events: signed(fates.duplicate_events),
            without_events: signed(fates.without_events),
            first_time: fates.first_time,
            last_time: fates.last_time,
            truncated: facts.truncated,
            spans: signed(spans.spans),
            spans_by_chance: signed(spans.by_chance),
            lowest_chance: spans.chance,
            spans_by_outcome: signed(spans.by_outcome),
            parents: signed(spans.parents),
            parents_missing: signed(spans.parents_missing),
        }
    }
}

/// How many problems there are of each kind.
pub type Counts = BTreeMap<Kind, u64>;
