//! The store: what was ingested, kept as Parquet segments that a log of commits names.
//!
//! ```text
//! STORE/commits/0000000001.json   what the ingest added; written once, whole or not at all
//! STORE/segments/…                the files that commits name; never changed
//! STORE/staging/…                 an ingest under way; means nothing to a reader
//! STORE/key                       the key of redaction hashes, readable by its owner only
//! STORE/lock                      held while something is added or removed
//! STORE/readers                   held by each reader, so that no file goes that it may yet open
//! ```
//!
//! Invariant: a reader sees whole commits or nothing. Files are on disk before the commit that names them
//! appears, and a commit appears by a hard link, which cannot take the place of another. Killed at any
//! moment, an ingest leaves files that no commit names; the next one clears them.
//!
//! Knows nothing of queries.

mod commit;
mod disk;
mod error;
mod events;
mod hold;
mod retain;
mod settings;
mod tend;

pub use commit::{Commit, File, Replaced, StoredSource, in_force};
pub use error::StoreError;
pub use retain::Retained;
pub use tend::{Collected, Fault, Removed};

use crate::config::Config;
use crate::ingest::before::{After, Before};
use crate::ingest::{IngestOptions, Ingested, ingest_into};
use crate::redact::Redactor;
use crate::tables::{Cards, Dataset, Folder, LAYOUT, Segment};
use commit::FileKind;
use disk::Lock;
use events::EarlierEvents;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const COMMITS: &str = "commits";
const SEGMENTS: &str = "segments";
const STAGING: &str = "staging";

/// The program that makes a commit.
const MADE_BY: &str = concat!("carddrift ", env!("CARGO_PKG_VERSION"));

/// How far a store goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// Its last commit; 0: it has none.
    pub commit: u64,
    /// Before this, attempts are gone, and tasks that had ended; `None`: retention took nothing. UTC
    /// nanoseconds.
    pub kept_from: Option<i64>,
}

/// A store in a folder.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// An existing store.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        if !root.join(COMMITS).is_dir() {
            return Err(StoreError::NoStore(root.to_owned()));
        }
        Ok(Self { root: root.to_owned() })
    }

    /// The store in a folder, which is made when it is not there. A folder with other things in it is
    /// none.
    pub fn open_or_create(root: &Path) -> Result<Self, StoreError> {
        if let Ok(store) = Self::open(root) {
            return Ok(store);
        }
        if root.to_string_lossy().contains("://") {
            return Err(StoreError::Remote);
        }
        let at = |error| StoreError::io(root, error);
        if root.metadata().is_ok_and(|metadata| !metadata.is_dir()) {
            return Err(StoreError::NotAStore(root.to_owned()));
        }
        if let Ok(entries) = std::fs::read_dir(root) {
            let ours = ["lock", hold::READERS, SEGMENTS, STAGING, "key", "key.draft"];
            for entry in entries {
                let name = entry.map_err(at)?.file_name();
                if !ours.iter().any(|ours| name == *ours) {
                    return Err(StoreError::NotAStore(root.to_owned()));
                }
            }
        }
        for folder in [SEGMENTS, COMMITS] {
            std::fs::create_dir_all(root.join(folder)).map_err(at)?;
        }
        disk::sync_folder(root).map_err(at)?;
        Ok(Self { root: root.to_owned() })
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The commits, in order.
    pub fn commits(&self) -> Result<Vec<Commit>, StoreError> {
        commit::read_all(&self.root.join(COMMITS))
    }

    /// The commits of a store whose tables have the layout that this program reads.
    fn readable(&self) -> Result<Vec<Commit>, StoreError> {
        let commits = self.commits()?;
        match commits.iter().find(|commit| commit.layout != LAYOUT) {
            Some(other) => Err(StoreError::OtherLayout {
                commit: other.number,
                layout: other.layout.clone(),
                made_by: other.made_by.clone(),
            }),
            None => Ok(commits),
        }
    }

    /// Errors when a table's file that a commit names is not there, or has another length: without it all
    /// numbers would be of another recording. (Events are asked of only where times overlap.)
    fn whole(&self, commits: &[Commit]) -> Result<(), StoreError> {
        for (_, file) in in_force(commits).filter(|(_, file)| file.table().is_some()) {
            let path = self.path(file);
            let why = match std::fs::metadata(&path) {
                Ok(found) if found.len() == file.bytes => continue,
                Ok(found) => format!("it has {} bytes, not {}", found.len(), file.bytes),
                Err(error) => error.to_string(),
            };
            return Err(StoreError::BadSegment { path, why });
        }
        Ok(())
    }

    /// The rows of all commits. While it is there, no file of it is removed.
    pub fn dataset(&self) -> Result<Dataset, StoreError> {
        Ok(self.dataset_until(None)?.0)
    }

    /// The rows of the commits up to this one, and how far the store goes. What retention took since then
    /// is not there either.
    pub fn dataset_until(&self, until: Option<u64>) -> Result<(Dataset, Extent), StoreError> {
        let mut dataset = Dataset::default();
        // Before the commits are read: none of their files may go from then on.
        if let Some(hold) = hold::take(&self.root)? {
            dataset.keep(Arc::new(hold));
        }
        let commits = self.readable()?;
        self.whole(&commits)?;
        for (commit, file) in in_force(&commits) {
            if let Some(table) = file.table().filter(|_| until.is_none_or(|until| commit <= until))
            {
                dataset.push(table, Segment::File(self.path(file)));
            }
        }
        let extent = Extent {
            commit: commits.last().map_or(0, |commit| commit.number),
            kept_from: commits.iter().filter_map(|commit| commit.kept_from).max(),
        };
        Ok((dataset, extent))
    }

    /// SHA-256 of a commit's file, hex; `None`: there is no such commit.
    pub fn commit_sha256(&self, number: u64) -> Result<Option<String>, StoreError> {
        let path = self.root.join(COMMITS).join(commit::name(number));
        match disk::sha256_of_file(&path) {
            Ok((sha256, _)) => Ok(Some(sha256)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io(&path, error)),
        }
    }

    /// Where a file of a commit lies.
    pub fn path_of(&self, file: &File) -> PathBuf {
        self.path(file)
    }

    fn path(&self, file: &File) -> PathBuf {
        self.root.join(SEGMENTS).join(&file.name)
    }

    /// Adds what the inputs hold. Sources that are there already are skipped; without anything new there is
    /// no commit. Waits while another ingest into this store is under way. Of the answer, `tables` holds
    /// what was added.
    pub fn ingest(
        &self,
        inputs: &[String],
        config: &Config,
        options: &IngestOptions,
    ) -> Result<Ingested, StoreError> {
        let lock = Lock::take(&self.root)?;
        let commits = self.readable()?;
        let settings = settings::fingerprint(config);
        if let Some(other) = commits.iter().find(|commit| commit.settings != settings) {
            return Err(StoreError::OtherSettings { commit: other.number });
        }
        self.whole(&commits)?;
        let staging = self.root.join(STAGING);
        disk::fresh_folder(&staging).map_err(|error| StoreError::io(&staging, error))?;
        let mut before = self.before(&commits)?;
        let folder = Arc::new(Folder::At(staging.clone()));
        let (mut ingested, after) = ingest_into(&folder, inputs, config, options, &mut before)?;
        if ingested.accounts.is_empty() {
            ingested.tables = Dataset::default();
        } else {
            self.commit(&lock, &before, settings, &mut ingested, after)?;
        }
        // What is left of it means nothing, and the next ingest clears it.
        let _ = std::fs::remove_dir_all(&staging);
        Ok(ingested)
    }

    /// Moves the staged files to the segments, and names them in a commit.
    fn commit(
        &self,
        _: &Lock,
        before: &Before,
        settings: String,
        ingested: &mut Ingested,
        after: After,
    ) -> Result<(), StoreError> {
        let staging = self.root.join(STAGING);
        let segments = self.root.join(SEGMENTS);
        let mut files = Vec::new();
        let mut tables = Dataset::default();
        for (table, staged) in ingested.tables.tables() {
            for segment in staged {
                let Segment::File(path) = segment else { continue };
                let file = disk::adopt(path, &segments, FileKind::Table(table.to_owned()))?;
                tables.push(table, Segment::File(self.path(&file)));
                files.push(file);
            }
        }
        ingested.tables = tables;
        let path = staging.join("events");
        let events = events::write_events(&path, after.events)?;
        if let Some((first_time, last_time)) = events {
            files.push(disk::adopt(&path, &segments, FileKind::Events { first_time, last_time })?);
        }
        if !after.artifacts.is_empty() {
            let path = staging.join("artifacts");
            events::write_artifacts(&path, &after.artifacts)?;
            files.push(disk::adopt(&path, &segments, FileKind::Artifacts)?);
        }
        disk::sync_folder(&segments).map_err(|error| StoreError::io(&segments, error))?;
        let sources = ingested.accounts.iter().map(StoredSource::of).collect();
        let commit = Commit {
            number: before.ingest.cast_unsigned(),
            layout: LAYOUT.to_owned(),
            made_by: MADE_BY.to_owned(),
            settings,
            sources,
            files,
            replaced: Vec::new(),
            kept_from: None,
        };
        commit.write(&self.root.join(COMMITS))
    }

    /// What the store knows. Of large files only what an ingest asks for is read.
    fn before(&self, commits: &[Commit]) -> Result<Before, StoreError> {
        let mut events = EarlierEvents::default();
        let mut artifacts: BTreeMap<u64, bool> = BTreeMap::new();
        let mut cards = BTreeSet::new();
        let mut sources = BTreeMap::new();
        let mut sizes = BTreeSet::new();
        for commit in commits {
            for source in &commit.sources {
                sources.entry(source.sha256.clone()).or_insert_with(|| source.source_file.clone());
                sizes.extend([source.size_bytes, source.content_bytes]);
            }
        }
        for (_, file) in in_force(commits) {
            let path = self.path(file);
            match &file.kind {
                FileKind::Events { first_time, last_time } => {
                    events.push(path, *first_time, *last_time, file.bytes);
                }
                FileKind::Artifacts => {
                    for (artifact, appends) in events::read_artifacts(&path)? {
                        *artifacts.entry(artifact).or_default() |= appends;
                    }
                }
                FileKind::Table(table) if table == Cards::NAME => {
                    events::read_cards(&path, &mut cards)?;
                }
                FileKind::Table(_) => {}
            }
        }
        let ingest = commits.last().map_or(1, |commit| commit.number + 1);
        Ok(Before {
            ingest: i64::try_from(ingest).unwrap_or(i64::MAX),
            redactor: Redactor::with_key(disk::key(&self.root)?),
            events: Box::new(events),
            cards,
            artifacts,
            sources,
            sizes,
        })
    }
}

#[cfg(test)]
mod tests;
