//! Levels as prose and tables, for text and Markdown.

use super::super::measure::{Level, Levels, Status};
use super::super::period::TimeWindow;
use super::{apart, exact, kept, number, percent, time, unit};
use crate::report::document::{Document, Prose, Section, Table};
use crate::report::figures::duration;

/// How many alerts are listed.
const MOST_ALERTS: usize = 40;

/// The document.
pub fn document(levels: &Levels) -> Document {
    let count = |status| levels.levels.iter().filter(|l| l.status == status).count();
    let (missed, few) = (count(Status::Missed), count(Status::Insufficient));
    let met = count(Status::Met);
    let all = levels.levels.len();
    let mut first = match missed {
        0 if few == 0 && all == 1 => "The objective is met".to_owned(),
        0 if few == 0 => format!("All {all} objectives are met"),
        0 => format!("{met} of {all} objectives {} met", are(met)),
        1 if all == 1 => "The objective is missed".to_owned(),
        _ => format!("{missed} of {all} objectives {} missed", are(missed)),
    };
    if few > 0 {
        first.push_str("; of ");
        first.push_str(&few.to_string());
        first.push_str(" there is too little data to tell");
    }
    let mut opening = vec![Prose::new().strong(first).say(".")];
    opening.push(match (levels.archive, levels.at) {
        (Some((first, last)), Some(at)) => Prose::new().say(format!(
            "As of {}, over an archive from {} to {}.",
            time(at),
            time(first),
            time(last)
        )),
        _ => "The archive has no event.".into(),
    });
    if let Some(from) = levels.kept_from {
        opening.push(kept(from).into());
    }
    if let Some(commit) = levels.since {
        opening.push(
            format!("Days and alerts are those that are new since commit {commit} of the store.")
                .as_str()
                .into(),
        );
    }
    let sections =
        [objectives(levels), alerts(levels), contributors(levels), days(levels), notes(levels)];
    Document {
        title: "Service levels".to_owned(),
        opening,
        alarm: missed > 0,
        sections: sections.into_iter().filter(|section| !section.is_empty()).collect(),
    }
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// A number of events; of parts of time slices as many decimals as a person reads.
fn few(value: f64) -> String {
    number((value * 1000.0).round() / 1000.0)
}

fn share(value: Option<f64>) -> Prose {
    value.map_or_else(|| "unknown".into(), |v| percent(v).into())
}

fn objectives(levels: &Levels) -> Section {
    let mut section = Section::new("Objectives");
    let mut table = Table::new(&[
        "objective",
        "status",
        ">good",
        ">target",
        ">bad",
        ">of",
        ">unknown",
        ">budget left",
        "period",
    ]);
    for level in &levels.levels {
        let objective = &level.objective;
        let target = objective.target.value();
        let left = level.counts.consumed(level.allowed()).map(|consumed| 1.0 - consumed);
        let status = Prose::new();
        table.row([
            Prose::new().name(objective.name()),
            match level.status {
                Status::Missed => status.strong("missed"),
                other => status.say(other.as_str()),
            },
            level
                .counts
                .compliance()
                .map_or_else(|| "unknown".into(), |good| apart(good, target).into()),
            exact(target).into(),
            few(level.counts.bad()).into(),
            format!("{} {}", few(level.counts.total()), unit(level)).into(),
            level.counts.unknown.to_string().into(),
            share(left),
            period(level).into(),
        ]);
    }
    section.table(table);
    section
}

fn period(level: &Level) -> String {
    let window = &level.objective.window;
    let length = window.duration();
    match (window, level.bounds) {
        (TimeWindow::Rolling(_), _) => format!("last {length}"),
        (TimeWindow::Calendar(_), None) => format!("{length}, not begun"),
        (TimeWindow::Calendar(_), Some(bounds)) => {
            format!("{length} from {}", time(bounds.first))
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a person reads it")]
fn lasted(from: i64, to: i64) -> String {
    duration(to.saturating_sub(from) as f64 / 1e9)
}

fn alerts(levels: &Levels) -> Section {
    let mut section = Section::new("Alerts that would have fired");
    let mut table = Table::new(&[
        "objective",
        "rule",
        "severity",
        "fired",
        ">after the first bad event",
        "cleared",
        ">lasted",
        ">highest burn rate",
    ]);
    let mut more = 0_usize;
    for level in &levels.levels {
        for (rule, alerts) in &level.alerts {
            for alert in alerts {
                if table.rows.len() >= MOST_ALERTS {
                    more += 1;
                    continue;
                }
                table.row([
                    Prose::new().name(level.objective.name()),
                    Prose::new().name(&rule.name),
                    Prose::new().name(&rule.severity),
                    time(alert.fired_at).into(),
                    alert
                        .first_bad_at
                        .map_or_else(Prose::new, |at| lasted(at, alert.fired_at).into()),
                    alert.cleared_at.map_or_else(|| "not yet".into(), |at| time(at).into()),
                    alert
                        .cleared_at
                        .map_or_else(Prose::new, |at| lasted(alert.fired_at, at).into()),
                    format!("{:.2}", alert.peak_burn_rate).into(),
                ]);
            }
        }
    }
    if more > 0 {
        table.more = Some(format!("and {more} more: --format json has all of them").into());
    }
    section.table(table);
    section
}

fn contributors(levels: &Levels) -> Section {
    let mut section = Section::new("Who has the bad events");
    let mut table = Table::new(&["objective", "by", "name", ">bad", ">of"]);
    for level in &levels.levels {
        for worst in &level.contributors {
            let name = Prose::new();
            table.row([
                Prose::new().name(level.objective.name()),
                worst.dimension.into(),
                match &worst.name {
                    Some(known) => name.name(known),
                    None => name.say("unknown"),
                },
                worst.bad.to_string().into(),
                worst.total.to_string().into(),
            ]);
        }
    }
    section.table(table);
    section
}

fn days(levels: &Levels) -> Section {
    let mut section = Section::new("Budget by day");
    let mut table =
        Table::new(&["objective", "day", ">bad", ">of", ">unknown", ">good", ">budget left"]);
    for level in &levels.levels {
        let target = level.objective.target.value();
        let zone = level.objective.window.zone();
        for day in level.days.iter().filter(|day| day.new) {
            let zone = zone.iana_name().filter(|name| *name != "UTC");
            table.row([
                Prose::new().name(level.objective.name()),
                zone.map_or_else(|| day.day.to_string(), |z| format!("{} {z}", day.day)).into(),
                few(day.counts.bad()).into(),
                few(day.counts.total()).into(),
                day.counts.unknown.to_string().into(),
                day.counts.compliance().map_or_else(Prose::new, |good| apart(good, target).into()),
                share(day.left),
            ]);
        }
    }
    section.table(table);
    section
}

fn notes(levels: &Levels) -> Section {
    let mut section = Section::new("Notes");
    for level in &levels.levels {
        let name = || Prose::new().name(level.objective.name());
        for note in &level.objective.notes {
            section.item(name().say(format!(": {note}.")));
        }
        if level.status == Status::Insufficient {
            let least = level.floor;
            section.item(name().say(format!(
                ": fewer than {least} {} are too few to tell; --min-events or the annotation \
                 carddrift/min-events set another floor.",
                unit(level)
            )));
        }
        if level.undated > 0 {
            let rows = level.undated;
            section.item(name().say(format!(
                ": {rows} rows of its query do not tell when they happened, and are left out."
            )));
        }
    }
    section
}
