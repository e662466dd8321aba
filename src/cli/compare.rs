//! `carddrift compare`: two recordings, periods or saved reports side by side.

use super::arguments::{From, Gate, Globals, LimitArgs, Reading, To, instant};
use super::exit::{Exit, Failure};
use super::{gate, output, reading};
use crate::report::answers::Answers;
use crate::report::compare::{self, Told, saved};
use crate::report::document::{markdown, text};
use crate::report::findings::Findings;
use crate::report::rows::{View, rfc3339};
use crate::report::{Format, write_rows};
use crate::store::Store;
use clap::{Args, ValueEnum, ValueHint};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Compare two recordings, stores, saved reports or periods: what got better, worse, new, gone
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift compare last-week.json this-week/
  carddrift compare store-of-may store-of-june --agent 'agent://vendor-b/*'
  carddrift compare --input archive/ --split 2026-11-14T12:00:00Z
  carddrift compare --store s --before 2026-11-01..2026-11-08 --after 2026-11-08..2026-11-15
  carddrift compare last.json this.json --fail-on \"verdict = 'worse'\"
A side is a store, a report saved with --format json, or an input like those of `analyze`. A rate is called
better or worse when the 95 % interval of the difference excludes 0 (Newcombe), a lag when the bounds of
both sides do not overlap.")]
pub struct Compare {
    /// Before and after: stores, inputs, or saved reports
    #[arg(value_name = "SIDE", num_args = 2, value_hint = ValueHint::AnyPath)]
    sides: Vec<String>,
    /// Compare what came before this time with what came from it on (RFC 3339)
    #[arg(long, value_name = "TIME", value_parser = instant, conflicts_with_all = ["sides", "before", "after"], help_heading = "Periods")]
    split: Option<i64>,
    /// The first period, `FROM..TO`
    #[arg(long, value_name = "PERIOD", value_parser = period, conflicts_with = "sides", requires = "after", help_heading = "Periods")]
    before: Option<Period>,
    /// The second period, `FROM..TO`
    #[arg(long, value_name = "PERIOD", value_parser = period, conflicts_with = "sides", requires = "before", help_heading = "Periods")]
    after: Option<Period>,
    /// A file, folder, glob or `-` to read, when periods are compared (repeatable)
    #[arg(long = "input", short, value_name = "INPUT", value_hint = ValueHint::AnyPath, conflicts_with = "sides", help_heading = "Input")]
    inputs: Vec<String>,
    /// A store to read, when periods are compared
    #[arg(long, short, value_name = "STORE", value_hint = ValueHint::DirPath, conflicts_with_all = ["inputs", "sides"], help_heading = "Input")]
    store: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    limits: LimitArgs,
    /// How to print it
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: CompareFormat,
    #[command(flatten)]
    to: To,
    #[command(flatten)]
    gate: Gate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompareFormat {
    /// For a terminal.
    Text,
    /// To paste into a document.
    Markdown,
    /// One object, `carddrift.compare/1`.
    Json,
    /// One object for each thing compared.
    Ndjson,
    /// The same as comma-separated values.
    Csv,
}

/// From an instant on, before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Period {
    from: Option<i64>,
    to: Option<i64>,
}

fn period(text: &str) -> Result<Period, String> {
    let Some((from, to)) = text.split_once("..") else {
        return Err("a period is FROM..TO, for example 2026-11-01..2026-11-08".to_owned());
    };
    let bound = |text: &str| if text.is_empty() { Ok(None) } else { instant(text).map(Some) };
    let period = Period { from: bound(from)?, to: bound(to)? };
    match period {
        Period { from: Some(from), to: Some(to) } if from >= to => {
            Err("it ends before it begins".to_owned())
        }
        period => Ok(period),
    }
}

impl Period {
    fn name(self) -> String {
        let bound = |ns: Option<i64>| ns.map_or_else(String::new, |ns| rfc3339(ns.into()));
        format!("{}..{}", bound(self.from), bound(self.to))
    }
}

/// One side, read.
struct Side {
    name: String,
    from: Option<i64>,
    to: Option<i64>,
    findings: Findings,
    exit: Exit,
}

impl Side {
    fn told(&self) -> Told<'_> {
        Told { name: &self.name, from: self.from, to: self.to, findings: &self.findings }
    }
}

/// Runs it.
pub fn run(globals: &Globals, given: &Compare) -> Result<Exit, Failure> {
    let conditions = gate::conditions(&given.gate)?;
    let (a, b) = match given.sides.as_slice() {
        [a, b] => (one(globals, given, a)?, one(globals, given, b)?),
        _ => periods(globals, given)?,
    };
    let rows = compare::compare(&a.findings, &b.findings);
    let batch = compare::batch(&rows)
        .map_err(|e| Failure::new(Exit::Internal, format!("the rows cannot be built: {e}")))?;
    let view = View { schema: batch.schema_ref(), batches: std::slice::from_ref(&batch) };
    let path = given.to.output.as_deref();
    output::deliver(path, |out| {
        match given.format {
            CompareFormat::Json => compare::write_json(&a.told(), &b.told(), view, out)?,
            CompareFormat::Ndjson => write_rows(view, Format::Ndjson, out)?,
            CompareFormat::Csv => write_rows(view, Format::Csv { raw: false }, out)?,
            CompareFormat::Markdown => {
                markdown::write(&compare::document(&a.told(), &b.told(), &rows), out)?;
            }
            CompareFormat::Text => {
                let document = compare::document(&a.told(), &b.told(), &rows);
                text::write(&document, output::style(globals, path), out)?;
            }
        }
        Ok(())
    })?;
    Ok(a.exit.max(b.exit).max(gate::check(&conditions, view)?))
}

/// A saved report, a store or an input.
fn one(globals: &Globals, given: &Compare, side: &str) -> Result<Side, Failure> {
    let path = Path::new(side);
    if is_report(path) {
        let limits = given.limits.limits()?;
        if limits.any() {
            return Err(Failure::usage(format!("a saved report cannot be limited: {side}"))
                .help("give the store or the recording that it was made of"));
        }
        let text = std::fs::read_to_string(path)
            .map_err(|e| Failure::new(Exit::Unreadable, format!("{side}: {e}")))?;
        let findings = saved::read(&text)
            .map_err(|e| Failure::new(Exit::Unreadable, format!("{side}: {e}")))?;
        let (from, to) = (findings.first_time(), findings.last_time());
        return Ok(Side { name: side.to_owned(), from, to, findings, exit: Exit::Done });
    }
    let store = Store::open(path).is_ok().then(|| path.to_owned());
    let inputs = if store.is_some() { Vec::new() } else { vec![side.to_owned()] };
    let from = From { inputs, store, reading: given.reading.clone() };
    read(globals, &from, &given.limits, side.to_owned())
}

fn is_report(path: &Path) -> bool {
    let mut head = Vec::new();
    path.is_file()
        && File::open(path).and_then(|file| file.take(256).read_to_end(&mut head)).is_ok()
        && saved::is_report(&head)
}

/// The two periods of one recording.
fn periods(globals: &Globals, given: &Compare) -> Result<(Side, Side), Failure> {
    let (before, after) = match (given.split, given.before, given.after) {
        (Some(at), ..) => {
            (Period { from: None, to: Some(at) }, Period { from: Some(at), to: None })
        }
        (None, Some(before), Some(after)) => (before, after),
        _ => {
            return Err(Failure::usage("there is nothing to compare").help(
                "give two stores, recordings or saved reports, or --input with --split, or with --before and --after",
            ));
        }
    };
    if given.limits.from.is_some() || given.limits.to.is_some() {
        return Err(Failure::usage("--from and --to do not go with periods")
            .help("--before and --after say from when to when"));
    }
    let from = From {
        inputs: given.inputs.clone(),
        store: given.store.clone(),
        reading: given.reading.clone(),
    };
    let side = |period: Period| {
        let limits = LimitArgs { from: period.from, to: period.to, ..given.limits.clone() };
        let mut side = read(globals, &from, &limits, period.name())?;
        side.from = period.from.max(side.from);
        side.to = period.to.map_or(side.to, |to| side.to.map(|last| last.min(to)));
        Ok::<Side, Failure>(side)
    };
    Ok((side(before)?, side(after)?))
}

fn read(globals: &Globals, from: &From, limits: &LimitArgs, name: String) -> Result<Side, Failure> {
    let read = reading::open(globals, from, limits)?;
    let findings = Answers::ask(&read.session)?.findings()?;
    let (first, last) = (findings.first_time(), findings.last_time());
    Ok(Side { name, from: first, to: last, findings, exit: read.exit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_read() {
        let whole = period("2026-11-01..2026-11-08T12:00:00Z").unwrap();
        assert_eq!(whole.name(), "2026-11-01T00:00:00Z..2026-11-08T12:00:00Z");
        assert_eq!(period("..2026-11-08").unwrap().from, None);
        assert!(period("2026-11-08..2026-11-01").is_err() && period("2026-11-08").is_err());
    }
}
