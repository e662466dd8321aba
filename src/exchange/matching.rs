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
use sighting::Mark;
pub(super) use sighting::Sighting;

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
    let spans = marked(sightings, Sighting::spans);
    for same in spans.chunk_by(|(a, _), (b, _)| a == b) {
        clusters.join_compatible(same.iter().map(|(_, index)| *index));
    }
    by_parent(sightings, &spans, &mut clusters);
    let ambiguous = interval::join(&mut clusters);
    clusters.into_groups(&ambiguous)
}

/// The sightings that bear marks of one kind, sorted by mark, then by place.
fn marked<I: IntoIterator<Item = Mark>>(
    sightings: &[Sighting],
    marks: impl Fn(&Sighting) -> I,
) -> Vec<(Mark, usize)> {
    let of = |(index, sighting)| marks(sighting).into_iter().map(move |mark| (mark, index));
    let mut marked: Vec<_> = sightings.iter().enumerate().flat_map(of).collect();
    marked.sort_unstable();
    marked
}

/// Requests that wait for their answers under one key, and answered ones, at most: hostile input must not
/// take quadratic time.
const MOST_OPEN: usize = 64;

/// Halves with one key: each request with the next response that it fits. Keys are counters at times, so
/// the same key may come again later, and each client may count for itself. What follows a response
/// without a status of its own (an event of a stream, what broke it) goes on with it.
fn by_key(sightings: &[Sighting], clusters: &mut Clusters<'_>) {
    let mut keyed: Vec<_> = sightings
        .iter()
        .enumerate()
        .filter_map(|(index, s)| Some((s.key?, s.facts.start, s.half == Half::Response, index)))
        .collect();
    keyed.sort_unstable();
    let mut alone = Vec::new();
    for same in keyed.chunk_by(|a, b| a.0 == b.0) {
        let mut open: Vec<usize> = Vec::new();
        let mut answered: Vec<usize> = Vec::new();
        let client = |index: usize| sightings.get(index).and_then(|s| s.facts.client);
        for (.., index) in same {
            let Some(sighting) = sightings.get(*index) else { continue };
            let fits = |request: &usize| clusters.join(*request, *index);
            match sighting.half {
                Half::Response => {
                    if let Some(at) = open.iter().rposition(fits) {
                        if answered.len() == MOST_OPEN {
                            answered.remove(0);
                        }
                        answered.push(open.remove(at));
                    } else {
                        let mine = sighting.facts.client;
                        let of_mine = |other: &usize| mine.is_none() || client(*other) == mine;
                        let mut before = answered.iter().copied().filter(of_mine);
                        let only = before.next().filter(|_| before.next().is_none());
                        // What states a status begins an answer.
                        let goes_on = only.filter(|_| sighting.facts.status.is_none());
                        if !goes_on.is_some_and(|answer| clusters.join(answer, *index)) {
                            alone.push(*index);
                        }
                    }
                }
                Half::Whole if open.iter().rposition(fits).is_some() => {}
                Half::Request | Half::Whole => {
                    // Of one client the later request counts.
                    let mine = sighting.facts.client;
                    alone.extend(open.extract_if(.., |other| client(*other) == mine));
                    answered.retain(|other| client(*other) != mine);
                    if open.len() == MOST_OPEN {
                        alone.push(open.remove(0));
                    }
                    open.push(*index);
                }
            }
        }
        alone.extend(open);
    }
    // Halves in two files of one log, where it was rotated: only if no other has the key.
    let of = |index: usize| {
        let sighting = sightings.get(index).filter(|s| s.half != Half::Whole)?;
        Some((sighting.bare_key?, index))
    };
    let mut alone: Vec<_> = alone.into_iter().filter_map(of).collect();
    alone.sort_unstable();
    for same in alone.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, one), (_, other)] = *same {
            clusters.join(one, other);
        }
    }
}

/// A span and its parent: a client's and the server's, or an application's log and the client span
/// within it. A server's span and the calls that it makes itself are not one exchange.
fn by_parent(sightings: &[Sighting], spans: &[(Mark, usize)], clusters: &mut Clusters<'_>) {
    let mut pairs = Vec::new();
    for (parent, index) in marked(sightings, |sighting| sighting.parent) {
        let Some(below) = sightings.get(index) else { continue };
        let first = spans.partition_point(|(span, _)| *span < parent);
        for (_, above) in spans.iter().skip(first).take_while(|(span, _)| *span == parent) {
            let Some(side) = sightings.get(*above).map(|above| above.side) else { continue };
            let within = side == Side::Caller && below.side == Side::Caller;
            let across = side != Side::Server && below.side != Side::Caller;
            if within && clusters.alike(*above, index) || across && clusters.fit(*above, index) {
                pairs.push((clusters.root(*above), within, clusters.root(index)));
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    for same in pairs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        // Several: a retry under one span, or a call fanned out. Which is which cannot be told.
        if let [(parent, _, child)] = *same {
            clusters.join(parent, child);
        }
    }
}
