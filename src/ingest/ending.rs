//! What can only be done when all sources are read: exchanges are joined, chunks of artifacts put in
//! order, cards and sources written.

use super::account::{Account, Fates};
use super::batch::Batch;
use super::before::Before;
use super::cards::{Shelf, Spot};
use super::clocks::Sights;
use super::cutter::ReadSource;
use super::dedup::{Seen, ordered};
use super::error::IngestError;
use super::fold::{Fold, FoldRules, Origin};
use super::output::Output;
use super::runs::Pieces;
use super::worker::WaitingRecords;
use crate::exchange::join::{Joined, Joiner};
use crate::problem::Problem;
use crate::redact::Redactor;
use crate::tables::{
    Artifacts, CardInterfaces, CardModes, CardSchemas, CardSkills, Cards, Clocks, Problems, Sources,
};
use std::collections::BTreeMap;
use std::io;

/// Rows that one thread collects before they are written.
const ROWS_AT_ONCE: usize = 16 << 10;

/// The end of an ingest.
pub struct Ending<'e> {
    /// Where rows go.
    pub output: Output,
    /// Rows that are not settled yet.
    pub batch: Batch,
    /// The records whose events lie in `batch`.
    pub records: Vec<Spot>,
    /// The events so far.
    pub seen: Seen,
    /// What became of the records, by source.
    pub fates: BTreeMap<u32, Fates>,
    /// What was told of the clocks of servers.
    pub clocks: Sights,
    /// The records whose exchanges are to be joined.
    pub waiting: WaitingRecords,
    /// All sources, by their numbers.
    pub sources: &'e [ReadSource],
    /// What the store knew.
    pub before: &'e mut Before,
}

/// What folding one exchange after the other keeps.
struct Folding<'s, 'c> {
    /// The numbers of the sources by their names.
    numbers: BTreeMap<&'s str, u32>,
    fold: Fold<'c>,
    /// The next event's place in its record: several exchanges may lie in one.
    event: u32,
}

impl Folding<'_, '_> {
    fn number(&self, source: &str) -> u32 {
        self.numbers.get(source).copied().unwrap_or_default()
    }
}

impl Ending<'_> {
    /// Joins the exchanges, and folds what they say.
    pub fn exchanges(
        &mut self,
        joiner: Joiner,
        rules: &FoldRules<'_>,
        pieces: &mut Pieces,
    ) -> Result<(), IngestError> {
        if joiner.is_empty() {
            return Ok(());
        }
        let mut folding = Folding {
            numbers: self.sources.iter().map(|s| (&*s.source.name, s.source.number)).collect(),
            fold: Fold::new(rules),
            event: 0,
        };
        let mut joining = joiner.finish();
        let mut batch = joining.batch()?;
        while !batch.is_empty() {
            // The next ones are read and derived while rows are made of these.
            let (folded, next) = rayon::join(
                || {
                    let mut batch = batch.into_iter();
                    batch.try_for_each(|joined| {
                        self.exchange(joined, &mut folding, rules.redactor, pieces)
                    })
                },
                || joining.batch(),
            );
            folded?;
            batch = next?;
        }
        self.settle(pieces)
    }

    /// Folds what one exchange says.
    fn exchange(
        &mut self,
        mut joined: Joined,
        folding: &mut Folding<'_, '_>,
        redactor: &Redactor,
        pieces: &mut Pieces,
    ) -> Result<(), IngestError> {
        let source: &str = &joined.place.source;
        let number = folding.number(source);
        let at = joined.place.at;
        let spot = self.record_of((number, at));
        if self.records.last() != Some(&spot) {
            if self.batch.marks.len() + self.batch.problems.len() > ROWS_AT_ONCE {
                self.settle(pieces)?;
            }
            self.records.push(spot);
            folding.event = 0;
        }
        let record = u32::try_from(self.records.len() - 1).unwrap_or(u32::MAX);
        for problem in &joined.problems {
            self.batch.problem(source, problem);
        }
        for copy in &joined.copies {
            self.copied((folding.number(&copy.source), copy.at), joined.events.len());
        }
        let seen_by = joined.seen_by();
        let seen_by: Vec<&str> = seen_by.iter().map(AsRef::as_ref).collect();
        let seen_by = (!seen_by.is_empty()).then_some(seen_by.as_slice());
        for said in &mut joined.events {
            let origin = Origin { source, number, at, record, event: folding.event, seen_by };
            if let Some(problem) = folding.fold.event(said, origin, &mut self.batch)? {
                self.batch.problem(source, &problem);
            }
            folding.event = folding.event.saturating_add(1);
        }
        if let Some(event) = joined.events.first() {
            // Its secrets are replaced by now.
            let client = event.common().client.as_deref();
            for clock in &joined.clocks {
                self.clocks.add(number, client, clock, redactor);
            }
        }
        Ok(())
    }

    /// The record in which an exchange stands: of a document with many, the document.
    fn record_of(&self, spot: Spot) -> Spot {
        let before = self.waiting.range(..=spot).next_back().map(|(before, _)| *before);
        before.filter(|(source, _)| *source == spot.0).unwrap_or(spot)
    }

    /// A record holds a copy of an exchange that was seen before, which gave so many events.
    fn copied(&mut self, spot: Spot, events: usize) {
        let spot = self.record_of(spot);
        let fates = self.fates.entry(spot.0).or_default();
        fates.duplicate_events += events as u64;
        let Some(waiting) = self.waiting.get_mut(&spot) else { return };
        waiting.exchanges = waiting.exchanges.saturating_sub(1);
        // A copy of what holds nothing of A2A is no duplicate.
        if waiting.exchanges == 0 && !waiting.events && events > 0 {
            fates.record_is_duplicate(waiting.repaired);
        }
    }

    /// Finds the duplicates among the events of the batch, settles their records, and writes the rows.
    fn settle(&mut self, pieces: &mut Pieces) -> Result<(), IngestError> {
        let events = ordered(self.batch.marks.iter().map(|mark| (mark.time, mark.hash)));
        let mut duplicate = vec![false; events.len()];
        self.seen.add(&events, &mut duplicate, &mut *self.before.events)?;
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
            fates.record_is_duplicate(waiting.repaired);
        }
        let mut rows = self.batch.finish(&duplicate)?;
        pieces.push(std::mem::take(&mut rows.pieces))?;
        Ok(self.output.write_rows(&rows)?)
    }

    /// Writes the records that append, now that all of their artifacts' records are known.
    pub fn runs(&mut self, pieces: Pieces) -> Result<(), IngestError> {
        let mut by_sha256: Vec<(&str, u32)> =
            self.sources.iter().map(|s| (s.facts.sha256.as_str(), s.source.number)).collect();
        by_sha256.sort_unstable();
        let ranks: BTreeMap<u32, u32> =
            by_sha256.into_iter().zip(0..).map(|((_, number), rank)| (number, rank)).collect();
        let names: BTreeMap<u32, &str> =
            self.sources.iter().map(|s| (s.source.number, s.source.name.as_str())).collect();
        let mut artifacts = Artifacts::default();
        let (output, batch) = (&mut self.output, &mut self.batch);
        pieces.finish(
            &self.before.artifacts,
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
                batch.problem(names.get(&source).copied().unwrap_or_default(), &problem);
            },
        )?;
        self.output.write(Artifacts::NAME, &artifacts.finish()?)?;
        Ok(self.output.write(Problems::NAME, &self.batch.problems.finish()?)?)
    }

    /// Writes the tables about cards.
    pub fn cards(&mut self, shelf: Shelf<'_>) -> Result<(), IngestError> {
        let output = &mut self.output;
        let names = |number: u32| {
            self.sources.get(number as usize).map(|s| s.source.name.clone()).unwrap_or_default()
        };
        let stored = |card: &str| self.before.cards.contains(card);
        shelf.rows(names, stored, |tables| {
            output.write(Cards::NAME, &tables.cards.finish()?)?;
            output.write(CardSkills::NAME, &tables.skills.finish()?)?;
            output.write(CardModes::NAME, &tables.modes.finish()?)?;
            output.write(CardSchemas::NAME, &tables.schemas.finish()?)?;
            output.write(CardInterfaces::NAME, &tables.interfaces.finish()?)?;
            Ok(())
        })
    }

    /// Writes the sources, and what was wrong with them as such.
    pub fn sources(
        &mut self,
        accounts: &[Account],
        problems: &[(String, Problem)],
    ) -> Result<(), IngestError> {
        let mut sources = Sources::default();
        for account in accounts {
            sources.push(&account.row(self.before.ingest));
        }
        self.output.write(Sources::NAME, &sources.finish()?)?;
        let kept = |number: u32| {
            let name = &self.sources.get(number as usize)?.source.name;
            accounts.iter().any(|account| account.source == *name).then_some(name.as_str())
        };
        self.output.write(Clocks::NAME, &std::mem::take(&mut self.clocks).rows(kept)?)?;
        for (source, problem) in problems {
            self.batch.problem(source, problem);
        }
        let problems = self.batch.problems.finish()?;
        Ok(self.output.write(Problems::NAME, &problems)?)
    }
}
