//! Sightings without a common id: the same call at the same time, where that is one to one.

use super::cluster::{Cluster, Clusters, Recorder};
use std::collections::{BTreeMap, BTreeSet};

/// Two recorders' clocks and the way between them (model §1).
const WIDENED_BY: i64 = 50_000_000;

/// What must be equal: method, path and status.
type Kind = (Option<u64>, u64, i64);

/// Joins what is one to one; gives the representatives of what stays ambiguous.
pub(super) fn join(clusters: &mut Clusters<'_>) -> BTreeSet<usize> {
    let mut kinds: BTreeMap<Kind, BTreeMap<Recorder, Track>> = BTreeMap::new();
    for (root, cluster) in clusters.roots() {
        let (Some(path), Some(status)) = (cluster.path, cluster.status) else { continue };
        let Some(recorder) = cluster.recorders.first() else { continue };
        let tracks = kinds.entry((cluster.method, path, status)).or_default();
        tracks.entry(*recorder).or_default().push(root, cluster);
    }
    let (mut pairs, mut ambiguous) = (Vec::new(), Vec::new());
    for tracks in kinds.into_values() {
        let tracks: Vec<Track> = tracks.into_values().map(Track::sorted).collect();
        for (number, track) in tracks.iter().enumerate() {
            for other in tracks.iter().skip(number + 1) {
                match_tracks(track, other, clusters, &mut pairs, &mut ambiguous);
                match_tracks(other, track, clusters, &mut Vec::new(), &mut ambiguous);
            }
        }
    }
    for (a, b) in pairs {
        let shared = {
            let (a, b) = (clusters.root(a), clusters.root(b));
            let recorders = |root| clusters.get(root).map(|cluster| &cluster.recorders);
            a != b && recorders(a).zip(recorders(b)).is_none_or(|(a, b)| !a.is_disjoint(b))
        };
        if shared || !clusters.join(a, b) {
            ambiguous.extend([a, b]);
        }
    }
    ambiguous.into_iter().map(|index| clusters.root(index)).collect()
}

/// Start, end and representative of a cluster.
type Span = (i64, i64, usize);

/// The sightings of one recorder, in time.
#[derive(Debug, Default)]
struct Track {
    /// By their start.
    spans: Vec<Span>,
    /// The longest that one took.
    longest: i64,
}

impl Track {
    fn push(&mut self, root: usize, cluster: &Cluster) {
        self.spans.push((cluster.start, cluster.end, root));
        self.longest = self.longest.max(cluster.end.saturating_sub(cluster.start));
    }

    fn sorted(mut self) -> Self {
        self.spans.sort_unstable();
        self
    }

    /// Those that one may be the same as; when some share its trace, only those.
    fn candidates(&self, clusters: &Clusters<'_>, (start, end, root): Span) -> Vec<Span> {
        /// Enough to know that it is ambiguous.
        const ENOUGH: usize = 16;
        let from = start.saturating_sub(2 * WIDENED_BY);
        let to = end.saturating_add(2 * WIDENED_BY);
        let earliest = from.saturating_sub(self.longest);
        let first = self.spans.partition_point(|(start, ..)| *start < earliest);
        let Some(one) = clusters.get(root) else { return Vec::new() };
        let mut found: Vec<Span> = self
            .spans
            .iter()
            .skip(first)
            .take_while(|(start, ..)| *start <= to)
            .filter(|(_, end, other)| {
                *end >= from
                    && clusters.get(*other).is_some_and(|other| {
                        one.fits(other) && one.recorders.is_disjoint(&other.recorders)
                    })
            })
            .copied()
            .take(ENOUGH)
            .collect();
        let shares = |span: &Span| {
            one.trace.is_some()
                && clusters.get(span.2).is_some_and(|other| other.trace == one.trace)
        };
        if found.iter().any(shares) {
            found.retain(shares);
        }
        found
    }
}

/// Finds the pairs of two recorders.
fn match_tracks(
    track: &Track,
    other: &Track,
    clusters: &Clusters<'_>,
    pairs: &mut Vec<(usize, usize)>,
    ambiguous: &mut Vec<usize>,
) {
    for span in &track.spans {
        match *other.candidates(clusters, *span).as_slice() {
            [] => {}
            [only] if *track.candidates(clusters, only).as_slice() == [*span] => {
                pairs.push((span.2, only.2));
            }
            _ => ambiguous.push(span.2),
        }
    }
}
