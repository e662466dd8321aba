//! The timeline of each agent: the authority's epochs, each mirror's below them, admissions, storms.
//!
//! Everything is placed in percentages of the width, so that it fits any screen and needs no script.
//! `data-a` and `data-b` say where a shape begins and ends, in milliseconds since the begin of the
//! recording: the script moves the shapes when the time is zoomed.

mod attempts;
mod blocks;
mod choices;
mod marks;
mod plan;

pub use choices::{lag_of, window_words};
pub use plan::Plan;

use super::{Section, Whole, names};
use crate::report::figures::counted;
use blocks::Contracts;
use maud::{Markup, html};
use plan::{Agent, Lane};
use std::collections::BTreeSet;

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
                aria-label={ "Timeline of " (names::shown(title)) ". Arrow keys move in time, plus and minus zoom, 0 shows all, n and p step through admissions, c through contracts." } {
                @for lane in &agent.lanes { (draw_lane(whole, agent, lane, &contracts, number)) }
                @if rejected { (attempts::draw(whole, agent)) }
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
                    (blocks::epochs(whole, agent, contracts))
                } @else {
                    (blocks::runs(whole, &lane.sights, contracts))
                    @if let Some(registry) = lane.registry { (choices::windows(whole, agent.name, registry)) }
                }
                line.base x1="0" x2="100%" y1=(STRIP + BAR + 3 + UP) y2=(STRIP + BAR + 3 + UP) {}
                (marks::draw(whole, &lane.marks, number))
                @if lane.is_authority { (choices::rotations(whole, agent)) }
            }
        }
    }
}
