//! What could not be measured and why, what was lost, and every assumption.

use super::cell;
use super::table::{Table, number, sentence, text};
use super::{Section, Whole};
use crate::query::Note;
use crate::report::figures::{count, counted};
use crate::report::trouble::reasons;
use maud::{Markup, html};

/// Notes that name an assumption; the others say what could not be measured.
const ASSUMPTIONS: &[&str] = &[
    "adjusted_clocks",
    "agent_moved",
    "alternating_authority",
    "authority_assumed",
    "authority_conflict",
    "naive_times",
    "no_skew_estimate",
    "one_url_two_agents",
    "publishes_missing",
    "unknown_clients",
    "unknown_clients_of_attempts",
];

/// Notes that repeat what the summary says.
const SAID: &[&str] = &[
    "no_admission_card",
    "card_not_in_archive",
    "card_declares_no_schema",
    "artifact_declares_no_schema",
    "without_artifact",
];

#[expect(
    clippy::unnecessary_wraps,
    reason = "a section may have nothing to say; this one always has"
)]
pub fn section(whole: &Whole<'_>) -> Option<Section> {
    let f = whole.findings;
    let (assumed, unmeasured): (Vec<&Note>, Vec<&Note>) = f
        .notes
        .iter()
        .filter(|n| !SAID.contains(&n.kind.as_str()))
        .partition(|n| ASSUMPTIONS.contains(&n.kind.as_str()));
    let s = &f.summary;
    let left = i64::try_from(
        assumed.len().saturating_sub(whole.caps.rows)
            + unmeasured.len().saturating_sub(whole.caps.rows),
    )
    .unwrap_or(0);
    Some(Section {
        id: "gaps",
        short: "Not measured",
        title: "What could not be measured, what was lost, what was assumed",
        lead: None,
        body: html! {
            h3 { "Could not be measured" }
            ul.notes {
                @if s.unverifiable > 0 {
                    li {
                        strong { (count(s.unverifiable)) } " of " (counted(s.completed, "completed task", "completed tasks"))
                        " could not be checked, and are in no rate: " (reasons(s).join(", ")) "."
                    }
                }
                @if s.without_artifact > 0 {
                    li { strong { (count(s.without_artifact)) } " completed without an artifact on record." }
                }
                @if s.no_digest > 0 {
                    li { strong { (count(s.no_digest)) } " kept their schema but stated no digest, so corruption cannot be seen." }
                }
                @for note in unmeasured.iter().take(whole.caps.rows) { (item(note)) }
                @if s.unverifiable + s.without_artifact + s.no_digest == 0 && unmeasured.is_empty() {
                    li { "Nothing: every completed task could be checked." }
                }
            }
            h3 { "Lost on the way" }
            (lost(whole))
            h3 { "Assumed" }
            ul.notes {
                @for note in assumed.iter().take(whole.caps.rows) { (item(note)) }
                @if assumed.is_empty() { li { "Nothing." } }
            }
            @if left > 0 { p.left-out { (count(left)) " more notes: " code { "carddrift report --format json" } } }
        },
    })
}

fn item(note: &Note) -> Markup {
    html! { li data-kind=(note.kind) { (clipped(&note.text)) } }
}

/// A sentence with names from the recording in it.
fn clipped(text: &str) -> String {
    const MOST: usize = 1000;
    let head: String = text.chars().take(MOST).collect();
    let cut = if head.len() < text.len() { "…" } else { "" };
    format!("{}{cut}", crate::report::safe::terminal(&head))
}

fn lost(whole: &Whole<'_>) -> Markup {
    let f = whole.findings;
    let sum = |count: fn(&crate::report::findings::Source) -> i64| f.total(count);
    let truncated = f.sources.iter().filter(|s| s.truncated).count();
    let mut table = Table::new(
        "problems",
        "The first problems of each kind",
        &[
            text("code", "code"),
            text("severity", "severity"),
            sentence("kind", "what is wrong"),
            number("of_kind", "of this kind"),
            number("sources_of_kind", "in sources"),
            text("pointer", "where"),
            sentence("detail", "detail"),
            text("evidence", "record"),
        ],
        whole.caps.rows,
    )
    .rest("carddrift query -e 'SELECT * FROM problems'");
    for p in &f.problems {
        table.row(|| {
            vec![
                cell::words(p.code.clone()),
                cell::word(&p.severity),
                cell::name(Some(&p.kind)),
                cell::number(p.of_kind),
                cell::number(p.sources_of_kind),
                if p.pointer.is_empty() {
                    cell::Cell::empty()
                } else {
                    cell::name(Some(&p.pointer))
                },
                cell::name(Some(&p.detail)),
                cell::place(Some(&p.source_file), Some(p.source_line)),
            ]
        });
    }
    html! {
        p {
            strong { (count(sum(|s| s.records))) } " records read = "
            (count(sum(|s| s.accepted))) " accepted + "
            (count(sum(|s| s.repaired))) " repaired + "
            (count(sum(|s| s.rejected))) " left out + "
            (count(sum(|s| s.duplicate))) " duplicate + "
            (count(sum(|s| s.blank))) " blank. They hold "
            (counted(sum(|s| s.events), "event", "events")) "; "
            (counted(sum(|s| s.duplicate_events), "event was", "events were")) " known already, "
            (counted(sum(|s| s.without_events), "accepted record holds", "accepted records hold"))
            " nothing of A2A."
            @if truncated > 0 { " " strong { (truncated) " of the sources ended early." } }
        }
        @if table.is_empty() { p { "No record had a problem." } } @else { (table.render()) }
    }
}
