//! Contracts as blocks of colour: the authority's epochs, and what a mirror showed.

use super::plan::Agent;
use super::{BAR, STRIP};
use crate::report::figures::counted;
use crate::report::html::charts::{Epoch, Sight};
use crate::report::html::{Whole, names};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

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
    /// Its name, and a shorter one where there is no room.
    label: (String, String),
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
            text.on x="5" y="13" data-s=(b.label.1) { (b.label.0) }
        }
    }
}

/// Contracts with their colours, and the schemas that several contracts state.
pub(super) struct Contracts<'a> {
    colours: BTreeMap<&'a str, usize>,
    shared: BTreeSet<&'a str>,
}

impl<'a> Contracts<'a> {
    pub fn of(epochs: &[&'a Epoch]) -> Self {
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

    /// What a block is called, and shorter.
    fn label(&self, schema: Option<&str>, contract: &str) -> (String, String) {
        let known = self.colours.contains_key(contract);
        let head = names::shown(&contract.chars().take(6).collect::<String>());
        let Some(stated) = schema else {
            return (format!("contract {}", names::short(contract)), head);
        };
        let schema = names::shown(stated);
        if known && !self.shared.contains(stated) {
            (format!("schema {schema}"), schema)
        } else {
            (format!("schema {schema} · contract {head}"), format!("{schema} · {head}"))
        }
    }
}

fn stated(schema: Option<&str>) -> String {
    schema.map_or_else(String::new, |s| format!("schema {}, ", names::shown(s)))
}

pub(super) fn epochs(whole: &Whole<'_>, agent: &Agent<'_>, contracts: &Contracts<'_>) -> Markup {
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

pub(super) fn runs(whole: &Whole<'_>, sights: &[&Sight], contracts: &Contracts<'_>) -> Markup {
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
