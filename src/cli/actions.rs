//! `carddrift actions`: what is to be done, as work for machines.

use super::arguments::{From, Gate, Globals, LimitArgs, RowFormat, To};
use super::exit::{Exit, Failure};
use super::since::SinceArgs;
use super::{gate, output, query, reading};
use crate::query::{Rows, Session};
use crate::report::{answers::view, work, write_rows};
use clap::Args;

/// List what is to be done, one item of work a line, with stable ids; nothing is sent anywhere
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift actions --input archive/
  carddrift actions --input archive/ --format text
  carddrift actions --input archive/ --agent 'agent://vendor-b/*' --output work.ndjson
  carddrift actions --store delegations.store --since-last work.mark")]
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
    since: SinceArgs,
    #[command(flatten)]
    gate: Gate,
}

/// Runs it.
pub fn run(globals: &Globals, given: &Actions) -> Result<Exit, Failure> {
    let format = query::format_of(globals, given.format, false, &given.to)?;
    let conditions = gate::conditions(&given.gate)?;
    let store = given.from.store.as_deref();
    let since = given.since.commit(store)?;
    let read = reading::open(globals, &given.from, &given.limits)?;
    let rows = SinceArgs::rows(globals, &given.from, &given.limits, (since, &read), items)?;
    output::deliver(given.to.output.as_deref(), |out| Ok(write_rows(view(&rows), format, out)?))?;
    let exit = read.exit.max(gate::check(&conditions, view(&rows))?);
    given.since.done(store, &read, exit)?;
    Ok(exit)
}

fn items(session: &Session) -> Result<Rows, Failure> {
    let items = work::items(session)?;
    Ok(Rows { schema: items.schema(), batches: vec![items] })
}
