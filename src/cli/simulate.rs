//! `carddrift simulate`: a recording with known truth.

use super::arguments::{To, instant};
use super::exit::{Exit, Failure};
use super::output;
use crate::simulate::{Options, SimulateError, simulate};
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// Write a recording whose truth is known: for trials, tests and benchmarks
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift simulate --output month.ndjson --truth truth.json --tasks 100000 --days 30
  carddrift simulate --seed 7 --damaged 0.01 --duplicated 0.01 | carddrift analyze -
The same options give the same bytes, on every machine.")]
pub struct Simulate {
    /// Write what happened to this file, as JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    truth: Option<PathBuf>,
    /// The same seed gives the same recording
    #[arg(long, value_name = "N", default_value_t = Options::default().seed)]
    seed: u64,
    /// Delegations
    #[arg(long, value_name = "N", default_value_t = Options::default().tasks)]
    tasks: u64,
    /// Agents
    #[arg(long, value_name = "N", default_value_t = Options::default().agents)]
    agents: usize,
    /// Clients
    #[arg(long, value_name = "N", default_value_t = Options::default().clients)]
    clients: usize,
    /// Registries: the authority, and mirrors
    #[arg(long, value_name = "N", default_value_t = Options::default().registries)]
    registries: usize,
    /// How often each agent rotates its contract
    #[arg(long, value_name = "N", default_value_t = Options::default().rotations)]
    rotations: usize,
    /// When it begins (RFC 3339) [default: 2026-11-14T00:00:00Z]
    #[arg(long, value_name = "TIME", value_parser = instant)]
    start: Option<i64>,
    /// How many days it lasts
    #[arg(long, value_name = "DAYS", default_value_t = Options::default().days)]
    days: f64,
    /// A mirror lags at least so long
    #[arg(long, value_name = "SECONDS", default_value_t = Options::default().lag_min_s)]
    lag_min_s: i64,
    /// A mirror lags at most so long, and less when the next rotation comes first
    #[arg(long, value_name = "SECONDS", default_value_t = Options::default().lag_max_s)]
    lag_max_s: i64,
    /// How long clients use a card before they fetch it again
    #[arg(long, value_name = "SECONDS", default_value_t = Options::default().cache_ttl_s)]
    cache_ttl_s: i64,
    /// Share of clients that use a mirror
    #[arg(long, value_name = "SHARE", default_value_t = Options::default().mirrored)]
    mirrored: f64,
    /// Share of tasks that fail
    #[arg(long, value_name = "SHARE", default_value_t = Options::default().failed)]
    failed: f64,
    /// Share of artifacts whose digest does not match
    #[arg(long, value_name = "SHARE", default_value_t = Options::default().corrupt)]
    corrupt: f64,
    /// Share of delegations that are rejected and tried again with the same card
    #[arg(long, value_name = "SHARE", default_value_t = Options::default().replayed)]
    replayed: f64,
    /// Retry storms of many clients
    #[arg(long, value_name = "N", default_value_t = Options::default().storms)]
    storms: usize,
    /// Share of lines before which the same line stands cut off
    #[arg(long, value_name = "SHARE", default_value_t = Options::default().damaged)]
    damaged: f64,
    /// Share of lines that stand there twice
    #[arg(long, value_name = "SHARE", default_value_t = Options::default().duplicated)]
    duplicated: f64,
    /// Length of a card's description
    #[arg(long, value_name = "BYTES", default_value_t = Options::default().card_bytes)]
    card_bytes: usize,
    /// Length of an artifact's text
    #[arg(long, value_name = "BYTES", default_value_t = Options::default().payload_bytes)]
    payload_bytes: usize,
    #[command(flatten)]
    to: To,
}

/// Runs it.
pub fn run(given: &Simulate) -> Result<Exit, Failure> {
    let options = Options {
        seed: given.seed,
        tasks: given.tasks,
        agents: given.agents,
        clients: given.clients,
        registries: given.registries,
        rotations: given.rotations,
        start: given.start.unwrap_or(Options::default().start),
        days: given.days,
        lag_min_s: given.lag_min_s,
        lag_max_s: given.lag_max_s,
        cache_ttl_s: given.cache_ttl_s,
        mirrored: given.mirrored,
        failed: given.failed,
        corrupt: given.corrupt,
        replayed: given.replayed,
        storms: given.storms,
        damaged: given.damaged,
        duplicated: given.duplicated,
        card_bytes: given.card_bytes,
        payload_bytes: given.payload_bytes,
    };
    let mut truth = None;
    output::deliver(given.to.output.as_deref(), |out| {
        truth = Some(simulate(&options, out)?);
        Ok(())
    })?;
    if let (Some(path), Some(truth)) = (&given.truth, &truth) {
        output::deliver(Some(path), |out| {
            serde_json::to_writer_pretty(&mut *out, truth).map_err(std::io::Error::from)?;
            Ok(out.write_all(b"\n")?)
        })?;
    }
    Ok(Exit::Done)
}

impl From<SimulateError> for Failure {
    fn from(e: SimulateError) -> Self {
        match e {
            SimulateError::Write(e) => e.into(),
            other => Self::usage(other.to_string()),
        }
    }
}
