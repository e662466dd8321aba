//! How far an ingest is, for whoever waits for it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts that go up while an ingest runs.
#[derive(Debug, Default)]
pub struct Pace {
    sources: AtomicU64,
    sources_done: AtomicU64,
    bytes: AtomicU64,
    bytes_read: AtomicU64,
}

/// Where it stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Sources found.
    pub sources: u64,
    /// Sources read.
    pub sources_done: u64,
    /// Bytes of all files among them; what a pipe will bring is not known.
    pub bytes: u64,
    /// Bytes read, as stored.
    pub bytes_read: u64,
}

impl Pace {
    /// Sources were found, with so many bytes in their files.
    pub fn found(&self, sources: u64, bytes: u64) {
        self.sources.fetch_add(sources, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes of a source were read.
    pub fn read(&self, bytes: u64) {
        self.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A source was read to its end, or is not read.
    pub fn source_done(&self) {
        self.sources_done.fetch_add(1, Ordering::Relaxed);
    }

    /// Where it stands.
    pub fn standing(&self) -> Standing {
        Standing {
            sources: self.sources.load(Ordering::Relaxed),
            sources_done: self.sources_done.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            bytes_read: self.bytes_read.load(Ordering::Relaxed),
        }
    }
}
