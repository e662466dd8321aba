//! Drift incidents: what the card said after a rejection.

use super::cell;
use super::table::{Table, number, sentence, text};
use super::{Section, Whole};
use crate::report::figures::{count, counted};
use crate::report::findings::Incident;
use crate::report::trouble::tally;
use maud::html;
use std::collections::BTreeMap;

pub fn section(whole: &Whole<'_>) -> Option<Section> {
    let all = &whole.findings.incidents;
    if all.is_empty() {
        return None;
    }
    let mut places = BTreeMap::new();
    for r in &whole.charts.incidents {
        let key = (r.client.as_deref(), &*r.agent, r.first_t, r.card.as_deref(), &*r.outcome);
        places.entry(key).or_insert((&r.source_file, r.source_line));
    }
    let mut order: Vec<&Incident> = all.iter().collect();
    order.sort_by_key(|i| (rank(i), std::cmp::Reverse(i.failed_attempts), i.rejected_at));
    let mut table = Table::new(
        "drift_incidents",
        "Drift incidents, changed cards first",
        &[
            text("client", "client"),
            text("agent", "agent"),
            text("rejected_at", "rejected"),
            text("outcome", "outcome"),
            text("skill_id", "skill asked for"),
            number("failed_attempts", "rejections"),
            text("result", "fresh card"),
            text("refetched_at", "fetched"),
            sentence("changed", "changed"),
            text("skills_added", "skills added"),
            text("skills_removed", "skills removed"),
            text("skill_still_advertised", "skill still offered"),
            text("mode_still_advertised", "mode still offered"),
            number("loop", "loop"),
            text("card", "card held"),
            text("refetched_card", "card fetched"),
            text("evidence", "record"),
        ],
        whole.caps.rows,
    )
    .rest("carddrift query drift_incidents");
    let yes = |flag: Option<bool>| match flag {
        Some(true) => cell::words("yes"),
        Some(false) => cell::words("no"),
        None => cell::Cell::empty(),
    };
    for i in order {
        let windows = whole.windows.during(&i.agent, i.rejected_at, i.rejected_at);
        table.row_in(&windows, || {
            let key =
                (i.client.as_deref(), &*i.agent, i.rejected_at, i.card.as_deref(), &*i.outcome);
            vec![
                cell::name(i.client.as_deref()),
                cell::name(Some(&i.agent)),
                cell::time(whole.clock, Some(i.rejected_at)),
                cell::word(&i.outcome),
                match &i.skill_id {
                    Some(skill) => cell::name(Some(skill)),
                    None => cell::Cell::empty(),
                },
                cell::number(i.failed_attempts),
                cell::word(&i.result),
                cell::time(whole.clock, i.refetched_at),
                some_list(i.changed.as_ref()),
                some_list(i.skills_added.as_ref()),
                some_list(i.skills_removed.as_ref()),
                yes(i.skill_still_advertised),
                yes(i.mode_still_advertised),
                cell::maybe(i.r#loop),
                cell::hash(i.card.as_deref()),
                match &i.refetched_card {
                    Some(card) => cell::hash(Some(card)),
                    None => cell::Cell::empty(),
                },
                match places.get(&key) {
                    Some((file, line)) => cell::place(Some(file), Some(*line)),
                    None => cell::Cell::empty(),
                },
            ]
        });
    }
    let results = tally(all.iter().map(|i| i.result.as_str()));
    Some(Section {
        id: "incidents",
        short: "Drift incidents",
        title: "Drift incidents",
        lead: Some(html! {
            "After the first rejection under a card, what did the client’s next fetch of the card show? "
            (counted(i64::try_from(all.len()).unwrap_or(i64::MAX), "incident", "incidents")) "."
        }),
        body: html! {
            ul.results {
                @for (result, n) in results {
                    li { strong { (count(n)) } " " b { (super::names::words(&result)) } ": " (meaning(&result)) }
                }
            }
            (table.render())
        },
    })
}

fn some_list(all: Option<&Vec<String>>) -> cell::Cell {
    match all {
        Some(all) if !all.is_empty() => cell::list(Some(all)),
        _ => cell::Cell::empty(),
    }
}

fn meaning(result: &str) -> &'static str {
    match result {
        "changed" => {
            "the contract had changed, so this is drift; build the next attempt on the fresh card."
        }
        "identical" => {
            "the card is the same to the byte, so the agent rejects what it offers; escalate to its operator, do not loop."
        }
        "cosmetic" => {
            "other bytes but the same contract, so the agent rejects what it offers; escalate to its operator."
        }
        "never_refetched" => {
            "the client never fetched the card again, so drift cannot be told from refusal."
        }
        _ => "a card is not known or its content is not on record, so it cannot be told.",
    }
}

/// The telling ones first.
fn rank(incident: &Incident) -> u8 {
    match incident.result.as_str() {
        "changed" => 0,
        "identical" => 1,
        "cosmetic" => 2,
        "never_refetched" => 3,
        _ => 4,
    }
}
