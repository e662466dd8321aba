//! Numbers, times and small charts as people read them.

use super::rows::rfc3339;

/// z of a 95 % interval (model §6).
const Z: f64 = 1.959_963_984_540_054;

/// A count with thousands parted: `1,847`.
pub fn count(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    if n < 0 { format!("-{out}") } else { out }
}

/// A count with its noun: `1 task`, `25 tasks`.
pub fn counted(n: i64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// A ratio as per cent: one decimal, more where it would round to nothing or to all.
pub fn percent(ratio: f64) -> String {
    let p = ratio * 100.0;
    let far = p.min(100.0 - p);
    if far > 0.0 && far < 0.0001 {
        return if p < 50.0 { "< 0.0001 %" } else { "> 99.9999 %" }.to_owned();
    }
    let decimals = if far <= 0.0 || far >= 0.1 {
        1
    } else if far >= 0.01 {
        2
    } else {
        4
    };
    let text = format!("{p:.decimals$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} %")
}

/// The Wilson interval of `hits` in `all`; `None` when there is nothing to count.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub fn interval(hits: i64, all: i64) -> Option<(f64, f64)> {
    if all <= 0 {
        return None;
    }
    let (k, n) = (hits as f64, all as f64);
    let (p, zz) = (k / n, Z * Z);
    let middle = (p + zz / (2.0 * n)) / (1.0 + zz / n);
    let half = Z / (1.0 + zz / n) * (p * (1.0 - p) / n + zz / (4.0 * n * n)).sqrt();
    let low = if hits == 0 { 0.0 } else { middle - half };
    let high = if hits == all { 1.0 } else { middle + half };
    Some((low, high))
}

/// The difference of two rates, the second less the first, with Newcombe's 95 % interval (his method 10:
/// from both Wilson intervals, without a correction for continuity); `None` when one has nothing to count.
pub fn difference(a: (i64, i64), b: (i64, i64)) -> Option<(f64, f64, f64)> {
    let ((low_a, high_a), (low_b, high_b)) = (interval(a.0, a.1)?, interval(b.0, b.1)?);
    let (rate_a, rate_b) = (ratio(a.0, a.1), ratio(b.0, b.1));
    let middle = rate_b - rate_a;
    let low = middle - (rate_b - low_b).hypot(high_a - rate_a);
    let high = middle + (high_b - rate_b).hypot(rate_a - low_a);
    Some((middle, low.max(-1.0), high.min(1.0)))
}

/// A rate with both counts and its interval: `25 of 806 tasks (3.1 %, 95 % interval 2.1 to 4.5 %)`.
pub fn rate(hits: i64, all: i64, of_what: &str) -> String {
    let blank = if of_what.is_empty() { "" } else { " " };
    match interval(hits, all) {
        None => format!("{} of {}{blank}{of_what}", count(hits), count(all)),
        Some(bounds) => format!(
            "{} of {}{blank}{of_what} ({}, 95 % interval {})",
            count(hits),
            count(all),
            percent(ratio(hits, all)),
            range(bounds)
        ),
    }
}

/// `2.1 to 4.5 %`.
pub fn range((low, high): (f64, f64)) -> String {
    format!("{} to {}", percent(low).trim_end_matches(" %"), percent(high))
}

/// `hits` / `all`; 0 when there is nothing to count.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub fn ratio(hits: i64, all: i64) -> f64 {
    if all <= 0 { 0.0 } else { hits as f64 / all as f64 }
}

/// A length of time in its two largest units: `1 h 35 min`, `2.4 s`, `350 ms`.
pub fn duration(seconds: f64) -> String {
    if seconds < 0.0 {
        return format!("-{}", duration(-seconds));
    }
    if seconds == 0.0 {
        return "0 s".to_owned();
    }
    if seconds < 0.9995 {
        return format!("{} ms", short(seconds * 1000.0));
    }
    if seconds < 59.95 {
        return format!("{} s", short(seconds));
    }
    let (step, units): (f64, [(u64, &str); 2]) = if seconds < 3599.5 {
        (1.0, [(60, "min"), (1, "s")])
    } else if seconds < 86_370.0 {
        (60.0, [(3600, "h"), (60, "min")])
    } else {
        (3600.0, [(86_400, "d"), (3600, "h")])
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is not negative, and a cast saturates"
    )]
    let mut rest = ((seconds / step).round() * step) as u64;
    let mut parts = Vec::new();
    for (size, unit) in units {
        if rest / size > 0 {
            parts.push(format!("{} {unit}", count(i64::try_from(rest / size).unwrap_or(i64::MAX))));
        }
        rest %= size;
    }
    parts.join(" ")
}

/// At most one decimal.
fn short(v: f64) -> String {
    let text = format!("{v:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// A length of time with its bounds: `40 min (39 min 10 s to 41 min)`; with bounds too close to
/// tell apart, how close they are.
pub fn bounded(value: f64, low: f64, high: f64) -> String {
    let (shown, from, to) = (duration(value), duration(low), duration(high));
    if low >= high {
        format!("{shown} (exact)")
    } else if from == to {
        format!("{shown} (to within {})", duration(high - low))
    } else {
        format!("{shown} ({from} to {to})")
    }
}

/// How instants are printed: to the second, or to the millisecond in a short recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    millis: bool,
}

impl Clock {
    /// The clock of a recording from `first` to `last` (nanoseconds).
    pub fn of(first: Option<i64>, last: Option<i64>) -> Self {
        let hour = 3_600_000_000_000;
        Self { millis: first.zip(last).is_some_and(|(a, b)| b.saturating_sub(a) < hour) }
    }

    /// `2026-11-14 06:00:00`, in UTC, cut and not rounded.
    pub fn time(self, ns: i64) -> String {
        let text = rfc3339(ns.into());
        let text = text.trim_end_matches('Z').replace('T', " ");
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        if self.millis {
            let millis: String = fraction.chars().chain("000".chars()).take(3).collect();
            format!("{whole}.{millis}")
        } else {
            whole.to_owned()
        }
    }

    /// The same with its zone.
    pub fn utc(self, ns: i64) -> String {
        format!("{} UTC", self.time(ns))
    }
}

/// Seconds from one instant to another.
#[expect(clippy::cast_precision_loss, reason = "a person reads it")]
pub fn seconds(from: i64, to: i64) -> f64 {
    to.saturating_sub(from) as f64 / 1e9
}

/// A bar of `width` cells that is filled to `share` (0 to 1); what is not nothing shows.
pub fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    if share.is_nan() || share <= 0.0 {
        return String::new();
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "share is at most 1 and width is the width of a terminal"
    )]
    let eighths = ((share.min(1.0) * width as f64 * 8.0).round() as usize).max(1);
    let mut out = "█".repeat(eighths / 8);
    if let Some(c) = EIGHTHS.get(eighths % 8).filter(|c| **c != ' ') {
        out.push(*c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_ratios() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(-1847), "-1,847");
        assert_eq!(count(806), "806");
        assert_eq!(percent(25.0 / 806.0), "3.1 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.9996), "99.96 %");
        assert_eq!(percent(0.000_013), "0.0013 %");
        assert_eq!(percent(0.92), "92 %");
    }

    #[test]
    fn the_interval_is_wilsons() {
        // 25 of 806: centre (p + z²/2n)/(1 + z²/n) = 0.0332420, half width 0.0121456.
        let (low, high) = interval(25, 806).unwrap();
        assert!((low - 0.021_096_4).abs() < 1e-7 && (high - 0.045_387_6).abs() < 1e-7);
        assert!(interval(0, 10).unwrap().0.abs() < f64::EPSILON);
        assert!((interval(10, 10).unwrap().1 - 1.0).abs() < f64::EPSILON);
        assert_eq!(interval(0, 0), None);
        assert_eq!(rate(25, 806, "tasks"), "25 of 806 tasks (3.1 %, 95 % interval 2.1 to 4.5 %)");
    }

    #[test]
    fn durations_have_two_units() {
        assert_eq!(duration(5700.0), "1 h 35 min");
        assert_eq!(duration(21_600.0), "6 h");
        assert_eq!(duration(2399.0), "39 min 59 s");
        assert_eq!(duration(2.44), "2.4 s");
        assert_eq!(duration(0.35), "350 ms");
        assert_eq!(duration(59.99), "1 min");
        assert_eq!(duration(3599.9), "1 h");
        assert_eq!(duration(86_399.0), "1 d");
        assert_eq!(duration(183_600.0), "2 d 3 h");
        assert_eq!(duration(0.0), "0 s");
        assert_eq!(bounded(2400.0, 2399.0, 2400.0), "40 min (39 min 59 s to 40 min)");
        assert_eq!(bounded(5700.0, 5699.0, 5700.0), "1 h 35 min (to within 1 s)");
    }

    #[test]
    fn instants_are_cut_not_rounded() {
        let ns = 1_794_643_201_999_900_000;
        assert_eq!(Clock::of(None, None).utc(ns), "2026-11-14 08:00:01 UTC");
        assert_eq!(Clock::of(Some(ns), Some(ns)).time(ns), "2026-11-14 08:00:01.999");
    }

    #[test]
    fn bars_show_what_is_not_nothing() {
        assert_eq!(bar(0.0, 8), "");
        assert_eq!(bar(0.0001, 8), "▏");
        assert_eq!(bar(0.5, 8), "████");
        assert_eq!(bar(2.0, 3), "███");
    }

    #[test]
    fn differences_of_rates_have_newcombes_interval() {
        // R. G. Newcombe, Statistics in Medicine 17 (1998), table II, method 10: contrasts (a) 56/70 and
        // 48/80, (c) 6/7 and 2/7, (e) 5/56 and 0/29, (g) 10/10 and 0/10.
        for (first, second, low, high) in [
            ((48, 80), (56, 70), 0.0524, 0.3339),
            ((2, 7), (6, 7), 0.0582, 0.8062),
            ((0, 29), (5, 56), -0.0381, 0.1926),
            ((0, 10), (10, 10), 0.6075, 1.0),
        ] {
            let (_, got_low, got_high) = difference(first, second).unwrap();
            assert!(
                (got_low - low).abs() < 5e-5 && (got_high - high).abs() < 5e-5,
                "{got_low} {got_high}"
            );
            let (_, back_low, back_high) = difference(second, first).unwrap();
            assert!((back_low + got_high).abs() < 1e-12 && (back_high + got_low).abs() < 1e-12);
        }
        assert_eq!(difference((0, 0), (1, 2)), None);
    }
}
