//! The timeline of each agent: the authority's epochs, each mirror's below them, admissions, storms.
//!
//! Everything is placed in percentages of the width, so that it fits any screen and needs no script.
//! `data-a` and `data-b` say where a shape begins and ends, in milliseconds since the begin of the
//! recording: the script moves the shapes when the time is zoomed.

use super::charts::{Admission, Charts, Epoch, Sight, Step};
use super::windows::listed;
use super::{Caps, Section, Whole, names, plot};
use crate::report::figures::{bounded, count, counted, duration, percent, range};
use crate::report::findings::{Findings, Lag, Storm, Window};
use maud::{Markup, html};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// What is drawn, agent by agent, worst first.
#[derive(Debug, Default)]
pub struct Plan<'a> {
    agents: Vec<Agent<'a>>,
    agents_left: usize,
}

#[derive(Debug, Default)]
struct Agent<'a> {
    /// Empty: unknown.
    name: &'a str,
    epochs: Vec<&'a Epoch>,
    lanes: Vec<Lane<'a>>,
    lanes_left: usize,
    marks_left: usize,
    steps: Vec<&'a Step>,
    storms: Vec<&'a Storm>,
}

#[derive(Debug, Default)]
struct Lane<'a> {
    /// `None`: admissions whose registry is unknown.
    registry: Option<&'a str>,
    is_authority: bool,
    sights: Vec<&'a Sight>,
    marks: Vec<&'a Admission>,
}

/// How bad a verdict is; the upper half of a lane has those below 3.
fn rank(verdict: Option<&str>) -> u8 {
    match verdict {
        Some("split_brain") => 0,
        Some("corrupt") => 1,
        Some("mismatch_incomplete") => 2,
        Some("unverifiable") => 3,
        Some("no_digest") => 4,
        None => 5,
        _ => 6,
    }
}

impl<'a> Plan<'a> {
    /// The worst agents with their worst registries.
    pub fn of(findings: &'a Findings, charts: &'a Charts, caps: Caps) -> Self {
        let mut agents: BTreeMap<&str, Agent<'a>> = BTreeMap::new();
        let mut badness: BTreeMap<&str, (i64, i64, usize)> = BTreeMap::new();
        let mut marks: BTreeMap<(&str, Option<&str>), Vec<&Admission>> = BTreeMap::new();
        for e in &charts.epochs {
            agents.entry(&e.agent).or_default().epochs.push(e);
            badness.entry(&e.agent).or_default().2 += 1;
        }
        for s in &charts.steps {
            agents.entry(&s.agent).or_default().steps.push(s);
            badness.entry(&s.agent).or_default().1 += s.rejected;
        }
        for a in &charts.admissions {
            agents.entry(&a.agent_key).or_default();
            if a.verdict.as_deref() == Some("split_brain") {
                badness.entry(&a.agent_key).or_default().0 += a.n;
            }
            marks.entry((&a.agent_key, a.registry.as_deref())).or_default().push(a);
        }
        for s in &findings.storms {
            agents.entry(&s.agent).or_default().storms.push(s);
        }
        let mut sights: BTreeMap<(&str, &str), Vec<&Sight>> = BTreeMap::new();
        for s in &charts.sights {
            agents.entry(&s.agent).or_default();
            sights.entry((&s.agent, &s.registry)).or_default().push(s);
        }
        for (name, agent) in &mut agents {
            agent.name = name;
            agent.plan_lanes(&mut marks, &mut sights, caps);
        }
        let mut order: Vec<Agent<'a>> = agents.into_values().collect();
        order.sort_by_key(|a| (Reverse(badness.get(a.name).copied().unwrap_or_default()), a.name));
        let agents_left = order.len().saturating_sub(caps.agents);
        order.truncate(caps.agents);
        Self { agents: order, agents_left }
    }

    /// The admissions that are drawn, in the order of their numbers.
    pub fn marks(&self) -> impl Iterator<Item = &'a Admission> + '_ {
        self.agents.iter().flat_map(|a| &a.lanes).flat_map(|l| l.marks.iter().copied())
    }
}

impl<'a> Agent<'a> {
    fn plan_lanes(
        &mut self,
        marks: &mut BTreeMap<(&'a str, Option<&'a str>), Vec<&'a Admission>>,
        sights: &mut BTreeMap<(&'a str, &'a str), Vec<&'a Sight>>,
        caps: Caps,
    ) {
        let authority = self.epochs.first().map(|e| e.authority.as_str());
        let mut registries: BTreeSet<Option<&str>> = authority.into_iter().map(Some).collect();
        let range =
            marks.range((self.name, None)..).take_while(|((agent, _), _)| *agent == self.name);
        registries.extend(range.map(|((_, registry), _)| *registry));
        let range =
            sights.range((self.name, "")..).take_while(|((agent, _), _)| *agent == self.name);
        registries.extend(range.map(|((_, registry), _)| Some(*registry)));
        let mut lanes: Vec<Lane<'_>> = registries
            .into_iter()
            .map(|registry| Lane {
                registry,
                is_authority: registry.is_some() && registry == authority,
                sights: registry.and_then(|r| sights.remove(&(self.name, r))).unwrap_or_default(),
                marks: marks.remove(&(self.name, registry)).unwrap_or_default(),
            })
            .collect();
        let bad = |lane: &Lane<'_>| {
            let bad = lane.marks.iter().filter(|m| rank(m.verdict.as_deref()) < 3);
            bad.map(|m| m.n).sum::<i64>()
        };
        lanes.sort_by_key(|l| (!l.is_authority, l.registry.is_none(), Reverse(bad(l)), l.registry));
        self.lanes_left = lanes.len().saturating_sub(caps.lanes);
        lanes.truncate(caps.lanes);
        let share = (caps.marks / lanes.len().max(1)).max(1);
        for lane in &mut lanes {
            lane.sights.truncate(caps.marks / 8);
            if lane.marks.len() > share {
                lane.marks.sort_by_key(|m| (rank(m.verdict.as_deref()), m.first_at));
                let left: i64 = lane.marks.iter().skip(share).map(|m| m.n).sum();
                self.marks_left += usize::try_from(left).unwrap_or(usize::MAX);
                lane.marks.truncate(share);
            }
        }
        self.epochs.truncate(caps.marks / 8);
        self.steps.truncate(caps.marks / 4);
        self.lanes = lanes;
    }
}

pub fn section(whole: &Whole<'_>) -> Option<Section> {
    let plan = &whole.plan;
    if plan.agents.is_empty() {
        return None;
    }
    let mut number = 0;
    Some(Section {
        id: "timeline",
        short: "Timeline",
        title: "Timeline",
        lead: Some(html! {
            "Equal colours are equal contracts" @if whole.findings.lags.is_empty() { "." } @else {
                ": a colour that starts later in a mirror’s row than in the authority’s is lag. Choose a rotation window (dashed) to see only what belongs to it."
            }
            " Edges fade where the instant is only known within bounds. The small marks are admissions of tasks."
        }),
        body: html! {
            (legend(whole))
            div #controls {}
            @for agent in &plan.agents { (draw_agent(whole, agent, &mut number)) }
            @if plan.agents_left > 0 {
                p.left-out {
                    (counted(i64::try_from(plan.agents_left).unwrap_or(i64::MAX), "agent with less trouble is", "agents with less trouble are"))
                    " not drawn: report with " code { "--agent" }
                }
            }
        },
    })
}

/// What the colours mean, those that occur.
fn legend(whole: &Whole<'_>) -> Markup {
    let seen: BTreeSet<Option<&str>> = whole.plan.marks().map(|m| m.verdict.as_deref()).collect();
    let storms = !whole.findings.storms.is_empty();
    let windows = !whole.findings.lags.is_empty();
    let verdicts = [
        Some("split_brain"),
        Some("corrupt"),
        Some("mismatch_incomplete"),
        Some("consistent"),
        Some("no_digest"),
        Some("unverifiable"),
        None,
    ];
    html! {
        ul.legend aria-label="Colours" {
            @for verdict in verdicts.into_iter().filter(|v| seen.contains(v)) {
                li { span.swatch.{ "v-" (names::verdict_class(verdict)) } {} " " (names::verdict_words(verdict)) }
            }
            @if windows { li { span.swatch.win {} " rotation window: the mirror lags" } }
            @if storms { li { span.swatch.storm {} " retry storm" } }
        }
    }
}

fn draw_agent(whole: &Whole<'_>, agent: &Agent<'_>, number: &mut usize) -> Markup {
    let contracts = Contracts::of(&agent.epochs);
    let rejected = agent.steps.iter().any(|s| s.rejected > 0);
    let title = if agent.name.is_empty() { "unknown agent" } else { agent.name };
    html! {
        figure.agent {
            figcaption {
                h3 { (names::name(title)) }
                @if let Some(e) = agent.epochs.first() {
                    span.u { " authority: " (names::name(&e.authority)) " (" (names::words(&e.authority_source)) ")" }
                }
            }
            div.lanes tabindex="0" role="group"
                aria-label={ "Timeline of " (names::shown(title)) ". Arrow keys move in time, plus and minus zoom, 0 shows all, n and p step through admissions." } {
                @for lane in &agent.lanes { (draw_lane(whole, agent, lane, &contracts, number)) }
                @if rejected { (draw_attempts(whole, agent)) }
                div.lane.axis {
                    div.label { "UTC" }
                    svg.track height="20" {
                        @for (i, (at, text)) in whole.span.ticks(7).iter().enumerate() {
                            g.tick.odd[i % 2 == 1] {
                                line x1=(whole.span.x(*at)) x2=(whole.span.x(*at)) y1="0" y2="5" {}
                                text x=(whole.span.x(*at)) y="16" { (text) }
                            }
                        }
                    }
                }
            }
            @if agent.lanes_left > 0 || agent.marks_left > 0 {
                p.left-out {
                    @if agent.lanes_left > 0 {
                        (counted(i64::try_from(agent.lanes_left).unwrap_or(i64::MAX), "more registry", "more registries"))
                        " with less trouble not drawn. "
                    }
                    @if agent.marks_left > 0 {
                        (counted(i64::try_from(agent.marks_left).unwrap_or(i64::MAX), "admission", "admissions")) " not drawn, the worst are."
                    }
                }
            }
        }
    }
}

/// Heights within a lane, in pixels.
const STRIP: i64 = 13;
const BAR: i64 = 18;
const UP: i64 = 14;
const DOWN: i64 = 9;
const LANE: i64 = STRIP + BAR + 3 + UP + 1 + DOWN + 3;

fn draw_lane(
    whole: &Whole<'_>,
    agent: &Agent<'_>,
    lane: &Lane<'_>,
    contracts: &Contracts<'_>,
    number: &mut usize,
) -> Markup {
    let name = lane.registry.map_or_else(|| "registry unknown".to_owned(), names::shown);
    html! {
        div.lane {
            div.label {
                span.n { (name) }
                span.role { (if lane.is_authority { "authority" } else if lane.registry.is_some() { "mirror" } else { "" }) }
            }
            svg.track height=(LANE) role="group" aria-label=(name) {
                @if lane.is_authority {
                    (epochs(whole, agent, contracts))
                } @else {
                    (runs(whole, &lane.sights, contracts))
                    @if let Some(registry) = lane.registry { (draw_windows(whole, agent.name, registry)) }
                }
                line.base x1="0" x2="100%" y1=(STRIP + BAR + 3 + UP) y2=(STRIP + BAR + 3 + UP) {}
                (marks(whole, &lane.marks, number))
                @if lane.is_authority { (rotations(whole, agent)) }
            }
        }
    }
}

/// A block of one contract, from the first instant that is sure to the last.
struct Block<'a> {
    /// Since when it may have been there.
    maybe_from: i64,
    from: i64,
    to: i64,
    /// Until when it may have been there.
    maybe_to: i64,
    /// Whether it goes on at the end of the recording.
    open: bool,
    colour: Option<usize>,
    label: String,
    title: String,
    place: (Option<&'a str>, Option<i64>),
}

fn block(whole: &Whole<'_>, b: &Block<'_>) -> Markup {
    let span = whole.span;
    let class = b.colour.map_or_else(|| "other".to_owned(), |c| format!("e{}", c % 6));
    let fade = |which: &str| match b.colour {
        Some(c) => format!("url(#{which}{})", c % 6),
        None => "url(#odd)".to_owned(),
    };
    let place = names::place_text(b.place.0, b.place.1);
    html! {
        @if b.maybe_from < b.from {
            rect.fade data-a=(span.ms(b.maybe_from)) data-b=(span.ms(b.from)) x=(span.x(b.maybe_from))
                width=(span.width(b.maybe_from, b.from)) y=(STRIP) height=(BAR) fill=(fade("in")) {}
        }
        rect.epoch.(class) data-a=(span.ms(b.from)) data-b=(span.ms(b.to)) x=(span.x(b.from))
            width=(span.width(b.from, b.to)) y=(STRIP) height=(BAR) tabindex="-1" {
            title { (b.title) @if !place.is_empty() { "\n" (place) } }
        }
        @if b.to < b.maybe_to {
            rect.fade data-a=(span.ms(b.to)) data-b=(span.ms(b.maybe_to)) x=(span.x(b.to))
                width=(span.width(b.to, b.maybe_to)) y=(STRIP) height=(BAR) fill=(fade("out")) {}
        }
        @if !b.open && b.to == b.maybe_to {
            rect.edge data-a=(span.ms(b.to)) x=(span.x(b.to)) width="1" y=(STRIP) height=(BAR) {}
        }
        svg.name data-a=(span.ms(b.from)) data-b=(span.ms(b.maybe_to)) x=(span.x(b.from))
            width=(span.width(b.from, b.maybe_to)) y=(STRIP) height=(BAR) {
            text.on x="5" y="13" { (b.label) }
        }
    }
}

/// Contracts with their colours, and the schemas that several contracts state.
struct Contracts<'a> {
    colours: BTreeMap<&'a str, usize>,
    shared: BTreeSet<&'a str>,
}

impl<'a> Contracts<'a> {
    fn of(epochs: &[&'a Epoch]) -> Self {
        let mut colours: BTreeMap<&str, usize> = BTreeMap::new();
        let mut stated: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for e in epochs {
            let next = colours.len();
            colours.entry(&e.contract).or_insert(next);
            stated.entry(e.schema.as_deref().unwrap_or_default()).or_default().insert(&e.contract);
        }
        let shared = stated.into_iter().filter(|(_, c)| c.len() > 1).map(|(s, _)| s).collect();
        Self { colours, shared }
    }

    fn label(&self, schema: Option<&str>, contract: &str) -> String {
        let known = self.colours.contains_key(contract);
        match schema {
            Some(schema) if known && !self.shared.contains(schema) => {
                format!("schema {}", names::shown(schema))
            }
            Some(schema) => {
                let head: String = contract.chars().take(6).collect();
                format!("schema {} · contract {}", names::shown(schema), names::shown(&head))
            }
            None => format!("contract {}", names::short(contract)),
        }
    }
}

fn stated(schema: Option<&str>) -> String {
    schema.map_or_else(String::new, |s| format!("schema {}, ", names::shown(s)))
}

fn epochs(whole: &Whole<'_>, agent: &Agent<'_>, contracts: &Contracts<'_>) -> Markup {
    let end = whole.span.to;
    html! {
        @for (i, e) in agent.epochs.iter().enumerate() {
            @let next = agent.epochs.get(i + 1);
            @let until = next.map_or(end, |n| n.rotated_at);
            @let sure_until = next.and_then(|n| n.rotated_after).unwrap_or(until).clamp(e.rotated_at.min(until), until);
            (block(whole, &Block {
                maybe_from: e.rotated_after.unwrap_or(e.rotated_at).min(e.rotated_at),
                from: e.rotated_at,
                to: sure_until,
                maybe_to: until,
                open: next.is_none(),
                colour: contracts.colours.get(&*e.contract).copied(),
                label: contracts.label(e.schema.as_deref(), &e.contract),
                title: format!(
                    "{} (authority) served {}contract {}, card {}\nfrom {} to {}",
                    names::shown(&e.authority),
                    stated(e.schema.as_deref()),
                    names::short(&e.contract),
                    e.card.as_deref().map_or_else(|| "unknown".to_owned(), names::short),
                    whole.clock.time(e.rotated_at),
                    next.map_or_else(|| "the end of the recording".to_owned(), |n| whole.clock.time(n.rotated_at)),
                ),
                place: (e.source_file.as_deref(), e.source_line),
            }))
        }
    }
}

fn runs(whole: &Whole<'_>, sights: &[&Sight], contracts: &Contracts<'_>) -> Markup {
    let end = whole.span.to;
    html! {
        @for (i, s) in sights.iter().enumerate() {
            @let next = sights.get(i + 1);
            @let before = i.checked_sub(1).and_then(|i| sights.get(i));
            (block(whole, &Block {
                maybe_from: before.map_or(s.first_at, |b| b.last_at).min(s.first_at),
                from: s.first_at,
                to: s.last_at,
                maybe_to: next.map_or(end, |n| n.first_at).max(s.last_at),
                open: next.is_none(),
                colour: contracts.colours.get(&*s.contract).copied(),
                label: contracts.label(s.schema.as_deref(), &s.contract),
                title: format!(
                    "{} showed {}contract {}, card {}\nfirst seen {}, last seen {}, {}",
                    names::shown(&s.registry),
                    stated(s.schema.as_deref()),
                    names::short(&s.contract),
                    s.card.as_deref().map_or_else(|| "unknown".to_owned(), names::short),
                    whole.clock.time(s.first_at),
                    whole.clock.time(s.last_at),
                    counted(s.sights, "observation", "observations"),
                ),
                place: (s.source_file.as_deref(), s.source_line),
            }))
        }
    }
}

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

fn draw_windows(whole: &Whole<'_>, agent: &str, registry: &str) -> Markup {
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
                    @let text = lag.and_then(lag_words);
                    @let room = span.share(w.opened_at) >= named_until;
                    @if let (Some(text), true) = (text, room) {
                        @let () = { named_until = span.share(w.opened_at) + 0.09; };
                        svg.name.lag data-a=(span.ms(w.opened_at)) data-b=(span.ms(end)) x=(span.x(w.opened_at)) width=(span.width(w.opened_at, end)) y="0" height=(STRIP) {
                            text x="3" y="10" { (text) }
                        }
                    }
                }
            }
        }
    }
}

fn lag_words(lag: &Lag) -> Option<String> {
    match (lag.lag_s, lag.lag_min_s) {
        (Some(lag), _) => Some(format!("lag {}", duration(lag))),
        (None, Some(least)) => Some(format!("lag ≥ {}", duration(least))),
        _ => None,
    }
}

/// The authority's rotations, as marks that choose all windows that they opened.
fn rotations(whole: &Whole<'_>, agent: &Agent<'_>) -> Markup {
    let span = whole.span;
    html! {
        @for r in whole.findings.rotations.iter().filter(|r| r.agent == agent.name).take(200) {
            @let windows = whole.windows.opened_by(&r.agent, r.rotation);
            @let changed = r.changed.as_ref().map_or_else(|| "what changed is unknown".to_owned(), |c| format!("changed: {}", c.join(", ")));
            @let words = format!("Rotation {} at {}; {changed}", r.rotation, whole.clock.utc(r.rotated_at));
            rect.rot data-w=(listed(&windows)) data-a=(span.ms(r.rotated_at)) x=(span.x(r.rotated_at)) y="0" width="9" height=(STRIP + BAR)
                tabindex="0" role="button" aria-pressed="false" aria-label=(words) { title { (words) } }
            rect.rotline data-a=(span.ms(r.rotated_at)) x=(span.x(r.rotated_at)) y="0" width="2" height=(STRIP + BAR) {}
        }
    }
}

fn marks(whole: &Whole<'_>, all: &[&Admission], number: &mut usize) -> Markup {
    let span = whole.span;
    let most = plot::float(all.iter().map(|m| m.n).max().unwrap_or(1).max(1)).sqrt();
    html! {
        @for m in all {
            @let i = *number;
            @let () = { *number += 1; };
            @let class = names::verdict_class(m.verdict.as_deref());
            @let up = rank(m.verdict.as_deref()) < 3;
            @let full = if up { UP } else { DOWN };
            @let high = (plot::float(full) * plot::float(m.n).sqrt() / most).max(3.0);
            @let base = plot::float(STRIP + BAR + 3 + UP);
            @let y = if up { base - high } else { base + 1.0 };
            @let width = if m.last_at > m.first_at { span.width(m.first_at, m.last_at) } else { "2".to_owned() };
            rect.{ "m " (class) } data-i=(i) x=(span.x(m.first_at)) y=(format!("{y:.1}")) width=(width) height=(format!("{high:.1}")) {}
        }
    }
}

fn draw_attempts(whole: &Whole<'_>, agent: &Agent<'_>) -> Markup {
    const HEIGHT: i64 = 44;
    let span = whole.span;
    let most = plot::float(agent.steps.iter().map(|s| s.attempts).max().unwrap_or(1).max(1));
    let mut named_until = 0.0;
    let part = |n: i64| plot::float(n) / most * plot::float(HEIGHT - 14);
    html! {
        div.lane {
            div.label { span.n { "attempts" } span.role { "rejected, replayed" } }
            svg.track height=(HEIGHT) role="group" aria-label="Attempts" {
                @for s in &agent.storms {
                    @let words = format!(
                        "Storm: {} by {}, {}, at most {} a minute\nfrom {} to {}",
                        counted(s.failed_attempts, "rejection", "rejections"),
                        counted(s.clients, "client", "clients"),
                        counted(s.replays, "replay", "replays"),
                        count(s.peak_per_minute),
                        whole.clock.time(s.started_at),
                        whole.clock.time(s.ended_at),
                    );
                    rect.storm data-a=(span.ms(s.started_at)) data-b=(span.ms(s.ended_at)) x=(span.x(s.started_at))
                        width=(span.width(s.started_at, s.ended_at)) y="0" height=(HEIGHT) tabindex="0" role="img" aria-label=(words) {
                        title { (words) }
                    }
                    @if span.share(s.started_at) >= named_until {
                        @let () = { named_until = span.share(s.started_at) + 0.13; };
                        svg.name.storm data-a=(span.ms(s.started_at)) data-b=(span.ms(s.ended_at)) x=(span.x(s.started_at)) width=(span.width(s.started_at, s.ended_at)) y="0" height="13" {
                            text x="3" y="10" { "storm, peak " (count(s.peak_per_minute)) "/min" }
                        }
                    }
                }
                @for s in &agent.steps {
                    @let end = s.step_at.saturating_add(s.step);
                    @let fine = s.attempts - s.rejected;
                    @for (class, below, n) in [("tried", 0, fine), ("rejected", fine, s.rejected - s.replayed), ("replayed", fine + s.rejected - s.replayed, s.replayed)] {
                        @if n > 0 {
                            rect.(class) data-a=(span.ms(s.step_at)) data-b=(span.ms(end)) x=(span.x(s.step_at)) width=(span.width(s.step_at, end))
                                y=(format!("{:.1}", plot::float(HEIGHT) - part(below + n))) height=(format!("{:.1}", part(n).max(1.0))) {
                                @if class != "tried" {
                                    title {
                                        (whole.clock.time(s.step_at)) ", " (duration(crate::report::figures::seconds(s.step_at, end))) ": "
                                        (counted(s.attempts, "attempt", "attempts")) ", " (count(s.rejected)) " rejected, " (count(s.replayed)) " of them replays"
                                    }
                                }
                            }
                        }
                    }
                }
                line.base x1="0" x2="100%" y1=(HEIGHT - 1) y2=(HEIGHT - 1) {}
            }
        }
    }
}
