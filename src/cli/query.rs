//! `carddrift query`: one built-in or own query.

use super::arguments::{From, Gate, Globals, LimitArgs, RowFormat, To};
use super::exit::{Exit, Failure};
use super::since::SinceArgs;
use super::{gate, output, reading};
use crate::query::{Known, Relation, Session};
use crate::report::{Format, answers::view, write_rows};
use clap::{Args, ValueHint};
use std::fs;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Ask one built-in query, or your own SQL over the same tables
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift query summary --input samples/incident-2-schema-rotation
  carddrift query registry_lag --input traffic.har --format csv --output lag.csv
  carddrift query split_brain_rate --input archive/ --fail-on 'rate > 1% and verifiable >= 100'
  carddrift query -e 'SELECT client, count(*) AS n FROM attempts GROUP BY client ORDER BY n DESC' --input a.ndjson
  carddrift query freshness_events -p within_s=600 --input archive/
  carddrift query slow_mirrors --queries sql/ --input archive/
  carddrift query -f lag_over.sql -p hours=2 --input archive/
  carddrift query slo_daily --store delegations.store --since-last daily.mark --format ndjson
`carddrift queries` lists the names; own SQL may also read the tables, the built-in queries and the shared views.")]
pub struct Query {
    /// Name of a built-in query or of one of your own
    #[arg(required_unless_present_any = ["execute", "file"], conflicts_with_all = ["execute", "file"])]
    pub name: Option<String>,
    /// SQL to run
    #[arg(long, short = 'e', value_name = "SQL", conflicts_with = "file")]
    pub execute: Option<String>,
    /// File of SQL to run
    #[arg(long, short = 'f', value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// A parameter of the query (repeatable)
    #[arg(long = "param", short, value_name = "NAME=VALUE")]
    pub params: Vec<String>,
    /// How to print the rows
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: RowFormat,
    /// Do not guard texts in CSV that a spreadsheet would run as formulas
    #[arg(long, help_heading = "Output")]
    pub csv_raw: bool,
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
pub fn run(globals: &Globals, query: &Query) -> Result<Exit, Failure> {
    let format = format_of(globals, query.format, query.csv_raw, &query.to)?;
    let conditions = gate::conditions(&query.gate)?;
    let params = params(&query.params)?;
    let sql = match (&query.name, &query.execute, &query.file) {
        (_, Some(sql), _) => Some(sql.clone()),
        (_, _, Some(file)) => Some(fs::read_to_string(file).map_err(|e| {
            Failure::usage(format!("the query {} cannot be read: {e}", file.display()))
        })?),
        _ => None,
    };
    let name = query.name.as_deref().unwrap_or_default();
    // A name that is wrong is told before anything is read; the user's own queries come later.
    if sql.is_none() && globals.queries.is_empty() {
        let all = Known::all(&[]);
        let query = known(&all, name)?;
        let unknown = params.iter().find(|(p, _)| !query.parameters.iter().any(|q| q.name == *p));
        if let Some((param, _)) = unknown {
            return Err(Failure::usage(format!("the query `{name}` has no parameter `{param}`")));
        }
    }
    let store = query.from.store.as_deref();
    let since = query.since.commit(store)?;
    let read = reading::open(globals, &query.from, &query.limits)?;
    let ask = |session: &Session| {
        if let Some(sql) = &sql {
            return Ok(session.sql(sql, &params)?);
        }
        session.expect(&[Relation::Named(name)]);
        Ok(session.query(name, &params)?)
    };
    let rows = SinceArgs::rows(globals, &query.from, &query.limits, (since, &read), ask)?;
    output::deliver(query.to.output.as_deref(), |out| Ok(write_rows(view(&rows), format, out)?))?;
    let exit = read.exit.max(gate::check(&conditions, view(&rows))?);
    query.since.done(store, &read, exit)?;
    Ok(exit)
}

/// The query of this name, or the nearest name.
pub fn known<'k, 'q>(all: &'k [Known<'q>], name: &str) -> Result<&'k Known<'q>, Failure> {
    all.iter().find(|query| query.name == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|query| query.name).collect();
        let help = match crate::config::nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known: {}", names.join(", ")),
        };
        Failure::usage(format!("no query is called `{name}`")).help(help)
    })
}

fn params(given: &[String]) -> Result<Vec<(String, String)>, Failure> {
    given
        .iter()
        .map(|text| {
            let (name, value) = text.split_once('=').ok_or_else(|| {
                Failure::usage(format!("-p {text}: there is no `=`")).help("write -p NAME=VALUE")
            })?;
            Ok((name.to_owned(), value.to_owned()))
        })
        .collect()
}

/// The format with what it needs to know.
pub fn format_of(
    globals: &Globals,
    format: RowFormat,
    raw: bool,
    to: &To,
) -> Result<Format, Failure> {
    let to_file = to.output.as_deref().is_some_and(|p| p != std::path::Path::new("-"));
    Ok(match format {
        RowFormat::Text => Format::Text {
            columns: output::terminal(to_file, globals.color, globals.width).columns,
        },
        RowFormat::Json => Format::Json,
        RowFormat::Ndjson => Format::Ndjson,
        RowFormat::Csv => Format::Csv { raw },
        RowFormat::Markdown => Format::Markdown,
        RowFormat::Parquet if !to_file && std::io::stdout().is_terminal() => {
            return Err(Failure::usage("Parquet is not for a terminal").help("give --output FILE"));
        }
        RowFormat::Parquet => Format::Parquet,
    })
}
