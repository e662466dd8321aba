//! Levels as people and machines read them: one file for each format.
//!
//! The same levels give the same bytes. Names come from recordings and files of strangers: each format
//! makes them harmless in its own way.

pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub mod openmetrics;
pub mod series;

use super::measure::Level;
use crate::report::rows::rfc3339;

/// A number in full precision, without exponent.
fn number(value: f64) -> String {
    // Minus zero is zero.
    (value + 0.0).to_string()
}

/// An instant.
fn time(ns: i64) -> String {
    rfc3339(ns.into())
}

/// A share in per cent with all its digits: 0.999 is 99.9 %.
fn percent(share: f64) -> String {
    // Twelve decimals are more than a count of events can tell apart, and hide the noise of floats.
    let text = format!("{:.12}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// One sentence on a level: what was promised and what came of it.
fn verdict(level: &Level) -> String {
    let target = percent(level.objective.target.value());
    let unit = unit(level);
    let counts = format!(
        "{} of {} {unit} bad, {} unknown",
        number(level.counts.bad()),
        number(level.counts.total()),
        level.counts.unknown
    );
    match level.counts.compliance() {
        None => format!("nothing is known; {target} was promised ({counts})"),
        Some(good) => {
            let least = level.floor;
            let few = match level.status {
                super::measure::Status::Insufficient => {
                    format!(": fewer than {least} {unit} are too few to tell")
                }
                _ => String::new(),
            };
            format!("{} good of {target} promised ({counts}){few}", percent(good))
        }
    }
}

/// What is counted.
fn unit(level: &Level) -> &'static str {
    match level.objective.budgeting {
        super::objective::Budgeting::Occurrences => "events",
        _ => "time slices",
    }
}
