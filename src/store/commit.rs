//! One commit: what an ingest added, as a JSON file that appears whole or not at all.

use super::disk;
use super::error::StoreError;
use crate::ingest::Account;
use crate::tables;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

/// What a file of a commit holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// Rows of a table, as Parquet.
    Table(String),
    /// Time and hash of each event, 16 bytes each, in order: by these duplicates are found.
    Events {
        /// Time of the first one.
        first_time: i64,
        /// Time of the last one.
        last_time: i64,
    },
    /// Hashes of artifacts that may consist of several records, 9 bytes each.
    Artifacts,
}

/// A file of a commit, below `segments/`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: FileKind,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of its bytes, hex.
    pub sha256: String,
}

/// A source that a commit holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSource {
    /// The name it was given by.
    pub source_file: String,
    /// SHA-256 of its content, hex.
    pub sha256: String,
    /// Bytes as it was stored.
    pub size_bytes: u64,
    /// Bytes of content.
    pub content_bytes: u64,
    /// Records read, blank ones among them.
    pub records: u64,
    /// Events added.
    pub events: u64,
}

impl StoredSource {
    pub(super) fn of(account: &Account) -> Self {
        Self {
            source_file: account.source.clone(),
            sha256: account.facts.sha256.clone(),
            size_bytes: account.facts.size_bytes,
            content_bytes: account.facts.content_bytes,
            records: account.facts.records,
            events: account.fates.events,
        }
    }
}

/// A file of an earlier commit that is no longer read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replaced {
    /// Its name.
    pub name: String,
    /// What is read in its place; `None`: nothing of it was kept.
    pub by: Option<File>,
}

/// What one ingest added, or what retention took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its number, from 1.
    pub number: u64,
    /// Version of the tables' layout.
    pub layout: String,
    /// The program.
    pub made_by: String,
    /// SHA-256 of the settings that act at ingest, hex.
    pub settings: String,
    /// What was read.
    pub sources: Vec<StoredSource>,
    /// What it consists of.
    pub files: Vec<File>,
    /// Files of earlier commits that retention took rows from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<Replaced>,
    /// Of retention: what happened before this is no longer whole. UTC nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_from: Option<i64>,
}

impl Commit {
    /// Its file's name.
    fn name(&self) -> String {
        name(self.number)
    }

    /// Writes it: to a file of another name first, which is then given the right one. That fails when
    /// there is such a commit already.
    pub(super) fn write(&self, folder: &Path) -> Result<(), StoreError> {
        let path = folder.join(self.name());
        let at = |error| StoreError::io(&path, error);
        let mut text = serde_json::to_vec_pretty(self).map_err(|error| at(error.into()))?;
        text.push(b'\n');
        let draft = folder.join(format!("{}.draft", self.name()));
        disk::step().map_err(at)?;
        let mut file = fs::File::create(&draft).map_err(at)?;
        file.write_all(&text).map_err(at)?;
        disk::step().map_err(at)?;
        file.sync_all().map_err(at)?;
        disk::step().map_err(at)?;
        let linked = fs::hard_link(&draft, &path);
        if linked.is_err() && !path.exists() {
            // Some file systems have no links; under the lock nobody else makes this commit.
            fs::rename(&draft, &path).map_err(at)?;
        } else {
            linked.map_err(at)?;
        }
        disk::sync_folder(folder).map_err(at)?;
        // The commit is there; a draft left behind means nothing.
        let _ = fs::remove_file(&draft);
        Ok(())
    }
}

/// The name of a commit's file.
pub(super) fn name(number: u64) -> String {
    format!("{number:010}.json")
}

impl File {
    /// The table that it holds rows of.
    pub fn table(&self) -> Option<&'static str> {
        let FileKind::Table(table) = &self.kind else { return None };
        tables::all().iter().find(|known| known.name == table).map(|known| known.name)
    }
}

/// The files that are read, each with the commit that it came with: all but those that a later commit
/// replaces, and what they are replaced by.
pub fn in_force(commits: &[Commit]) -> impl Iterator<Item = (u64, &File)> {
    let mut replaced: BTreeMap<&str, Vec<(u64, Option<&File>)>> = BTreeMap::new();
    for commit in commits {
        for one in &commit.replaced {
            let by = (commit.number, one.by.as_ref());
            replaced.entry(&one.name).or_default().push(by);
        }
    }
    commits
        .iter()
        .flat_map(|commit| commit.files.iter().map(|file| (commit.number, file)))
        .filter_map(move |(number, file)| {
            let (mut file, mut since) = (file, number);
            // What was written later under the same name is not what was replaced.
            while let Some((at, by)) = replaced
                .get(file.name.as_str())
                .and_then(|all| all.iter().find(|(at, _)| *at > since))
            {
                (file, since) = ((*by)?, *at);
            }
            Some((number, file))
        })
}

/// All commits of the folder, in order. A gap between them is damage.
pub(super) fn read_all(folder: &Path) -> Result<Vec<Commit>, StoreError> {
    let at = |error| StoreError::io(folder, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(at)? {
        let name = entry.map_err(at)?.file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_some_and(|extension| extension == "json") {
            names.push(name);
        }
    }
    names.sort();
    let mut commits = Vec::new();
    for (name, number) in names.into_iter().zip(1..) {
        let path = folder.join(name);
        let text = fs::read(&path).map_err(|error| StoreError::io(&path, error))?;
        let bad = |why: String| StoreError::BadCommit { path: path.clone(), why };
        let commit: Commit =
            serde_json::from_slice(&text).map_err(|error| bad(error.to_string()))?;
        if commit.number != number || path.file_name().is_none_or(|name| *name != *commit.name()) {
            return Err(bad(format!("commit {number} was expected, this is {}", commit.number)));
        }
        commits.push(commit);
    }
    Ok(commits)
}
