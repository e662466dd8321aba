//! `carddrift analyze` and `carddrift report`: read, measure, print the findings.

use super::arguments::{From, Gate, Globals, LimitArgs, Reading, To};
use super::exit::{Exit, Failure};
use super::since::SinceArgs;
use super::{again, gate, output, reading};
use crate::report::answers::Answers;
use crate::report::document::{markdown, text};
use crate::report::html::{self, charts::Charts};
use crate::report::timesketch;
use clap::{Args, ValueEnum, ValueHint};

/// Read recordings, measure, print the findings
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift analyze samples/incident-2-schema-rotation
  carddrift analyze traffic.har logs/ --agent 'agent://vendor-b/*' --from 2026-11-14T06:00:00Z
  zcat archive.ndjson.gz | carddrift analyze - --format markdown --output postmortem.md
  carddrift analyze archive/ --fail-on 'split_brain > 0 or storms > 0'")]
pub struct Analyze {
    /// Files, folders, globs, URLs, or `-` for standard input
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    inputs: Vec<String>,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    reading: Reading,
}

/// Print the postmortem of a recording
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift report --input archive/ --format markdown --output postmortem.md
  carddrift report --input traffic.har --format html --output postmortem.html
  carddrift report --input traffic.har --format json
  carddrift report --store delegations.store --since-last report.mark")]
pub struct Report {
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    from: From,
    #[command(flatten)]
    since: SinceArgs,
}

/// What both take.
#[derive(Debug, Args)]
struct How {
    /// How to print the findings
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: ReportFormat,
    #[command(flatten)]
    to: To,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    gate: Gate,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// For a terminal.
    Text,
    /// To paste into an incident document.
    Markdown,
    /// One object, `carddrift.report/1`.
    Json,
    /// One self-contained page with pictures, for a browser.
    Html,
    /// The timeline as JSON lines for Timesketch.
    Timesketch,
}

/// Runs `analyze`.
pub fn run(globals: &Globals, analyze: Analyze) -> Result<Exit, Failure> {
    let from = From { inputs: analyze.inputs, store: None, reading: analyze.reading };
    print(globals, &from, &analyze.how, &SinceArgs::default())
}

/// Runs `report`.
pub fn run_report(globals: &Globals, report: &Report) -> Result<Exit, Failure> {
    print(globals, &report.from, &report.how, &report.since)
}

fn print(globals: &Globals, from: &From, how: &How, since: &SinceArgs) -> Result<Exit, Failure> {
    let conditions = gate::conditions(&how.gate)?;
    let commit = since.commit(from.store.as_deref())?;
    let read = reading::open(globals, from, &how.limits)?;
    let pictures = how.format == ReportFormat::Html;
    let more = if pictures { Charts::questions() } else { Vec::new() };
    Answers::expect(&read.session, &more);
    let before = commit.map(|commit| {
        SinceArgs::before(globals, from, &how.limits, (commit, read.extent.commit), |session| {
            Ok(Answers::ask(session)?.said()?)
        })
    });
    let before = before.transpose()?;
    let mut answers = Answers::ask(&read.session)?;
    if let (Some(commit), Some(before)) = (commit, before) {
        answers.leave_new(before, commit)?;
    }
    if let Some(from) = read.extent.kept_from {
        answers.say_kept_from(from);
    }
    let path = how.to.output.as_deref();
    output::deliver(path, |out| {
        match how.format {
            ReportFormat::Json => answers.write_json(out)?,
            ReportFormat::Html => {
                let findings = answers.findings()?;
                let charts = Charts::load(&read.session, &findings)?;
                let command = again::command(globals, from, &how.limits);
                let page = html::Page { findings: &findings, charts: &charts, command: &command };
                html::write(page, out)?;
            }
            ReportFormat::Timesketch => timesketch::write(&answers.findings()?, out)?,
            ReportFormat::Markdown => markdown::write(&answers.document()?, out)?,
            ReportFormat::Text => {
                text::write(&answers.document()?, output::style(globals, path), out)?;
            }
        }
        Ok(())
    })?;
    let summary = answers.rows("summary");
    let breached = match summary {
        Some(rows) => gate::check(&conditions, rows)?,
        None => Exit::Done,
    };
    let exit = read.exit.max(breached);
    since.done(from.store.as_deref(), &read, exit)?;
    Ok(exit)
}
