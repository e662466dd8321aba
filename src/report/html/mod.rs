//! The postmortem as one HTML file that a browser opens from disk.
//!
//! It asks the network for nothing and lets nothing else do so: its policy allows one script and one
//! style, named by their hashes. What comes from the recording is text, never markup: templates escape
//! it, and the script reads it as JSON and sets it as text. Everything is readable without the script,
//! and on paper; the script only adds zooming, selecting, sorting, searching and downloads.
//!
//! *A section*: one file, one line in [`sections`].

mod causes;
mod cell;
pub mod charts;
mod damage;
mod diffs;
mod embed;
mod gaps;
mod incidents;
mod inputs;
mod lags;
mod names;
mod opening;
mod plot;
mod rates;
mod storms;
mod table;
mod timeline;
mod windows;
mod work;

use super::audit::Measure;
use super::bias;
use super::document::Prose;
use super::figures::Clock;
use super::findings::Findings;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use charts::Charts;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use windows::Windows;

const SCRIPT: &str = include_str!("report.js");
const STYLE: &str = include_str!("report.css");

/// No file is larger, however large the archive.
pub const MOST_BYTES: usize = 4_800_000;

/// What a page is made of.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The answers.
    pub findings: &'a Findings,
    /// What the pictures are drawn from.
    pub charts: &'a Charts,
    /// The command that makes this page again.
    pub command: &'a str,
}

/// How much of each thing is shown, worst first.
#[derive(Debug, Clone, Copy)]
struct Caps {
    /// Rows of a table.
    rows: usize,
    /// Agents on the timeline.
    agents: usize,
    /// Registries of an agent on the timeline.
    lanes: usize,
    /// Marks, steps and runs of an agent on the timeline.
    marks: usize,
    /// Charts of storms, diffs of cards.
    charts: usize,
}

impl Caps {
    const ALL: Self = Self { rows: 1000, agents: 24, lanes: 12, marks: 8000, charts: 40 };

    fn half(self) -> Self {
        let half = |n: usize| (n / 2).max(1);
        Self {
            rows: half(self.rows),
            agents: half(self.agents),
            lanes: half(self.lanes),
            marks: half(self.marks),
            charts: half(self.charts),
        }
    }
}

/// What every section needs to know.
struct Whole<'a> {
    findings: &'a Findings,
    charts: &'a Charts,
    command: &'a str,
    caps: Caps,
    clock: Clock,
    span: plot::Span,
    windows: Windows<'a>,
    plan: timeline::Plan<'a>,
}

/// Writes the page.
///
/// # Errors
/// When the output cannot be written.
pub fn write(page: Page<'_>, out: &mut (dyn Write + Send)) -> io::Result<()> {
    let mut caps = Caps::ALL;
    loop {
        let text = render(page, caps).into_string();
        if text.len() <= MOST_BYTES || caps.rows <= 1 {
            return out.write_all(text.as_bytes());
        }
        caps = caps.half();
    }
}

fn render(page: Page<'_>, caps: Caps) -> Markup {
    let Page { findings, charts, command } = page;
    let (first, last) = (findings.first_time(), findings.last_time());
    let whole = Whole {
        findings,
        charts,
        command,
        caps,
        clock: Clock::of(first, last),
        span: plot::Span::of(first, last),
        windows: Windows::of(findings),
        plan: timeline::Plan::of(findings, charts, caps),
    };
    let sections = sections(&whole);
    let (verdict, opening) = opening::render(&whole);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="referrer" content="no-referrer";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(concat!("carddrift ", env!("CARGO_PKG_VERSION")));
                title { (verdict) " · carddrift" }
                style { (PreEscaped(STYLE)) }
            }
            body.only[whole.one_agent()] {
                (plot::definitions())
                (opening)
                nav aria-label="Sections" {
                    @for section in &sections { a href={ "#" (section.id) } { (section.short) } }
                }
                main {
                    @for section in &sections {
                        section id=(section.id) {
                            h2 { (section.title) }
                            @if let Some(lead) = &section.lead { p.lead { (lead) } }
                            @if let Some(mind) = minded(findings, section.id) { p.mind { (names::prose(&mind)) "; " a href="#gaps" { "what could not be measured" } "." } }
                            (section.body)
                        }
                    }
                }
                footer {
                    p { "carddrift " (env!("CARGO_PKG_VERSION")) " · all times are UTC · this file asks the network for nothing" }
                }
                script type="application/json" id="data" { (PreEscaped(embed::json(&whole))) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

/// A section of the page.
struct Section {
    /// Anchor.
    id: &'static str,
    /// In the navigation.
    short: &'static str,
    /// Heading.
    title: &'static str,
    /// What it tells, in a sentence.
    lead: Option<Markup>,
    /// The rest.
    body: Markup,
}

impl Whole<'_> {
    /// Whether all rows speak of one agent, which the page then names once.
    fn one_agent(&self) -> bool {
        let f = self.findings;
        let c = self.charts;
        let mut agents = (c.epochs.iter().map(|e| e.agent.as_str()))
            .chain(c.steps.iter().map(|s| s.agent.as_str()))
            .chain(f.split_brains.iter().map(|b| b.agent.as_deref().unwrap_or("")));
        let first = agents.next();
        agents.all(|agent| Some(agent) == first)
    }
}

/// The sections in their order: what is wrong comes first.
fn sections(whole: &Whole<'_>) -> Vec<Section> {
    let storms: [fn(&Whole<'_>) -> Option<Section>; 3] =
        [storms::section, incidents::section, diffs::section];
    let bindings: [fn(&Whole<'_>) -> Option<Section>; 4] =
        [rates::section, causes::section, lags::section, damage::section];
    let s = &whole.findings.summary;
    let rejected_only = s.split_brain == 0 && s.rejections > 0;
    let mut all: Vec<fn(&Whole<'_>) -> Option<Section>> = vec![timeline::section];
    if rejected_only {
        all.extend(storms);
        all.extend(bindings);
    } else {
        all.extend(bindings);
        all.extend(storms);
    }
    let last: [fn(&Whole<'_>) -> Option<Section>; 3] =
        [work::section, gaps::section, inputs::section];
    all.extend(last);
    all.iter().filter_map(|section| section(whole)).collect()
}

/// What biases the numbers of a section.
fn minded(findings: &Findings, section: &str) -> Option<Prose> {
    let measure = match section {
        "rates" => Measure::Bindings,
        "lag" => Measure::Lag,
        "storms" => Measure::Replays,
        "incidents" => Measure::Incidents,
        _ => return None,
    };
    bias::mind(findings, measure)
}

/// What the page may do: run its script, use its style.
fn policy() -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    )
}
