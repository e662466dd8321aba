//! Which sightings are of one exchange (model §1 *Joining*).

use super::Exchange;
use super::derive::Rules;
use crate::problem::At;

/// What is kept of a sighting in memory.
#[derive(Debug, Clone)]
pub(super) struct Sighting {
    /// Rank of its source among the names.
    pub source: u32,
    /// The record.
    pub at: At,
}

impl Sighting {
    pub fn of(exchange: &Exchange<'_>, _rules: &Rules) -> Self {
        Self { source: 0, at: exchange.at }
    }

    /// Total order, so that what comes out does not depend on the order of adding.
    pub fn order(&self) -> (u32, At) {
        (self.source, self.at)
    }
}

/// Sightings of one exchange.
#[derive(Debug)]
pub(super) struct Group {
    /// Their places in the slice; the one whose times count first.
    pub members: Vec<usize>,
    /// It might belong to others, and it cannot be told to which.
    pub ambiguous: bool,
}

/// Parts the sightings, which are sorted.
pub(super) fn groups(sightings: &[Sighting]) -> Vec<Group> {
    (0..sightings.len()).map(|i| Group { members: vec![i], ambiguous: false }).collect()
}
