//! What can be chosen to see only what belongs to it: rotation windows, and the rotations that open them.

use super::plan::Agent;
use super::{BAR, LANE, STRIP};
use crate::report::figures::{bounded, count, duration, percent, range};
use crate::report::findings::{Findings, Lag, Rotation, Window};
use crate::report::html::windows::listed;
use crate::report::html::{Whole, names};
use maud::{Markup, html};

/// A window in words.
pub fn window_words(whole: &Whole<'_>, w: &Window, lag: Option<&Lag>) -> String {
    let until = w
        .closed_at
        .map_or_else(|| "the end of the recording".to_owned(), |at| whole.clock.time(at));
    let rate = match (w.rate, crate::report::figures::interval(w.split_brain, w.verifiable)) {
        (Some(rate), Some(bounds)) => format!(
            "{} of {} verifiable tasks split-brain ({}, 95 % interval {})",
            count(w.split_brain),
            count(w.verifiable),
            percent(rate),
            range(bounds)
        ),
        _ => "no verifiable task".to_owned(),
    };
    let lag = match lag.map(|l| (l.lag_s, l.lag_min_s, l.lag_max_s)) {
        Some((Some(lag), Some(low), Some(high))) => format!("; lag {}", bounded(lag, low, high)),
        Some((None, Some(low), _)) => format!("; lag at least {}, {}", duration(low), w.status),
        _ => String::new(),
    };
    format!(
        "{}, rotation {}, {} to {until}: {rate}{lag}",
        names::shown(&w.registry),
        w.rotation,
        whole.clock.time(w.opened_at),
    )
}

/// The lag behind a window.
pub fn lag_of<'a>(findings: &'a Findings, w: &Window) -> Option<&'a Lag> {
    // The lags are sorted by agent, registry and rotation.
    let key = (w.agent.as_str(), w.registry.as_str(), w.rotation);
    let at = findings
        .lags
        .binary_search_by(|l| (l.agent.as_str(), l.registry.as_str(), l.rotation).cmp(&key))
        .ok()?;
    findings.lags.get(at)
}

pub(super) fn windows(whole: &Whole<'_>, agent: &str, registry: &str) -> Markup {
    let span = whole.span;
    let mut named_until = 0.0;
    html! {
        @for i in whole.windows.of_registry(agent, registry) {
            @if let Some(w) = whole.findings.windows.get(*i) {
                @let end = w.closed_at.unwrap_or(span.to);
                @if end > w.opened_at {
                    @let lag = lag_of(whole.findings, w);
                    @let words = window_words(whole, w, lag);
                    rect.win.open[w.closed_at.is_none()] data-w=(i) data-a=(span.ms(w.opened_at)) data-b=(span.ms(end))
                        x=(span.x(w.opened_at)) width=(span.width(w.opened_at, end)) y=(STRIP) height=(LANE - STRIP - 1)
                        tabindex="0" role="button" aria-pressed="false" aria-label={ "Rotation window: " (words) } {
                        title { (words) }
                    }
                    @if let Some((text, short)) = lag.and_then(lag_words) {
                        @let room = span.share(w.opened_at) >= named_until;
                        @let () = if room { named_until = span.share(w.opened_at) + 0.09; };
                        svg.name.lag.spare[!room] data-a=(span.ms(w.opened_at)) data-b=(span.ms(end)) x=(span.x(w.opened_at)) width=(span.width(w.opened_at, end)) y="0" height=(STRIP) {
                            text x="3" y="10" data-s=(short) { (text) }
                        }
                    }
                }
            }
        }
    }
}

/// A lag in words, and shorter.
fn lag_words(lag: &Lag) -> Option<(String, String)> {
    let short = match (lag.lag_s, lag.lag_min_s) {
        (Some(lag), _) => duration(lag),
        (None, Some(least)) => format!("≥ {}", duration(least)),
        _ => return None,
    };
    Some((format!("lag {short}"), short))
}

/// The authority's rotations, as marks that choose all windows that they opened.
pub(super) fn rotations(whole: &Whole<'_>, agent: &Agent<'_>) -> Markup {
    let span = whole.span;
    html! {
        @for r in of_agent(&whole.findings.rotations, agent.name).iter().take(200) {
            @let windows = whole.windows.opened_by(&r.agent, r.rotation);
            @let changed = r.changed.as_ref().map_or_else(|| "what changed is unknown".to_owned(), |c| format!("changed: {}", c.join(", ")));
            @let words = format!("Rotation {} at {}; {changed}", r.rotation, whole.clock.utc(r.rotated_at));
            rect.rot data-w=(listed(&windows)) data-a=(span.ms(r.rotated_at)) x=(span.x(r.rotated_at)) y="0" width="9" height=(STRIP + BAR)
                tabindex="0" role="button" aria-pressed="false" aria-label=(words) { title { (words) } }
            rect.rotline data-a=(span.ms(r.rotated_at)) x=(span.x(r.rotated_at)) y="0" width="2" height=(STRIP + BAR) {}
        }
    }
}

/// The rotations of an agent: they are sorted by agent.
fn of_agent<'a>(all: &'a [Rotation], agent: &str) -> &'a [Rotation] {
    let from = all.partition_point(|r| *r.agent < *agent);
    let rest = all.get(from..).unwrap_or_default();
    rest.get(..rest.partition_point(|r| r.agent == agent)).unwrap_or_default()
}
