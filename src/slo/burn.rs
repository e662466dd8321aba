//! Burn-rate alerts, replayed over a stream (model §9).
//!
//! The window of length *W* at an instant *t* is (*t* − *W*, *t*]: an event counts from its own instant
//! on, and no longer *W* later. So a burn rate changes only when an event happens or leaves a window;
//! at exactly these instants every rule is looked at, and between them nothing can change.

use super::exact::{Ratio, share};
use super::span::{DAY, HOUR, MINUTE};
use super::stream::Stream;
use std::cmp::Ordering;

/// How a burn rate is compared with the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Greater.
    Gt,
    /// Greater or equal.
    Gte,
    /// Less.
    Lt,
    /// Less or equal.
    Lte,
}

impl Op {
    /// As OpenSLO spells it.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "gt" => Self::Gt,
            "gte" => Self::Gte,
            "lt" => Self::Lt,
            "lte" => Self::Lte,
            _ => return None,
        })
    }

    /// Whether a comparison that came out as `order` holds.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Gt => order.is_gt(),
            Self::Gte => order.is_ge(),
            Self::Lt => order.is_lt(),
            Self::Lte => order.is_le(),
        }
    }
}

/// When to alert: in every window at once the burn rate compares so with the threshold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name, for example `1h/5m`.
    pub name: String,
    /// `page`, `ticket`, or as the condition says.
    pub severity: String,
    /// Lengths in nanoseconds, the longest first; the floor of events holds for this one.
    pub windows: Vec<i64>,
    /// How to compare.
    pub op: Op,
    /// With what.
    pub threshold: Ratio,
    /// How long it must hold before it fires, in nanoseconds.
    pub after: i64,
}

/// One alert of a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    /// When it would have fired.
    pub fired_at: i64,
    /// When it would have cleared; `None`: not before the end of the archive.
    pub cleared_at: Option<i64>,
    /// The first bad event that the longest window held when the rule began to hold.
    pub first_bad_at: Option<i64>,
    /// The highest burn rate over the longest window while the rule held.
    pub peak_burn_rate: f64,
}

/// Share of the budget in percent, long and short window, severity (model §9).
const PAIRS: [(u128, i64, i64, &str, &str); 4] = [
    (2, HOUR, 5 * MINUTE, "page", "1h/5m"),
    (5, 6 * HOUR, 30 * MINUTE, "page", "6h/30m"),
    (10, DAY, 2 * HOUR, "ticket", "1d/2h"),
    (10, 3 * DAY, 6 * HOUR, "ticket", "3d/6h"),
];

/// The model's pairs of windows for a period of `period` nanoseconds.
///
/// The factor is the share of the budget times the period by the long window: 14.4, 6, 3 and 1 for 30
/// days. A pair whose factor would be below 1 says nothing of a budget that lasts, and is left out.
pub fn pairs(period: i64) -> Vec<Rule> {
    let rule = |(percent, long, short, severity, name): (u128, i64, i64, &str, &str)| {
        let period = u128::try_from(period).ok()?;
        let threshold = Ratio::new(percent * period, 100 * u128::try_from(long).ok()?)?;
        threshold.compared(1, 1).filter(|order| order.is_le())?;
        Some(Rule {
            name: name.to_owned(),
            severity: severity.to_owned(),
            windows: vec![long, short],
            op: Op::Gt,
            threshold,
            after: 0,
        })
    };
    PAIRS.into_iter().filter_map(rule).collect()
}

/// A window that slides over the moments.
struct Window {
    length: i64,
    /// The first moment inside.
    tail: usize,
    bad: u128,
    total: u128,
}

/// Every alert of `rule` up to `end`, in order.
///
/// `allowed` is `1 - target`, more than 0; the longest window must hold at least `floor` events, and a
/// window without one has no burn rate and fires nothing.
pub fn replay(stream: &Stream, rule: &Rule, allowed: Ratio, floor: u64, end: i64) -> Vec<Alert> {
    let Some(limit) = rule.threshold.times(allowed) else { return Vec::new() };
    let moments = &stream.moments;
    let mut windows: Vec<Window> = rule
        .windows
        .iter()
        .map(|&length| Window { length: length.max(1), tail: 0, bad: 0, total: 0 })
        .collect();
    let least = u128::from(floor.max(1)) * u128::from(stream.unit);
    let (mut head, mut first_bad) = (0, 0);
    let (mut alerts, mut held): (Vec<Alert>, Option<Alert>) = (Vec::new(), None);
    loop {
        let leaves = |w: &Window| moments.get(w.tail).map(|m| m.at.saturating_add(w.length));
        let enters = moments.get(head).map(|m| m.at);
        let next = windows.iter().filter(|w| w.tail < head).filter_map(leaves).chain(enters).min();
        let Some(now) = next.filter(|now| *now <= end) else { break };
        while let Some(moment) = moments.get(head).filter(|m| m.at == now) {
            for window in &mut windows {
                window.bad += u128::from(moment.bad);
                window.total += u128::from(moment.total);
            }
            head += 1;
        }
        for window in &mut windows {
            while let Some(moment) = moments
                .get(window.tail)
                .filter(|m| window.tail < head && m.at.saturating_add(window.length) <= now)
            {
                window.bad -= u128::from(moment.bad);
                window.total -= u128::from(moment.total);
                window.tail += 1;
            }
        }
        let holds = windows.iter().enumerate().all(|(place, window)| {
            (place > 0 || window.total >= least)
                && limit.compared(window.bad, window.total).is_some_and(|o| rule.op.holds(o))
        });
        let Some(longest) = windows.first() else { break };
        if holds {
            let burn_rate = share(longest.bad, longest.total) / allowed.value();
            let alert = held.get_or_insert_with(|| {
                first_bad = first_bad.max(longest.tail);
                while moments.get(first_bad).is_some_and(|m| m.bad == 0) && first_bad < head {
                    first_bad += 1;
                }
                let first_bad_at =
                    moments.get(first_bad).filter(|_| first_bad < head).map(|m| m.at);
                Alert {
                    fired_at: now.saturating_add(rule.after),
                    cleared_at: None,
                    first_bad_at,
                    peak_burn_rate: burn_rate,
                }
            });
            alert.peak_burn_rate = alert.peak_burn_rate.max(burn_rate);
        } else if let Some(alert) = held.take() {
            // What stops at the very instant at which it would fire does not fire.
            if alert.fired_at < now || rule.after == 0 {
                alerts.push(Alert { cleared_at: Some(now), ..alert });
            }
        }
    }
    alerts.extend(held.filter(|alert| alert.fired_at <= end));
    alerts
}

/// The burn rate in the window of length `length` at `at`, and how many events it holds.
///
/// Reads the whole stream: for one look.
pub fn rate(stream: &Stream, length: i64, at: i64, allowed: Ratio) -> (Option<f64>, u128) {
    let inside = |t: i64| t <= at && i128::from(t) > i128::from(at) - i128::from(length);
    let (bad, total) = stream
        .moments
        .iter()
        .filter(|m| inside(m.at))
        .fold((0, 0), |(b, t), m| (b + u128::from(m.bad), t + u128::from(m.total)));
    let rate = (total > 0).then(|| share(bad, total) / allowed.value());
    (rate, total / u128::from(stream.unit.max(1)))
}

#[cfg(test)]
mod tests;
