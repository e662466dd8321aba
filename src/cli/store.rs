//! `carddrift store`: looks after a store.

use super::arguments::{Globals, RowFormat, To};
use super::exit::{Exit, Failure};
use super::{output, query};
use crate::report::figures::{count, counted};
use crate::report::rows::View;
use crate::report::write_rows;
use crate::store::Store;
use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;
use std::sync::Arc;

/// Look after a store
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift store ls delegations.store
  carddrift store verify delegations.store
  carddrift store gc delegations.store --dry-run
  carddrift store files delegations.store --format csv")]
pub struct StoreCommand {
    #[command(subcommand)]
    command: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the commits
    Ls(Listing),
    /// Hash every file and compare it with its commit; exit with 3 when one differs
    Verify(Place),
    /// Remove files of ingests that did not end
    Gc(Gc),
    /// List the Parquet files of each table, for other tools
    Files(Listing),
}

#[derive(Debug, Args)]
struct Place {
    /// The store
    #[arg(value_name = "STORE", value_hint = ValueHint::DirPath)]
    store: PathBuf,
}

#[derive(Debug, Args)]
struct Listing {
    #[command(flatten)]
    place: Place,
    /// How to print the rows
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: RowFormat,
    #[command(flatten)]
    to: To,
}

#[derive(Debug, Args)]
struct Gc {
    #[command(flatten)]
    place: Place,
    /// Only tell what would be removed
    #[arg(long)]
    dry_run: bool,
}

/// Runs it.
pub fn run(globals: &Globals, given: &StoreCommand) -> Result<Exit, Failure> {
    match &given.command {
        What::Ls(listing) => print(globals, listing, commits),
        What::Files(listing) => print(globals, listing, files),
        What::Verify(place) => verify(place),
        What::Gc(gc) => collect(gc),
    }
}

fn print(
    globals: &Globals,
    listing: &Listing,
    rows: fn(&Store) -> Result<RecordBatch, Failure>,
) -> Result<Exit, Failure> {
    let format = query::format_of(globals, listing.format, false, &listing.to)?;
    let batch = rows(&Store::open(&listing.place.store)?)?;
    let view = View { schema: batch.schema_ref(), batches: std::slice::from_ref(&batch) };
    output::deliver(listing.to.output.as_deref(), |out| Ok(write_rows(view, format, out)?))?;
    Ok(Exit::Done)
}

fn table(columns: Vec<(&str, ArrayRef)>) -> Result<RecordBatch, Failure> {
    RecordBatch::try_from_iter(columns).map_err(|e| Failure::new(Exit::Internal, e.to_string()))
}

fn numbers(numbers: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(numbers.map(|n| i64::try_from(n).ok()).collect::<Int64Array>())
}

fn texts(texts: impl Iterator<Item = String>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(texts))
}

/// One row for each commit.
fn commits(store: &Store) -> Result<RecordBatch, Failure> {
    let commits = store.commits()?;
    let each = || commits.iter();
    table(vec![
        ("commit", numbers(each().map(|c| c.number))),
        ("sources", numbers(each().map(|c| c.sources.len() as u64))),
        ("records", numbers(each().map(|c| c.sources.iter().map(|s| s.records).sum()))),
        ("events", numbers(each().map(|c| c.sources.iter().map(|s| s.events).sum()))),
        ("files", numbers(each().map(|c| c.files.len() as u64))),
        ("size_bytes", numbers(each().map(|c| c.files.iter().map(|f| f.bytes).sum()))),
        ("settings", texts(each().map(|c| c.settings.clone()))),
        ("made_by", texts(each().map(|c| c.made_by.clone()))),
    ])
}

/// One row for each Parquet file.
fn files(store: &Store) -> Result<RecordBatch, Failure> {
    let mut rows = Vec::new();
    for commit in store.commits()? {
        for (table, file) in commit.tables() {
            let path = store.path_of(file).display().to_string();
            rows.push((table, commit.number, path, file.bytes, file.sha256.clone()));
        }
    }
    rows.sort();
    table(vec![
        ("table", texts(rows.iter().map(|r| r.0.to_owned()))),
        ("commit", numbers(rows.iter().map(|r| r.1))),
        ("path", texts(rows.iter().map(|r| r.2.clone()))),
        ("size_bytes", numbers(rows.iter().map(|r| r.3))),
        ("sha256", texts(rows.iter().map(|r| r.4.clone()))),
    ])
}

fn verify(place: &Place) -> Result<Exit, Failure> {
    let store = Store::open(&place.store)?;
    let faults = store.verify()?;
    let commits = store.commits()?;
    let files: u64 = commits.iter().map(|c| c.files.len() as u64).sum();
    output::deliver(None, |out| {
        for fault in &faults {
            writeln!(out, "commit {}: {}: {}", fault.commit, fault.path.display(), fault.why)?;
        }
        writeln!(
            out,
            "{} in {}: {}",
            counted(i64::try_from(files).unwrap_or(i64::MAX), "file", "files"),
            counted(i64::try_from(commits.len()).unwrap_or(i64::MAX), "commit", "commits"),
            match faults.len() {
                0 => "all are what their commits say".to_owned(),
                n => format!("{n} are not what their commits say"),
            }
        )?;
        Ok(())
    })?;
    Ok(if faults.is_empty() { Exit::Done } else { Exit::Unreadable })
}

fn collect(gc: &Gc) -> Result<Exit, Failure> {
    let removed = Store::open(&gc.place.store)?.gc(gc.dry_run)?;
    let bytes: u64 = removed.iter().map(|r| r.bytes).sum();
    output::deliver(None, |out| {
        for file in &removed {
            writeln!(out, "{} {}", file.path.display(), file.bytes)?;
        }
        writeln!(
            out,
            "{} {} ({} bytes)",
            if gc.dry_run { "would remove" } else { "removed" },
            counted(i64::try_from(removed.len()).unwrap_or(i64::MAX), "file", "files"),
            count(i64::try_from(bytes).unwrap_or(i64::MAX)),
        )?;
        Ok(())
    })?;
    Ok(Exit::Done)
}
