//! `--fail-on`: whether any row breaches a gate.

use super::arguments::Gate;
use super::exit::{Exit, Failure};
use super::output::tell;
use crate::report::condition::Condition;
use crate::report::rows::View;

/// The conditions, read before anything costs time.
pub fn conditions(gate: &Gate) -> Result<Vec<(String, Condition)>, Failure> {
    gate.fail_on.iter().map(|text| Ok((text.clone(), Condition::parse(text)?))).collect()
}

/// `Breached` when a condition holds for any row; says which and where.
pub fn check(conditions: &[(String, Condition)], rows: View<'_>) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    for (text, condition) in conditions {
        let found = condition.check(rows)?;
        if found.holds > 0 {
            exit = Exit::Breached;
            let first = found.first.unwrap_or_default();
            tell(&format!(
                "breached: {text} holds in {} of {} rows; the first: {first}",
                found.holds, found.rows
            ));
        } else if found.unknown > 0 {
            tell(&format!(
                "not breached, but unknown: {text} in {} of {} rows",
                found.unknown, found.rows
            ));
        }
    }
    Ok(exit)
}
