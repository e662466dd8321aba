//! Where the rows of the tables lie: Parquet, in files or in memory.
//!
//! Does not know who wrote it nor who asks. What `analyze` reads without a store is small most of
//! the time and stays in memory, still encoded; what is large lies in a private folder that goes
//! when the last [`Dataset`] that names it does.

use bytes::Bytes;
use std::any::Any;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// One Parquet file of one table.
#[derive(Debug, Clone)]
pub enum Segment {
    /// On disk.
    File(PathBuf),
    /// In memory, still encoded as Parquet.
    Memory(Bytes),
}

/// The segments of each table. A table without one has no rows.
#[derive(Debug, Clone, Default)]
pub struct Dataset {
    tables: BTreeMap<&'static str, Vec<Segment>>,
    /// What the segments are there by: folders that go when they are dropped, locks that are let go.
    kept: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Dataset {
    /// The segments of the table `name` (the `NAME` of its builder), in the order of ingest.
    pub fn segments(&self, name: &str) -> &[Segment] {
        self.tables.get(name).map_or(&[], Vec::as_slice)
    }

    /// The tables that have at least one segment, by name.
    pub fn tables(&self) -> impl Iterator<Item = (&'static str, &[Segment])> {
        self.tables.iter().map(|(name, segments)| (*name, segments.as_slice()))
    }

    /// Adds a segment to the table `name`.
    pub fn push(&mut self, name: &'static str, segment: Segment) {
        self.tables.entry(name).or_default().push(segment);
    }

    /// Takes all segments of the table `name` out.
    pub fn take(&mut self, name: &str) -> Vec<Segment> {
        self.tables.remove(name).unwrap_or_default()
    }

    /// Keeps `what` until the last clone of this data set is dropped.
    pub fn keep(&mut self, what: Arc<dyn Any + Send + Sync>) {
        self.kept.push(what);
    }

    /// Adds all segments of `other`, after those that are here.
    pub fn extend(&mut self, other: Self) {
        for (name, segments) in other.tables {
            self.tables.entry(name).or_default().extend(segments);
        }
        self.kept.extend(other.kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn a_kept_folder_goes_with_the_last_clone() {
        let folder = Arc::new(TempDir::new().unwrap());
        let path = folder.path().to_owned();
        let mut first = Dataset::default();
        first.keep(folder);
        first.push("cards", Segment::File(path.join("0.parquet")));
        let second = first.clone();
        drop(first);
        assert!(path.exists());
        assert_eq!(second.segments("cards").len(), 1);
        assert_eq!(second.segments("attempts").len(), 0);
        drop(second);
        assert!(!path.exists());
    }
}
