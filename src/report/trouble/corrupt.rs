//! Artifacts of the admitted schema whose payload does not match their digest.

use super::{Trouble, ranked};
use crate::report::document::Prose;
use crate::report::figures::{Clock, rate};
use crate::report::findings::Findings;

pub(super) fn find(findings: &Findings, clock: Clock) -> Option<Trouble> {
    let s = &findings.summary;
    if s.corrupt == 0 {
        return None;
    }
    let agents = ranked(findings.corrupt.iter().filter_map(|b| b.agent.as_deref()));
    let times = || findings.corrupt.iter().filter_map(|b| b.artifact_at);
    let since = match (times().min(), times().max()) {
        (Some(first), Some(last)) => Prose::from("The first corrupt artifact came ")
            .strong(clock.utc(first))
            .say(", the last ")
            .strong(clock.utc(last)),
        _ => Prose::new(),
    };
    Some(Trouble {
        what: Prose::new()
            .strong("Corrupt: ")
            .say("artifacts of ")
            .names(&agents, 3)
            .say(" do not match the digest that was stated for them"),
        how_bad: Prose::new()
            .strong(rate(s.corrupt, s.verifiable, "verifiable tasks"))
            .say(" are corrupt"),
        since,
        side: Prose::from(
            "Corruption lies between the producer's digest and the recorder; the card is not to blame",
        ),
        next: Prose::from(
            "ask for the corrupt artifacts again, and compare them where they left the agent",
        ),
    })
}
