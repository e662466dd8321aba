//! Who used what the card had not promised: fate of the artifacts, clients, later tasks.

use super::cell;
use super::table::{Table, number, text};
use super::{Section, Whole, names, plot};
use crate::report::figures::{count, counted, percent, ratio};
use crate::report::findings::Binding;
use crate::report::trouble::tally;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

pub fn section(whole: &Whole<'_>) -> Option<Section> {
    let all = &whole.findings.split_brains;
    if all.is_empty() {
        return None;
    }
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let unknown = all.iter().filter(|b| b.disposition.is_none()).count();
    let unknown = i64::try_from(unknown).unwrap_or(i64::MAX);
    let built_on: BTreeSet<&str> =
        whole.findings.downstream.iter().map(|d| d.task_id.as_str()).collect();
    Some(Section {
        id: "damage",
        short: "Damage",
        title: "Damage: who used them",
        lead: Some(html! {
            "What the clients did with " (counted(total, "split-brain artifact", "split-brain artifacts")) ". "
            @match unknown {
                0 => "The fate of each is on record.",
                n => { strong { (count(n)) " of unknown fate" } ": the recording does not say what the client did with them." }
            }
            @if !built_on.is_empty() {
                " Later tasks built on " (built_on.len()) " of their tasks."
            }
        }),
        body: html! {
            (fates(all, total))
            (clients(whole))
            (later(whole))
        },
    })
}

fn fates(all: &[Binding], total: i64) -> Markup {
    html! {
        ul.fates {
            @for (fate, n) in tally(all.iter().map(|b| b.disposition.as_deref().unwrap_or(""))) {
                li {
                    span.fate {
                        @match fate.as_str() {
                            "" => "unknown fate: the recording does not say",
                            "accepted" => "accepted: look at what used it",
                            "rejected" => "rejected by the client",
                            "quarantined" => "quarantined by the client",
                            other => (names::name(other)),
                        }
                    }
                    svg.bar height="14" aria-hidden="true" {
                        rect.{ (match fate.as_str() { "accepted" => "bad", "" => "unsure", _ => "fine" }) }
                            x="0" y="2" height="10" width=(plot::per_cent(ratio(n, total))) {}
                    }
                    span.count { strong { (count(n)) } " (" (percent(ratio(n, total))) ")" }
                }
            }
        }
    }
}

#[derive(Default)]
struct Share {
    artifacts: i64,
    accepted: i64,
    rejected: i64,
    quarantined: i64,
    unknown: i64,
    windows: BTreeSet<usize>,
}

fn clients(whole: &Whole<'_>) -> Markup {
    let mut clients: BTreeMap<Option<&str>, Share> = BTreeMap::new();
    for b in &whole.findings.split_brains {
        let share = clients.entry(b.client.as_deref()).or_default();
        share.artifacts += 1;
        match b.disposition.as_deref() {
            Some("accepted") => share.accepted += 1,
            Some("rejected") => share.rejected += 1,
            Some("quarantined") => share.quarantined += 1,
            _ => share.unknown += 1,
        }
        share.windows.extend(whole.windows.at(
            b.agent.as_deref(),
            b.registry.as_deref(),
            b.admitted_at,
        ));
    }
    let mut order: Vec<_> = clients.iter().collect();
    order.sort_by_key(|(_, share)| std::cmp::Reverse(share.artifacts));
    let mut table = Table::new(
        "damage_by_client",
        "Split-brain artifacts by client",
        &[
            text("client", "client"),
            number("artifacts", "artifacts"),
            number("accepted", "accepted"),
            number("rejected", "rejected"),
            number("quarantined", "quarantined"),
            number("unknown", "unknown fate"),
        ],
        whole.caps.rows,
    )
    .rest("carddrift query bindings");
    for (client, share) in order {
        let windows: Vec<usize> = share.windows.iter().copied().collect();
        table.row_in(&windows, || {
            vec![
                cell::name(*client),
                cell::number(share.artifacts),
                cell::number(share.accepted),
                cell::number(share.rejected),
                cell::number(share.quarantined),
                cell::number(share.unknown),
            ]
        });
    }
    html! { h3 { "By client" } (table.render()) }
}

fn later(whole: &Whole<'_>) -> Markup {
    let all = &whole.findings.downstream;
    if all.is_empty() {
        return html! {
            p { "No later task refers to one of them, or goes on in the context of one, as far as the recording tells." }
        };
    }
    let mut table = Table::new(
        "damage_later_tasks",
        "Later tasks that build on a split-brain task",
        &[
            text("task_id", "split-brain task"),
            text("later_task_id", "later task"),
            text("by", "builds on it by"),
            text("client", "client"),
            text("sent_at", "sent"),
        ],
        whole.caps.rows,
    );
    for d in all {
        table.row(|| {
            vec![
                cell::name(Some(&d.task_id)),
                cell::name(Some(&d.later_task_id)),
                cell::word(&d.by),
                cell::name(d.client.as_deref()),
                cell::time(whole.clock, Some(d.sent_at)),
            ]
        });
    }
    html! {
        h3 { "Later tasks" }
        p { "Sent after the artifact, and naming its task (" code { "referenceTaskIds" } ") or going on in its context." }
        (table.render())
    }
}
