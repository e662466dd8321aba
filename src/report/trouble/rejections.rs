//! Attempts rejected under a cached card: storms, replays, loops, cards that had changed.

use super::{Trouble, ranked, tally};
use crate::report::document::{Prose, Span};
use crate::report::figures::{Clock, count, counted, duration, rate, seconds};
use crate::report::findings::{Findings, Incident};
use std::collections::BTreeSet;

pub(super) fn find(findings: &Findings, clock: Clock) -> Option<Trouble> {
    let what = what(findings)?;
    Some(Trouble {
        what,
        how_bad: how_bad(findings),
        since: since(findings, clock),
        side: side(findings),
        next: next(findings),
    })
}

fn agents(findings: &Findings, wanted: impl Fn(&Incident) -> bool) -> Vec<String> {
    ranked(findings.incidents.iter().filter(|i| wanted(i)).map(|i| i.agent.as_str()))
}

fn what(findings: &Findings) -> Option<Prose> {
    let s = &findings.summary;
    if s.storms > 0 {
        let storms = ranked(findings.storms.iter().map(|s| s.agent.as_str()));
        return Some(
            Prose::new()
                .strong(match s.storms {
                    1 => "Retry storm: ".to_owned(),
                    more => format!("{} retry storms: ", count(more)),
                })
                .say("clients kept sending attempts to ")
                .names(&storms, 3)
                .say(" under a cached card that it rejects"),
        );
    }
    if s.replays > 0 {
        let replayed = ranked(findings.replays.iter().map(|r| r.agent.as_str()));
        return Some(
            Prose::new()
                .strong("Replays: ")
                .say("clients repeated rejected attempts to ")
                .names(&replayed, 3)
                .say(" without fetching its card again"),
        );
    }
    let changed = agents(findings, |i| i.result == "changed");
    if !changed.is_empty() {
        return Some(
            Prose::new()
                .strong("Card drift: ")
                .names(&changed, 3)
                .say(" rejected attempts made under a card that had changed since"),
        );
    }
    let same = agents(findings, |i| i.result == "identical");
    if !same.is_empty() {
        return Some(
            Prose::new()
                .strong("Stale at the source: ")
                .names(&same, 3)
                .say(" rejects what its card still advertises"),
        );
    }
    None
}

fn how_bad(findings: &Findings) -> Prose {
    let s = &findings.summary;
    let mut prose = Prose::new()
        .strong(rate(s.replays, s.attempts, "attempts"))
        .say(format!(" are replays, {} are rejections", count(s.rejections)));
    if let Some(worst) = findings.storms.iter().max_by_key(|s| s.failed_attempts) {
        prose = prose.say(format!(
            "; the worst storm had {} by {} in {}, at most {} a minute",
            counted(worst.failed_attempts, "rejection", "rejections"),
            counted(worst.clients, "client", "clients"),
            duration(seconds(worst.started_at, worst.ended_at)),
            count(worst.peak_per_minute)
        ));
    }
    if s.loops > 0 {
        prose = prose.say(format!(
            "; {} although the fresh card was identical",
            counted(s.loops, "loop went on", "loops went on")
        ));
    }
    if s.replays_unknown_client > 0 {
        prose = prose.say(format!(
            "; {} rest on clients whose name is unknown",
            counted(s.replays_unknown_client, "replay", "replays")
        ));
    }
    prose
}

fn since(findings: &Findings, clock: Clock) -> Prose {
    let first = findings.incidents.iter().map(|i| i.rejected_at).min();
    let last = findings
        .replays
        .iter()
        .map(|r| r.last_failed_at)
        .chain(findings.storms.iter().map(|s| s.ended_at))
        .chain(findings.incidents.iter().map(|i| i.rejected_at))
        .max();
    match (first, last) {
        (Some(first), Some(last)) if first == last => {
            Prose::from("The rejection came ").strong(clock.utc(first))
        }
        (Some(first), Some(last)) => Prose::from("The first rejection came ")
            .strong(clock.utc(first))
            .say(", the last ")
            .strong(clock.utc(last)),
        _ => Prose::new(),
    }
}

fn side(findings: &Findings) -> Prose {
    let all = i64::try_from(findings.incidents.len()).unwrap_or(i64::MAX);
    // Identical bytes and an equal contract say the same of the agent.
    let result =
        |i: &Incident| if i.result == "cosmetic" { "identical" } else { &i.result }.to_owned();
    let results: Vec<String> = findings.incidents.iter().map(result).collect();
    let results = tally(results.iter().map(String::as_str));
    let mut pieces: Vec<Prose> = results
        .into_iter()
        .map(|(result, n)| {
            let lead = Prose::new().say(format!(
                "in {} of {} ",
                count(n),
                counted(all, "incident", "incidents")
            ));
            match result.as_str() {
                "changed" => {
                    lead.strong("the agent had changed its contract").then(changes(findings))
                }
                "identical" => lead
                    .say("the fresh card offered the same, so ")
                    .strong("the agent's side")
                    .say(" rejects what it offers"),
                "never_refetched" => lead.strong("the client never fetched the card again"),
                _ => lead.say("it is unknown what the fresh card said"),
            }
        })
        .collect();
    if findings.summary.replays > 0 {
        pieces.push(Prose::from("the replays are on ").strong("the clients'").say(" side"));
    }
    let mut told = Prose::join(pieces, "; ");
    if let Some(Span::Say(words)) = told.0.first_mut() {
        *words = words.replacen("in ", "In ", 1);
    }
    told
}

/// What changed, over all incidents whose card had.
fn changes(findings: &Findings) -> Prose {
    let changed = || findings.incidents.iter().filter(|i| i.result == "changed");
    let lists = |list: fn(&Incident) -> &Option<Vec<String>>| {
        ranked(changed().filter_map(list_of(list)).flatten().map(String::as_str))
    };
    let removed = lists(|i| &i.skills_removed);
    let added = lists(|i| &i.skills_added);
    let facets: Vec<String> = lists(|i| &i.changed).into_iter().filter(|f| f != "skills").collect();
    let mut pieces = Vec::new();
    // A skill that came with one change may go with the next.
    let several = removed.iter().any(|name| added.contains(name));
    for (names, one, many) in [(&removed, " is gone", " are gone"), (&added, " is new", " are new")]
    {
        if names.is_empty() {
            continue;
        }
        let (lead, end) = if names.len() == 1 { ("skill ", one) } else { ("skills ", many) };
        let piece = Prose::from(lead).names(names, 3).say(end);
        pieces.push(if several { piece.say(" after one change or another") } else { piece });
    }
    if !facets.is_empty() {
        pieces.push(Prose::from(format!("{} changed", facets.join(", "))));
    }
    let told = Prose::join(pieces, ", ");
    if told.is_empty() { told } else { Prose::from(" (").then(told).say(")") }
}

fn list_of<'f>(
    list: fn(&Incident) -> &Option<Vec<String>>,
) -> impl Fn(&'f Incident) -> Option<&'f Vec<String>> {
    move |incident| list(incident).as_ref()
}

fn next(findings: &Findings) -> Prose {
    let has = |result: &str| findings.incidents.iter().any(|i| i.result == result);
    let mut pieces = Vec::new();
    if findings.summary.replays > 0 || has("changed") || has("never_refetched") {
        pieces.push(Prose::from(
            "let the clients fetch the card again after one rejection, and build the next attempt on what it says",
        ));
    }
    let removed: BTreeSet<&str> = findings
        .incidents
        .iter()
        .filter_map(|i| i.skills_removed.as_ref())
        .flatten()
        .map(String::as_str)
        .collect();
    let asked = ranked(findings.incidents.iter().filter_map(|i| i.skill_id.as_deref()));
    let withdrawn: Vec<String> =
        asked.into_iter().filter(|skill| removed.contains(skill.as_str())).collect();
    if !withdrawn.is_empty() {
        pieces.push(Prose::from("stop asking for withdrawn skills: ").names(&withdrawn, 3));
    }
    let at_fault = agents(findings, |i| i.result == "identical" || i.result == "cosmetic");
    if !at_fault.is_empty() {
        pieces.push(
            Prose::from("escalate to the operator of ")
                .names(&at_fault, 3)
                .say(", which rejects what its card offers, and do not loop"),
        );
    }
    if pieces.is_empty() {
        return Prose::new();
    }
    Prose::join(pieces, "; ")
}
