//! `carddrift store`: looks after a store.

use super::arguments::{Globals, RowFormat, To, instant};
use super::exit::{Exit, Failure};
use super::{output, query};
use crate::report::figures::{count, counted};
use crate::report::rows::{View, rfc3339};
use crate::report::write_rows;
use crate::slo::span::Span;
use crate::store::{Collected, Retained, Store, in_force};
use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Look after a store
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift store ls delegations.store
  carddrift store verify delegations.store
  carddrift store gc delegations.store --older-than 90d --dry-run
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
    Verify(Verify),
    /// Remove files of ingests that did not end, and what is older than a limit
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
struct Verify {
    #[command(flatten)]
    place: Place,
    /// How to print what was found
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: ToldFormat,
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
    /// Also remove attempts that are so much older than the last event, and tasks that ended before, for
    /// example `90d`; cards and their fetches stay
    #[arg(long, value_name = "SPAN", value_parser = span)]
    older_than: Option<Span>,
    /// The same for what happened before this time (RFC 3339)
    #[arg(long, value_name = "TIME", value_parser = instant, conflicts_with = "older_than")]
    before: Option<i64>,
    /// Only tell what would be removed
    #[arg(long)]
    dry_run: bool,
    /// How to print what was done
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: ToldFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ToldFormat {
    /// Lines.
    Text,
    /// One object.
    Json,
}

fn span(text: &str) -> Result<Span, String> {
    Span::parse(text)
        .ok_or_else(|| "a whole number and one of m h d w M Q Y, for example 90d".to_owned())
}

/// Runs it.
pub fn run(globals: &Globals, given: &StoreCommand) -> Result<Exit, Failure> {
    match &given.command {
        What::Ls(listing) => print(globals, listing, commits),
        What::Files(listing) => print(globals, listing, files),
        What::Verify(given) => verify(given),
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
        ("replaced", numbers(each().map(|c| c.replaced.len() as u64))),
        ("size_bytes", numbers(each().map(|c| c.files.iter().map(|f| f.bytes).sum()))),
        ("settings", texts(each().map(|c| c.settings.clone()))),
        ("made_by", texts(each().map(|c| c.made_by.clone()))),
    ])
}

/// One row for each Parquet file.
fn files(store: &Store) -> Result<RecordBatch, Failure> {
    let mut rows = Vec::new();
    for (commit, file) in in_force(&store.commits()?) {
        if let Some(table) = file.table() {
            let path = store.path_of(file).display().to_string();
            rows.push((table, commit, path, file.bytes, file.sha256.clone()));
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

/// What `verify` found, as JSON.
#[derive(Serialize)]
struct Verified {
    commits: usize,
    files: usize,
    faults: Vec<Differs>,
}

/// A file that is not what its commit says.
#[derive(Serialize)]
struct Differs {
    commit: u64,
    path: String,
    why: String,
}

fn verify(given: &Verify) -> Result<Exit, Failure> {
    let store = Store::open(&given.place.store)?;
    let faults = store.verify()?;
    let commits = store.commits()?;
    let found = Verified {
        commits: commits.len(),
        files: in_force(&commits).count(),
        faults: faults
            .into_iter()
            .map(|fault| Differs {
                commit: fault.commit,
                path: fault.path.display().to_string(),
                why: fault.why,
            })
            .collect(),
    };
    output::deliver(None, |out| {
        match given.format {
            ToldFormat::Text => tell_verified(&found, out)?,
            ToldFormat::Json => {
                serde_json::to_writer(&mut *out, &found).map_err(std::io::Error::from)?;
                writeln!(out)?;
            }
        }
        Ok(())
    })?;
    Ok(if found.faults.is_empty() { Exit::Done } else { Exit::Unreadable })
}

fn tell_verified(found: &Verified, out: &mut dyn Write) -> std::io::Result<()> {
    for fault in &found.faults {
        writeln!(out, "commit {}: {}: {}", fault.commit, fault.path, fault.why)?;
    }
    let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    writeln!(
        out,
        "{} in {}: {}",
        counted(number(found.files), "file", "files"),
        counted(number(found.commits), "commit", "commits"),
        match found.faults.len() {
            0 => "all are what their commits say".to_owned(),
            n => format!("{n} are not what their commits say"),
        }
    )
}

fn collect(gc: &Gc) -> Result<Exit, Failure> {
    let store = Store::open(&gc.place.store)?;
    // Counted from the last event: what goes does not depend on when it is asked for.
    let from = match (gc.before, gc.older_than) {
        (Some(before), _) => Some(before),
        (None, Some(span)) => store.last_time()?.map(|last| last.saturating_sub(span.nominal())),
        (None, None) => None,
    };
    let retained = match from {
        Some(from) => store.retain(from, gc.dry_run)?,
        None => Retained::default(),
    };
    let collected = store.gc(gc.dry_run)?;
    output::deliver(None, |out| {
        match gc.format {
            ToldFormat::Text => tell_collected(gc.dry_run, from, &retained, &collected, out)?,
            ToldFormat::Json => {
                let told = Told {
                    dry_run: gc.dry_run,
                    commit: retained.commit,
                    kept_from: from.map(|from| rfc3339(from.into())),
                    rows: &retained.rows,
                    removed_files: collected.removed.len(),
                    removed_bytes: collected.removed.iter().map(|r| r.bytes).sum(),
                    held_files: collected.held,
                };
                serde_json::to_writer(&mut *out, &told).map_err(std::io::Error::from)?;
                writeln!(out)?;
            }
        }
        Ok(())
    })?;
    Ok(Exit::Done)
}

/// What was done, as JSON.
#[derive(Serialize)]
struct Told<'a> {
    dry_run: bool,
    /// The commit that takes the rows; null: none.
    commit: Option<u64>,
    /// Rows before this went; null: no limit was given.
    kept_from: Option<String>,
    rows: &'a BTreeMap<String, u64>,
    removed_files: usize,
    removed_bytes: u64,
    /// Files that wait for a reader.
    held_files: u64,
}

fn tell_collected(
    dry: bool,
    from: Option<i64>,
    retained: &Retained,
    collected: &Collected,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    if let Some(commit) = retained.commit {
        write!(out, "commit {commit}: ")?;
    }
    let would = if dry { "would remove" } else { "removed" };
    if let Some(from) = from {
        let rows: u64 = retained.rows.values().sum();
        let before = rfc3339(from.into());
        write!(out, "{would} {} before {before}; ", counted(number(rows), "row", "rows"))?;
    }
    let bytes: u64 = collected.removed.iter().map(|r| r.bytes).sum();
    write!(
        out,
        "{would} {} ({} bytes)",
        counted(number(collected.removed.len() as u64), "file", "files"),
        count(number(bytes)),
    )?;
    if collected.held > 0 {
        let files = counted(number(collected.held), "file", "files");
        write!(out, "; {files} wait for a reader to end")?;
    }
    writeln!(out)
}
