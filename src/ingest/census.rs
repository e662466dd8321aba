//! How the spans of all sources hang together, and how they were chosen to be kept.
//!
//! Memory is bounded: when there are too many spans, only the traces are looked at whose id hashes low
//! enough. Which traces these are depends on all spans together, not on their order or the threads.

use crate::formats::telemetry::sampling::{Kept, SpanSeen};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Mutex, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// So many spans and parents are remembered, about 100 MB at most.
const MOST: usize = 1 << 20;

/// What the spans of one source tell of sampling.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SpanFacts {
    /// Spans read, whatever they tell of.
    pub spans: u64,
    /// Of them, how many say that their trace was kept by chance.
    pub by_chance: u64,
    /// The lowest probability that these tell.
    pub chance: Option<f64>,
    /// Of them, how many say that their trace was kept by what came of it.
    pub by_outcome: u64,
    /// Spans of the same process that others name as their parent, in the traces looked at.
    pub parents: u64,
    /// Those of them that are in no source.
    pub parents_missing: u64,
}

impl SpanFacts {
    fn add(&mut self, kept: Kept) {
        self.spans += 1;
        match kept {
            Kept::Untold => {}
            Kept::ByOutcome => self.by_outcome += 1,
            Kept::ByChance(chance) => {
                self.by_chance += 1;
                self.chance = match (self.chance, chance) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
        }
    }

    fn join(&mut self, other: &Self) {
        self.spans += other.spans;
        self.by_chance += other.by_chance;
        self.by_outcome += other.by_outcome;
        self.chance = match (self.chance, other.chance) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
}

/// A span, by the hashes of its trace and of its own id.
type SpanKey = (u64, u64);

/// What one thread saw in a chunk of one source.
#[derive(Debug, Default)]
pub struct Tally {
    facts: SpanFacts,
    spans: Vec<SpanKey>,
    parents: Vec<SpanKey>,
}

impl Tally {
    /// Counts a span.
    pub fn span(&mut self, span: &SpanSeen<'_>) {
        self.facts.add(span.kept);
        let Some(trace) = span.trace_id.map(|id| xxh3_64(id.as_bytes())) else { return };
        let key = |id: &str| (trace, xxh3_64(id.as_bytes()));
        self.spans.extend(span.span_id.map(key));
        self.parents.extend(span.local_parent_id.map(key));
    }
}

/// What all threads saw.
#[derive(Debug)]
pub struct Census {
    state: Mutex<State>,
    most: usize,
}

impl Default for Census {
    fn default() -> Self {
        Self { state: Mutex::default(), most: MOST }
    }
}

#[derive(Debug, Default)]
struct State {
    facts: BTreeMap<u32, SpanFacts>,
    /// Traces are looked at whose hash begins with so many zeros.
    level: u32,
    spans: HashSet<SpanKey>,
    parents: BTreeSet<(u32, SpanKey)>,
}

impl Census {
    /// Adds a chunk of a source, and empties the tally.
    pub fn add(&self, source: u32, tally: &mut Tally) {
        if tally.facts.spans == 0 {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.facts.entry(source).or_default().join(&tally.facts);
        tally.facts = SpanFacts::default();
        let State { level, spans, parents, .. } = &mut *state;
        let mut put = |level: &mut u32, span: Option<SpanKey>, parent: Option<SpanKey>| {
            let looked_at = |key: &SpanKey| key.0.leading_zeros() >= *level;
            spans.extend(span.filter(looked_at));
            parents.extend(parent.filter(looked_at).map(|key| (source, key)));
            while spans.len() + parents.len() > self.most && *level < 64 {
                *level += 1;
                spans.retain(|key| key.0.leading_zeros() >= *level);
                parents.retain(|(_, key)| key.0.leading_zeros() >= *level);
            }
        };
        tally.spans.drain(..).for_each(|key| put(level, Some(key), None));
        tally.parents.drain(..).for_each(|key| put(level, None, Some(key)));
    }

    /// What each source's spans tell, by its number.
    pub fn finish(self) -> BTreeMap<u32, SpanFacts> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let State { mut facts, spans, parents, .. } = state;
        for (source, key) in parents {
            let facts = facts.entry(source).or_default();
            facts.parents += 1;
            facts.parents_missing += u64::from(!spans.contains(&key));
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span<'a>(trace: &'a str, id: &'a str, parent: Option<&'a str>) -> SpanSeen<'a> {
        SpanSeen {
            trace_id: Some(trace),
            span_id: Some(id),
            local_parent_id: parent,
            kept: Kept::Untold,
        }
    }

    #[test]
    fn a_parent_is_missed_when_no_source_has_it() {
        let census = Census::default();
        let mut tally = Tally::default();
        tally.span(&span("t", "child", Some("root")));
        tally.span(&span("t", "other", Some("gone")));
        tally.span(&span("t", "another", Some("gone")));
        tally.span(&span("u", "child", Some("root")));
        census.add(0, &mut tally);
        tally.span(&span("t", "root", None));
        tally.span(&SpanSeen { kept: Kept::ByChance(Some(0.5)), ..span("u", "x", None) });
        tally.span(&SpanSeen { kept: Kept::ByChance(None), ..span("u", "y", None) });
        tally.span(&SpanSeen { kept: Kept::ByOutcome, ..SpanSeen::default() });
        census.add(1, &mut tally);
        let facts = census.finish();
        // Of source 0: `root` and `gone` of t, `root` of u; the first is in source 1.
        assert_eq!((facts[&0].spans, facts[&0].parents, facts[&0].parents_missing), (4, 3, 2));
        let other = facts[&1];
        assert_eq!((other.spans, other.by_chance, other.by_outcome), (4, 2, 1));
        assert_eq!((other.chance, other.parents), (Some(0.5), 0));
    }

    #[test]
    fn the_order_plays_no_part_when_memory_ends() {
        let spans: Vec<(String, String)> =
            (0..400).map(|i| (format!("t{}", i / 4), format!("s{i}"))).collect();
        let run = |order: &mut dyn Iterator<Item = &(String, String)>| {
            let census = Census { most: 100, ..Census::default() };
            let mut tally = Tally::default();
            for (trace, id) in order {
                tally.span(&span(trace, id, Some("gone")));
                census.add(7, &mut tally);
            }
            census.finish()[&7]
        };
        let forward = run(&mut spans.iter());
        assert_eq!(forward, run(&mut spans.iter().rev()));
        assert!(forward.spans == 400 && forward.parents > 0 && forward.parents < 100);
        assert_eq!(forward.parents, forward.parents_missing);
    }
}
