//! Retry storms, and who replayed.

use super::{MOST, View, card, client, mind, more, names, titled};
use crate::report::audit::Measure;
use crate::report::document::{Section, Table};
use crate::report::figures::{count, counted, duration, rate, seconds};
use crate::report::findings::Replays;

pub(super) fn section(view: View<'_>) -> Section {
    let mut section = titled("Retry storms and replays");
    let s = &view.findings.summary;
    if s.replays == 0 {
        return section;
    }
    section.line(format!(
        "A replay is a rejected attempt sent after an earlier rejection under the same card, without \
         a fetch in between: {}; {}.",
        rate(s.replays, s.attempts, "attempts"),
        counted(s.storms, "storm", "storms"),
    ));
    mind(view, Measure::Replays, &mut section);
    let mut storms = Table::new(&[
        "agent",
        "started",
        ">lasted",
        ">rejections",
        ">replays",
        ">clients",
        ">peak a minute",
        "card",
        "skills",
        "outcomes",
    ]);
    for storm in view.findings.storms.iter().take(MOST) {
        storms.row([
            view.agent(&storm.agent),
            view.time(Some(storm.started_at)),
            duration(seconds(storm.started_at, storm.ended_at)).into(),
            count(storm.failed_attempts).into(),
            count(storm.replays).into(),
            count(storm.clients).into(),
            count(storm.peak_per_minute).into(),
            card(storm.card.as_ref()),
            names(storm.skills.as_ref()),
            names(storm.errors.as_ref()),
        ]);
    }
    more(&mut storms, view.findings.storms.len(), "retry_storms");
    section.table(storms);
    let mut worst: Vec<&Replays> = view.findings.replays.iter().collect();
    worst.sort_by_key(|r| (std::cmp::Reverse(r.replays), r.first_failed_at));
    let mut replays = Table::new(&[
        "client",
        "agent",
        "first rejected",
        "last rejected",
        ">rejections",
        ">replays",
        "card",
        "skills",
        "ended by",
    ]);
    for r in worst.into_iter().take(MOST) {
        replays.row([
            client(r.client.as_ref()),
            view.agent(&r.agent),
            view.time(Some(r.first_failed_at)),
            view.time(Some(r.last_failed_at)),
            count(r.failed_attempts).into(),
            count(r.replays).into(),
            card(r.card.as_ref()),
            names(r.skills.as_ref()),
            r.ended_by.as_deref().map_or_else(Default::default, |e| e.replace('_', " ").into()),
        ]);
    }
    more(&mut replays, view.findings.replays.len(), "replays");
    section.table(replays);
    section
}
