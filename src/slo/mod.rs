//! Service levels: objectives held against an archive (model §9).
//!
//! Knows queries and their rows, and nothing of where these came from. Time is the archive's: nothing is
//! taken from a clock. Counts stay whole numbers until they are printed, so that an objective met exactly
//! is met. What is not known is counted apart and is never good.
//!
//! ```text
//! OpenSLO ─► objectives ─ queries ─► streams of counts ─► levels: compliance, budget, alerts ─► print
//! ```

pub mod burn;
pub mod exact;
pub mod measure;
pub mod objective;
pub mod openslo;
pub mod period;
pub mod print;
mod source;
pub mod span;
pub mod stream;

use crate::query::QueryError;
use objective::Objective;
use std::fmt;

/// The objectives that hold when none are given, as an OpenSLO file.
pub const BUILT_IN: &str = include_str!("built_in.yaml");
/// The name that the built-in objectives give as their file.
pub const BUILT_IN_NAME: &str = "built-in objectives";

/// The built-in objectives.
pub fn built_in() -> Vec<Objective> {
    // A test proves that they can be read.
    openslo::read(&[(BUILT_IN_NAME.to_owned(), BUILT_IN.to_owned())]).unwrap_or_default()
}

/// Why objectives cannot be measured.
#[derive(Debug)]
pub enum SloError {
    /// A query of an indicator cannot be run.
    Query {
        /// The file of the objective.
        file: String,
        /// Line of the metric source.
        line: usize,
        /// The objective.
        name: String,
        /// What the query says.
        error: QueryError,
    },
    /// The rows of a query do not give what the indicator needs.
    Objective {
        /// The file of the objective.
        file: String,
        /// Line of the objective.
        line: usize,
        /// The objective.
        name: String,
        /// What is wrong and what to do.
        what: String,
    },
    /// When the archive ends cannot be told.
    Archive {
        /// What the query says.
        error: QueryError,
    },
}

impl fmt::Display for SloError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Query { file, line, name, error } => write!(f, "{file}:{line}: {name}: {error}"),
            Self::Objective { file, line, name, what } => {
                write!(f, "{file}:{line}: {name}: {what}")
            }
            Self::Archive { error } => error.fmt(f),
        }
    }
}

impl std::error::Error for SloError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        None
    }
}

#[cfg(test)]
mod tests;
