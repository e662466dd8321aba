//! What is wrong, how bad it is, since when, on whose side, and what to do: the first five lines.
//!
//! *A kind of trouble*: one file and one line in [`all`], worst first.

mod corrupt;
mod lag;
mod quiet;
mod rejections;
mod split_brain;

pub(in crate::report) use quiet::reasons;

use super::bias;
use super::document::Prose;
use super::figures::{Clock, count, counted};
use super::findings::Findings;

/// One thing that is wrong, told in five parts without a full stop; all but the last begin with a
/// capital.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trouble {
    /// What is wrong.
    pub what: Prose,
    /// How bad it is, with counts and intervals.
    pub how_bad: Prose,
    /// Since when.
    pub since: Prose,
    /// On whose side.
    pub side: Prose,
    /// What to do next.
    pub next: Prose,
}

/// How the first screen sounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Something is wrong.
    Alarm,
    /// What was measured is as it should be.
    Calm,
    /// Nothing, or too little, could be measured: that is no good news.
    Open,
}

/// What is wrong, worst first; empty when nothing is.
pub fn all(findings: &Findings) -> Vec<Trouble> {
    let clock = Clock::of(findings.first_time(), findings.last_time());
    let kinds = [split_brain::find, rejections::find, corrupt::find, lag::find];
    kinds.into_iter().filter_map(|find| find(findings, clock)).collect()
}

/// What there is to tell, worst first and never empty, and how it sounds.
pub fn told(findings: &Findings) -> (Vec<Trouble>, Tone) {
    let mut troubles = all(findings);
    let tone = match (troubles.is_empty(), quiet::few_checked(&findings.summary)) {
        (false, _) => Tone::Alarm,
        (true, true) => Tone::Open,
        (true, false) => Tone::Calm,
    };
    if troubles.is_empty() {
        let clock = Clock::of(findings.first_time(), findings.last_time());
        troubles.push(quiet::find(findings, clock));
    }
    if let (Some(first), Some(limits)) = (troubles.first_mut(), findings.limits()) {
        let how_bad = std::mem::take(&mut first.how_bad);
        first.how_bad = how_bad.say("; only a part was measured: ").told(limits);
    }
    let (lost, read) = (findings.total(|s| s.rejected), findings.total(|s| s.records));
    if let (Some(first), true) = (troubles.first_mut(), lost > 0) {
        let records = counted(read, "record", "records");
        let how_bad = std::mem::take(&mut first.how_bad);
        first.how_bad = how_bad.say(format!("; {} of {records} could not be read", count(lost)));
    }
    if let (Some(first), Some(mind)) = (troubles.first_mut(), bias::grave(findings)) {
        first.how_bad = std::mem::take(&mut first.how_bad).say("; ").then(mind);
    }
    (troubles, tone)
}

/// The first five sentences, and whether they are an alarm.
pub fn opening(findings: &Findings) -> (Vec<Prose>, bool) {
    let (troubles, tone) = told(findings);
    (sentences(troubles), tone == Tone::Alarm)
}

/// So many troubles are told in all five parts; of the others only what is wrong.
const TOLD: usize = 2;

/// Each part of the troubles as one sentence.
fn sentences(troubles: Vec<Trouble>) -> Vec<Prose> {
    let mut parts: [Vec<Prose>; 5] = Default::default();
    for (i, trouble) in troubles.into_iter().enumerate() {
        let told = [trouble.what, trouble.how_bad, trouble.since, trouble.side, trouble.next];
        let wanted = if i < TOLD { told.len() } else { 1 };
        for (part, prose) in parts.iter_mut().zip(told).take(wanted) {
            part.push(prose);
        }
    }
    let [what, how_bad, since, side, next] = parts;
    let whole = |pieces| Prose::join(pieces, ". ");
    let next = Prose::join(next, "; also ");
    let next = if next.is_empty() { next } else { Prose::from("Next: ").then(next) };
    [whole(what), whole(how_bad), whole(since), whole(side), next]
        .into_iter()
        .filter(|sentence| !sentence.is_empty())
        .map(|sentence| sentence.say("."))
        .collect()
}

/// How often each value occurs, most often first, then by name.
pub(in crate::report) fn tally<'a>(
    values: impl IntoIterator<Item = &'a str>,
) -> Vec<(String, i64)> {
    let mut counts = std::collections::BTreeMap::<&str, i64>::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let mut counts: Vec<(String, i64)> =
        counts.into_iter().map(|(value, n)| (value.to_owned(), n)).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

/// The values of [`tally`] without their counts.
pub(super) fn ranked<'a>(values: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    tally(values).into_iter().map(|(value, _)| value).collect()
}
