//! `carddrift actions`: what is to be done, as work for machines.

use super::arguments::{From, Gate, Globals, LimitArgs, RowFormat, To};
use super::exit::{Exit, Failure};
use super::{gate, output, query, reading};
use crate::report::rows::View;
use crate::report::{work, write_rows};
use clap::Args;

/// List what is to be done, one item of work a line, with stable ids; nothing is sent anywhere
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift actions --input archive/
  carddrift actions --input archive/ --format text
  carddrift actions --input archive/ --agent 'agent://vendor-b/*' --output work.ndjson")]
pub struct Actions {
    /// How to print the items
    #[arg(long, value_name = "FORMAT", default_value = "ndjson", help_heading = "Output")]
    format: RowFormat,
    #[command(flatten)]
    to: To,
    #[command(flatten)]
    from: From,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    gate: Gate,
}

/// Runs it.
pub fn run(globals: &Globals, given: &Actions) -> Result<Exit, Failure> {
    let format = query::format_of(globals, given.format, false, &given.to)?;
    let conditions = gate::conditions(&given.gate)?;
    let read = reading::open(globals, &given.from, &given.limits)?;
    let items = work::items(&read.session)?;
    let rows = View { schema: items.schema_ref(), batches: std::slice::from_ref(&items) };
    output::deliver(given.to.output.as_deref(), |out| Ok(write_rows(rows, format, out)?))?;
    Ok(read.exit.max(gate::check(&conditions, rows)?))
}
