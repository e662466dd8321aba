//! Sightings put together so far, and whether two such clusters may be of one exchange.

use super::sighting::{Facts, Recorder};
use super::{Group, Mark, Sighting};
use crate::exchange::{Half, Side};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

/// What all members of a cluster say together.
#[derive(Debug, Clone)]
pub(super) struct Cluster {
    /// Their places, ascending.
    members: Vec<usize>,
    /// What they say; of the times those of the caller, as far as they are on record.
    pub(super) facts: Facts,
    /// Whose times these are.
    side: Side,
    /// Which halves are there.
    half: Half,
    key: Option<(Mark, Mark)>,
    /// Who saw it.
    recorders: BTreeSet<Recorder>,
}

/// Disjoint sets of sightings. Most sightings stay alone, so only the joined ones are kept as
/// clusters; the others are made when they are asked for.
#[derive(Debug)]
pub(super) struct Clusters<'s> {
    sightings: &'s [Sighting],
    parents: Vec<usize>,
    joined: HashMap<usize, Cluster>,
}

impl<'s> Clusters<'s> {
    /// Each sighting by itself.
    pub(super) fn new(sightings: &'s [Sighting]) -> Self {
        Self { sightings, parents: (0..sightings.len()).collect(), joined: HashMap::new() }
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

    /// The representatives, ascending.
    pub(super) fn roots(&self) -> impl Iterator<Item = usize> {
        self.parents.iter().enumerate().filter(|(index, parent)| index == *parent).map(|(i, _)| i)
    }

    /// What a representative's cluster says.
    pub(super) fn facts(&self, root: usize) -> Option<&Facts> {
        match self.joined.get(&root) {
            Some(cluster) => Some(&cluster.facts),
            None => self.sightings.get(root).map(|sighting| &sighting.facts),
        }
    }

    /// The first of those who saw it.
    pub(super) fn recorder(&self, root: usize) -> Option<Recorder> {
        match self.joined.get(&root) {
            Some(cluster) => cluster.recorders.first().copied(),
            None => self.sightings.get(root).map(Sighting::recorder),
        }
    }

    fn cluster(&self, root: usize) -> Option<Cluster> {
        let made = || self.sightings.get(root).map(|sighting| Cluster::of(root, sighting));
        self.joined.get(&root).cloned().or_else(made)
    }

    /// Whether nothing that the two representatives' clusters say contradicts, and none saw both.
    pub(super) fn may_pair(&self, a: usize, b: usize) -> bool {
        match (self.view(a), self.view(b)) {
            (Some(a), Some(b)) => a.fits(&b) && !a.shares_recorder(&b),
            _ => false,
        }
    }

    /// Whether nothing that the two say contradicts.
    pub(super) fn fit(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        match (self.view(a), self.view(b)) {
            (Some(a), Some(b)) => a.fits(&b) && !self.same_kind_twice(&a, &b),
            _ => false,
        }
    }

    fn view(&self, root: usize) -> Option<View<'_>> {
        match self.joined.get(&root) {
            Some(cluster) => Some(View {
                facts: &cluster.facts,
                side: cluster.side,
                half: cluster.half,
                key: cluster.key,
                members: Members::Many(cluster),
            }),
            None => self.sightings.get(root).map(|sighting| View {
                facts: &sighting.facts,
                side: sighting.side,
                half: sighting.half,
                key: sighting.key,
                members: Members::One(sighting),
            }),
        }
    }

    /// Whether the two say the same of method, path and status, as far as the one `above` tells
    /// them, and nothing contradicts.
    pub(super) fn alike(&mut self, above: usize, below: usize) -> bool {
        let (above, below) = (self.root(above), self.root(below));
        let alike = match (self.facts(above), self.facts(below)) {
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
        let (first, second) = (a.min(b), a.max(b));
        if !self.fit(first, second) {
            return false;
        }
        let (Some(mut cluster), Some(other)) = (self.cluster(first), self.cluster(second)) else {
            return false;
        };
        cluster.absorb(other);
        self.joined.remove(&second);
        self.joined.insert(first, cluster);
        if let Some(parent) = self.parents.get_mut(second) {
            *parent = first;
        }
        true
    }

    /// Joins each with the first of those before it that it fits.
    pub(super) fn join_compatible(&mut self, members: impl Iterator<Item = usize>) {
        /// Hostile input: one span id for everything must not take quadratic time.
        const MOST: usize = 64;
        let mut heads: Vec<usize> = Vec::new();
        for member in members {
            let joined = heads.iter().any(|head| self.join(*head, member));
            if !joined && heads.len() < MOST {
                heads.push(member);
            }
        }
    }

    /// One recorder writes one exchange down once: whole twice, with the same of it kept, is two. The
    /// very same again (an exporter's retry) is one.
    fn same_kind_twice(&self, a: &View<'_>, b: &View<'_>) -> bool {
        if !a.shares_recorder(b) {
            return false;
        }
        let times = |sighting: &Sighting| (sighting.facts.start, sighting.facts.end);
        let theirs = self.whole(b);
        self.whole(a).iter().any(|one| {
            theirs.iter().any(|other| {
                one.recorder() == other.recorder()
                    && one.answer == other.answer
                    && one.asked == other.asked
                    && times(one) != times(other)
            })
        })
    }

    /// Its members that hold both halves.
    fn whole<'v>(&'v self, view: &'v View<'_>) -> Vec<&'v Sighting> {
        match view.members {
            Members::One(sighting) => sighting.if_whole().into_iter().collect(),
            Members::Many(cluster) => {
                let members = cluster.members.iter();
                members.filter_map(|member| self.sightings.get(*member)?.if_whole()).collect()
            }
        }
    }

    /// The members of each cluster, the one whose times count first; ordered by their first member.
    pub(super) fn into_groups(mut self, ambiguous: &BTreeSet<usize>) -> Vec<Group> {
        let roots: Vec<usize> = self.roots().collect();
        let sightings = self.sightings;
        let group = |root| {
            let mut members = match self.joined.remove(&root) {
                Some(cluster) => cluster.members,
                None => vec![root],
            };
            members.sort_by_key(|m| (sightings.get(*m).map(Sighting::precedence), *m));
            Group { members, ambiguous: ambiguous.contains(&root) }
        };
        roots.into_iter().map(group).collect()
    }
}

/// A cluster, or a sighting alone, to be compared.
struct View<'c> {
    facts: &'c Facts,
    side: Side,
    half: Half,
    key: Option<(Mark, Mark)>,
    members: Members<'c>,
}

enum Members<'c> {
    One(&'c Sighting),
    Many(&'c Cluster),
}

impl View<'_> {
    /// Nothing contradicts: what both know is equal, and they are not the same half twice.
    fn fits(&self, other: &Self) -> bool {
        fn agree<T: PartialEq + Copy>(a: Option<T>, b: Option<T>) -> bool {
            a.is_none() || b.is_none() || a == b
        }
        let (a, b) = (self.facts, other.facts);
        let halves = self.half == Half::Whole || self.half != other.half;
        // On its way to the server a gateway may rewrite the URL.
        let urls = self.side != other.side || agree(a.path, b.path) && agree(a.host, b.host);
        halves
            && urls
            && agree(a.method, b.method)
            && agree(a.status, b.status)
            && agree(a.client, b.client)
            && agree(a.call, b.call)
            && (self.key.map(|(scope, _)| scope) != other.key.map(|(scope, _)| scope)
                || self.key == other.key)
    }

    /// Whether one recorder wrote something of both.
    fn shares_recorder(&self, other: &Self) -> bool {
        match (&self.members, &other.members) {
            (Members::One(a), Members::One(b)) => a.recorder() == b.recorder(),
            (Members::One(one), Members::Many(many)) | (Members::Many(many), Members::One(one)) => {
                many.recorders.contains(&one.recorder())
            }
            (Members::Many(a), Members::Many(b)) => !a.recorders.is_disjoint(&b.recorders),
        }
    }
}

impl Sighting {
    fn if_whole(&self) -> Option<&Self> {
        (self.half == Half::Whole).then_some(self)
    }

    /// Whose times count: the caller's, of those the one that saw more.
    fn precedence(&self) -> (u8, bool, u8, bool) {
        (rank(self.side), self.half == Half::Response, 2 - self.answer.min(2), !self.asked)
    }
}

/// The caller knows best when it called.
fn rank(side: Side) -> u8 {
    match side {
        Side::Caller => 0,
        Side::Gateway => 1,
        Side::Server => 2,
    }
}

impl Cluster {
    fn of(index: usize, sighting: &Sighting) -> Self {
        Self {
            members: vec![index],
            facts: sighting.facts,
            side: sighting.side,
            half: sighting.half,
            key: sighting.key,
            recorders: BTreeSet::from([sighting.recorder()]),
        }
    }

    fn absorb(&mut self, other: Self) {
        self.members.extend(other.members);
        self.members.sort_unstable();
        self.recorders.extend(other.recorders);
        if self.half != other.half {
            self.half = Half::Whole;
        }
        self.key = self.key.or(other.key);
        let (a, b) = (self.facts, other.facts);
        let (leading, following) = match rank(self.side).cmp(&rank(other.side)) {
            Ordering::Less => (a, b),
            Ordering::Equal => {
                let (start, end) = (a.start.min(b.start), a.end.max(b.end));
                (Facts { start, end, ..a }, b)
            }
            Ordering::Greater => {
                self.side = other.side;
                (b, a)
            }
        };
        self.facts = Facts {
            start: leading.start,
            end: leading.end,
            status: leading.status.or(following.status),
            method: leading.method.or(following.method),
            path: leading.path.or(following.path),
            host: leading.host.or(following.host),
            client: leading.client.or(following.client),
            call: leading.call.or(following.call),
            trace: leading.trace.or(following.trace),
        };
    }
}
