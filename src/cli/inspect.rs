//! `carddrift inspect`: what an input holds and what it lets be measured.

use super::arguments::{From, Globals, LimitArgs, Reading, To};
use super::exit::{Exit, Failure};
use super::{output, reading};
use crate::report::document::{markdown, text};
use crate::report::inspect::Contents;
use clap::{Args, ValueEnum, ValueHint};

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

/// Runs it.
pub fn run(globals: &Globals, given: Inspect) -> Result<Exit, Failure> {
    let from = From { inputs: given.inputs, store: None, reading: given.reading };
    let read = reading::open_all(globals, &from, &LimitArgs::default())?;
    let contents = Contents::ask(&read.session)?;
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
