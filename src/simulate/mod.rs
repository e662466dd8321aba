//! Recordings with known truth: a journal, and what happened in it.
//!
//! Knows the journal's form and the model's words, and nothing of how either is read or measured: the
//! truth is kept while the world is played, not found in what was written. The same options give the same
//! bytes on every machine.
//!
//! ```text
//! seed ─► world (agents, rotations, lags) ─► tasks, fetches, bursts ─► journal
//!                                                    └─► truth
//! ```

mod journal;
mod play;
mod random;
mod truth;
mod world;

pub use truth::{Lag, Split, Truth};

use std::fmt;
use std::io::{self, Write};

/// What is simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The same seed gives the same recording.
    pub seed: u64,
    /// Delegated tasks.
    pub tasks: u64,
    /// Agents.
    pub agents: usize,
    /// Clients.
    pub clients: usize,
    /// Registries; the first one is the authority, the others are mirrors.
    pub registries: usize,
    /// How often each agent rotates its contract.
    pub rotations: usize,
    /// When it begins, UTC nanoseconds.
    pub start: i64,
    /// How many days it lasts.
    pub days: f64,
    /// A mirror lags at least so long.
    pub lag_min_s: i64,
    /// A mirror lags at most so long, and less when the next rotation comes first.
    pub lag_max_s: i64,
    /// How long clients use a card before they fetch it again.
    pub cache_ttl_s: i64,
    /// Share of clients that use a mirror.
    pub mirrored: f64,
    /// Share of tasks that fail.
    pub failed: f64,
    /// Share of artifacts whose digest does not match.
    pub corrupt: f64,
    /// Share of delegations at which the client is rejected and tries again and again.
    pub replayed: f64,
    /// Retry storms: many clients at once.
    pub storms: usize,
    /// Share of lines before which the beginning of the same line stands, cut off.
    pub damaged: f64,
    /// Share of lines that stand there twice.
    pub duplicated: f64,
    /// Length of a card's description in bytes.
    pub card_bytes: usize,
    /// Length of an artifact's text in bytes.
    pub payload_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 1,
            tasks: 10_000,
            agents: 5,
            clients: 50,
            registries: 2,
            rotations: 4,
            start: 1_794_614_400_000_000_000,
            days: 7.0,
            lag_min_s: 40 * 60,
            lag_max_s: 6 * 3600,
            cache_ttl_s: 1800,
            mirrored: 0.7,
            failed: 0.03,
            corrupt: 0.001,
            replayed: 0.01,
            storms: 1,
            damaged: 0.0,
            duplicated: 0.0,
            card_bytes: 200,
            payload_bytes: 100,
        }
    }
}

impl Options {
    /// How long it lasts, in nanoseconds.
    #[expect(clippy::cast_possible_truncation, reason = "checked: at most a hundred years")]
    fn length(&self) -> i64 {
        (self.days * 86_400.0) as i64 * 1_000_000_000
    }

    /// # Errors
    /// What makes no recording.
    fn check(&self) -> Result<(), SimulateError> {
        let shares = [
            ("mirrored", self.mirrored),
            ("failed", self.failed),
            ("corrupt", self.corrupt),
            ("replayed", self.replayed),
            ("damaged", self.damaged),
            ("duplicated", self.duplicated),
        ];
        if let Some((name, _)) = shares.iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
            return Err(SimulateError::Option(name, "is a share between 0 and 1"));
        }
        for (name, count) in
            [("agents", self.agents), ("clients", self.clients), ("registries", self.registries)]
        {
            if !(1..=1_000_000).contains(&count) {
                return Err(SimulateError::Option(name, "lies between 1 and 1,000,000"));
            }
        }
        if !(0.001..=36_500.0).contains(&self.days) {
            return Err(SimulateError::Option("days", "lies between 0.001 and 36500"));
        }
        if !(0..=10_000).contains(&self.rotations) || self.storms > 100_000 {
            return Err(SimulateError::Option("rotations", "lies between 0 and 10,000"));
        }
        if self.lag_min_s < 1 || self.lag_max_s < self.lag_min_s || self.lag_max_s > 1 << 31 {
            return Err(SimulateError::Option(
                "lag-max-s",
                "is at least lag-min-s, which is at least 1",
            ));
        }
        if !(0..=1 << 31).contains(&self.cache_ttl_s) {
            return Err(SimulateError::Option("cache-ttl-s", "is at least 0"));
        }
        Ok(())
    }
}

/// Writes a journal and tells what is in it.
///
/// # Errors
/// When an option makes no recording, or the journal cannot be written.
pub fn simulate(options: &Options, out: &mut dyn Write) -> Result<Truth, SimulateError> {
    options.check()?;
    let mut random = random::Random::new(options.seed);
    let world = world::World::new(options, &mut random)?;
    play::Play::new(options, &world, random, out).run()
}

/// Why nothing is simulated.
#[derive(Debug)]
pub enum SimulateError {
    /// An option and what it must be.
    Option(&'static str, &'static str),
    /// The recording would end after the times that can be told.
    TimeEnds,
    /// The journal cannot be written.
    Write(io::Error),
}

impl fmt::Display for SimulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option(name, must) => write!(f, "--{name} {must}"),
            Self::TimeEnds => f.write_str("the recording would end after the year 2261"),
            Self::Write(e) => write!(f, "the journal cannot be written: {e}"),
        }
    }
}

impl std::error::Error for SimulateError {}

impl From<io::Error> for SimulateError {
    fn from(e: io::Error) -> Self {
        Self::Write(e)
    }
}
