//! Retry storms: attempts a minute, and who took part.

use super::cell;
use super::charts::{Minute, Rioter};
use super::table::{Table, number, text};
use super::{Section, Whole, names, plot};
use crate::report::figures::{count, counted, duration, seconds};
use crate::report::findings::Storm;
use maud::{Markup, html};
use std::cmp::Reverse;

pub fn section(whole: &Whole<'_>) -> Option<Section> {
    let s = &whole.findings.summary;
    let all = &whole.findings.storms;
    if s.rejections == 0 {
        return None;
    }
    let mut order: Vec<&Storm> = all.iter().collect();
    order.sort_by_key(|s| (Reverse(s.failed_attempts), s.started_at));
    let drawn = order.len().min(whole.caps.charts);
    let left = i64::try_from(order.len() - drawn).unwrap_or(0);
    Some(Section {
        id: "storms",
        short: "Storms",
        title: "Rejections, replays and storms",
        lead: Some(html! {
            "A replay sends a rejected attempt again under the same cached card, without fetching the card first. "
            (counted(s.rejections, "rejection", "rejections")) " in " (counted(s.attempts, "attempt", "attempts")) ", "
            strong { (counted(s.replays, "replay", "replays")) } ", "
            strong { (counted(s.storms, "storm", "storms")) } "."
            @if s.replays_unknown_client > 0 {
                " Of the replays " (count(s.replays_unknown_client)) " are of clients whose name is unknown, which are taken as one."
            }
        }),
        body: html! {
            @for storm in order.into_iter().take(drawn) { (one(whole, storm)) }
            @if left > 0 {
                p.left-out { (counted(left, "smaller storm", "smaller storms")) " not drawn: " code { "carddrift query retry_storms" } }
            }
            (replays(whole))
        },
    })
}

fn one(whole: &Whole<'_>, storm: &Storm) -> Markup {
    let card = storm.card.as_deref();
    let of = |agent: &str, held: Option<&str>, at: i64| {
        agent == storm.agent && held == card && at == storm.started_at
    };
    let minutes: Vec<&Minute> = whole
        .charts
        .minutes
        .iter()
        .filter(|m| of(&m.agent, m.card.as_deref(), m.started_at))
        .collect();
    let rioters: Vec<&Rioter> = whole
        .charts
        .rioters
        .iter()
        .filter(|r| of(&r.agent, r.card.as_deref(), r.started_at))
        .collect();
    let windows = whole.windows.during(&storm.agent, storm.started_at, storm.ended_at);
    html! {
        article.storm data-w=(super::windows::listed(&windows)) {
            h3 {
                "Storm on " (names::name(&storm.agent)) ", " (whole.clock.utc(storm.started_at))
            }
            p {
                strong { (counted(storm.failed_attempts, "rejection", "rejections")) } " by "
                (counted(storm.clients, "client", "clients")) " in "
                (duration(seconds(storm.started_at, storm.ended_at))) ", "
                (counted(storm.replays, "replay", "replays")) ", at most "
                strong { (count(storm.peak_per_minute)) " a minute" }
                ". Card held " (names::hash(card))
                "; skills asked for: " (names::list(storm.skills.as_deref()))
                "; outcomes: " (names::list(storm.errors.as_deref())) "."
            }
            (picture(whole, storm, &minutes))
            (clients(whole, storm, &rioters))
        }
    }
}

/// Rejections a minute, replays among them darker; minutes are put together when there are many.
fn picture(whole: &Whole<'_>, storm: &Storm, minutes: &[&Minute]) -> Markup {
    const MINUTE: i64 = 60_000_000_000;
    const HEIGHT: f64 = 80.0;
    let (Some(first), Some(last)) = (minutes.first(), minutes.last()) else { return html! {} };
    let length = (last.minute_at.saturating_sub(first.minute_at)) / MINUTE + 1;
    let together = (length + 119) / 120;
    let mut bars: Vec<(i64, i64, i64)> = Vec::new();
    for m in minutes {
        let at = (m.minute_at.saturating_sub(first.minute_at)) / MINUTE / together;
        match bars.last_mut() {
            // The largest minute of those put together: the height stays a number a minute.
            Some(bar) if bar.0 == at => {
                if m.rejected > bar.1 {
                    (bar.1, bar.2) = (m.rejected, m.replayed);
                }
            }
            _ => bars.push((at, m.rejected, m.replayed)),
        }
    }
    let places = (length + together - 1) / together;
    let top = plot::float(bars.iter().map(|b| b.1).max().unwrap_or(1).max(1));
    // Over more than a day a minute is told with its date.
    let at_minute = |ns: i64| if length > 1440 { whole.clock.time(ns) } else { minute(ns) };
    let few = plot::few(places, 80);
    let wide = 1.0 / plot::float(places.max(1));
    let high = |n: i64| format!("{:.1}", plot::float(n) / top * HEIGHT);
    let y = |n: i64| format!("{:.1}", HEIGHT - plot::float(n) / top * HEIGHT);
    html! {
        figure.minutes {
            svg.few[few.is_some()] width=[few] height="100" role="img" aria-label="Rejections a minute" {
                line.grid x1="0" x2="100%" y1="0.5" y2="0.5" {}
                line.grid x1="0" x2="100%" y1=(HEIGHT) y2=(HEIGHT) {}
                @for (at, rejected, replayed) in bars {
                    @let x = plot::per_cent(plot::float(at) * wide);
                    g {
                        title {
                            (at_minute(first.minute_at + at * together * MINUTE)) ": " (count(rejected)) " rejections a minute, "
                            (count(replayed)) " of them replays"
                        }
                        rect.hit x=(x) y="0" width=(plot::per_cent(wide)) height=(HEIGHT) {}
                        rect.rejected x=(x) y=(y(rejected)) width=(plot::per_cent(wide * 0.85)) height=(high(rejected)) {}
                        rect.replayed x=(x) y=(y(replayed)) width=(plot::per_cent(wide * 0.85)) height=(high(replayed)) {}
                    }
                }
                text.label x="0" y="96" { (at_minute(first.minute_at)) }
                @if places > 3 { text.label.end x="100%" y="96" { (at_minute(last.minute_at)) } }
            }
            figcaption {
                span.swatch.rejected {} " rejections a minute, " span.swatch.replayed {} " replays among them; the upper line is "
                (count(storm.peak_per_minute))
                @if together > 1 { "; each bar is the worst of " (together) " minutes" }
            }
        }
    }
}

/// `09:31`: the minute of a bar.
fn minute(ns: i64) -> String {
    crate::report::rows::rfc3339(ns.into()).chars().skip(11).take(5).collect()
}

fn clients(whole: &Whole<'_>, storm: &Storm, rioters: &[&Rioter]) -> Markup {
    let mut table = Table::new(
        "storm_clients",
        "Who took part, most rejections first",
        &[
            text("client", "client"),
            number("rejections", "rejections"),
            number("replays", "replays"),
            text("first_at", "first rejection"),
            text("last_at", "last rejection"),
            text("evidence", "record of the first"),
        ],
        whole.caps.rows,
    );
    for r in rioters {
        table.row(|| {
            vec![
                cell::name(r.client.as_deref()),
                cell::number(r.rejected),
                cell::number(r.replayed),
                cell::time(whole.clock, Some(r.first_at)),
                cell::time(whole.clock, Some(r.last_at)),
                cell::place(Some(&r.source_file), Some(r.source_line)),
            ]
        });
    }
    let more = storm.clients - i64::try_from(rioters.len()).unwrap_or(0);
    html! {
        @if !table.is_empty() { (table.render()) }
        @if more > 0 {
            p.left-out { (counted(more, "more client", "more clients")) " took part: " code { "carddrift query replays" } }
        }
    }
}

fn replays(whole: &Whole<'_>) -> Markup {
    let all = &whole.findings.replays;
    if all.is_empty() {
        return html! {};
    }
    let mut order: Vec<_> = all.iter().collect();
    order.sort_by_key(|r| (Reverse(r.replays), r.first_failed_at));
    let mut table = Table::new(
        "replays",
        "Clients that used a rejected card again, most replays first",
        &[
            text("client", "client"),
            text("agent", "agent"),
            text("first_failed_at", "first rejection"),
            text("last_failed_at", "last rejection"),
            text("card", "card held"),
            number("failed_attempts", "rejections"),
            number("replays", "replays"),
            text("skills", "skills"),
            text("errors", "outcomes"),
            text("ended_by", "next fetch showed"),
        ],
        whole.caps.rows,
    )
    .rest("carddrift query replays");
    for r in order {
        let windows = whole.windows.during(&r.agent, r.first_failed_at, r.last_failed_at);
        table.row_in(&windows, || {
            vec![
                cell::name(r.client.as_deref()),
                cell::name(Some(&r.agent)),
                cell::time(whole.clock, Some(r.first_failed_at)),
                cell::time(whole.clock, Some(r.last_failed_at)),
                cell::hash(r.card.as_deref()),
                cell::number(r.failed_attempts),
                cell::number(r.replays),
                cell::list(r.skills.as_ref()),
                cell::list(r.errors.as_ref()),
                cell::word(r.ended_by.as_deref().unwrap_or("unknown")),
            ]
        });
    }
    html! { h3 { "Replays by client" } (table.render()) }
}
