//! `carddrift inspect`: what an input holds and what it lets be measured.

use super::arguments::{From, Globals, LimitArgs, Reading, To};
use super::exit::{Exit, Failure};
use super::{output, reading};
use crate::formats::propose;
use crate::ingest::discover::{Origin, Source};
use crate::ingest::open::{Limits, open};
use crate::report::document::{markdown, text};
use crate::report::inspect::{Contents, Proposed};
use clap::{Args, ValueEnum, ValueHint};
use std::path::{Path, PathBuf};

/// Tell what an input holds: formats, events of each kind, what can be measured and why not
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift inspect samples/har
  carddrift inspect capture.log --format json")]
pub struct Inspect {
    /// Files, folders, globs, URLs, or `-` for standard input
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    inputs: Vec<String>,
    /// How to print it
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: InspectFormat,
    #[command(flatten)]
    to: To,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InspectFormat {
    /// For a terminal.
    Text,
    /// To paste into a document.
    Markdown,
    /// One object, `carddrift.inspect/1`.
    Json,
}

/// A mapping for a file that no reader knows.
fn proposed(name: &str) -> Option<Proposed> {
    if !Path::new(name).is_file() {
        return None;
    }
    let source = Source { name: name.to_owned(), origin: Origin::File(PathBuf::from(name)) };
    let reader = open(&source, &Limits::default()).next()?.ok()?;
    let proposal = propose(reader.head())?;
    let events: Vec<String> =
        proposal.events.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    Some(Proposed {
        source_file: name.to_owned(),
        toml: proposal.toml,
        events: events.join(", "),
        lines: proposal.lines,
    })
}

/// Runs it.
pub fn run(globals: &Globals, given: Inspect) -> Result<Exit, Failure> {
    let from = From { inputs: given.inputs, store: None, reading: given.reading };
    let read = reading::open_all(globals, &from, &LimitArgs::default())?;
    let mut contents = Contents::ask(&read.session)?;
    let unknown = contents.sources.iter().filter(|s| s.format.is_empty() && s.content_bytes > 0);
    contents.proposals = unknown.filter_map(|s| proposed(&s.source_file)).collect();
    let path = given.to.output.as_deref();
    output::deliver(path, |out| {
        match given.format {
            InspectFormat::Json => contents.write_json(out)?,
            InspectFormat::Markdown => markdown::write(&contents.document(), out)?,
            InspectFormat::Text => {
                text::write(&contents.document(), output::style(globals, path), out)?;
            }
        }
        Ok(())
    })?;
    Ok(read.exit)
}
