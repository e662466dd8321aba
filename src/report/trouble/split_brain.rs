//! Completed tasks whose artifacts contradict the card that they were admitted under.

use super::{Trouble, ranked, tally};
use crate::report::causes;
use crate::report::document::Prose;
use crate::report::figures::{Clock, bounded, count, counted, duration, rate};
use crate::report::findings::{Binding, Findings};
use std::collections::BTreeSet;

/// So many causes are told in the opening.
const CAUSES: usize = 3;

pub(super) fn find(findings: &Findings, clock: Clock) -> Option<Trouble> {
    if findings.summary.split_brain == 0 {
        return None;
    }
    Some(Trouble {
        what: what(findings),
        how_bad: how_bad(findings),
        since: since(findings, clock),
        side: side(findings),
        next: next(findings),
    })
}

fn what(findings: &Findings) -> Prose {
    let agents = ranked(findings.split_brains.iter().filter_map(|b| b.agent.as_deref()));
    let tasks = if agents.is_empty() { "Tasks" } else { "Tasks of " };
    Prose::new()
        .strong("Split-brain: ")
        .say(tasks.to_lowercase())
        .names(&agents, 3)
        .say(" completed with artifacts that contradict the Agent Card they were admitted under")
}

fn how_bad(findings: &Findings) -> Prose {
    let s = &findings.summary;
    let mut prose = Prose::new()
        .strong(rate(s.split_brain, s.verifiable, "verifiable tasks"))
        .say(" are split-brain, ")
        .say(match s.silent {
            0 => "none of them silent".to_owned(),
            n if n == s.split_brain => "all of them silent: their digests match".to_owned(),
            n => format!("{} of them silent: their digests match", count(n)),
        });
    if s.window_verifiable > 0 {
        prose = prose
            .say("; within rotation windows, from a rotation until the mirror showed it, ")
            .say(rate(s.window_split_brain, s.window_verifiable, ""));
    }
    if s.after_verifiable > 0 {
        prose = prose.say("; once the mirrors had caught up ").say(rate(
            s.after_split_brain,
            s.after_verifiable,
            "",
        ));
    }
    let elsewhere = s.verifiable - s.window_verifiable - s.after_verifiable;
    if elsewhere > 0 && s.window_verifiable + s.after_verifiable > 0 {
        prose = prose.say("; before the first rotation or not through a mirror ").say(rate(
            s.split_brain - s.window_split_brain - s.after_split_brain,
            elsewhere,
            "",
        ));
    }
    if s.unverifiable > 0 {
        prose = prose.say(format!(
            "; {} could not be checked",
            counted(s.unverifiable, "completed task", "completed tasks")
        ));
    }
    prose
}

fn since(findings: &Findings, clock: Clock) -> Prose {
    let times = || findings.split_brains.iter().filter_map(|b| b.admitted_at);
    let mut prose = Prose::new();
    if let (Some(first), Some(last)) = (times().min(), times().max()) {
        prose = if first == last {
            prose.say("Admitted ").strong(clock.utc(first))
        } else {
            prose
                .say("The first was admitted ")
                .strong(clock.utc(first))
                .say(", the last ")
                .strong(clock.utc(last))
        };
    }
    let open = findings.summary.windows_open;
    if open > 0 {
        let windows = counted(open, "rotation window is", "rotation windows are");
        prose = prose.say(format!("; {windows} still open: it goes on"));
    } else if findings.summary.rotations > 0 {
        let rotations = counted(findings.summary.rotations, "rotation", "rotations");
        prose = prose.say(format!("; {rotations} on record, no window still open"));
    }
    if let Some(end) = findings.last_time() {
        prose = prose.say(format!(" at the end of the recording, {}", clock.utc(end)));
    }
    prose
}

fn side(findings: &Findings) -> Prose {
    let all = i64::try_from(findings.split_brains.len()).unwrap_or(i64::MAX);
    let causes = tally(findings.split_brains.iter().map(cause_of));
    let rest: i64 = causes.iter().skip(CAUSES).map(|(_, n)| *n).sum();
    let pieces = causes.iter().take(CAUSES).map(|(cause, n)| {
        let of_cause = |b: &&Binding| cause_of(b) == cause;
        let mut piece = Prose::new().say(format!(
            "{} of {} ",
            count(*n),
            counted(all, "artifact", "artifacts")
        ));
        let names = match cause.as_str() {
            "registry_lag" => ranked(
                findings.split_brains.iter().filter(of_cause).filter_map(|b| b.registry.as_deref()),
            ),
            _ => Vec::new(),
        };
        let side = causes::cause(cause).map_or("unknown", |c| c.side);
        piece = match cause.as_str() {
            "unknown" => piece.say("for reasons that the recording does not show"),
            "mid_flight" => piece.say("are on ").strong("nobody's").say(" side"),
            _ => piece.say("are on ").strong(format!("{side}'s")).say(" side"),
        };
        if !names.is_empty() {
            piece = piece.say(": ").names(&names, 3);
        }
        if let Some(cause) = causes::cause(cause).filter(|c| c.name != "unknown") {
            piece = piece.say(format!(" ({}: {})", cause.name, cause.meaning));
        }
        let uncertain =
            findings.split_brains.iter().filter(of_cause).filter(|b| uncertain(b)).count();
        match i64::try_from(uncertain).unwrap_or(i64::MAX) {
            0 => piece,
            all if all == *n => piece.say(", not certain"),
            some => piece.say(format!(", {} of them not certain", count(some))),
        }
    });
    let mut prose = Prose::join(pieces, "; ");
    if rest > 0 {
        prose = prose.say(format!(
            "; {} {} other causes",
            count(rest),
            if rest == 1 { "has" } else { "have" }
        ));
    }
    if findings.split_brains.iter().any(uncertain) {
        prose = prose.say("; what is not certain falls between two looks at the authority");
    }
    if let Some(lag) = longest_lag(findings) {
        prose = prose.then(lag);
    }
    prose
}

/// Whether the cause rests on where in the bounds of a rotation a time lies.
fn uncertain(binding: &Binding) -> bool {
    binding.cause_certain == Some(false)
}

/// `; the longest lag …` of the registries that are to blame.
fn longest_lag(findings: &Findings) -> Option<Prose> {
    let blamed: BTreeSet<(&str, &str)> = findings
        .split_brains
        .iter()
        .filter(|b| b.cause.as_deref() == Some("registry_lag"))
        .filter_map(|b| Some((b.agent.as_deref()?, b.registry.as_deref()?)))
        .collect();
    let lags = || findings.lags.iter().filter(|l| blamed.contains(&(&*l.agent, &*l.registry)));
    let longest = lags()
        .filter_map(|l| Some((l.lag_s?, l.lag_min_s?, l.lag_max_s?)))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let open = lags().filter(|l| l.status == "open").filter_map(|l| l.lag_min_s);
    let text = match (longest, open.max_by(f64::total_cmp)) {
        (Some((lag, low, high)), _) => {
            format!("; the longest closed lag was {}", bounded(lag, low, high))
        }
        (None, Some(least)) => format!("; the lag is at least {}", duration(least)),
        (None, None) => return None,
    };
    Some(text.into())
}

fn next(findings: &Findings) -> Prose {
    let targets = |name: &str| {
        ranked(
            findings
                .actions
                .iter()
                .filter(|a| a.action == name)
                .filter_map(|a| a.target.as_deref()),
        )
    };
    let artifacts = i64::try_from(targets("quarantine_artifact").len()).unwrap_or(i64::MAX);
    let mut pieces =
        vec![Prose::from("quarantine ").strong(counted(artifacts, "artifact", "artifacts"))];
    let behind = targets("re_resolve_and_escalate_registry");
    if !behind.is_empty() {
        pieces.push(
            Prose::from("resolve the card again past the cache of ")
                .names(&behind, 3)
                .say(" and tell its operator that it lags its source"),
        );
    }
    let again: Vec<String> =
        targets("re_resolve").into_iter().filter(|r| !behind.contains(r)).collect();
    if !again.is_empty() {
        pieces.push(Prose::from("resolve the card again at ").names(&again, 3));
    }
    let escalate = targets("escalate_agent");
    if !escalate.is_empty() {
        pieces.push(
            Prose::from("tell the operator of ")
                .names(&escalate, 3)
                .say(" that card and emitter differ"),
        );
    }
    let stop = targets("quarantine_agent");
    if !stop.is_empty() {
        pieces.push(Prose::from("stop delegating to ").names(&stop, 3));
    }
    Prose::join(pieces, "; ")
        .say("; neither fail nor retry the tasks (")
        .code("carddrift actions")
        .say(" lists them)")
}

fn cause_of(binding: &Binding) -> &str {
    binding.cause.as_deref().unwrap_or("unknown")
}
