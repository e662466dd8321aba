//! How far mirrors were behind the authority, with bounds.

use super::cell::{self, Cell};
use super::table::{Table, number, text};
use super::{Section, Whole, names, plot};
use crate::report::figures::{counted, duration};
use crate::report::findings::Lag;
use maud::{Markup, html};
use std::cmp::Reverse;
use std::collections::BTreeMap;

pub fn section(whole: &Whole<'_>) -> Option<Section> {
    let all = &whole.findings.lags;
    if all.is_empty() {
        return None;
    }
    let s = &whole.findings.summary;
    let records: BTreeMap<(&str, &str, i64), _> =
        whole.charts.lags.iter().map(|r| ((&*r.agent, &*r.registry, r.k), r)).collect();
    let longest = all.iter().filter_map(|l| l.lag_max_s.or(l.lag_min_s)).fold(1.0, f64::max);
    let mut order: Vec<&Lag> = all.iter().collect();
    let seconds = |l: &Lag| l.lag_s.or(l.lag_min_s).unwrap_or(-1.0);
    order.sort_by(|a, b| {
        (Reverse(a.status == "open"), 0)
            .cmp(&(Reverse(b.status == "open"), 0))
            .then_with(|| seconds(b).total_cmp(&seconds(a)))
    });
    let mut table = Table::new(
        "registry_lag",
        "Registry lag by rotation: open first, then the longest",
        &[
            text("agent", "agent"),
            text("registry", "registry"),
            number("rotation", "rotation"),
            text("rotated_at", "authority rotated"),
            text("caught_up_at", "mirror caught up"),
            number("lag_s", "lag"),
            text("lag_bounds_s", "bounds"),
            text("picture", ""),
            text("status", "status"),
            text("last_old_at", "last old sight"),
            text("last_stale_at", "stale again"),
            text("evidence_old", "record of the last old sight"),
            text("evidence_new", "record of the first new sight"),
        ],
        whole.caps.rows,
    )
    .rest("carddrift query registry_lag");
    for lag in order {
        let window = whole.windows.named(&lag.agent, &lag.registry, lag.rotation);
        table.row_in(window.as_slice(), || {
            let record = records.get(&(&*lag.agent, &*lag.registry, lag.rotation));
            vec![
                cell::name(Some(&lag.agent)),
                cell::name(Some(&lag.registry)),
                cell::number(lag.rotation),
                cell::time(whole.clock, Some(lag.rotated_at)),
                match lag.caught_up_at {
                    Some(at) => cell::time(whole.clock, Some(at)),
                    None => Cell::new(html! { span.u { "not seen" } }, ""),
                },
                cell::bounds(
                    lag.lag_s,
                    if lag.lag_s.is_some() { None } else { lag.lag_min_s },
                    None,
                ),
                bounds(lag),
                Cell::new(picture(lag, longest), ""),
                cell::word(&lag.status),
                cell::time(whole.clock, lag.last_old_at),
                cell::time(whole.clock, lag.last_stale_at),
                record.map_or_else(Cell::empty, |r| cell::place(r.old_file.as_deref(), r.old_line)),
                record.map_or_else(Cell::empty, |r| {
                    cell::place(r.caught_file.as_deref(), r.caught_line)
                }),
            ]
        });
    }
    Some(Section {
        id: "lag",
        short: "Registry lag",
        title: "Registry lag",
        lead: Some(html! {
            "How long each mirror kept an old contract after the authority rotated. A lag is only seen when somebody looks: it lies between its bounds."
        }),
        body: html! {
            p {
                (counted(i64::try_from(all.len()).unwrap_or(i64::MAX), "rotation window", "rotation windows"))
                ", " (s.windows_open) " open."
                @if let (Some(p50), Some(p95), Some(most)) = (s.lag_p50_s, s.lag_p95_s, s.lag_longest_s) {
                    " Of the closed ones: median " strong { (duration(p50)) } ", 95th percentile " strong { (duration(p95)) }
                    ", longest " strong { (duration(most)) } "."
                }
            }
            (table.render())
        },
    })
}

fn bounds(lag: &Lag) -> Cell {
    match (lag.lag_min_s, lag.lag_max_s) {
        (Some(low), Some(high)) => {
            let (from, to) = (duration(low), duration(high));
            let shown = if low >= high {
                "exact".to_owned()
            } else if from == to {
                format!("{from}, to within {}", duration(high - low))
            } else {
                format!("{from} to {to}")
            };
            Cell::new(html! { span.keep { (shown) } }, format!("{low} {high}"))
        }
        (Some(low), None) => {
            Cell::new(html! { span.keep { "at least " (duration(low)) } }, format!("{low} "))
        }
        _ => Cell::new(names::unknown(), ""),
    }
}

/// The lag as a bar: solid up to its lower bound, fading to its upper one; open ends stay open.
fn picture(lag: &Lag, longest: f64) -> Markup {
    let Some(low) = lag.lag_min_s else { return html! {} };
    let at = |s: f64| plot::per_cent((s / longest).clamp(0.0, 1.0));
    let high = lag.lag_max_s.unwrap_or(longest);
    html! {
        svg.lagbar height="14" aria-hidden="true" {
            rect.sure x="0" y="3" width=(at(low)) height="8" {}
            rect.open[lag.lag_max_s.is_none()] x=(at(low)) y="3" width=(plot::per_cent(((high - low) / longest).clamp(0.0, 1.0))) height="8" fill="url(#out3)" {}
            @if let Some(lag_s) = lag.lag_s { rect.at x=(at(lag_s)) y="0" width="2" height="14" {} }
        }
    }
}
