//! Places on a picture: time and ratios as percentages of its width, so that it fits any screen.

use crate::report::figures::{count, interval, percent, range, ratio};
use maud::{Markup, html};

/// The period that a picture shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Its begin; UTC nanoseconds.
    pub from: i64,
    /// Its end.
    pub to: i64,
}

impl Span {
    /// From the first instant to the last; at least a second.
    pub fn of(first: Option<i64>, last: Option<i64>) -> Self {
        let from = first.unwrap_or(0);
        let to = last.unwrap_or(from).max(from.saturating_add(1_000_000_000));
        Self { from, to }
    }

    /// Where an instant lies: 0 to 1.
    pub fn share(self, ns: i64) -> f64 {
        (float(ns) - float(self.from)) / (float(self.to) - float(self.from))
    }

    /// Where an instant lies, as a percentage within the picture.
    pub fn x(self, ns: i64) -> String {
        per_cent(self.share(ns).clamp(0.0, 1.0))
    }

    /// From one instant to another, as a percentage.
    pub fn width(self, from: i64, to: i64) -> String {
        let (a, b) = (self.share(from).clamp(0.0, 1.0), self.share(to).clamp(0.0, 1.0));
        per_cent((b - a).max(0.0))
    }

    /// Milliseconds since the begin, as the script counts them.
    pub fn ms(self, ns: i64) -> String {
        let us = i128::from(ns) - i128::from(self.from);
        let us = us / 1000;
        let (whole, rest) = (us / 1000, (us % 1000).abs());
        if rest == 0 { whole.to_string() } else { format!("{whole}.{rest:03}") }
    }

    /// Instants for the marks of an axis, at round distances; each with its text.
    pub fn ticks(self, most: i64) -> Vec<(i64, String)> {
        const STEPS: [i64; 27] = [
            1_000_000,
            5_000_000,
            10_000_000,
            50_000_000,
            100_000_000,
            500_000_000,
            1_000_000_000,
            5_000_000_000,
            10_000_000_000,
            30_000_000_000,
            60_000_000_000,
            120_000_000_000,
            300_000_000_000,
            600_000_000_000,
            900_000_000_000,
            1_800_000_000_000,
            3_600_000_000_000,
            7_200_000_000_000,
            10_800_000_000_000,
            21_600_000_000_000,
            43_200_000_000_000,
            86_400_000_000_000,
            172_800_000_000_000,
            604_800_000_000_000,
            2_592_000_000_000_000,
            31_536_000_000_000_000,
            315_360_000_000_000_000,
        ];
        let length = i128::from(self.to) - i128::from(self.from);
        let fits = |step: &i64| length / i128::from(*step) < i128::from(most);
        let Some(step) = STEPS.into_iter().find(fits) else { return Vec::new() };
        let first = self.from.div_euclid(step).saturating_add(1).saturating_mul(step);
        let mut at = first;
        let mut all = Vec::new();
        while at <= self.to {
            all.push((at, tick_text(at, step)));
            match at.checked_add(step) {
                Some(next) => at = next,
                None => break,
            }
        }
        all
    }
}

fn tick_text(ns: i64, step: i64) -> String {
    let text = crate::report::rows::rfc3339(ns.into());
    let (day, time) = text.trim_end_matches('Z').split_once('T').unwrap_or((&text, ""));
    if step >= 86_400_000_000_000 || time == "00:00:00" {
        return day.to_owned();
    }
    let short: String = time.chars().take(5).collect();
    if step >= 60_000_000_000 { short } else { time.to_owned() }
}

/// A share as a percentage of a picture's width.
pub fn per_cent(share: f64) -> String {
    let text = format!("{:.4}", share * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The width in pixels of a picture of few bars, none wider than `bar` pixels; `None`: there are so many
/// that the picture takes the page's width.
pub fn few(bars: i64, bar: i64) -> Option<i64> {
    (bars.saturating_mul(bar) <= 960).then_some(bars * bar)
}

/// A count or an instant for a picture: near enough.
#[expect(clippy::cast_precision_loss, reason = "a picture has a thousand places")]
pub fn float(n: i64) -> f64 {
    n as f64
}

/// Gradients and patterns that all pictures share.
pub fn definitions() -> Markup {
    html! {
        svg.defs width="0" height="0" aria-hidden="true" {
            defs {
                @for i in 0..6 {
                    linearGradient id={ "out" (i) } {
                        stop.{ "s" (i) } offset="0" {}
                        stop.{ "s" (i) } offset="1" stop-opacity="0" {}
                    }
                    linearGradient id={ "in" (i) } {
                        stop.{ "s" (i) } offset="0" stop-opacity="0" {}
                        stop.{ "s" (i) } offset="1" {}
                    }
                }
                pattern id="odd" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    rect.odd width="3" height="6" {}
                }
            }
        }
    }
}

/// A ratio with its interval on a scale that ends at `top`.
pub fn whisker(rate: f64, (low, high): (f64, f64), top: f64) -> Markup {
    let at = |v: f64| per_cent((v / top).clamp(0.0, 1.0));
    html! {
        svg.whisker height="16" aria-hidden="true" {
            rect.rail x="0" y="7" width="100%" height="2" {}
            rect.range x=(at(low)) y="5" width=(per_cent(((high - low) / top).clamp(0.002, 1.0))) height="6" rx="3" {}
            circle.point cx=(at(rate)) cy="8" r="4" {}
        }
    }
}

/// A rate in words: `3.1 %`, its interval and its counts.
pub fn rate(hits: i64, all: i64) -> Markup {
    html! {
        @if let Some(bounds) = interval(hits, all) {
            strong { (percent(ratio(hits, all))) } " " span.ci { (range(bounds)) }
        } @else {
            span.u title="nothing to measure" { "—" }
        }
    }
}

/// `25 of 806`.
pub fn of(hits: i64, all: i64) -> String {
    format!("{} of {}", count(hits), count(all))
}

/// The least round ratio that is not below any of these, for a scale.
pub fn scale_top(values: impl Iterator<Item = f64>) -> f64 {
    let most = values.fold(0.0, f64::max);
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5]
        .into_iter()
        .find(|top| most <= *top)
        .unwrap_or(1.0)
}
