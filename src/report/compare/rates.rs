//! Rates, of the whole and of each agent and registry. All of them are better when they are lower.

use super::{Row, Value, Verdict};
use crate::report::figures::difference;
use crate::report::findings::{Findings, Summary};
use std::collections::BTreeMap;

type Counts = fn(&Summary) -> (i64, i64);

/// Name, hits and of how many.
const WHOLE: &[(&str, Counts)] = &[
    ("split_brain_rate", |s| (s.split_brain, s.verifiable)),
    ("window_split_brain_rate", |s| (s.window_split_brain, s.window_verifiable)),
    ("after_split_brain_rate", |s| (s.after_split_brain, s.after_verifiable)),
    ("silent_rate", |s| (s.silent, s.verifiable)),
    ("corrupt_rate", |s| (s.corrupt, s.verifiable)),
    ("unverifiable_rate", |s| (s.unverifiable, s.completed)),
    ("rejection_rate", |s| (s.rejections, s.attempts)),
    ("replay_rate", |s| (s.replays, s.attempts)),
    ("transport_rate", |s| (s.transport, s.attempts)),
];

pub(super) fn rows(a: &Findings, b: &Findings) -> Vec<Row> {
    let whole = WHOLE.iter().map(|(what, counts)| {
        row(what, Vec::new(), Some(counts(&a.summary)), Some(counts(&b.summary)))
    });
    let (before, after) = (by_registry(a), by_registry(b));
    let mut keys: Vec<_> = before.keys().chain(after.keys()).cloned().collect();
    keys.sort();
    keys.dedup();
    let each = keys.into_iter().map(|key| {
        let subject = vec![key.0.clone(), key.1.clone()];
        row("window_split_brain_rate", subject, before.get(&key).copied(), after.get(&key).copied())
    });
    whole
        .chain(each)
        .filter(|row| row.a != Value::Rate(0, 0) || row.b != Value::Rate(0, 0))
        .collect()
}

/// Split-brain tasks and verifiable ones in all windows of a mirror, by agent and registry.
fn by_registry(findings: &Findings) -> BTreeMap<(String, String), (i64, i64)> {
    let mut sums = BTreeMap::new();
    for w in findings.windows.iter().filter(|w| w.status != "authority") {
        let sum: &mut (i64, i64) = sums.entry((w.agent.clone(), w.registry.clone())).or_default();
        sum.0 += w.split_brain;
        sum.1 += w.verifiable;
    }
    sums
}

fn row(
    what: &'static str,
    subject: Vec<String>,
    a: Option<(i64, i64)>,
    b: Option<(i64, i64)>,
) -> Row {
    let difference = a.zip(b).and_then(|(a, b)| difference(a, b));
    let verdict = match (a, b, difference) {
        (None, _, _) => Verdict::New,
        (_, None, _) => Verdict::Gone,
        (.., None) => Verdict::Unknown,
        (.., Some((_, low, _))) if low > 0.0 => Verdict::Worse,
        (.., Some((.., high))) if high < 0.0 => Verdict::Better,
        _ => Verdict::Undecided,
    };
    let value = |side: Option<(i64, i64)>| side.map_or(Value::Absent, |(k, n)| Value::Rate(k, n));
    Row { what, subject, a: value(a), b: value(b), difference, verdict }
}
