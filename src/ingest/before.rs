//! What a store knew before an ingest into it, and what the ingest adds to that.

use super::dedup::{Earlier, Nothing, Seen};
use crate::redact::Redactor;
use std::collections::{BTreeMap, BTreeSet};

/// What is known before anything is read. Nothing, without a store.
pub struct Before {
    /// Number of this ingest, from 1; 0: without a store.
    pub ingest: i64,
    /// Replaces secrets, under the store's key.
    pub redactor: Redactor,
    /// Events.
    pub events: Box<dyn Earlier>,
    /// Binding hashes whose bytes were seen.
    pub cards: BTreeSet<String>,
    /// Hashes of artifacts that may consist of several records, and whether one appended.
    pub artifacts: BTreeMap<u64, bool>,
    /// SHA-256 of the content of each source: the name it had.
    pub sources: BTreeMap<String, String>,
    /// Stored sizes and sizes of content of those: a source of another size is another source.
    pub sizes: BTreeSet<u64>,
}

impl Default for Before {
    fn default() -> Self {
        Self {
            ingest: 0,
            redactor: Redactor::default(),
            events: Box::new(Nothing),
            cards: BTreeSet::new(),
            artifacts: BTreeMap::new(),
            sources: BTreeMap::new(),
            sizes: BTreeSet::new(),
        }
    }
}

impl std::fmt::Debug for Before {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Before").field("ingest", &self.ingest).finish_non_exhaustive()
    }
}

/// What a store must know for the next ingest.
#[derive(Debug, Default)]
pub struct After {
    /// The events that were added.
    pub events: Seen,
    /// Artifacts that may consist of several records, and whether one appended.
    pub artifacts: BTreeMap<u64, bool>,
}
