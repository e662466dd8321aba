//! Mirrors that have not caught up with the authority.

use super::{Trouble, ranked};
use crate::report::document::Prose;
use crate::report::figures::{Clock, count, duration};
use crate::report::findings::{Findings, Lag};

pub(super) fn find(findings: &Findings, clock: Clock) -> Option<Trouble> {
    let open: Vec<&Lag> = findings.lags.iter().filter(|l| l.status == "open").collect();
    let first = open.iter().map(|l| l.rotated_at).min()?;
    let registries = ranked(open.iter().map(|l| l.registry.as_str()));
    let agents = ranked(open.iter().map(|l| l.agent.as_str()));
    let least = open.iter().filter_map(|l| l.lag_min_s).max_by(f64::total_cmp);
    let mut how_bad = Prose::new().strong(format!(
        "{} of {}",
        count(i64::try_from(open.len()).unwrap_or(i64::MAX)),
        count(i64::try_from(findings.lags.len()).unwrap_or(i64::MAX))
    ));
    how_bad = how_bad.say(" rotation windows of mirrors are still open");
    if let Some(least) = least {
        how_bad = how_bad.say(format!(", the longest for at least {}", duration(least)));
    }
    Some(Trouble {
        what: Prose::new()
            .strong("Mirror behind: ")
            .names(&registries, 3)
            .say(" had not shown the current contract of ")
            .names(&agents, 3)
            .say(" when the recording ended"),
        how_bad,
        since: Prose::from("The authority rotated ").strong(clock.utc(first)),
        side: Prose::from("The open windows are on ")
            .strong("the registry's")
            .say(" side: ")
            .names(&registries, 3),
        next: Prose::from("resolve at the authority until ")
            .names(&registries, 3)
            .say(" has caught up"),
    })
}
