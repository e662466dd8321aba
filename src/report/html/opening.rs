//! The first screen: what happened, how bad it is in three numbers, whose side it is on, what to do.

use super::{Whole, names, plot};
use crate::report::document::{Prose, Span};
use crate::report::figures::{bounded, count, counted, duration, percent, range, ratio};
use crate::report::findings::Findings;
use crate::report::trouble::{self, Tone, Trouble};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The verdict as text, and the page's header.
pub fn render(whole: &Whole<'_>) -> (String, Markup) {
    let (troubles, tone) = trouble::told(whole.findings);
    let alarm = tone == Tone::Alarm;
    let mut troubles = troubles.into_iter();
    let first = troubles.next().unwrap_or_default();
    let others: Vec<Trouble> = troubles.collect();
    let verdict = names::plain(&first.what);
    let page = html! {
        header.verdict.(match tone { Tone::Alarm => "alarm", Tone::Calm => "calm", Tone::Open => "open" }) {
            p.kicker { (about(whole)) }
            h1 { (names::prose(&first.what)) "." }
            div.tiles { @for tile in tiles(whole.findings) { (tile.render()) } }
            div.facts {
                @if alarm {
                    (fact("Whose side", &first.side, "side"))
                    (steps(&first.next, !whole.findings.actions.is_empty()))
                    (fact("How bad", &first.how_bad, "bad"))
                    (fact("Since when", &first.since, "since"))
                } @else {
                    (fact("What was measured", &first.how_bad, "bad"))
                    (steps(&first.next, false))
                    (fact("What the recording holds", &first.since, "since"))
                    (fact("What could not be checked", &first.side, "side"))
                }
            }
            @for other in &others {
                div.also {
                    h2 { "Also: " (names::prose(&other.what)) "." }
                    div.facts {
                        (fact("Whose side", &other.side, "side"))
                        (steps(&other.next, false))
                        (fact("How bad", &other.how_bad, "bad"))
                        (fact("Since when", &other.since, "since"))
                    }
                }
            }
        }
    };
    (verdict, page)
}

/// What the recording is of.
fn about(whole: &Whole<'_>) -> Markup {
    let f = whole.findings;
    let agents: BTreeSet<&str> = whole
        .charts
        .epochs
        .iter()
        .map(|e| e.agent.as_str())
        .chain(whole.charts.steps.iter().map(|s| s.agent.as_str()))
        .collect();
    html! {
        "Postmortem of A2A delegations"
        @if let (Some(from), Some(to)) = (f.first_time(), f.last_time()) {
            " · " (whole.clock.time(from)) " to " (whole.clock.utc(to))
        }
        @if let Some(limits) = f.limits() { " · " strong { "only a part: " (crate::report::safe::terminal(limits)) } }
        " · " (counted(f.summary.tasks, "task", "tasks"))
        @match agents.len() {
            0 => {}
            1 => @if let Some(agent) = agents.first() { " of " (names::name(agent)) },
            n => { " of " (n) " agents" }
        }
    }
}

fn fact(title: &str, prose: &Prose, class: &str) -> Markup {
    html! {
        @if !prose.is_empty() {
            div.fact.(class) { h3 { (title) } p { (names::prose(prose)) "." } }
        }
    }
}

/// What to do, one step an item: pieces are parted by semicolons.
fn steps(next: &Prose, lists: bool) -> Markup {
    let mut pieces: Vec<Prose> = vec![Prose::new()];
    for span in &next.0 {
        let (starts, span) = match span {
            Span::Say(words) => {
                let words = words.strip_prefix("Next: ").unwrap_or(words);
                match words.strip_prefix("; ") {
                    Some(rest) => (true, Span::Say(rest.to_owned())),
                    None => (false, Span::Say(words.to_owned())),
                }
            }
            other => (false, other.clone()),
        };
        if starts {
            pieces.push(Prose::new());
        }
        if span != Span::Say(String::new())
            && let Some(piece) = pieces.last_mut()
        {
            piece.0.push(span);
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    html! {
        @if !pieces.is_empty() {
            div.fact.next {
                h3 { "What to do now" }
                @if pieces.len() == 1 {
                    @for piece in pieces { p { (names::prose(&capital(piece))) "." } }
                } @else {
                    ol { @for piece in pieces { li { (names::prose(&capital(piece))) "." } } }
                }
                @if lists { p.lists { a href="#work" { "The lists: what to quarantine, resolve again, escalate" } } }
            }
        }
    }
}

fn capital(mut prose: Prose) -> Prose {
    if let Some(Span::Say(words)) = prose.0.first_mut() {
        let mut letters = words.chars();
        if let Some(first) = letters.next() {
            *words = first.to_uppercase().chain(letters).collect();
        }
    }
    prose
}

/// One of the three numbers.
struct Tile {
    title: &'static str,
    value: String,
    /// Its interval or bounds.
    interval: String,
    /// What it counts.
    counts: String,
    /// Rate and interval, for a picture.
    shape: Option<(f64, (f64, f64))>,
}

impl Tile {
    fn rate(title: &'static str, hits: i64, all: i64, what: &str) -> Self {
        let counts = format!("{} {what}", plot::of(hits, all));
        match crate::report::figures::interval(hits, all) {
            Some(bounds) => Self {
                title,
                value: percent(ratio(hits, all)),
                interval: format!("95 % interval {}", range(bounds)),
                counts,
                shape: Some((ratio(hits, all), bounds)),
            },
            None => Self {
                title,
                value: "—".to_owned(),
                interval: "nothing to measure".to_owned(),
                counts,
                shape: None,
            },
        }
    }

    fn count(title: &'static str, n: i64, what: &str) -> Self {
        Self {
            title,
            value: count(n),
            interval: "counted".to_owned(),
            counts: what.to_owned(),
            shape: None,
        }
    }

    fn render(&self) -> Markup {
        html! {
            div.tile {
                h3 { (self.title) }
                p.value { (self.value) }
                @if let Some((rate, bounds)) = self.shape {
                    @let top = plot::scale_top(std::iter::once(bounds.1));
                    (plot::whisker(rate, bounds, top))
                    p.axis aria-hidden="true" { span { "0 %" } span { (percent(top)) } }
                }
                p.interval { (self.interval) }
                p.counts { (self.counts) }
            }
        }
    }
}

/// The three numbers that tell most of what is wrong.
fn tiles(f: &Findings) -> Vec<Tile> {
    let s = &f.summary;
    if s.tasks == 0 && s.attempts == 0 {
        return vec![
            Tile::count("Cards", s.cards, "by their bytes"),
            Tile::count("Rotations", s.rotations, "an authority began to show another contract"),
            lag(f).unwrap_or_else(|| {
                Tile::count("Card fetches", s.card_fetches, "made, also failed ones")
            }),
        ];
    }
    let split = || {
        if s.window_verifiable > 0 {
            Tile::rate(
                "Split-brain rate in rotation windows",
                s.window_split_brain,
                s.window_verifiable,
                "verifiable tasks admitted while a mirror lagged",
            )
        } else {
            overall(f)
        }
    };
    let replays = || {
        Tile::rate(
            "Replays",
            s.replays,
            s.attempts,
            "attempts repeated a rejected one under the same card",
        )
    };
    if s.split_brain > 0 {
        let silent = Tile::rate(
            "Silent split-brains",
            s.silent,
            s.split_brain,
            // Of none it would say the contrary.
            if s.silent > 0 {
                "split-brain tasks pass their digest check: no other alarm sees them"
            } else {
                "split-brain tasks pass a digest check"
            },
        );
        return vec![split(), silent, lag(f).unwrap_or_else(|| overall(f))];
    }
    if s.corrupt > 0 {
        let corrupt = Tile::rate(
            "Corrupt artifacts",
            s.corrupt,
            s.verifiable,
            "verifiable tasks have a digest that differs",
        );
        return vec![corrupt, split(), lag(f).unwrap_or_else(replays)];
    }
    if s.rejections > 0 {
        let all = i64::try_from(f.incidents.len()).unwrap_or(i64::MAX);
        let changed = f.incidents.iter().filter(|i| i.result == "changed").count();
        return vec![
            replays(),
            Tile::rate(
                "Rejections",
                s.rejections,
                s.attempts,
                "attempts were rejected for what the card offers",
            ),
            Tile::rate(
                "Card had changed",
                i64::try_from(changed).unwrap_or(i64::MAX),
                all,
                "incidents ended with a fetch that showed another contract",
            ),
        ];
    }
    vec![
        overall(f),
        replays(),
        lag(f).unwrap_or_else(|| {
            Tile::rate(
                "Rejections",
                s.rejections,
                s.attempts,
                "attempts were rejected for what the card offers",
            )
        }),
    ]
}

fn overall(f: &Findings) -> Tile {
    let s = &f.summary;
    Tile::rate(
        "Split-brain rate",
        s.split_brain,
        s.verifiable,
        "verifiable tasks contradict the card of their admission",
    )
}

/// The longest lag of a mirror, with its bounds; of one that never caught up, at least how long.
fn lag(f: &Findings) -> Option<Tile> {
    let closed = f.lags.iter().filter_map(|l| Some((l.lag_s?, l.lag_min_s?, l.lag_max_s?, l)));
    let longest = closed.max_by(|a, b| a.0.total_cmp(&b.0));
    let open = f.lags.iter().filter(|l| l.status == "open");
    let open = open.filter_map(|l| Some((l.lag_min_s?, l))).max_by(|a, b| a.0.total_cmp(&b.0));
    let of = |registry: &str, rotation: i64| {
        format!("{} after rotation {rotation}", names::shown(registry))
    };
    if let Some((least, l)) = open
        && longest.as_ref().is_none_or(|(lag, ..)| *lag <= least)
    {
        return Some(Tile {
            title: "Longest registry lag",
            value: format!("≥ {}", duration(least)),
            interval: "still open: no upper bound".to_owned(),
            counts: of(&l.registry, l.rotation),
            shape: None,
        });
    }
    let (lag, low, high, l) = longest?;
    let shown = bounded(lag, low, high);
    let (value, interval) = shown.split_once(" (").unwrap_or((&shown, ""));
    let windows = i64::try_from(f.lags.len()).unwrap_or(i64::MAX);
    Some(Tile {
        title: if f.summary.windows_open > 0 {
            "Longest registry lag that ended"
        } else {
            "Longest registry lag"
        },
        value: value.to_owned(),
        interval: format!("bounds: {}", interval.trim_end_matches(')')),
        counts: format!(
            "{}; {}, {} still open",
            of(&l.registry, l.rotation),
            counted(windows, "window", "windows"),
            count(f.summary.windows_open)
        ),
        shape: None,
    })
}
