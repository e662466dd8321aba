//! `carddrift slo`: objectives held against an archive.

use super::arguments::{From, Globals, LimitArgs, To, instant};
use super::exit::{Exit, Failure};
use super::since::SinceArgs;
use super::{output, reading};
use crate::query::QueryError;
use crate::report::document::{markdown, text};
use crate::slo::measure::{Ask, FLOOR, Levels};
use crate::slo::objective::Objective;
use crate::slo::print::{document, github, html, json, junit, openmetrics, series};
use crate::slo::{self, SloError, openslo};
use clap::{Args, ValueEnum, ValueHint};
use std::fs;
use std::path::PathBuf;

/// Hold service levels against recordings: compliance, error budget, alerts
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift slo --input archive/
  carddrift slo --input archive/ --objectives slo.yaml --format markdown --output monday.md
  carddrift slo --input archive/ --format openmetrics --output slo.om
  carddrift slo --input archive/ --format textfile --output /var/lib/node_exporter/carddrift.prom
  carddrift slo --store delegations.store --since-last slo.mark
  carddrift slo --show-objectives > slo.yaml
Objectives are OpenSLO v1 documents whose metric sources are of type carddrift; without --objectives the \
built-in ones hold. They are told for the end of the archive, never for now. Exit status: 1 when an \
objective is missed.")]
pub struct Slo {
    /// File of OpenSLO v1 documents (repeatable) [default: the built-in objectives]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    objectives: Vec<PathBuf>,
    /// Print the built-in objectives: a file to start from
    #[arg(long)]
    show_objectives: bool,
    /// Only objectives of this service (repeatable)
    #[arg(long = "service", value_name = "NAME")]
    services: Vec<String>,
    /// Tell them for this instant (RFC 3339) [default: the end of the archive]
    #[arg(long, value_name = "TIME", value_parser = instant)]
    at: Option<i64>,
    /// Fewer events than these are too few to tell, and fire no alert
    #[arg(long, value_name = "N", default_value_t = FLOOR, value_parser = clap::value_parser!(u64).range(1..))]
    min_events: u64,
    /// How to print the levels
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: SloFormat,
    #[command(flatten)]
    to: To,
    #[command(flatten)]
    from: From,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    since: SinceArgs,
}

/// How levels are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SloFormat {
    /// For a terminal.
    Text,
    /// To paste into a document.
    Markdown,
    /// One page with the budget's burn-down.
    Html,
    /// One object, `carddrift.slo/1`.
    Json,
    /// Samples with timestamps, to be backfilled.
    Openmetrics,
    /// The last samples without timestamps, for the textfile collector of the `node_exporter`.
    Textfile,
    /// A test case for each objective.
    Junit,
    /// Annotations of GitHub workflows.
    Github,
}

/// Runs it.
pub fn run(globals: &Globals, slo: &Slo) -> Result<Exit, Failure> {
    let path = slo.to.output.as_deref();
    if slo.show_objectives {
        output::deliver(path, |out| Ok(out.write_all(slo::BUILT_IN.as_bytes())?))?;
        return Ok(Exit::Done);
    }
    // Before anything costs time.
    let objectives = objectives(slo)?;
    let store = slo.from.store.as_deref();
    let since = slo.since.commit(store)?;
    if slo.since.is_given() && [SloFormat::Openmetrics, SloFormat::Textfile].contains(&slo.format) {
        return Err(Failure::usage("samples of all days make a series: not those since a commit")
            .help("leave --since and --since-last out"));
    }
    let read = reading::open(globals, &slo.from, &slo.limits)?;
    let ask = Ask { at: slo.at, floor: slo.min_events };
    let before = since.map(|since| {
        let commits = (since, read.extent.commit);
        SinceArgs::before(globals, &slo.from, &slo.limits, commits, |session| {
            Ok(Levels::measure(session, &objectives, ask)?)
        })
    });
    let before = before.transpose()?;
    let mut levels = Levels::measure(&read.session, &objectives, ask)?;
    if let (Some(since), Some(before)) = (since, before) {
        levels.leave_new(before.as_ref(), since);
    }
    levels.kept_from = read.extent.kept_from;
    let families = match slo.format {
        SloFormat::Openmetrics | SloFormat::Textfile => series::read(&read.session, &levels)?,
        _ => Vec::new(),
    };
    output::deliver(path, |out| {
        match slo.format {
            SloFormat::Json => json::write(&levels, out)?,
            SloFormat::Html => html::write(&levels, out)?,
            SloFormat::Openmetrics => openmetrics::write(&families, out)?,
            SloFormat::Textfile => openmetrics::write_textfile(&families, out)?,
            SloFormat::Junit => junit::write(&levels, out)?,
            SloFormat::Github => github::write(&levels, out)?,
            SloFormat::Markdown => markdown::write(&document::document(&levels), out)?,
            SloFormat::Text => {
                let to_file = path.is_some_and(|p| p != std::path::Path::new("-"));
                let terminal = output::terminal(to_file, globals.color, globals.width);
                let style = text::Style { columns: terminal.columns, colour: terminal.colour };
                text::write(&document::document(&levels), style, out)?;
            }
        }
        Ok(())
    })?;
    let missed = if levels.missed() { Exit::Breached } else { Exit::Done };
    let exit = read.exit.max(missed);
    slo.since.done(store, &read, exit)?;
    Ok(exit)
}

fn objectives(slo: &Slo) -> Result<Vec<Objective>, Failure> {
    let mut objectives = if slo.objectives.is_empty() {
        slo::built_in()
    } else {
        let mut files = Vec::new();
        for path in &slo.objectives {
            let text = fs::read_to_string(path)
                .map_err(|e| Failure::usage(format!("--objectives {}: {e}", path.display())))?;
            files.push((path.display().to_string(), text));
        }
        openslo::read(&files).map_err(|faults| {
            let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
            Failure::usage(format!("the objectives cannot be used\n{}", told.join("\n")))
        })?
    };
    if !slo.services.is_empty() {
        let services: Vec<String> = objectives.iter().map(|o| o.service.clone()).collect();
        if let Some(unknown) = slo.services.iter().find(|name| !services.contains(name)) {
            let failure =
                Failure::usage(format!("no objective belongs to the service `{unknown}`"));
            let near = crate::config::nearest(unknown, services.iter().map(String::as_str));
            return Err(match near {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure,
            });
        }
        objectives.retain(|objective| slo.services.contains(&objective.service));
    }
    Ok(objectives)
}

impl std::convert::From<SloError> for Failure {
    fn from(e: SloError) -> Self {
        let exit = match &e {
            SloError::Archive { .. } | SloError::Query { error: QueryError::Memory { .. }, .. } => {
                Exit::Internal
            }
            // The queries are the user's, or named by the user.
            SloError::Query { .. } | SloError::Objective { .. } => Exit::Usage,
        };
        Self::new(exit, e.to_string())
    }
}
