//! From inputs to tables: sources are found, opened, cut into records, read, folded into rows.
//!
//! ```text
//! discover ─ open ─ split ─► chunks ─ formats ─► events ─ fold ─► rows ─ dedup ─► Parquet
//!                            (in parallel)              exchanges ─ join ─ derive ─┘
//! ```
//!
//! Knows no query. Chunks are read in parallel and their duplicates settled in order, so which of
//! equal events stays does not depend on threads: the first by the source's name and the place in
//! it (what stands in records as such before what is derived from exchanges).

mod account;
mod batch;
pub(crate) mod before;
mod cards;
mod census;
mod clocks;
mod cutter;
pub(crate) mod dedup;
mod driver;
mod ending;
mod error;
mod fold;
mod identity;
mod output;
mod payload;
mod runs;
mod worker;

pub mod array;
pub mod chunk;
pub mod containers;
pub mod decode;
pub mod discover;
pub mod lines;
mod mend;
pub mod open;
pub mod pace;
pub mod repair;
pub mod scan;
pub mod source;
pub mod split;
mod unfold;
mod units;
pub mod utf16;

pub use account::{Account, Counts, Fates};
pub use driver::ingest;
pub(crate) use driver::ingest_into;
pub use error::IngestError;

use crate::config::Config;
use crate::problem::Problem;
use crate::tables::Dataset;
use open::Limits;
use std::path::PathBuf;

/// How to ingest.
#[derive(Debug, Clone)]
pub struct IngestOptions {
    /// Threads that read records; 0: one for each core.
    pub threads: usize,
    /// What a source may cost.
    pub limits: Limits,
    /// The zone for times without one; `None`: UTC.
    pub assume_zone: Option<jiff::tz::TimeZone>,
    /// The reader to use for every source; `None`: told by content.
    pub input_format: Option<String>,
    /// Whether message and part contents are stored.
    pub keep_payloads: bool,
    /// Of more distinct cards than this only the hashes are kept.
    pub max_cards: usize,
}

impl Default for IngestOptions {
    fn default() -> Self {
        let limits = Limits { block_bytes: 2 << 20, ..Limits::default() };
        Self {
            threads: 0,
            limits,
            assume_zone: None,
            input_format: None,
            keep_payloads: false,
            max_cards: 200_000,
        }
    }
}

/// What an ingest gave.
#[derive(Debug, Default)]
pub struct Ingested {
    /// The rows.
    pub tables: Dataset,
    /// One for each source that was read, by name.
    pub accounts: Vec<Account>,
    /// Sources that could not be read at all, by name.
    pub unreadable: Vec<(String, Problem)>,
    /// Sources that the store held already (by the SHA-256 of their content), and the names they had.
    pub skipped: Vec<(String, String)>,
    /// How many problems there are of each kind; each is a row of the table `problems`.
    pub problems: Counts,
}

impl Ingested {
    /// The sum over all sources: records (blank ones among them) and blank ones, and their fates.
    pub fn totals(&self) -> (u64, u64, Fates) {
        let mut fates = Fates::default();
        let (mut records, mut blank) = (0, 0);
        for account in &self.accounts {
            fates.add(&account.fates);
            records += account.facts.records;
            blank += account.facts.blank;
        }
        (records, blank, fates)
    }
}

/// Ingests files and folders.
pub fn ingest_paths(
    paths: &[PathBuf],
    config: &Config,
    options: &IngestOptions,
) -> Result<Ingested, IngestError> {
    let inputs: Vec<String> =
        paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    ingest(&inputs, config, options)
}

#[cfg(test)]
pub(crate) mod tests;
