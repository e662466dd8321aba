//! What an indicator says as a stream of counts over time.
//!
//! Knows no query and no objective: instants with how many events there were and how many of them
//! were bad. A stream may also be cut into time slices, each of which is then one event itself.

use super::exact::share;
use std::collections::BTreeMap;

/// What a whole slice, or a whole recorded ratio, counts: ratios are kept to twelve decimals.
pub const WHOLE: u64 = 1_000_000_000_000;

/// What happened at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// UTC nanoseconds.
    pub at: i64,
    /// How much of it was bad; never more than `total`.
    pub bad: u64,
    /// How much there was.
    pub total: u64,
}

/// Moments in order, no two at one instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// The moments.
    pub moments: Vec<Moment>,
    /// What one event counts in them: 1, or [`WHOLE`].
    pub unit: u64,
}

/// How a stream is cut into slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slicing {
    /// Length of a slice in nanoseconds; at least 1.
    pub length: i64,
    /// A slice begins here.
    pub anchor: i64,
    /// Above and below the line: a slice whose good share reaches this is good, any other is bad;
    /// `None`: a slice counts as its good share.
    pub target: Option<super::exact::Ratio>,
}

impl Stream {
    /// A stream of moments in any order; several at one instant become one.
    pub fn new(mut moments: Vec<Moment>, unit: u64) -> Self {
        moments.sort_unstable_by_key(|m| m.at);
        moments.dedup_by(|next, kept| {
            let same = next.at == kept.at;
            if same {
                kept.bad = kept.bad.saturating_add(next.bad);
                kept.total = kept.total.saturating_add(next.total);
            }
            same
        });
        Self { moments, unit }
    }

    /// Its slices, each as one event dated at its end; the last one ends with `end` at the latest.
    ///
    /// A slice without an event is none: what is not known counts neither as good nor as bad.
    #[must_use]
    pub fn sliced(&self, slicing: Slicing, end: i64) -> Self {
        let length = i128::from(slicing.length.max(1));
        let mut slices: BTreeMap<i128, (u128, u128)> = BTreeMap::new();
        for moment in self.moments.iter().filter(|m| m.at <= end) {
            let place = (i128::from(moment.at) - i128::from(slicing.anchor)).div_euclid(length);
            let (bad, total) = slices.entry(place).or_default();
            *bad += u128::from(moment.bad);
            *total += u128::from(moment.total);
        }
        let unit = if slicing.target.is_some() { 1 } else { WHOLE };
        let moments =
            slices.into_iter().filter(|(_, (_, total))| *total > 0).map(|(place, (bad, total))| {
                let ends = i128::from(slicing.anchor) + (place + 1) * length;
                let bad = match slicing.target {
                    Some(target) => {
                        let reached = target.compared(total.saturating_sub(bad), total);
                        u64::from(reached.is_some_and(std::cmp::Ordering::is_lt))
                    }
                    None => portion(bad, total),
                };
                Moment { at: i64::try_from(ends).unwrap_or(i64::MAX).min(end), bad, total: unit }
            });
        Self::new(moments.collect(), unit)
    }
}

/// The share of `part` in `whole` as a portion of [`WHOLE`], rounded.
fn portion(part: u128, whole: u128) -> u64 {
    let exact = part.checked_mul(WHOLE.into()).map(|scaled| (scaled + whole / 2) / whole.max(1));
    match exact.and_then(|n| u64::try_from(n).ok()) {
        Some(n) => n.min(WHOLE),
        None => of_ratio(share(part, whole)).unwrap_or(WHOLE),
    }
}

/// A ratio as a portion of [`WHOLE`]; `None` when it lies outside 0 to 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "between 0 and 10^12"
)]
pub fn of_ratio(ratio: f64) -> Option<u64> {
    (0.0..=1.0).contains(&ratio).then(|| (ratio * WHOLE as f64).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::super::exact::Ratio;
    use super::*;

    fn stream(moments: &[(i64, u64, u64)]) -> Stream {
        let moments = moments.iter().map(|&(at, bad, total)| Moment { at, bad, total });
        Stream::new(moments.collect(), 1)
    }

    #[test]
    fn moments_of_one_instant_are_one() {
        assert_eq!(stream(&[(5, 1, 1), (3, 0, 1), (5, 0, 2)]), stream(&[(3, 0, 1), (5, 1, 3)]));
    }

    #[test]
    fn slices_without_an_event_are_none() {
        let events = stream(&[(0, 0, 1), (9, 1, 1), (10, 0, 1), (35, 1, 2)]);
        let half = Slicing { length: 10, anchor: 0, target: Ratio::of(0.5) };
        // [0, 10): one of two is good, which reaches the half; [20, 30) has no event.
        assert_eq!(events.sliced(half, 100), stream(&[(10, 0, 1), (20, 0, 1), (40, 0, 1)]));
        let most = Slicing { target: Ratio::of(0.9), ..half };
        assert_eq!(events.sliced(most, 100), stream(&[(10, 1, 1), (20, 0, 1), (40, 1, 1)]));
        // The last slice is known no later than the archive ends.
        assert_eq!(events.sliced(most, 36).moments.last().unwrap().at, 36);
    }

    #[test]
    fn ratios_of_slices_keep_twelve_decimals() {
        let events = stream(&[(-1, 1, 3), (4, 1, 4)]);
        let shares = Slicing { length: 10, anchor: 0, target: None };
        let sliced = events.sliced(shares, 100);
        assert_eq!(sliced.unit, WHOLE);
        assert_eq!(
            sliced.moments,
            [
                Moment { at: 0, bad: 333_333_333_333, total: WHOLE },
                Moment { at: 10, bad: 250_000_000_000, total: WHOLE },
            ]
        );
    }
}
