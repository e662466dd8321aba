//! How long mirrors took to show what the authority had.

use super::{MOST, View, mind, more, titled};
use crate::report::audit::Measure;
use crate::report::document::{Prose, Section, Table};
use crate::report::figures::{bar, bounded, count, counted, duration, percent, ratio};
use crate::report::findings::Lag;

pub(super) fn section(view: View<'_>) -> Section {
    let mut section = titled("Registry lag");
    let findings = view.findings;
    let of = |status: &str| findings.lags.iter().filter(|l| l.status == status).count();
    let number = |n: usize| count(i64::try_from(n).unwrap_or(i64::MAX));
    if findings.lags.is_empty() && findings.rotations.is_empty() {
        return section;
    }
    let rotations = i64::try_from(findings.rotations.len()).unwrap_or(i64::MAX);
    let rotations = counted(rotations, "rotation of authorities", "rotations of authorities");
    if findings.lags.is_empty() {
        section.line(format!(
            "{rotations}; no other registry was asked, so there is no lag to measure."
        ));
    } else {
        section.line(format!(
            "{rotations}; windows of mirrors: {} closed, {} open, {} superseded by the next \
             rotation, {} unobserved.",
            number(of("closed")),
            number(of("open")),
            number(of("superseded")),
            number(of("unobserved")),
        ));
    }
    percentiles(view, &mut section);
    mind(view, Measure::Lag, &mut section);
    let stale: i64 = findings.rotations.iter().map(|r| r.stale_at_source).sum();
    if stale > 0 {
        section.line(format!(
            "The authority itself showed an earlier contract {} after a rotation (stale at the \
             source).",
            counted(stale, "time", "times"),
        ));
    }
    section.table(table(view));
    section
}

fn percentiles(view: View<'_>, section: &mut Section) {
    let s = &view.findings.summary;
    if let (Some(median), Some(p95), Some(longest)) = (s.lag_p50_s, s.lag_p95_s, s.lag_longest_s) {
        section.line(format!(
            "Closed windows only: half within {}, 95 % within {}, the longest {}. Open and \
             superseded ones are longer than they look and are in none of these.",
            duration(median),
            duration(p95),
            duration(longest),
        ));
    }
}

fn table(view: View<'_>) -> Table {
    let lags = &view.findings.lags;
    let length = |l: &Lag| l.lag_s.or(l.lag_min_s).unwrap_or(0.0);
    let longest = lags.iter().map(length).fold(0.0, f64::max);
    let mut shown: Vec<&Lag> = lags.iter().collect();
    if shown.len() > MOST {
        let mut worst = shown.clone();
        worst.sort_by(|a, b| length(b).total_cmp(&length(a)));
        worst.truncate(MOST);
        shown.retain(|l| worst.iter().any(|x| std::ptr::eq(*x, *l)));
    }
    let mut table = Table::new(&[
        "agent",
        ">#",
        "registry",
        "rotated",
        "status",
        "lag (bounds)",
        "",
        "schema",
        "split-brain",
        "note",
    ]);
    for l in shown {
        let rotation =
            view.findings.rotations.iter().find(|r| r.agent == l.agent && r.rotation == l.rotation);
        let schema = rotation.map_or_else(Prose::new, |r| match (&r.from_schema, &r.to_schema) {
            (Some(a), Some(b)) if a != b => Prose::new().name(a).say(" to ").name(b),
            _ => Prose::new(),
        });
        let window =
            view.findings.windows.iter().find(|w| {
                w.agent == l.agent && w.registry == l.registry && w.rotation == l.rotation
            });
        let split = window
            .filter(|w| w.verifiable > 0)
            .map_or_else(Prose::new, |w| percent(ratio(w.split_brain, w.verifiable)).into());
        table.row([
            view.agent(&l.agent),
            l.rotation.to_string().into(),
            Prose::new().name(&l.registry),
            view.time(Some(l.rotated_at)),
            l.status.as_str().into(),
            lag(l).into(),
            if longest > 0.0 && length(l) > 0.0 {
                bar(length(l) / longest, 8).into()
            } else {
                Prose::new()
            },
            schema,
            split,
            note(l),
        ]);
    }
    more(&mut table, lags.len(), "registry_lag");
    table
}

/// The lag with its bounds: never one number alone.
pub(super) fn lag(l: &Lag) -> String {
    match (l.lag_s, l.lag_min_s, l.lag_max_s) {
        (Some(lag), Some(low), Some(high)) => bounded(lag, low, high),
        (None, Some(low), _) => format!("at least {}", duration(low)),
        _ => "unknown".to_owned(),
    }
}

fn note(l: &Lag) -> Prose {
    if l.last_stale_at.is_some() {
        return "showed the old card again after it had caught up".into();
    }
    if l.distinguishable == Some(false) {
        return "smaller than the skew of the clocks".into();
    }
    Prose::new()
}
