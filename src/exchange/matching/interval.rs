//! Sightings without a common id: the same call at the same time, where that is one to one.

use super::Mark;
use super::cluster::Clusters;
use super::sighting::{Facts, Recorder};
use std::collections::{BTreeMap, BTreeSet};

/// Two recorders' clocks and the way between them (model §1); each interval is widened by it.
const WIDENED_BY: i64 = 50_000_000;

/// What must be equal: method, path and status.
type Kind = (Option<Mark>, Mark, i32);

/// Start, end and representative of a cluster.
type Span = (i64, i64, usize);

/// Joins what is one to one; gives the representatives of what stays ambiguous.
pub(super) fn join(clusters: &mut Clusters<'_>) -> BTreeSet<usize> {
    let mut kinds: BTreeMap<Kind, BTreeMap<Recorder, Track>> = BTreeMap::new();
    for root in clusters.roots() {
        let Some(facts) = clusters.facts(root) else { continue };
        let (Some(path), Some(status)) = (facts.path, facts.status) else { continue };
        let Some(recorder) = clusters.recorder(root) else { continue };
        let tracks = kinds.entry((facts.method, path, status)).or_default();
        tracks.entry(recorder).or_default().push(root, facts);
    }
    let (mut pairs, mut ambiguous) = (Vec::new(), Vec::new());
    for tracks in kinds.into_values() {
        let tracks: Vec<Track> = tracks.into_values().map(Track::sorted).collect();
        for (number, track) in tracks.iter().enumerate() {
            for other in tracks.iter().skip(number + 1) {
                pair(track, other, clusters, &mut pairs, &mut ambiguous);
                pair(other, track, clusters, &mut Vec::new(), &mut ambiguous);
            }
        }
    }
    for (a, b) in pairs {
        let (a, b) = (clusters.root(a), clusters.root(b));
        // Through a third recorder they may be one already, or have become two of one recorder.
        if a != b && !(clusters.may_pair(a, b) && clusters.join(a, b)) {
            ambiguous.extend([a, b]);
        }
    }
    ambiguous.into_iter().map(|index| clusters.root(index)).collect()
}

/// The sightings of one recorder, by the power of two of how long they took: so that one long stream
/// does not make every search long.
#[derive(Debug, Default)]
struct Track {
    lengths: BTreeMap<u32, Vec<Span>>,
}

impl Track {
    fn push(&mut self, root: usize, facts: &Facts) {
        let power = length(facts.start, facts.end).checked_ilog2().unwrap_or(0);
        self.lengths.entry(power).or_default().push((facts.start, facts.end, root));
    }

    /// By their start.
    fn sorted(mut self) -> Self {
        self.lengths.values_mut().for_each(|spans| spans.sort_unstable());
        self
    }

    fn spans(&self) -> impl Iterator<Item = &Span> {
        self.lengths.values().flatten()
    }

    /// Those that one may be the same as; when some share its trace, only those.
    fn candidates(&self, clusters: &Clusters<'_>, (start, end, root): Span) -> Vec<Span> {
        /// Enough to know that it is ambiguous.
        const ENOUGH: usize = 16;
        let from = start.saturating_sub(2 * WIDENED_BY);
        let to = end.saturating_add(2 * WIDENED_BY);
        let near = |(power, spans): (&u32, &'_ Vec<Span>)| {
            let longest = 1_i64.checked_shl(power + 1).filter(|l| *l > 0).unwrap_or(i64::MAX);
            let earliest = from.saturating_sub(longest);
            let first = spans.partition_point(|(start, ..)| *start < earliest);
            let last = spans.partition_point(|(start, ..)| *start <= to);
            spans.get(first..last).unwrap_or_default().to_vec()
        };
        let mut found: Vec<Span> = self
            .lengths
            .iter()
            .flat_map(near)
            .filter(|(_, end, other)| *end >= from && clusters.may_pair(root, *other))
            .take(ENOUGH)
            .collect();
        let trace = |root| clusters.facts(root).and_then(|facts| facts.trace);
        let own = trace(root);
        let shares = |span: &Span| own.is_some() && trace(span.2) == own;
        if found.iter().any(shares) {
            found.retain(shares);
        }
        found
    }
}

fn length(start: i64, end: i64) -> i64 {
    end.saturating_sub(start)
}

/// Finds the pairs of two recorders.
fn pair(
    track: &Track,
    other: &Track,
    clusters: &Clusters<'_>,
    pairs: &mut Vec<(usize, usize)>,
    ambiguous: &mut Vec<usize>,
) {
    for span in track.spans() {
        match *other.candidates(clusters, *span).as_slice() {
            [] => {}
            [only] if *track.candidates(clusters, only).as_slice() == [*span] => {
                pairs.push((span.2, only.2));
            }
            _ => ambiguous.push(span.2),
        }
    }
}
