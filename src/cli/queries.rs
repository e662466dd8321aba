//! `carddrift queries`: the catalogue.

use super::arguments::{Globals, To};
use super::exit::{Exit, Failure};
use super::{output, reading};
use crate::query::{Known, Origin, Settings};
use crate::report::json;
use crate::tables;
use clap::{Args, ValueEnum};
use std::io::Write;

/// List the queries; of one, its columns, parameters and SQL
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift queries
  carddrift queries registry_lag
  carddrift queries --queries sql/
  carddrift queries --tables")]
pub struct Queries {
    /// Name of a query
    name: Option<String>,
    /// List the tables and their columns instead
    #[arg(long, conflicts_with = "name")]
    tables: bool,
    /// How to print the catalogue
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: CatalogueFormat,
    #[command(flatten)]
    to: To,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CatalogueFormat {
    /// For people.
    Text,
    /// One array of objects.
    Json,
}

/// Runs it.
pub fn run(globals: &Globals, queries: &Queries) -> Result<Exit, Failure> {
    let own = if globals.queries.is_empty() {
        Vec::new()
    } else {
        let settings = Settings::of(&reading::settings(globals)?.config);
        reading::own_queries(globals, &settings)?
    };
    let all = Known::all(&own);
    let chosen = match &queries.name {
        None => all,
        Some(name) => vec![super::query::known(&all, name)?.clone()],
    };
    output::deliver(queries.to.output.as_deref(), |out| {
        match (queries.format, queries.tables) {
            (CatalogueFormat::Text, true) => write_tables(out)?,
            (CatalogueFormat::Text, false) if queries.name.is_some() => write_one(&chosen, out)?,
            (CatalogueFormat::Text, false) => write_list(&chosen, out)?,
            (CatalogueFormat::Json, true) => write_tables_json(out)?,
            (CatalogueFormat::Json, false) => write_json(&chosen, out)?,
        }
        Ok(())
    })?;
    Ok(Exit::Done)
}

fn write_list(queries: &[Known<'_>], out: &mut dyn Write) -> std::io::Result<()> {
    for query in queries {
        let whose = match query.origin {
            Origin::Report => "",
            Origin::Indicator => " [indicator of service levels]",
            Origin::Own => " [own]",
        };
        writeln!(out, "{}{whose}: {}", query.name, query.answers)?;
        writeln!(out, "    {}; {}", query.grain, query.unit)?;
    }
    writeln!(out, "\n`carddrift queries NAME` tells the columns of one, `--tables` the tables.")
}

fn write_one(queries: &[Known<'_>], out: &mut dyn Write) -> std::io::Result<()> {
    for query in queries {
        writeln!(out, "{} ({})", query.title, query.name)?;
        writeln!(out, "  answers: {}", query.answers)?;
        writeln!(out, "  grain:   {}", query.grain)?;
        writeln!(out, "  unit:    {}", query.unit)?;
        let width = query.columns.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        writeln!(out, "  columns:")?;
        for (name, doc) in &query.columns {
            writeln!(out, "    {name:width$}  {doc}")?;
        }
        if !query.parameters.is_empty() {
            writeln!(out, "  parameters:")?;
        }
        for parameter in query.parameters {
            let default = parameter.default.as_ref().map_or(String::new(), |d| format!(" = {d}"));
            let (name, kind, doc) = (&parameter.name, &parameter.kind, &parameter.doc);
            writeln!(out, "    -p {name}: {kind}{default}  {doc}")?;
        }
        writeln!(out, "  sql:")?;
        for line in query.sql.lines().filter(|l| !l.starts_with("--")) {
            writeln!(out, "{}", format!("    {line}").trim_end())?;
        }
    }
    Ok(())
}

fn write_json(queries: &[Known<'_>], out: &mut dyn Write) -> std::io::Result<()> {
    let mut text = Vec::new();
    for (i, query) in queries.iter().enumerate() {
        text.extend_from_slice(if i == 0 { b"[\n  {" } else { b",\n  {" });
        let fields = [
            ("name", query.name),
            ("origin", query.origin.as_str()),
            ("title", query.title),
            ("unit", query.unit),
            ("grain", query.grain),
            ("answers", query.answers),
            ("sql", query.sql),
        ];
        for (name, value) in fields {
            json::string(&mut text, name);
            text.push(b':');
            json::string(&mut text, value);
            text.push(b',');
        }
        text.extend_from_slice(b"\"columns\":[");
        columns_json(query.columns.iter().copied(), &mut text);
        text.extend_from_slice(b"],\"parameters\":[");
        for (i, parameter) in query.parameters.iter().enumerate() {
            text.extend_from_slice(if i == 0 { b"{\"name\":" } else { b",{\"name\":" });
            json::string(&mut text, &parameter.name);
            text.extend_from_slice(b",\"type\":");
            json::string(&mut text, &parameter.kind);
            text.extend_from_slice(b",\"default\":");
            match &parameter.default {
                Some(default) => json::string(&mut text, default),
                None => text.extend_from_slice(b"null"),
            }
            text.extend_from_slice(b",\"doc\":");
            json::string(&mut text, &parameter.doc);
            text.push(b'}');
        }
        text.extend_from_slice(b"]}");
    }
    text.extend_from_slice(b"\n]\n");
    out.write_all(&text)
}

fn columns_json<'c>(columns: impl Iterator<Item = (&'c str, &'c str)>, text: &mut Vec<u8>) {
    for (i, (name, doc)) in columns.enumerate() {
        text.extend_from_slice(if i == 0 { b"{\"name\":" } else { b",{\"name\":" });
        json::string(text, name);
        text.extend_from_slice(b",\"doc\":");
        json::string(text, doc);
        text.push(b'}');
    }
}

fn write_tables(out: &mut dyn Write) -> std::io::Result<()> {
    for table in tables::all() {
        writeln!(out, "{}", table.name)?;
        let width = table.columns.iter().map(|c| c.name.len()).max().unwrap_or(0);
        for column in &table.columns {
            writeln!(out, "    {:width$}  {}", column.name, column.doc)?;
        }
    }
    Ok(())
}

fn write_tables_json(out: &mut dyn Write) -> std::io::Result<()> {
    let mut text = Vec::new();
    for (i, table) in tables::all().iter().enumerate() {
        text.extend_from_slice(if i == 0 { b"[\n  {\"name\":" } else { b",\n  {\"name\":" });
        json::string(&mut text, table.name);
        text.extend_from_slice(b",\"columns\":[");
        columns_json(table.columns.iter().map(|c| (c.name, c.doc)), &mut text);
        text.extend_from_slice(b"]}");
    }
    text.extend_from_slice(b"\n]\n");
    out.write_all(&text)
}
