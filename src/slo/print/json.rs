//! One object, `carddrift.slo/1`.

use super::super::burn::{Alert, Rule};
use super::super::measure::{Contributor, Counts, Day, Level, Levels, Rate};
use super::super::objective::Budgeting;
use super::super::period::TimeWindow;
use super::time;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct File<'a> {
    schema: &'static str,
    archive: Option<Archive>,
    evaluated_at: Option<String>,
    /// What happened before this was removed from the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_from: Option<String>,
    /// Days and alerts are those that are new since this commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    since_commit: Option<u64>,
    missed: usize,
    objectives: Vec<One<'a>>,
}

#[derive(Serialize)]
struct Archive {
    first_at: String,
    last_at: String,
}

#[derive(Serialize)]
struct One<'a> {
    name: String,
    slo: &'a str,
    display_name: Option<&'a str>,
    service: &'a str,
    objective: Option<&'a str>,
    indicator: &'a str,
    file: &'a str,
    line: usize,
    target: f64,
    budgeting_method: &'static str,
    time_slice_s: Option<f64>,
    window: Window,
    status: &'static str,
    compliance: Option<f64>,
    good: f64,
    bad: f64,
    total: f64,
    unknown: u64,
    undated: u64,
    min_events: u64,
    error_budget: Budget,
    burn_rates: Vec<BurnRate>,
    days: Vec<OneDay>,
    contributors: Vec<OneContributor<'a>>,
    rules: Vec<OneRule<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Window {
    duration: String,
    rolling: bool,
    time_zone: String,
    /// Of a rolling window not included.
    starts_at: Option<String>,
    ends_at: Option<String>,
}

#[derive(Serialize)]
struct Budget {
    allowed: f64,
    allowed_bad: f64,
    bad_left: f64,
    consumed: Option<f64>,
    left: Option<f64>,
}

#[derive(Serialize)]
struct BurnRate {
    window_s: f64,
    #[serde(rename = "burn_rate")]
    value: Option<f64>,
    events: u128,
}

#[derive(Serialize)]
struct OneDay {
    day: String,
    good: f64,
    bad: f64,
    total: f64,
    unknown: u64,
    compliance: Option<f64>,
    budget_left: Option<f64>,
}

#[derive(Serialize)]
struct OneContributor<'a> {
    dimension: &'static str,
    name: Option<&'a str>,
    bad: u128,
    total: u128,
}

#[derive(Serialize)]
struct OneRule<'a> {
    name: &'a str,
    severity: &'a str,
    windows_s: Vec<f64>,
    threshold: f64,
    after_s: f64,
    alerts: Vec<OneAlert>,
}

#[derive(Serialize)]
struct OneAlert {
    fired_at: String,
    cleared_at: Option<String>,
    first_bad_at: Option<String>,
    detected_after_s: Option<f64>,
    lasted_s: Option<f64>,
    peak_burn_rate: f64,
}

#[expect(clippy::cast_precision_loss, reason = "printed as seconds")]
fn seconds(ns: i64) -> f64 {
    ns as f64 / 1e9
}

/// Writes it.
pub fn write(levels: &Levels, out: &mut dyn Write) -> io::Result<()> {
    let file = File {
        schema: "carddrift.slo/1",
        archive: levels
            .archive
            .map(|(first, last)| Archive { first_at: time(first), last_at: time(last) }),
        evaluated_at: levels.at.map(time),
        kept_from: levels.kept_from.map(time),
        since_commit: levels.since,
        missed: levels.levels.iter().filter(|l| l.status.is_missed()).count(),
        objectives: levels.levels.iter().map(one).collect(),
    };
    let text = serde_json::to_vec_pretty(&file)?;
    out.write_all(&text)?;
    out.write_all(b"\n")
}

fn one(level: &Level) -> One<'_> {
    let objective = &level.objective;
    let counts = level.counts;
    let allowed = level.allowed();
    let consumed = counts.consumed(allowed);
    let allowed_bad = allowed.value() * counts.total();
    One {
        name: objective.name(),
        slo: &objective.slo,
        display_name: objective.slo_title.as_deref(),
        service: &objective.service,
        objective: objective.title.as_deref(),
        indicator: &objective.indicator.name,
        file: &objective.file,
        line: objective.line,
        target: objective.target.value(),
        budgeting_method: objective.budgeting.as_str(),
        time_slice_s: match objective.budgeting {
            Budgeting::Occurrences => None,
            Budgeting::Timeslices { length, .. } | Budgeting::RatioTimeslices { length } => {
                Some(seconds(length))
            }
        },
        window: window(level),
        status: level.status.as_str(),
        compliance: counts.compliance(),
        good: counts.good(),
        bad: counts.bad(),
        total: counts.total(),
        unknown: counts.unknown,
        undated: level.undated,
        min_events: level.floor,
        error_budget: Budget {
            allowed: allowed.value(),
            allowed_bad,
            bad_left: allowed_bad - counts.bad(),
            consumed,
            left: consumed.map(|consumed| 1.0 - consumed),
        },
        burn_rates: level.rates.iter().map(burn_rate).collect(),
        days: level.days.iter().filter(|day| day.new).map(day).collect(),
        contributors: level.contributors.iter().map(contributor).collect(),
        rules: level.alerts.iter().map(|(rule, alerts)| one_rule(rule, alerts)).collect(),
        notes: &objective.notes,
    }
}

fn window(level: &Level) -> Window {
    let window = &level.objective.window;
    let rolling = matches!(window, TimeWindow::Rolling(_));
    Window {
        duration: window.duration().to_string(),
        rolling,
        time_zone: window.zone().iana_name().unwrap_or("UTC").to_owned(),
        starts_at: level.bounds.map(|b| time(if rolling { b.first - 1 } else { b.first })),
        ends_at: level.bounds.map(|b| time(b.ends_at)),
    }
}

fn burn_rate(rate: &Rate) -> BurnRate {
    BurnRate { window_s: seconds(rate.window), value: rate.burn_rate, events: rate.events }
}

fn day(day: &Day) -> OneDay {
    let Counts { unknown, .. } = day.counts;
    OneDay {
        day: day.day.to_string(),
        good: day.counts.good(),
        bad: day.counts.bad(),
        total: day.counts.total(),
        unknown,
        compliance: day.counts.compliance(),
        budget_left: day.left,
    }
}

fn contributor(contributor: &Contributor) -> OneContributor<'_> {
    OneContributor {
        dimension: contributor.dimension,
        name: contributor.name.as_deref(),
        bad: contributor.bad,
        total: contributor.total,
    }
}

fn one_rule<'a>(rule: &'a Rule, alerts: &[Alert]) -> OneRule<'a> {
    OneRule {
        name: &rule.name,
        severity: &rule.severity,
        windows_s: rule.windows.iter().map(|w| seconds(*w)).collect(),
        threshold: rule.threshold.value(),
        after_s: seconds(rule.after),
        alerts: alerts.iter().map(one_alert).collect(),
    }
}

fn one_alert(alert: &Alert) -> OneAlert {
    OneAlert {
        fired_at: time(alert.fired_at),
        cleared_at: alert.cleared_at.map(time),
        first_bad_at: alert.first_bad_at.map(time),
        detected_after_s: alert.first_bad_at.map(|first| seconds(alert.fired_at - first)),
        lasted_s: alert.cleared_at.map(|cleared| seconds(cleared - alert.fired_at)),
        peak_burn_rate: alert.peak_burn_rate,
    }
}
