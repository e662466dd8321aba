//! Sightings put together so far, and whether two such clusters may be of one exchange.

use super::{Group, Sighting};
use crate::exchange::{Half, Side};
use std::collections::BTreeSet;

/// A recorder's mark.
pub(super) type Recorder = (u32, u8, bool, bool);

/// What all members of a cluster say together.
#[derive(Debug, Clone)]
pub(super) struct Cluster {
    /// Their places, ascending.
    pub(super) members: Vec<usize>,
    /// When the caller sent it, as far as it is on record.
    pub(super) start: i64,
    /// When the answer was complete.
    pub(super) end: i64,
    /// Whose times these are.
    side: Side,
    /// Which halves are there.
    half: Half,
    pub(super) method: Option<u64>,
    pub(super) path: Option<u64>,
    pub(super) status: Option<i64>,
    pub(super) client: Option<u64>,
    host: Option<u64>,
    call: Option<u64>,
    pub(super) trace: Option<u64>,
    keys: BTreeSet<[u8; 16]>,
    /// Who saw it.
    pub(super) recorders: BTreeSet<Recorder>,
}

/// Disjoint sets of sightings.
#[derive(Debug)]
pub(super) struct Clusters<'s> {
    sightings: &'s [Sighting],
    parents: Vec<usize>,
    sets: Vec<Option<Cluster>>,
}

impl<'s> Clusters<'s> {
    /// Each sighting by itself.
    pub(super) fn new(sightings: &'s [Sighting]) -> Self {
        let sets = sightings.iter().enumerate().map(|(i, s)| Some(Cluster::of(i, s))).collect();
        Self { sightings, parents: (0..sightings.len()).collect(), sets }
    }

    /// The cluster's representative: its first member.
    pub(super) fn root(&mut self, index: usize) -> usize {
        let mut root = index;
        while let Some(parent) = self.parents.get(root).copied().filter(|parent| *parent != root) {
            root = parent;
        }
        let mut at = index;
        while let Some(slot) = self.parents.get_mut(at).filter(|slot| **slot != root) {
            at = std::mem::replace(slot, root);
        }
        root
    }

    /// The cluster of a representative.
    pub(super) fn get(&self, root: usize) -> Option<&Cluster> {
        self.sets.get(root)?.as_ref()
    }

    /// The representatives, ascending.
    pub(super) fn roots(&self) -> impl Iterator<Item = (usize, &Cluster)> {
        self.sets.iter().enumerate().filter_map(|(root, c)| Some((root, c.as_ref()?)))
    }

    /// Whether nothing that the two say contradicts.
    pub(super) fn fit(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        let (Some(a), Some(b)) = (self.get(a), self.get(b)) else { return false };
        a.fits(b) && !self.same_kind_twice(a, b)
    }

    /// Whether the two say the same of method, path and status, as far as the one `above` tells
    /// them, and nothing contradicts.
    pub(super) fn alike(&mut self, above: usize, below: usize) -> bool {
        let (ra, rb) = (self.root(above), self.root(below));
        let alike = match (self.get(ra), self.get(rb)) {
            (Some(a), Some(b)) => {
                a.method == b.method
                    && (a.path.is_none() || a.path == b.path)
                    && (a.status.is_none() || a.status == b.status)
            }
            _ => false,
        };
        alike && self.fit(above, below)
    }

    /// Joins two clusters unless they contradict; whether they are one now.
    pub(super) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return true;
        }
        if !self.fit(a, b) {
            return false;
        }
        let (first, second) = (a.min(b), a.max(b));
        let Some(absorbed) = self.sets.get_mut(second).and_then(Option::take) else {
            return false;
        };
        if let Some(parent) = self.parents.get_mut(second) {
            *parent = first;
        }
        if let Some(Some(cluster)) = self.sets.get_mut(first) {
            cluster.absorb(absorbed);
        }
        true
    }

    /// Joins each with the first of those before it that it fits.
    pub(super) fn join_compatible(&mut self, members: &[usize]) {
        let mut heads: Vec<usize> = Vec::new();
        for member in members {
            let joined = heads.iter().any(|head| self.join(*head, *member));
            // Hostile input: one span id for everything must not take quadratic time.
            if !joined && heads.len() < 64 {
                heads.push(*member);
            }
        }
    }

    /// One recorder writes one exchange down once: whole twice, with the same of it kept, is two. The
    /// very same again (an exporter's retry) is one.
    fn same_kind_twice(&self, a: &Cluster, b: &Cluster) -> bool {
        if a.recorders.is_disjoint(&b.recorders) {
            return false;
        }
        let whole = |cluster: &Cluster| -> Vec<&Sighting> {
            let members = cluster.members.iter().filter_map(|m| self.sightings.get(*m));
            members.filter(|s| s.half == Half::Whole).collect()
        };
        let theirs = whole(b);
        whole(a).iter().any(|one| {
            theirs.iter().any(|other| {
                one.recorder() == other.recorder()
                    && one.answer == other.answer
                    && one.asked == other.asked
                    && (one.start, one.end) != (other.start, other.end)
            })
        })
    }

    /// The members of each cluster, the one whose times count first; ordered by their first member.
    pub(super) fn into_groups(self, ambiguous: &BTreeSet<usize>) -> Vec<Group> {
        let sightings = self.sightings;
        self.sets
            .into_iter()
            .enumerate()
            .filter_map(|(root, cluster)| {
                let mut members = cluster?.members;
                members.sort_by_key(|member| {
                    (sightings.get(*member).map(Sighting::precedence), *member)
                });
                Some(Group { members, ambiguous: ambiguous.contains(&root) })
            })
            .collect()
    }
}

impl Sighting {
    /// Whose times count: the caller's, of those the one that saw more.
    fn precedence(&self) -> (u8, bool, u8, bool) {
        let side = match self.side {
            Side::Caller => 0,
            Side::Gateway => 1,
            Side::Server => 2,
        };
        (side, self.half == Half::Response, 2 - self.answer.min(2), !self.asked)
    }
}

impl Cluster {
    fn of(index: usize, sighting: &Sighting) -> Self {
        Self {
            members: vec![index],
            start: sighting.start,
            end: sighting.end,
            side: sighting.side,
            half: sighting.half,
            method: sighting.method,
            path: sighting.path,
            status: sighting.status,
            client: sighting.client,
            host: sighting.host,
            call: sighting.call,
            trace: sighting.trace,
            keys: sighting.key.map(|(_, key)| key).into_iter().collect(),
            recorders: BTreeSet::from([sighting.recorder()]),
        }
    }

    /// Nothing contradicts: what both know is equal, and they are not the same half twice.
    pub(super) fn fits(&self, other: &Self) -> bool {
        fn agree<T: PartialEq>(a: Option<&T>, b: Option<&T>) -> bool {
            a.is_none() || b.is_none() || a == b
        }
        let halves = self.half == Half::Whole || self.half != other.half;
        // On its way to the server a gateway may rewrite the URL.
        let urls = self.side != other.side
            || agree(self.path.as_ref(), other.path.as_ref())
                && agree(self.host.as_ref(), other.host.as_ref());
        halves
            && urls
            && agree(self.method.as_ref(), other.method.as_ref())
            && agree(self.status.as_ref(), other.status.as_ref())
            && agree(self.client.as_ref(), other.client.as_ref())
            && agree(self.call.as_ref(), other.call.as_ref())
            && (self.keys.is_empty() || other.keys.is_empty() || self.keys == other.keys)
    }

    fn absorb(&mut self, other: Self) {
        self.members.extend(other.members);
        self.members.sort_unstable();
        let rank = |side| match side {
            Side::Caller => 0,
            Side::Gateway => 1,
            Side::Server => 2,
        };
        match rank(self.side).cmp(&rank(other.side)) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => {
                self.start = self.start.min(other.start);
                self.end = self.end.max(other.end);
            }
            std::cmp::Ordering::Greater => (self.start, self.end) = (other.start, other.end),
        }
        if rank(other.side) < rank(self.side) {
            self.side = other.side;
            self.path = other.path.or(self.path);
            self.host = other.host.or(self.host);
        }
        if self.half != other.half {
            self.half = Half::Whole;
        }
        self.method = self.method.or(other.method);
        self.path = self.path.or(other.path);
        self.status = self.status.or(other.status);
        self.client = self.client.or(other.client);
        self.host = self.host.or(other.host);
        self.call = self.call.or(other.call);
        self.trace = self.trace.or(other.trace);
        self.keys.extend(other.keys);
        self.recorders.extend(other.recorders);
    }
}
