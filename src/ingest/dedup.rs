//! Which events were seen before (model §1 *Duplicates*), in bounded memory.
//!
//! Equal events have equal times. So the hashes of events lie in buckets of time; recordings move on in
//! time, and a bucket that was not touched for long waits in an unnamed temporary file until an
//! event of its time comes after all.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{self, Read, Seek, SeekFrom, Write};

/// An event: its time, and a hash over all of its fields.
pub type Event = (i64, u64);

/// An event with its place in a list.
pub type Placed = (i64, u64, u32);

/// Orders events by time and hash; of equal ones the first comes first.
pub fn ordered(events: impl Iterator<Item = Event>) -> Vec<Placed> {
    let mut placed: Vec<Placed> =
        (0..).zip(events).map(|(place, (time, hash))| (time, hash, place)).collect();
    placed.sort_unstable();
    placed
}

/// Events known before this ingest.
pub trait Earlier: Send {
    /// Whether an event is one of them. Asked in the order of time, more or less.
    fn contains(&mut self, event: Event) -> io::Result<bool>;
}

/// Nothing was known before.
#[derive(Debug, Clone, Copy)]
pub struct Nothing;

impl Earlier for Nothing {
    fn contains(&mut self, _: Event) -> io::Result<bool> {
        Ok(false)
    }
}

/// Events of a bucket before it is parted. Of recordings in order of time halves stay as they are, and half
/// of this, with what a chunk adds at once, just fits into a table of 32,768 places.
const BUCKET_EVENTS: usize = 48 << 10;

/// Takes the hash of an event as its own hash.
#[derive(Debug, Default, Clone, Copy)]
pub struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {}
    fn write_i64(&mut self, _: i64) {}
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

type Set = HashSet<Event, BuildHasherDefault<AsIs>>;

#[derive(Debug)]
enum Held {
    Here(Set),
    /// In the file: where it begins, and how many there are.
    There(u64, usize),
}

#[derive(Debug)]
struct Bucket {
    held: Held,
    touched: u64,
}

/// The events of one ingest.
#[derive(Debug)]
pub struct Seen {
    /// By the first time of each.
    buckets: BTreeMap<i64, Bucket>,
    here: usize,
    limit: usize,
    clock: u64,
    file: Option<File>,
    end: u64,
}

impl Default for Seen {
    fn default() -> Self {
        Self::new(1 << 20)
    }
}

impl Seen {
    /// Keeps about `limit` events in memory.
    pub fn new(limit: usize) -> Self {
        let first = Bucket { held: Held::Here(Set::default()), touched: 0 };
        Self {
            buckets: BTreeMap::from([(i64::MIN, first)]),
            here: 0,
            limit,
            clock: 0,
            file: None,
            end: 0,
        }
    }

    /// Adds events, and sets `duplicate` at the place of each that `earlier` knows, that was added
    /// before, or that comes before in the same list.
    pub fn add(
        &mut self,
        events: &[Placed],
        duplicate: &mut [bool],
        earlier: &mut dyn Earlier,
    ) -> io::Result<()> {
        let mut rest = events;
        while let Some((first, ..)) = rest.first() {
            self.clock += 1;
            let (start, end) = self.range(*first);
            let count = rest.partition_point(|(time, ..)| *time < end || end == i64::MAX);
            let (now, later) = rest.split_at(count);
            rest = later;
            let set = self.load(start)?;
            let before = set.len();
            for (time, hash, place) in now {
                let event = (*time, *hash);
                if let Some(known) = duplicate.get_mut(*place as usize) {
                    *known = earlier.contains(event)? || !set.insert(event);
                }
            }
            let after = set.len();
            self.here += after - before;
            if after > BUCKET_EVENTS {
                self.part(start);
            }
            if self.here > self.limit {
                self.put_away()?;
            }
        }
        Ok(())
    }

    /// The bucket of a time: its first time, and the first one after it.
    fn range(&self, time: i64) -> (i64, i64) {
        let start = self.buckets.range(..=time).next_back().map_or(i64::MIN, |(start, _)| *start);
        let end = self.buckets.range(start..).nth(1).map_or(i64::MAX, |(end, _)| *end);
        (start, end)
    }

    fn load(&mut self, start: i64) -> io::Result<&mut Set> {
        let clock = self.clock;
        let bucket = self
            .buckets
            .entry(start)
            .or_insert_with(|| Bucket { held: Held::Here(Set::default()), touched: clock });
        bucket.touched = clock;
        if let Held::There(at, count) = bucket.held {
            let mut set = Set::with_capacity_and_hasher(count, BuildHasherDefault::default());
            if let Some(file) = &mut self.file {
                set.extend(read(file, at, count)?);
            }
            self.here += set.len();
            bucket.held = Held::Here(set);
        }
        match &mut bucket.held {
            Held::Here(set) => Ok(set),
            Held::There(..) => Err(io::Error::other("a bucket of events is lost")),
        }
    }

    /// Parts a bucket at its middle time, if it has two times.
    fn part(&mut self, start: i64) {
        let Some(Bucket { held: Held::Here(set), touched }) = self.buckets.get_mut(&start) else {
            return;
        };
        let mut times: Vec<i64> = set.iter().map(|event| event.0).collect();
        let middle = times.len() / 2;
        let (_, middle, _) = times.select_nth_unstable(middle);
        let middle = *middle;
        if !set.iter().any(|event| event.0 < middle) {
            return;
        }
        let late: Set = set.extract_if(|event| event.0 >= middle).collect();
        set.shrink_to_fit();
        let touched = *touched;
        self.buckets.insert(middle, Bucket { held: Held::Here(late), touched });
    }

    /// Moves the buckets untouched for longest into the file, until half of the limit is left.
    fn put_away(&mut self) -> io::Result<()> {
        let mut by_age: Vec<(u64, i64)> = self
            .buckets
            .iter()
            .filter(|(_, bucket)| matches!(bucket.held, Held::Here(_)))
            .map(|(start, bucket)| (bucket.touched, *start))
            .collect();
        by_age.sort_unstable();
        by_age.pop();
        for (_, start) in by_age {
            if self.here <= self.limit / 2 {
                break;
            }
            let Some(bucket) = self.buckets.get_mut(&start) else { continue };
            let Held::Here(set) = &bucket.held else { continue };
            let mut bytes = Vec::with_capacity(set.len() * 16);
            for event in sorted(set) {
                bytes.extend_from_slice(&encode(event));
            }
            let file = match &mut self.file {
                Some(file) => file,
                none => none.insert(tempfile::tempfile()?),
            };
            file.seek(SeekFrom::Start(self.end))?;
            file.write_all(&bytes)?;
            self.here -= set.len();
            bucket.held = Held::There(self.end, set.len());
            self.end += bytes.len() as u64;
        }
        Ok(())
    }

    /// All events in order, one bucket after the other.
    pub fn into_sorted(
        mut self,
        mut take: impl FnMut(&[Event]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut file = self.file.take();
        for bucket in std::mem::take(&mut self.buckets).into_values() {
            match (bucket.held, &mut file) {
                (Held::Here(set), _) => take(&sorted(&set))?,
                (Held::There(at, count), Some(file)) => take(&read(file, at, count)?)?,
                (Held::There(..), None) => {}
            }
        }
        Ok(())
    }
}

fn sorted(set: &Set) -> Vec<Event> {
    let mut events: Vec<Event> = set.iter().copied().collect();
    events.sort_unstable();
    events
}

/// An event in 16 bytes.
pub fn encode((time, hash): Event) -> [u8; 16] {
    let mut bytes = [0; 16];
    for (slot, byte) in
        bytes.iter_mut().zip(time.to_le_bytes().into_iter().chain(hash.to_le_bytes()))
    {
        *slot = byte;
    }
    bytes
}

/// Reads `count` events from `at`.
pub fn read(file: &mut (impl Read + Seek), at: u64, count: usize) -> io::Result<Vec<Event>> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = vec![0; count * 16];
    file.read_exact(&mut bytes)?;
    let number = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).unwrap_or_default();
    Ok(bytes
        .chunks_exact(16)
        .map(|event| {
            let (time, hash) = event.split_at(8);
            (number(time).cast_signed(), number(hash))
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn add(seen: &mut Seen, events: &[Event]) -> Vec<bool> {
        let mut duplicate = vec![false; events.len()];
        seen.add(&ordered(events.iter().copied()), &mut duplicate, &mut Nothing).unwrap();
        duplicate
    }

    #[test]
    fn the_first_of_equal_events_stays() {
        let mut seen = Seen::default();
        let duplicate = add(&mut seen, &[(5, 1), (3, 1), (5, 1), (5, 2), (3, 1)]);
        assert_eq!(duplicate, [false, false, true, false, true]);
        assert_eq!(add(&mut seen, &[(5, 2), (4, 2)]), [true, false]);
    }

    #[test]
    fn buckets_part_and_wait_in_a_file() {
        let mut seen = Seen::new(BUCKET_EVENTS * 2);
        let count = i64::try_from(BUCKET_EVENTS).unwrap() * 6;
        let all: Vec<Event> = (0..count).map(|n| (n / 3, n.cast_unsigned() * 7919)).collect();
        for chunk in all.chunks(5000) {
            let duplicate = add(&mut seen, chunk);
            assert!(!duplicate.contains(&true));
        }
        assert!(seen.here <= seen.limit + 5000 && seen.file.is_some());
        for chunk in all.chunks(70_001).rev() {
            let duplicate = add(&mut seen, chunk);
            assert!(!duplicate.contains(&false));
        }
        let mut sorted = Vec::new();
        seen.into_sorted(|events| {
            sorted.extend_from_slice(events);
            Ok(())
        })
        .unwrap();
        assert_eq!(sorted, all);
    }

    #[test]
    fn many_events_of_one_instant() {
        let mut seen = Seen::new(1000);
        let all: Vec<Event> = (0..BUCKET_EVENTS as u64 * 2).map(|n| (i64::MAX, n)).collect();
        assert!(!add(&mut seen, &all).contains(&true));
        assert!(!add(&mut seen, &all).contains(&false));
    }

    proptest! {
        #[test]
        fn agrees_with_a_set(events in prop::collection::vec((0_i64..6, 0_u64..4), 0..60), size in 1_usize..9) {
            let mut seen = Seen::new(3);
            let mut known = std::collections::HashSet::new();
            for chunk in events.chunks(size) {
                for (event, found) in chunk.iter().zip(add(&mut seen, chunk)) {
                    prop_assert_eq!(found, !known.insert(*event));
                }
            }
        }
    }
}
