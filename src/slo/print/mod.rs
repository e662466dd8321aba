//! Levels as people and machines read them: one file for each format.
//!
//! The same levels give the same bytes. Names come from recordings and files of strangers: each format
//! makes them harmless in its own way.

pub mod document;
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

/// A share in per cent with up to so many decimals.
fn decimals(share: f64, most: usize) -> String {
    let text = format!("{:.most$}", share * 100.0);
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{} %", if text == "-0" { "0" } else { text })
}

/// A share in per cent as it was written: 0.99995 is 99.995 %.
fn exact(share: f64) -> String {
    decimals(share, 12)
}

/// A share in per cent as people read it.
fn percent(share: f64) -> String {
    apart(share, share)
}

/// The same with as many decimals as tell it from `other`, from 0 and from 1, which it may be close to.
fn apart(share: f64, other: f64) -> String {
    let tells = |most: usize| {
        [other, 0.0, 1.0].into_iter().all(|limit| {
            let same = (share - limit).abs() < 1e-15;
            same || decimals(share, most) != decimals(limit, most)
        })
    };
    let most = (2..12).find(|most| tells(*most)).unwrap_or(12);
    decimals(share, most)
}

/// One sentence on a level: what was promised and what came of it.
fn verdict(level: &Level) -> String {
    let target = exact(level.objective.target.value());
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
            let good = apart(good, level.objective.target.value());
            format!("{good} good of {target} promised ({counts}){few}")
        }
    }
}

/// That what happened before was removed.
fn kept(from: i64) -> String {
    let from = time(from);
    format!(
        "Attempts before {from}, and tasks that had ended by then, were removed from the store."
    )
}

/// What is counted.
fn unit(level: &Level) -> &'static str {
    match level.objective.budgeting {
        super::objective::Budgeting::Occurrences => "events",
        _ => "time slices",
    }
}

#[cfg(test)]
mod tests;
