//! What is promised: an indicator, a target, a period.

use super::burn::{Op, Rule};
use super::exact::Ratio;
use super::period::TimeWindow;

/// One objective of one service level.
#[derive(Debug, Clone, PartialEq)]
pub struct Objective {
    /// Name of the service level.
    pub slo: String,
    /// Its name for people.
    pub slo_title: Option<String>,
    /// The service that it belongs to.
    pub service: String,
    /// The objective's own name for people.
    pub title: Option<String>,
    /// Place among those of the service level, from 0.
    pub place: usize,
    /// How many there are.
    pub of: usize,
    /// The file that says so, as given.
    pub file: String,
    /// Where in it.
    pub line: usize,
    /// The share that must be good; less than 1.
    pub target: Ratio,
    /// Of a threshold metric: which values are good.
    pub threshold: Option<Threshold>,
    /// What is good and what there is.
    pub indicator: Indicator,
    /// How the budget is counted.
    pub budgeting: Budgeting,
    /// Over which time.
    pub window: TimeWindow,
    /// Which rows count.
    pub scope: Scope,
    /// When to alert.
    pub alerts: Alerts,
    /// How few events are too few; `None`: as the caller says.
    pub min_events: Option<u64>,
    /// What was assumed in reading it.
    pub notes: Vec<String>,
}

impl Objective {
    /// A name that tells it from the others.
    pub fn name(&self) -> String {
        match (&self.title, self.of) {
            (_, 1) => self.slo.clone(),
            (Some(title), _) => format!("{}: {title}", self.slo),
            (None, _) => format!("{}: objective {}", self.slo, self.place + 1),
        }
    }
}

/// Which values are good.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// How a value compares with `value`.
    pub op: Op,
    /// With what.
    pub value: f64,
}

/// An indicator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indicator {
    /// Its name.
    pub name: String,
    /// What it counts.
    pub metric: Metric,
}

/// What an indicator counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Metric {
    /// Rows with a value, good by the objective's threshold.
    Threshold(Source),
    /// Good ones among all.
    Good {
        /// Rows that are good, all of them among `total`.
        good: Source,
        /// All rows.
        total: Source,
    },
    /// Bad ones among all.
    Bad {
        /// Rows that are bad, all of them among `total`.
        bad: Source,
        /// All rows.
        total: Source,
    },
    /// Rows with a ratio that was computed before.
    Raw {
        /// The rows.
        source: Source,
        /// The ratio is that of good ones; else that of bad ones.
        success: bool,
    },
}

/// Rows of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Line of the file.
    pub line: usize,
    /// The query.
    pub relation: Relation,
    /// Its parameters.
    pub params: Vec<(String, String)>,
    /// SQL for the instant of a row: a timestamp, or UTC nanoseconds. Default: `at`.
    pub time: Option<String>,
    /// SQL for whether a row counts.
    pub filter: Option<String>,
    /// SQL for whether it is not known what a row says.
    pub unknown: Option<String>,
    /// SQL for how much a row counts. Default: 1.
    pub count: Option<String>,
    /// SQL for a row's value or ratio.
    pub value: Option<String>,
}

/// A query by name or in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// A built-in query, an indicator, or one of the user's.
    Query(String),
    /// SQL.
    Sql(String),
}

/// How the budget is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budgeting {
    /// Bad events among all.
    Occurrences,
    /// Bad slices of time among those with an event.
    Timeslices {
        /// Length of a slice in nanoseconds.
        length: i64,
        /// A slice is good when this share of its events is.
        target: Ratio,
    },
    /// The average of the slices' good shares.
    RatioTimeslices {
        /// Length of a slice in nanoseconds.
        length: i64,
    },
}

impl Budgeting {
    /// As OpenSLO spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Occurrences => "Occurrences",
            Self::Timeslices { .. } => "Timeslices",
            Self::RatioTimeslices { .. } => "RatioTimeslices",
        }
    }
}

/// Globs for the columns `agent`, `registry` and `client`; empty: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Agents.
    pub agents: Vec<String>,
    /// Registries.
    pub registries: Vec<String>,
    /// Clients.
    pub clients: Vec<String>,
}

/// When to alert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alerts {
    /// The model's pairs of windows (model §9).
    Pairs,
    /// As alert policies say.
    Rules(Vec<Rule>),
}

/// An alert policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// What it looks at; `None`: it does not alert when breaching.
    pub rule: Option<Rule>,
    /// What is to be said of it.
    pub notes: Vec<String>,
}
