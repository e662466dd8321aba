//! Two recordings, periods or saved reports side by side: what got better, worse, new, gone.
//!
//! Knows findings only. A difference is called better or worse where the evidence decides and not
//! elsewhere: of two rates, when the Newcombe interval of their difference (method 10: from both Wilson
//! intervals) excludes 0; of two lags, when their bounds do not overlap. Each at 95 %, without a
//! correction for how many are compared; tasks and attempts are taken as independent of each other.
//!
//! | module | what |
//! |---|---|
//! | [`rates`], [`lags`], [`names`] | what is compared |
//! | [`saved`] | a report that was kept as JSON |
//! | [`document`], [`rows`] | how it is told |

mod document;
mod lags;
mod names;
mod rates;
mod rows;
pub mod saved;

pub use document::{Told, document};
pub use rows::{batch, write_json};

use super::findings::Findings;

/// One side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// So many of so many.
    Rate(i64, i64),
    /// Seconds, with the lowest and the highest that they may be.
    Span(f64, f64, f64),
    /// A number of things.
    Count(i64),
    /// It is not there.
    Absent,
}

/// What became of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Surely worse.
    Worse,
    /// It was not there before.
    New,
    /// It is there as before.
    Still,
    /// The evidence does not decide.
    Undecided,
    /// Surely better.
    Better,
    /// It is there no more.
    Gone,
    /// One side has nothing to measure it by.
    Unknown,
}

impl Verdict {
    /// Its name in tables and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::New => "new",
            Self::Still => "still",
            Self::Undecided => "undecided",
            Self::Better => "better",
            Self::Gone => "gone",
            Self::Unknown => "unknown",
        }
    }
}

/// One thing compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// `split_brain_rate`, `cause` and so on.
    pub what: &'static str,
    /// What it concerns, part by part: agent and registry, client and agent. Empty: the whole.
    pub subject: Vec<String>,
    /// Before.
    pub a: Value,
    /// After.
    pub b: Value,
    /// After less before, with its interval.
    pub difference: Option<(f64, f64, f64)>,
    /// What became of it.
    pub verdict: Verdict,
}

impl Row {
    /// Whether it is a rate.
    pub fn is_rate(&self) -> bool {
        matches!(self.a, Value::Rate(..)) || matches!(self.b, Value::Rate(..))
    }

    /// Whether it is a length of time.
    pub fn is_span(&self) -> bool {
        matches!(self.a, Value::Span(..)) || matches!(self.b, Value::Span(..))
    }
}

/// Compares what was found before with what was found after.
pub fn compare(a: &Findings, b: &Findings) -> Vec<Row> {
    let mut rows = rates::rows(a, b);
    rows.extend(lags::rows(a, b));
    rows.extend(names::rows(a, b));
    rows
}

#[cfg(test)]
mod tests;
