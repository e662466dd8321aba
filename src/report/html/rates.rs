//! How often tasks were split-brain: by rotation window, and by day.

use super::cell::{self, Cell};
use super::table::{Table, number, text};
use super::{Section, Whole, plot};
use crate::report::figures::{counted, interval, percent, ratio};
use maud::{Markup, html};
use std::collections::BTreeMap;

pub fn section(whole: &Whole<'_>) -> Option<Section> {
    let windows = windows(whole);
    let days = days(whole);
    if windows.is_none() && days.is_none() {
        return None;
    }
    Some(Section {
        id: "rates",
        short: "Rates",
        title: "Split-brain rate",
        lead: Some(html! {
            "Of the completed tasks whose artifacts could be checked, the share whose artifact contradicts the Agent Card of the admission. Intervals are Wilson 95 %."
        }),
        body: html! { (windows.unwrap_or_default()) (days.unwrap_or_default()) },
    })
}

fn windows(whole: &Whole<'_>) -> Option<Markup> {
    let all = &whole.findings.windows;
    if all.is_empty() {
        return None;
    }
    let top = plot::scale_top(
        all.iter().filter_map(|w| interval(w.split_brain, w.verifiable)).map(|bounds| bounds.1),
    );
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|i| all.get(*i).map(|w| (std::cmp::Reverse(w.split_brain), *i)));
    let mut table = Table::new(
        "split_brain_rate",
        "Split-brain rate by rotation window, worst first",
        &[
            text("agent", "agent"),
            text("registry", "registry"),
            number("rotation", "rotation"),
            text("opened_at", "from"),
            text("closed_at", "to"),
            text("status", "window"),
            number("verifiable", "verifiable"),
            number("split_brain", "split-brain"),
            number("rate", "rate"),
            text("interval", "95 % interval"),
            text("picture", ""),
            number("silent", "silent"),
            number("tasks", "tasks"),
            number("completed", "completed"),
            number("unverifiable", "not checked"),
            number("after_verifiable", "verifiable after"),
            number("after_split_brain", "split-brain after"),
            number("after_rate", "rate after"),
        ],
        whole.caps.rows,
    )
    .rest("carddrift query split_brain_rate");
    for i in order {
        let Some(w) = all.get(i) else { continue };
        table.row_in(&[i], || {
            let bounds = w.rate_low.zip(w.rate_high);
            vec![
                cell::name(Some(&w.agent)),
                cell::name(Some(&w.registry)),
                cell::number(w.rotation),
                cell::time(whole.clock, Some(w.opened_at)),
                match w.closed_at {
                    Some(at) => cell::time(whole.clock, Some(at)),
                    None => Cell::new(html! { "end of recording" }, ""),
                },
                cell::word(&w.status),
                cell::number(w.verifiable),
                cell::number(w.split_brain),
                cell::ratio(w.rate),
                match bounds {
                    Some((low, high)) => Cell::new(
                        html! { span.keep { (crate::report::figures::range((low, high))) } },
                        format!("{low} {high}"),
                    ),
                    None => Cell::empty(),
                },
                match bounds {
                    Some(bounds) => Cell::new(
                        plot::whisker(ratio(w.split_brain, w.verifiable), bounds, top),
                        format!("scale 0 to {}", percent(top)),
                    ),
                    None => Cell::empty(),
                },
                cell::number(w.silent),
                cell::number(w.tasks),
                cell::number(w.completed),
                cell::number(w.unverifiable),
                cell::maybe(w.after_verifiable),
                cell::maybe(w.after_split_brain),
                match w.after_verifiable {
                    Some(_) => cell::ratio(w.after_rate),
                    None => Cell::empty(),
                },
            ]
        });
    }
    let s = &whole.findings.summary;
    Some(html! {
        h3 { "By rotation window" }
        p {
            @for (lead, hits, of) in [
                ("In windows of mirrors: ", s.window_split_brain, s.window_verifiable),
                ("Once the mirror had caught up: ", s.after_split_brain, s.after_verifiable),
                ("In all: ", s.split_brain, s.verifiable),
            ] {
                @if of > 0 {
                    (lead) (plot::of(hits, of)) " verifiable tasks, " (plot::rate(hits, of)) ". "
                }
            }
        }
        (table.render())
    })
}

/// Counts of one day over all agents and registries.
#[derive(Debug, Default)]
struct Day {
    verifiable: i64,
    split_brain: i64,
}

fn days(whole: &Whole<'_>) -> Option<Markup> {
    let daily = &whole.findings.daily;
    if daily.is_empty() {
        return None;
    }
    let mut days: BTreeMap<&str, Day> = BTreeMap::new();
    for row in daily {
        let day = days.entry(&row.day).or_default();
        day.verifiable += row.verifiable;
        day.split_brain += row.split_brain;
    }
    let mut table = Table::new(
        "slo_daily",
        "Service levels by day, agent and registry",
        &[
            text("day", "day"),
            text("agent", "agent"),
            text("registry", "registry"),
            number("verifiable", "verifiable"),
            number("split_brain", "split-brain"),
            number("rate", "rate"),
            text("interval", "95 % interval"),
            number("corrupt", "corrupt"),
            number("binding_sli", "binding SLI"),
            number("integrity_sli", "integrity SLI"),
        ],
        whole.caps.rows,
    )
    .rest("carddrift query slo_daily");
    for row in daily {
        table.row(|| {
            vec![
                Cell::new(html! { span.keep { (row.day) } }, row.day.clone()),
                cell::name(row.agent.as_deref()),
                cell::name(row.registry.as_deref()),
                cell::number(row.verifiable),
                cell::number(row.split_brain),
                cell::ratio((row.verifiable > 0).then(|| ratio(row.split_brain, row.verifiable))),
                match interval(row.split_brain, row.verifiable) {
                    Some((low, high)) => Cell::new(
                        html! { span.keep { (crate::report::figures::range((low, high))) } },
                        format!("{low} {high}"),
                    ),
                    None => Cell::empty(),
                },
                cell::number(row.corrupt),
                cell::ratio(row.binding_sli),
                cell::ratio(row.integrity_sli),
            ]
        });
    }
    Some(html! {
        h3 { "By day" }
        @if days.len() > 1 { (picture(&days)) }
        (table.render())
    })
}

/// One bar a day with its interval; at most the last hundred days.
fn picture(days: &BTreeMap<&str, Day>) -> Markup {
    const MOST: usize = 100;
    let skipped = days.len().saturating_sub(MOST);
    let shown: Vec<(&str, &Day)> = days.iter().skip(skipped).map(|(day, d)| (*day, d)).collect();
    let top = plot::scale_top(
        shown.iter().filter_map(|(_, d)| interval(d.split_brain, d.verifiable)).map(|b| b.1),
    );
    let places = i64::try_from(shown.len()).unwrap_or(i64::MAX);
    let few = plot::few(places, 96);
    let wide = 1.0 / plot::float(places.max(1));
    html! {
        figure.days {
            svg.few[few.is_some()] width=[few] height="150" role="img" aria-label="Split-brain rate by day" {
                line.grid x1="0" x2="100%" y1="0.5" y2="0.5" {}
                line.grid x1="0" x2="100%" y1=(DAY_HEIGHT) y2=(DAY_HEIGHT) {}
                @for (i, (day, d)) in shown.iter().enumerate() {
                    @let left = plot::float(i64::try_from(i).unwrap_or(0)) * wide;
                    (bar(day, d, left, wide, top))
                    @if few.is_some() {
                        text.label.middle x=(plot::per_cent(left + wide / 2.0)) y="144" { (short(day)) }
                    }
                }
                @if few.is_none() {
                    @if let (Some((first, _)), Some((last, _))) = (shown.first(), shown.last()) {
                        text.label x="0" y="144" { (first) }
                        text.label.end x="100%" y="144" { (last) }
                    }
                }
            }
            figcaption.left-out {
                "The upper line is " (percent(top)) "; the thin lines are 95 % intervals."
                @if skipped > 0 {
                    " " (counted(i64::try_from(skipped).unwrap_or(i64::MAX), "earlier day", "earlier days")) " not drawn."
                }
            }
        }
    }
}

const DAY_HEIGHT: f64 = 120.0;

/// A day's rate with its interval.
fn bar(day: &str, d: &Day, left: f64, wide: f64, top: f64) -> Markup {
    let y = |v: f64| format!("{:.1}", DAY_HEIGHT - (v / top).clamp(0.0, 1.0) * DAY_HEIGHT);
    let middle = plot::per_cent(left + wide / 2.0);
    html! {
        @if let Some((low, high)) = interval(d.split_brain, d.verifiable) {
            @let rate = ratio(d.split_brain, d.verifiable);
            g {
                title {
                    (day) ": " (plot::of(d.split_brain, d.verifiable)) " (" (percent(rate)) ", "
                    (crate::report::figures::range((low, high))) ")"
                }
                rect.hit x=(plot::per_cent(left)) y="0" width=(plot::per_cent(wide)) height=(DAY_HEIGHT) {}
                rect.day x=(plot::per_cent(left + wide * 0.15)) y=(y(rate)) width=(plot::per_cent(wide * 0.7))
                    height=(format!("{:.1}", (rate / top).clamp(0.0, 1.0) * DAY_HEIGHT)) {}
                line.ci x1=(middle) x2=(middle) y1=(y(high)) y2=(y(low)) {}
            }
        }
    }
}

/// A day without its year, for a label below a narrow bar.
fn short(day: &str) -> &str {
    day.split_once('-').map_or(day, |(_, rest)| rest)
}
