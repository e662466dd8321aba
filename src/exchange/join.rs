//! From sightings to events: what several recorders saw of one exchange is put together first.
//!
//! Knows no format and no table. Sightings may be added from any thread and in any order; what comes
//! out does not depend on either. In memory stay only the keys of each sighting; its bodies wait in
//! the [`Spool`]. A caller adds while it reads and drains [`Joiner::finish`] when all is read.

use super::Exchange;
use super::clock::{self, ServerClock};
use super::codec;
use super::derive::{Derived, Rules, derive};
use super::matching::{self, Sighting};
use super::merge::merge;
use super::spool::{Slot, Spool, damaged};
use crate::config::Config;
use crate::event::Event;
use crate::problem::{At, Kind, Problem};
use jiff::tz::TimeZone;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// How many exchanges are derived at once, and how many of their bytes.
const BATCH: usize = 1024;
const BATCH_BYTES: u64 = 16 << 20;

/// A record's place among all sources.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The source's name.
    pub source: Arc<str>,
    /// The record.
    pub at: At,
}

/// One exchange with all that was seen of it.
#[derive(Debug, Clone)]
pub struct Joined {
    /// The sighting whose times count: its record is the events' source.
    pub place: Place,
    /// The other sightings, in order. Their records hold no events of their own.
    pub others: Vec<Place>,
    /// Those of them that are copies of an earlier one, equal in all but their place: logs overlapped.
    pub copies: Vec<Place>,
    /// What it says.
    pub events: Vec<Event<'static>>,
    /// What is wrong or assumed with it; all at `place`.
    pub problems: Vec<Problem>,
    /// What it tells of the server's clock.
    pub clocks: Vec<ServerClock>,
}

impl Joined {
    /// The column `seen_by`: the other sources that saw it, sorted, each once.
    pub fn seen_by(&self) -> Vec<Arc<str>> {
        let mut sources: Vec<_> = self
            .others
            .iter()
            .map(|o| &o.source)
            .filter(|s| **s != self.place.source)
            .cloned()
            .collect();
        sources.sort();
        sources.dedup();
        sources
    }
}

/// Collects the sightings.
#[derive(Debug)]
pub struct Joiner {
    rules: Rules,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    sources: BTreeMap<Arc<str>, u32>,
    sightings: Vec<(u32, Sighting, Slot)>,
    spool: Spool,
}

impl Joiner {
    /// An empty one. Of the settings it uses the client header and the extraction rules.
    /// `assume_zone`: that of times without one.
    pub fn new(config: &Config, assume_zone: Option<&TimeZone>) -> Self {
        Self { rules: Rules::of(config, assume_zone), state: Mutex::default() }
    }

    /// Takes what one recorder saw. Callable from any thread. Errors when the temporary folder
    /// cannot be written.
    pub fn add(&self, source: &str, exchange: &Exchange<'_>) -> io::Result<()> {
        let sighting = Sighting::of(exchange, &self.rules);
        let encoded = codec::encode(exchange);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let known = state.sources.get(source).copied();
        let number = known.unwrap_or_else(|| {
            let next = u32::try_from(state.sources.len()).unwrap_or(u32::MAX);
            state.sources.insert(source.into(), next);
            next
        });
        let slot = state.spool.push(&encoded)?;
        state.sightings.push((number, sighting, slot));
        Ok(())
    }

    /// How many sightings were added.
    pub fn len(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).sightings.len()
    }

    /// Whether none was added.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Joins them and gives the exchanges, ordered by place. Items are errors when the temporary
    /// file cannot be read.
    pub fn finish(self) -> Joining {
        let State { sources, sightings, spool } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Sources are numbered by name, so that the order in which they were added plays no part.
        let mut rank = vec![0u32; sources.len()];
        let mut names = Vec::with_capacity(sources.len());
        for (place, (name, number)) in (0u32..).zip(sources) {
            if let Some(slot) = rank.get_mut(number as usize) {
                *slot = place;
            }
            names.push(name);
        }
        let mut all: Vec<(Sighting, Slot)> = sightings
            .into_iter()
            .map(|(number, mut sighting, slot)| {
                sighting.set_source(rank.get(number as usize).copied().unwrap_or_default());
                (sighting, slot)
            })
            .collect();
        all.par_sort_unstable_by_key(|(sighting, _)| sighting.order());
        let (sightings, slots): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let groups = matching::groups(&sightings);
        Joining {
            rules: self.rules,
            names,
            sightings,
            slots,
            spool,
            groups: groups.into_iter(),
            ready: Vec::new().into_iter(),
        }
    }
}

/// The joined exchanges, one after the other.
#[derive(Debug)]
pub struct Joining {
    rules: Rules,
    names: Vec<Arc<str>>,
    sightings: Vec<Sighting>,
    slots: Vec<Slot>,
    spool: Spool,
    groups: std::vec::IntoIter<matching::Group>,
    ready: std::vec::IntoIter<Joined>,
}

impl Joining {
    fn place(&self, member: usize) -> Place {
        let sighting = self.sightings.get(member);
        let source = sighting.and_then(|s| self.names.get(s.source as usize));
        Place {
            source: source.cloned().unwrap_or_else(|| Arc::from("")),
            at: sighting.map_or_else(At::default, |s| s.at),
        }
    }

    /// The next exchanges, read and derived on all threads; none: there are no more. They are few enough
    /// for memory: a thousand, or fewer when they are large.
    pub fn batch(&mut self) -> io::Result<Vec<Joined>> {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while batch.len() < BATCH && bytes < BATCH_BYTES {
            let Some(group) = self.groups.next() else { break };
            let mut encoded = Vec::with_capacity(group.members.len());
            for slot in group.members.iter().filter_map(|m| self.slots.get(*m)) {
                bytes += slot.len();
                encoded.push(self.spool.read(*slot)?);
            }
            let mut places = group.members.iter().map(|m| self.place(*m));
            let Some(place) = places.next() else { continue };
            let others: Vec<_> = places.collect();
            batch.push((place, others, group.ambiguous, encoded));
        }
        let rules = &self.rules;
        batch
            .into_par_iter()
            .map(|(place, others, ambiguous, encoded)| {
                let exchanges: Option<Vec<_>> = encoded.iter().map(|b| codec::decode(b)).collect();
                let exchanges = exchanges.ok_or_else(damaged)?;
                let contents: Vec<_> = encoded.iter().map(|b| codec::without_place(b)).collect();
                let copies = (1..).zip(&others).filter(|(member, _)| {
                    let earlier = contents.get(..*member).unwrap_or_default();
                    contents.get(*member).is_some_and(|content| earlier.contains(content))
                });
                let copies = copies.map(|(_, place)| place.clone()).collect();
                let clocks = clock::of(&exchanges);
                let exchange = merge(exchanges);
                let mut derived = derive(&exchange, rules);
                if ambiguous && !derived.events.is_empty() {
                    derived.problems.push(Problem::new(
                        Kind::AmbiguousExchange,
                        place.at,
                        "another recorder saw several exchanges that this one may be",
                    ));
                }
                let Derived { events, problems } = derived;
                Ok(Joined { place, others, copies, events, problems, clocks })
            })
            .collect()
    }
}

impl Iterator for Joining {
    type Item = io::Result<Joined>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(joined) = self.ready.next() {
            return Some(Ok(joined));
        }
        match self.batch() {
            Ok(batch) => self.ready = batch.into_iter(),
            Err(error) => {
                self.groups = Vec::new().into_iter();
                return Some(Err(error));
            }
        }
        self.ready.next().map(Ok)
    }
}

#[cfg(test)]
mod tests;
