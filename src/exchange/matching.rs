//! Which sightings are of one exchange (model §1 *Joining*).
//!
//! Pure and deterministic: sightings, sorted, in; groups out. The rules are applied one after the
//! other, each to what the ones before it left apart; what contradicts is never joined.
//!
//! | rule | joins |
//! |---|---|
//! | key | request and response halves with one configured key within one resource, in turn |
//! | span | the same trace and span id |
//! | parent | a span and the one that it names as its parent: client and server, log and client |
//! | interval | same method, path, client and status, at the same time, one to one |

mod cluster;
mod interval;
mod sighting;

#[cfg(test)]
mod tests;

use super::{Half, Side};
use cluster::Clusters;
pub(super) use sighting::Sighting;
use std::collections::BTreeMap;

/// Sightings of one exchange.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// Their places in the slice; the one whose times count first.
    pub(super) members: Vec<usize>,
    /// It might belong to others, and it cannot be told to which.
    pub(super) ambiguous: bool,
}

/// Parts the sightings, which are sorted by [`Sighting::order`]. Groups are ordered by their first
/// member.
pub(super) fn groups(sightings: &[Sighting]) -> Vec<Group> {
    let mut clusters = Clusters::new(sightings);
    by_key(sightings, &mut clusters);
    by_span(sightings, &mut clusters);
    by_parent(sightings, &mut clusters);
    let ambiguous = interval::join(&mut clusters);
    clusters.into_groups(&ambiguous)
}

/// Halves with one key: each request with the next response. Keys are counters at times, so the same
/// key may come again later.
fn by_key(sightings: &[Sighting], clusters: &mut Clusters<'_>) {
    let mut keyed: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        if let Some(key) = sighting.key {
            keyed.entry(key).or_default().push(index);
        }
    }
    let mut left: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for mut members in keyed.into_values() {
        members.sort_by_key(|index| {
            sightings.get(*index).map(|s| (s.start, s.half == Half::Response))
        });
        let mut open: Option<usize> = None;
        for index in members {
            let Some(sighting) = sightings.get(index) else { continue };
            match (sighting.half, open) {
                (Half::Request, _) => {
                    left_over(open, sightings, &mut left);
                    open = Some(index);
                }
                (Half::Response, Some(request)) if clusters.join(request, index) => open = None,
                (Half::Response, _) => left_over(Some(index), sightings, &mut left),
                (Half::Whole, Some(request)) if clusters.join(request, index) => {}
                (Half::Whole, _) => open = Some(index),
            }
        }
        left_over(open, sightings, &mut left);
    }
    // Halves in two files of one log, where it was rotated: only if nothing else has the key.
    for members in left.into_values() {
        if let [a, b] = *members.as_slice() {
            clusters.join(a, b);
        }
    }
}

/// Keeps a half for which its source has no other one.
fn left_over(
    index: Option<usize>,
    sightings: &[Sighting],
    left: &mut BTreeMap<[u8; 16], Vec<usize>>,
) {
    let Some((index, sighting)) = index.and_then(|index| Some((index, sightings.get(index)?)))
    else {
        return;
    };
    if sighting.half != Half::Whole
        && let Some(key) = sighting.bare_key
    {
        left.entry(key).or_default().push(index);
    }
}

/// The same trace and span id.
fn by_span(sightings: &[Sighting], clusters: &mut Clusters<'_>) {
    let mut spans: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        for span in sighting.spans() {
            spans.entry(span).or_default().push(index);
        }
    }
    for members in spans.into_values() {
        clusters.join_compatible(&members);
    }
}

/// A span and its parent: a client's and the server's, or an application's log and the client span
/// within it. A server's span and the calls that it makes itself are not one exchange.
fn by_parent(sightings: &[Sighting], clusters: &mut Clusters<'_>) {
    let mut spans: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        for span in sighting.spans() {
            spans.entry(span).or_default().push(index);
        }
    }
    let mut pairs: BTreeMap<(usize, bool), Vec<usize>> = BTreeMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        let Some(parents) = sighting.parent.and_then(|parent| spans.get(&parent)) else { continue };
        for parent in parents {
            let Some(above) = sightings.get(*parent) else { continue };
            let within = above.side == Side::Caller && sighting.side == Side::Caller;
            let across = above.side != Side::Server && sighting.side != Side::Caller;
            if within && clusters.alike(*parent, index) || across && clusters.fit(*parent, index) {
                let root = clusters.root(*parent);
                pairs.entry((root, within)).or_default().push(index);
            }
        }
    }
    for ((parent, _), children) in pairs {
        let mut roots: Vec<_> = children.iter().map(|child| clusters.root(*child)).collect();
        roots.sort_unstable();
        roots.dedup();
        // Several: a retry under one span, or a call fanned out. Which is which cannot be told.
        if let [child] = *roots.as_slice() {
            clusters.join(parent, child);
        }
    }
}
