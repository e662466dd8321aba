//! `carddrift ingest`: inputs into a store, incrementally.

use super::arguments::{Globals, Reading};
use super::exit::{Exit, Failure};
use super::progress::Progress;
use super::{output, reading};
use crate::store::Store;
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// Read recordings into a store; what is there already is skipped
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift ingest recordings/ --store archive
  cat tasks.ndjson | carddrift ingest - --store archive
  carddrift report --store archive")]
pub struct Ingest {
    /// A file, folder, glob or `-`
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    inputs: Vec<String>,
    /// The store; made when it is not there
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    store: PathBuf,
    #[command(flatten)]
    reading: Reading,
}

/// Runs it: one line of JSON with the account of what was added goes to standard output.
pub fn run(globals: &Globals, ingest: &Ingest) -> Result<Exit, Failure> {
    let loaded = reading::settings(globals)?;
    let options = reading::options(globals, &ingest.reading)?;
    let store = Store::open_or_create(&ingest.store)?;
    let progress = Progress::start(globals.quiet, &ingest.inputs);
    let result = store.ingest(&ingest.inputs, &loaded.config, &options);
    progress.end();
    let ingested = result?;
    let skipped_all = ingested.accounts.is_empty() && ingested.unreadable.is_empty();
    let exit = if skipped_all {
        Exit::Done
    } else {
        reading::judge(globals, &ingest.inputs, &ingest.reading, &ingested)?
    };
    let (records, blank, fates) = ingested.totals();
    let line = serde_json::json!({
        "sources": ingested.accounts.len(),
        "skipped": ingested.skipped.len(),
        "records": records,
        "accepted": fates.accepted,
        "repaired": fates.repaired,
        "rejected": fates.rejected,
        "duplicate": fates.duplicate,
        "blank": blank,
        "events": fates.events,
        "commits": store.commits()?.len(),
    });
    output::deliver(None, |out| {
        writeln!(out, "{line}")?;
        Ok(())
    })?;
    Ok(exit)
}
