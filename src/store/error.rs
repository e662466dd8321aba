//! What can go wrong with a store, and what to do about it.

use crate::ingest::IngestError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a store cannot be used.
#[derive(Debug)]
pub enum StoreError {
    /// There is no store in the folder.
    NoStore(PathBuf),
    /// The folder holds other things.
    NotAStore(PathBuf),
    /// It is a URL. (Which may hold secrets: it is not told.)
    Remote,
    /// A commit was made under other settings.
    OtherSettings {
        /// The commit.
        commit: u64,
    },
    /// A commit was made by a program with other tables.
    OtherLayout {
        /// The commit.
        commit: u64,
        /// Its layout.
        layout: String,
        /// The program that wrote it.
        made_by: String,
    },
    /// A commit cannot be read, or is missing between others.
    BadCommit {
        /// Its file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A file that a commit names is not there, or not all of it.
    BadSegment {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A file of the store cannot be read or written.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The ingest could not go on; nothing was added.
    Ingest(IngestError),
}

impl StoreError {
    pub(super) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io { path: path.to_owned(), error }
    }

    /// Whether the user asked for something that cannot be (exit status 2), rather than that something
    /// broke.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NoStore(_)
                | Self::NotAStore(_)
                | Self::Remote
                | Self::OtherSettings { .. }
                | Self::OtherLayout { .. }
                | Self::Ingest(IngestError::UnknownFormat(_))
        )
    }

    /// Whether there was no room to write (exit status 4): nothing is wrong with any input.
    pub fn is_full_disk(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        let (Self::Io { error, .. } | Self::Ingest(IngestError::Io(error))) = self else {
            return false;
        };
        matches!(error.kind(), StorageFull | QuotaExceeded)
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoStore(_) => "make one with `carddrift ingest INPUT --store FOLDER`",
            Self::NotAStore(_) | Self::Remote => "name a folder that is empty or not there yet",
            Self::OtherSettings { .. } => {
                "[client], [agents], [registries], [extract] and [[mapping]] act at ingest: restore those \
                 the store was made under, or ingest everything anew into another store"
            }
            Self::OtherLayout { .. } => {
                "ingest everything anew into another store, or read it with the program that made it"
            }
            Self::BadCommit { .. } | Self::BadSegment { .. } => {
                "`carddrift store verify` tells what is damaged; put back what is missing, or ingest \
                 everything anew into another store"
            }
            Self::Io { .. } | Self::Ingest(_) => return None,
        })
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStore(path) => write!(f, "there is no store in {}", path.display()),
            Self::NotAStore(path) => {
                write!(f, "{} holds other things than a store", path.display())
            }
            Self::Remote => f.write_str("a store is a folder, not a URL"),
            Self::OtherSettings { commit } => {
                write!(
                    f,
                    "commit {commit} of the store was made under other settings of the ingest"
                )
            }
            Self::OtherLayout { commit, layout, made_by } => {
                write!(
                    f,
                    "commit {commit} of the store, made by {made_by}, has tables of layout {layout}; this program \
                     reads layout {}",
                    crate::tables::LAYOUT
                )
            }
            Self::BadCommit { path, why } | Self::BadSegment { path, why } => {
                write!(f, "{}: {why}", path.display())
            }
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Ingest(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<IngestError> for StoreError {
    fn from(error: IngestError) -> Self {
        Self::Ingest(error)
    }
}
