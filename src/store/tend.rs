//! Looking after a store: whether its files are what its commits say, and what no commit names.

use super::disk::{Lock, fresh_folder, sha256_of_file, sync_folder};
use super::{COMMITS, SEGMENTS, STAGING, Store, StoreError, hold, in_force};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// A file that is not what its commit says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The commit.
    pub commit: u64,
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

/// A file that was removed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// The file.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
}

/// What was cleared away.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// The files that were removed, or would be.
    pub removed: Vec<Removed>,
    /// Files that no commit names and that stay, because a reader may be about to open them.
    pub held: u64,
}

impl Store {
    /// Hashes every file that a commit names; what is missing or differs.
    pub fn verify(&self) -> Result<Vec<Fault>, StoreError> {
        let mut faults = Vec::new();
        let _hold = hold::take(self.root())?;
        for (commit, file) in in_force(&self.commits()?) {
            let path = self.path(file);
            let why = match sha256_of_file(&path) {
                Err(error) => error.to_string(),
                Ok((_, bytes)) if bytes != file.bytes => {
                    format!("it has {bytes} bytes, not {}", file.bytes)
                }
                Ok((sha256, _)) if sha256 != file.sha256 => "its bytes have changed".to_owned(),
                Ok(_) => continue,
            };
            faults.push(Fault { commit, path, why });
        }
        Ok(faults)
    }

    /// Removes what no commit names: files of ingests that did not end, and those that retention replaced
    /// unless there is a reader, which may have read the commits before. With `dry`, only tells.
    pub fn gc(&self, dry: bool) -> Result<Collected, StoreError> {
        let _lock = Lock::take(self.root())?;
        let alone = hold::alone(self.root())?;
        let commits = self.commits()?;
        let named: BTreeSet<PathBuf> =
            in_force(&commits).map(|(_, file)| self.path(file)).collect();
        let mut held = 0;
        let mut removed = Vec::new();
        for (folder, keep) in
            [(SEGMENTS, &named), (STAGING, &BTreeSet::new()), (COMMITS, &BTreeSet::new())]
        {
            let folder = self.root().join(folder);
            let at = |error| StoreError::io(&folder, error);
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(at(error)),
            };
            for entry in entries {
                let entry = entry.map_err(at)?;
                let path = entry.path();
                let is_commit =
                    folder.ends_with(COMMITS) && path.extension().is_none_or(|e| e != "draft");
                if keep.contains(&path) || is_commit {
                    continue;
                }
                if folder.ends_with(SEGMENTS) && alone.is_none() {
                    held += 1;
                    continue;
                }
                let bytes = entry.metadata().map_err(at)?.len();
                if !dry {
                    fs::remove_file(&path).map_err(at)?;
                }
                removed.push(Removed { path, bytes });
            }
            if !dry {
                sync_folder(&folder).map_err(at)?;
            }
        }
        if !dry {
            let staging = self.root().join(STAGING);
            fresh_folder(&staging).map_err(|error| StoreError::io(&staging, error))?;
        }
        removed.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Collected { removed, held })
    }
}
