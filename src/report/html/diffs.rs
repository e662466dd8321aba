//! What changed in the cards, side by side: for each rotation, and for each refetch that showed another
//! card.

use super::{Section, Whole, names};
use crate::a2a::card::{Change, ChangeKind, default_rules, diff};
use crate::report::figures::{count, counted};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Who saw a change from one card to another.
#[derive(Debug, Default)]
struct Seen<'a> {
    /// Rotations: agent, number, when, its windows.
    rotations: Vec<(&'a str, i64, i64)>,
    /// How many incidents.
    incidents: i64,
    windows: Vec<usize>,
}

pub fn section(whole: &Whole<'_>) -> Option<Section> {
    let mut pairs: BTreeMap<(&str, &str), Seen<'_>> = BTreeMap::new();
    for r in &whole.findings.rotations {
        if let (Some(from), Some(to)) = (&r.from_card, &r.to_card) {
            let seen = pairs.entry((from, to)).or_default();
            seen.rotations.push((&r.agent, r.rotation, r.rotated_at));
            seen.windows.extend(whole.windows.opened_by(&r.agent, r.rotation));
        }
    }
    for i in whole.findings.incidents.iter().filter(|i| i.result != "identical") {
        if let (Some(from), Some(to)) = (&i.card, &i.refetched_card) {
            let seen = pairs.entry((from, to)).or_default();
            seen.incidents += 1;
            seen.windows.extend(whole.windows.during(&i.agent, i.rejected_at, i.rejected_at));
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let mut order: Vec<_> = pairs.into_iter().collect();
    order.sort_by(|(a, x), (b, y)| {
        y.incidents
            .cmp(&x.incidents)
            .then_with(|| x.rotations.first().cmp(&y.rotations.first()))
            .then_with(|| a.cmp(b))
    });
    let drawn = order.len().min(whole.caps.charts);
    let left = i64::try_from(order.len() - drawn).unwrap_or(0);
    Some(Section {
        id: "cards",
        short: "Card changes",
        title: "What changed in the cards",
        lead: Some(html! {
            "Old card on the left, new one on the right. A breaking change can fail a delegation that was built on the old card."
        }),
        body: html! {
            @for (cards, seen) in order.into_iter().take(drawn) { (pair(whole, cards, seen)) }
            @if left > 0 {
                p.left-out { (counted(left, "more change", "more changes")) " not shown: " code { "carddrift query rotations" } }
            }
        },
    })
}

fn pair(whole: &Whole<'_>, (from, to): (&str, &str), mut seen: Seen<'_>) -> Markup {
    seen.windows.sort_unstable();
    seen.windows.dedup();
    let cards = &whole.charts.cards;
    html! {
        article.diff data-w=(super::windows::listed(&seen.windows)) {
            h3 { (names::hash(Some(from))) " → " (names::hash(Some(to))) }
            p.who {
                @for (i, (agent, rotation, at)) in seen.rotations.iter().take(6).enumerate() {
                    @if i > 0 { "; " }
                    "rotation " (rotation) " of " (names::name(agent)) ", " (whole.clock.utc(*at))
                }
                @if seen.rotations.len() > 6 { "; and " (seen.rotations.len() - 6) " more rotations" }
                @if seen.incidents > 0 {
                    @if !seen.rotations.is_empty() { "; " }
                    "seen in " (counted(seen.incidents, "drift incident", "drift incidents"))
                }
            }
            @match (cards.get(from), cards.get(to)) {
                (Some(before), Some(after)) => {
                    @let found = diff(before, after, &default_rules());
                    @if found.changes.is_empty() {
                        p { "No difference that the model looks at." }
                    } @else {
                        (changes(&found.changes))
                    }
                }
                _ => p.u { "The content of a card is not on record: what changed cannot be told." }
            }
        }
    }
}

fn changes(all: &[Change]) -> Markup {
    const MOST: usize = 60;
    let left = i64::try_from(all.len().saturating_sub(MOST)).unwrap_or(0);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Differences of two cards" {
            table.sides {
                thead { tr {
                    th scope="col" { "facet" }
                    th scope="col" { "where" }
                    th scope="col" { "before" }
                    th scope="col" { "after" }
                    th scope="col" { "" }
                } }
                tbody {
                    @for c in all.iter().take(MOST) {
                        tr.(c.kind.as_str()) {
                            td { (c.facet.map_or("cosmetic", |f| f.as_str())) }
                            td { (names::shown(&c.path)) }
                            td.before { @if let Some(v) = &c.before { del { (names::shown(v)) } } }
                            td.after { @if let Some(v) = &c.after { ins { (names::shown(v)) } } }
                            td {
                                (match c.kind {
                                    ChangeKind::Added => "+ added",
                                    ChangeKind::Removed => "− removed",
                                    ChangeKind::Changed => "~ changed",
                                })
                                @if c.breaking { " " strong.breaking { "breaking" } }
                            }
                        }
                    }
                }
            }
        }
        @if left > 0 { p.left-out { (count(left)) " more differences: " code { "carddrift diff" } } }
    }
}
