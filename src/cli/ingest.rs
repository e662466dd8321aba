//! `carddrift ingest`: reads into a store, incrementally.

use super::arguments::{Globals, Reading, To};
use super::exit::{Exit, Failure};
use super::progress::Progress;
use super::{output, reading};
use crate::ingest::Ingested;
use crate::report::figures::{count, counted};
use crate::report::json;
use crate::report::safe::terminal;
use crate::store::Store;
use clap::{Args, ValueEnum, ValueHint};
use std::io::{self, Write};
use std::path::PathBuf;

/// Read recordings into a store; what is there already is skipped
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift ingest archive/ --store delegations.store
  carddrift ingest /var/log/a2a/*.ndjson.gz --store delegations.store --strict --format json
  kubectl logs deploy/router | carddrift ingest - --store delegations.store
Safe to run again and to run twice at once: a commit is whole or not there, and known sources are skipped.")]
pub struct Ingest {
    /// Files, folders, globs, URLs, or `-` for standard input
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    inputs: Vec<String>,
    /// The store, a folder; made when it is not there
    #[arg(long, short, value_name = "STORE", value_hint = ValueHint::DirPath)]
    store: PathBuf,
    /// How to print what was done
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: IngestFormat,
    #[command(flatten)]
    to: To,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IngestFormat {
    /// One line.
    Text,
    /// One object.
    Json,
}

/// So many of the sources that the store knows are listed for people.
const SKIPPED_LISTED: usize = 20;

/// Runs it.
pub fn run(globals: &Globals, given: &Ingest) -> Result<Exit, Failure> {
    let loaded = reading::settings(globals)?;
    let mut options = reading::options(globals, &given.reading)?;
    let store = Store::open_or_create(&given.store)?;
    let progress = Progress::start(globals.quiet, &given.inputs);
    options.limits.pace.clone_from(&progress.pace);
    let ingested = store.ingest(&given.inputs, &loaded.config, &options);
    progress.end();
    let ingested = ingested?;
    let exit = reading::judge(globals, &given.inputs, &given.reading, &ingested)?;
    let commit = if ingested.accounts.is_empty() {
        None
    } else {
        store.commits()?.last().map(|commit| commit.number)
    };
    output::deliver(given.to.output.as_deref(), |out| {
        match given.format {
            IngestFormat::Text => write_text(&ingested, commit, out)?,
            IngestFormat::Json => write_json(&ingested, commit, out)?,
        }
        Ok(())
    })?;
    Ok(exit)
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn write_text(ingested: &Ingested, commit: Option<u64>, out: &mut dyn Write) -> io::Result<()> {
    let (records, blank, f) = ingested.totals();
    let sources = counted(signed(ingested.accounts.len() as u64), "new source", "new sources");
    let skipped = counted(signed(ingested.skipped.len() as u64), "source", "sources");
    match commit {
        Some(commit) => write!(
            out,
            "commit {commit}: {sources}, {} = {} accepted + {} repaired + {} rejected + {} duplicate + {} \
             blank; {}",
            counted(signed(records), "record", "records"),
            count(signed(f.accepted)),
            count(signed(f.repaired)),
            count(signed(f.rejected)),
            count(signed(f.duplicate)),
            count(signed(blank)),
            counted(signed(f.events), "new event", "new events"),
        )?,
        None => write!(out, "nothing new")?,
    }
    if ingested.skipped.is_empty() {
        return writeln!(out);
    }
    writeln!(out, "; {skipped} known already")?;
    for (source, known_as) in ingested.skipped.iter().take(SKIPPED_LISTED) {
        write!(out, "  {}", terminal(source))?;
        if known_as != source {
            write!(out, ", as {}", terminal(known_as))?;
        }
        writeln!(out)?;
    }
    match ingested.skipped.len().saturating_sub(SKIPPED_LISTED) {
        0 => Ok(()),
        more => writeln!(out, "  and {} more", count(signed(more as u64))),
    }
}

fn write_json(ingested: &Ingested, commit: Option<u64>, out: &mut dyn Write) -> io::Result<()> {
    let (records, blank, f) = ingested.totals();
    let mut text = Vec::new();
    match commit {
        Some(commit) => write!(text, "{{\"commit\":{commit}")?,
        None => write!(text, "{{\"commit\":null")?,
    }
    for (name, n) in [
        ("sources", ingested.accounts.len() as u64),
        ("skipped", ingested.skipped.len() as u64),
        ("unreadable", ingested.unreadable.len() as u64),
        ("records", records),
        ("accepted", f.accepted),
        ("repaired", f.repaired),
        ("rejected", f.rejected),
        ("duplicate", f.duplicate),
        ("blank", blank),
        ("events", f.events),
        ("duplicate_events", f.duplicate_events),
        ("without_events", f.without_events),
    ] {
        write!(text, ",\"{name}\":{n}")?;
    }
    text.extend_from_slice(b",\"skipped_sources\":[");
    for (i, (source, known_as)) in ingested.skipped.iter().enumerate() {
        text.extend_from_slice(if i == 0 { b"{\"source\":" } else { b",{\"source\":" });
        json::string(&mut text, source);
        text.extend_from_slice(b",\"known_as\":");
        json::string(&mut text, known_as);
        text.push(b'}');
    }
    text.extend_from_slice(b"],\"problems\":{");
    for (i, (kind, n)) in ingested.problems.iter().enumerate() {
        text.extend_from_slice(if i == 0 { b"" } else { b"," });
        json::string(&mut text, kind.code());
        write!(text, ":{n}")?;
    }
    text.extend_from_slice(b"}}\n");
    out.write_all(&text)
}
