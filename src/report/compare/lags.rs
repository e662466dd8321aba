//! The longest lag of each mirror, with its bounds. A lag that was still open is longer than it looks,
//! without an upper bound.

use super::{Row, Value, Verdict};
use crate::report::findings::{Findings, Lag};
use std::collections::BTreeMap;

pub(super) fn rows(a: &Findings, b: &Findings) -> Vec<Row> {
    let (before, after) = (longest(a), longest(b));
    let mut keys: Vec<_> = before.keys().chain(after.keys()).cloned().collect();
    keys.sort();
    keys.dedup();
    keys.into_iter()
        .map(|key| {
            let (a, b) = (before.get(&key).copied(), after.get(&key).copied());
            let difference = a.zip(b).map(|(a, b)| (b.0 - a.0, b.1 - a.2, b.2 - a.1));
            let verdict = match (a, b) {
                (None, _) => Verdict::New,
                (_, None) => Verdict::Gone,
                (Some((_, _, high)), Some((_, low, _))) if low > high => Verdict::Worse,
                (Some((_, low, _)), Some((_, _, high))) if high < low => Verdict::Better,
                _ => Verdict::Undecided,
            };
            let value = |side: Option<(f64, f64, f64)>| {
                side.map_or(Value::Absent, |(lag, low, high)| Value::Span(lag, low, high))
            };
            let subject = vec![key.0, key.1];
            Row { what: "longest_lag", subject, a: value(a), b: value(b), difference, verdict }
        })
        .collect()
}

/// Of each agent and registry the longest lag; a length of time and its bounds.
fn longest(findings: &Findings) -> BTreeMap<(String, String), (f64, f64, f64)> {
    let mut longest = BTreeMap::new();
    for lag in &findings.lags {
        let Some(found) = bounds(lag) else { continue };
        let known = longest.entry((lag.agent.clone(), lag.registry.clone())).or_insert(found);
        if (found.0, found.1) > (known.0, known.1) {
            *known = found;
        }
    }
    longest
}

fn bounds(lag: &Lag) -> Option<(f64, f64, f64)> {
    match (lag.status.as_str(), lag.lag_s, lag.lag_min_s, lag.lag_max_s) {
        ("closed", Some(length), Some(low), Some(high)) => Some((length, low.min(length), high)),
        ("open" | "superseded", _, Some(low), _) => Some((low, low, f64::INFINITY)),
        _ => None,
    }
}
