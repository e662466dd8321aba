//! The arguments that several commands share.

use super::exit::Failure;
use super::output::Colour;
use crate::query::Limits;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Arguments of every command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub struct Globals {
    /// Settings file [default: `carddrift.toml` here or in a folder above, else the user's]
    #[arg(long, global = true, value_name = "FILE", env = "CARDDRIFT_CONFIG", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// One setting, for example `thresholds.storm_gap_s=60` (repeatable)
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Folder of your own queries, `.sql` files with the header of the built-in ones (repeatable)
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub queries: Vec<PathBuf>,
    /// Threads to use; 0: one for each core
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// What queries may hold in memory, for example `512MiB`
    #[arg(long, global = true, value_name = "SIZE", value_parser = size)]
    pub memory_limit: Option<usize>,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Colour,
    /// Set text to this many columns [default: the terminal's; unlimited elsewhere]
    #[arg(long, global = true, value_name = "COLUMNS")]
    pub width: Option<usize>,
    /// No progress and no remarks on standard error
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// How input is read.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Reading")]
pub struct Reading {
    /// Take every input for this format [default: told by its content]
    #[arg(long, value_name = "NAME")]
    pub input_format: Option<String>,
    /// Zone of times that have none, for example `Europe/Berlin` [default: UTC]
    #[arg(long, value_name = "ZONE")]
    pub assume_zone: Option<String>,
    /// Largest record, for example `64MiB`
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_record_bytes: Option<usize>,
    /// Largest source once decompressed
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_source_bytes: Option<usize>,
    /// Largest ratio of decompressed to compressed bytes
    #[arg(long, value_name = "RATIO")]
    pub max_expansion: Option<u64>,
    /// Most distinct cards whose contents are kept [default: 200000]
    #[arg(long, value_name = "N")]
    pub max_names: Option<usize>,
    /// Keep the payloads of artifacts and messages, redacted
    #[arg(long)]
    pub keep_payloads: bool,
    /// Exit with 3 when a record was lost
    #[arg(long)]
    pub strict: bool,
    /// Exit with 3 when a larger share of the records was lost, for example `0.01`
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    pub max_rejected: Option<f64>,
}

/// What a query reads.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Input")]
pub struct From {
    /// A file, folder, glob, URL or `-` to read (repeatable)
    #[arg(long = "input", short, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<String>,
    /// A store to read
    #[arg(long, short, value_name = "STORE", value_hint = ValueHint::DirPath, conflicts_with = "inputs")]
    pub store: Option<PathBuf>,
    /// See there.
    #[command(flatten)]
    pub reading: Reading,
}

/// Limits on what is measured: they select rows, never events.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Limits on what is measured")]
pub struct LimitArgs {
    /// From this time on (RFC 3339)
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub from: Option<i64>,
    /// Before this time (RFC 3339)
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub to: Option<i64>,
    /// Only this agent; a glob (repeatable)
    #[arg(long = "agent", value_name = "GLOB")]
    pub agents: Vec<String>,
    /// Only this registry; a glob (repeatable)
    #[arg(long = "registry", value_name = "GLOB")]
    pub registries: Vec<String>,
    /// Only this client; a glob (repeatable)
    #[arg(long = "client", value_name = "GLOB")]
    pub clients: Vec<String>,
}

impl LimitArgs {
    /// As the query room takes them.
    pub fn limits(&self) -> Result<Limits, Failure> {
        if let (Some(from), Some(to)) = (self.from, self.to)
            && from >= to
        {
            return Err(Failure::usage("--from must lie before --to"));
        }
        Ok(Limits {
            from: self.from,
            to: self.to,
            agents: self.agents.clone(),
            registries: self.registries.clone(),
            clients: self.clients.clone(),
        })
    }
}

/// Gates.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Gates")]
pub struct Gate {
    /// Exit with 1 when this holds for any row, for example `rate > 1% and verifiable >= 100` (repeatable)
    #[arg(long, value_name = "EXPR")]
    pub fail_on: Vec<String>,
}

/// Where results go.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct To {
    /// Write to this file, whole or not at all [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

/// How rows are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// A table for people.
    #[default]
    Text,
    /// One array of objects.
    Json,
    /// One object a line.
    Ndjson,
    /// Comma-separated values with a header.
    Csv,
    /// A table in Markdown.
    Markdown,
    /// One Parquet file.
    Parquet,
}

/// A number of bytes with a unit.
pub fn size(text: &str) -> Result<usize, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(digits).unwrap_or((text, ""));
    let factor: usize = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1000,
        "kib" => 1 << 10,
        "m" | "mb" => 1_000_000,
        "mib" => 1 << 20,
        "g" | "gb" => 1_000_000_000,
        "gib" => 1 << 30,
        other => return Err(format!("`{other}` is no unit of bytes (KiB, MiB, GiB, KB, MB, GB)")),
    };
    let number: usize = number.parse().map_err(|_| "a number of bytes is wanted".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "that is more than this machine can count".to_owned())
}

/// A share between 0 and 1, or per cent.
fn ratio(text: &str) -> Result<f64, String> {
    let (number, factor) = text.strip_suffix('%').map_or((text, 1.0), |n| (n.trim(), 0.01));
    let value: f64 = number.parse().map_err(|_| "a share between 0 and 1 is wanted".to_owned())?;
    let value = value * factor;
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err("a share lies between 0 and 1".to_owned())
    }
}

/// An instant, or a date for its first instant in UTC; nanoseconds.
pub fn instant(text: &str) -> Result<i64, String> {
    let time = match text.parse::<jiff::Timestamp>() {
        Ok(time) => time,
        // A date alone is its first instant in UTC; a time needs its zone.
        Err(e) => match text.parse::<jiff::civil::Date>().map(|date| (date, text.len() > 10)) {
            Ok((date, false)) => {
                date.to_zoned(jiff::tz::TimeZone::UTC).map_err(|e| e.to_string())?.timestamp()
            }
            _ => return Err(format!("{e}; for example 2026-11-14T06:00:00Z")),
        },
    };
    i64::try_from(time.as_nanosecond())
        .map_err(|_| "only the years 1678 to 2261 can be told".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_ratios_and_instants() {
        assert_eq!(size("512MiB"), Ok(512 << 20));
        assert_eq!(size("10"), Ok(10));
        assert!(size("MiB").is_err() && size("1 furlong").is_err());
        assert!(ratio("1%").is_ok_and(|r| (r - 0.01).abs() < 1e-12) && ratio("2").is_err());
        assert_eq!(instant("1970-01-02"), Ok(86_400_000_000_000));
        assert_eq!(instant("1970-01-01T01:00:00+01:00"), Ok(0));
        assert!(instant("yesterday").is_err() && instant("2026-11-14T06:00:00").is_err());
    }
}
