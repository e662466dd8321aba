//! Objectives over rows that are written down here: an archive without events and SQL of values.

use super::burn::pairs;
use super::measure::{Ask, Level, Levels, Status};
use super::*;
use crate::config::Config;
use crate::query::{Session, Settings};
use crate::tables::Dataset;

const SECOND: i64 = 1_000_000_000;
const HOUR: i64 = 3600 * SECOND;
const DAY: i64 = 24 * HOUR;

fn session() -> Session {
    let settings = Settings { threads: 1, ..Settings::of(&Config::default()) };
    Session::open(Dataset::default(), &settings).unwrap()
}

/// Rows `(second, good, agent)` as SQL; `None` is null.
fn rows(rows: &[(Option<i64>, Option<bool>, &str)]) -> String {
    let null = || "NULL".to_owned();
    let values: Vec<String> = rows
        .iter()
        .map(|(at, good, agent)| {
            let at = at.map_or_else(null, |s| (s * SECOND).to_string());
            let good = good.map_or_else(null, |g| g.to_string());
            format!("(CAST({at} AS BIGINT), CAST({good} AS BOOLEAN), '{agent}')")
        })
        .collect();
    format!(
        "SELECT column1 AS at, column2 AS good, column3 AS agent FROM (VALUES {})",
        values.join(", ")
    )
}

/// An SLO over `sql`, with what is below `spec` beside the indicator.
fn slo(sql: &str, spec: &str) -> String {
    let source = format!("{{metricSource: {{type: carddrift, spec: {{sql: \"{sql}\"}}}}}}");
    slo_of(&format!("ratioMetric: {{good: {source}, total: {source}}}"), spec)
}

fn slo_of(metric: &str, spec: &str) -> String {
    format!(
        "apiVersion: openslo/v1
kind: SLO
metadata: {{name: x}}
spec:
  service: s
  indicator: {{metadata: {{name: i}}, spec: {{{metric}}}}}
{spec}
"
    )
}

const ROLLING: &str = "  timeWindow: [{duration: 1d, isRolling: true}]
  budgetingMethod: Occurrences
  objectives: [{target: 0.9}]";

fn measured(text: &str, at: i64) -> Result<Vec<Level>, SloError> {
    let objectives = openslo::read(&[("slo.yaml".to_owned(), text.to_owned())]).unwrap();
    let ask = Ask { at: Some(at), floor: 1 };
    Ok(Levels::measure(&session(), &objectives, ask)?.levels)
}

fn one(text: &str, at: i64) -> Level {
    measured(text, at).unwrap().remove(0)
}

#[test]
fn the_built_in_objectives_can_be_read_and_run() {
    let objectives = built_in();
    let names: Vec<String> = objectives.iter().map(Objective::name).collect();
    assert_eq!(names, ["binding", "integrity", "freshness", "replays"]);
    let targets: Vec<f64> = objectives.iter().map(|o| o.target.value()).collect();
    assert_eq!(targets, [0.999, 0.9999, 0.99, 0.99]);
    let levels = Levels::measure(&session(), &objectives, Ask { at: None, floor: 10 }).unwrap();
    assert_eq!((levels.archive, levels.at, levels.missed()), (None, None, false));
    assert!(levels.levels.iter().all(|level| level.status == Status::Insufficient));
}

#[test]
fn what_is_not_known_is_counted_apart() {
    let sql = rows(&[
        (Some(10), Some(true), "a"),
        (Some(10), Some(false), "b"),
        (Some(20), None, "a"),
        (Some(30), Some(true), "b"),
        (None, Some(true), "a"),
    ]);
    let level = one(&slo(&sql, ROLLING), 40 * SECOND);
    assert_eq!((level.counts.bad, level.counts.total, level.counts.unknown), (1, 3, 1));
    assert_eq!(level.undated, 1);
    assert_eq!(level.counts.compliance(), Some(2.0 / 3.0));
    assert_eq!(level.status, Status::Missed);
    let worst: Vec<_> = level
        .contributors
        .iter()
        .map(|c| (c.dimension, c.name.as_deref(), c.bad, c.total))
        .collect();
    assert_eq!(worst, [("agent", Some("b"), 1, 2)]);
}

#[test]
fn a_target_met_exactly_is_met_and_too_few_are_no_answer() {
    let ten: Vec<_> = (0..10).map(|i| (Some(i), Some(i > 0), "a")).collect();
    let level = one(&slo(&rows(&ten), ROLLING), 100 * SECOND);
    assert_eq!(level.status, Status::Met);
    assert_eq!(level.days.last().unwrap().left.map(|l| l.abs() < 1e-12), Some(true));
    let floor = slo(&rows(&ten), ROLLING)
        .replace("{name: x}", "{name: x, annotations: {carddrift/min-events: \"11\"}}");
    assert_eq!(one(&floor, 100 * SECOND).status, Status::Insufficient);
}

#[test]
fn a_rolling_window_holds_its_end_and_not_its_beginning() {
    let day = 86_400;
    let sql = rows(&[
        (Some(0), Some(false), "a"),
        (Some(1), Some(true), "a"),
        (Some(day), Some(true), "a"),
    ]);
    let counts = |at: i64| {
        let level = one(&slo(&sql, ROLLING), at);
        (level.counts.bad, level.counts.total)
    };
    assert_eq!(counts(day * SECOND - 1), (1, 2));
    assert_eq!(counts(day * SECOND), (0, 2));
    assert_eq!(counts(day * SECOND + SECOND), (0, 1));
}

#[test]
fn periods_and_days_of_a_calendar_follow_its_zone() {
    // 1970 in Kathmandu: five and a half hours ahead.
    let spec = ROLLING.replace(
        "{duration: 1d, isRolling: true}",
        "{duration: 1w, calendar: {startTime: 1970-01-01 00:00:00, timeZone: Asia/Kathmandu}}",
    );
    // The period begins at 1969-12-31T18:30Z, the second day at 1970-01-01T18:30Z.
    let begin = -(5 * 3600 + 1800);
    let second = begin + 86_400;
    let sql = rows(&[
        (Some(begin - 1), Some(false), "a"),
        (Some(begin), Some(false), "a"),
        (Some(second - 1), Some(true), "a"),
        (Some(second), Some(true), "a"),
    ]);
    let level = one(&slo(&sql, &spec), DAY);
    assert_eq!((level.counts.bad, level.counts.total), (1, 3));
    let days: Vec<_> = level.days.iter().map(|d| (d.day.to_string(), d.counts.total)).collect();
    assert_eq!(days, [("1970-01-01".to_owned(), 2), ("1970-01-02".to_owned(), 1)]);
    assert_eq!(level.days[0].ends_at, second * SECOND);
    // Before the calendar begins there is no period.
    assert_eq!(one(&slo(&sql, &spec), begin * SECOND - 1).bounds, None);
}

#[test]
fn slices_without_events_count_neither_way() {
    let sql = rows(&[
        (Some(0), Some(true), "a"),
        (Some(1), Some(false), "a"),
        (Some(70), Some(true), "a"),
        (Some(200), Some(false), "a"),
        (Some(205), None, "a"),
    ]);
    let spec = |method: &str, more: &str| {
        ROLLING
            .replace("Occurrences", method)
            .replace("target: 0.9", &format!("target: 0.9, timeSliceWindow: 1m{more}"))
    };
    let slices = one(&slo(&sql, &spec("Timeslices", ", timeSliceTarget: 0.5")), 1000 * SECOND);
    // [0, 60): half is good, which is enough; [60, 120) good; [180, 240) bad.
    assert_eq!((slices.counts.bad, slices.counts.total, slices.counts.unknown), (1, 3, 1));
    let ratios = one(&slo(&sql, &spec("RatioTimeslices", "")), 1000 * SECOND);
    // The average of 1/2, 1 and 0.
    assert_eq!(ratios.counts.compliance(), Some(0.5));
    assert_eq!((ratios.counts.bad(), ratios.counts.total()), (1.5, 3.0));
}

#[test]
fn thresholds_ratios_and_counts_of_rows() {
    let values = "SELECT column1 AS at, column2 AS v, column3 AS n, column4 AS share FROM \
                  (VALUES (1, 5.0, 3, 1.0), (2, 7.5, 1, 0.25), (3, NULL, 2, NULL))";
    let source = |more: &str| {
        format!("metricSource: {{type: carddrift, spec: {{sql: \"{values}\", {more}}}}}")
    };
    let metric = format!("thresholdMetric: {{{}}}", source("value: v, count: n"));
    let spec = ROLLING.replace("target: 0.9", "target: 0.9, op: lt, value: 7.5");
    let level = one(&slo_of(&metric, &spec), SECOND);
    assert_eq!((level.counts.bad, level.counts.total, level.counts.unknown), (1, 4, 2));
    let metric = format!("ratioMetric: {{rawType: success, raw: {{{}}}}}", source("value: share"));
    let level = one(&slo_of(&metric, ROLLING), SECOND);
    assert_eq!((level.counts.bad(), level.counts.total(), level.counts.unknown), (0.75, 2.0, 1));
    let metric = metric.replace("success", "failure");
    assert_eq!(one(&slo_of(&metric, ROLLING), SECOND).counts.compliance(), Some(0.375));
    let metric = format!(
        "ratioMetric: {{bad: {{{}}}, total: {{{}}}}}",
        source("where: v > 6"),
        source("where: n > 0, unknown: share < 0.5")
    );
    // The row of 2 is unknown to the total but bad: the objective contradicts itself.
    let error = measured(&slo_of(&metric, ROLLING), SECOND).unwrap_err().to_string();
    assert!(error.contains("numerator has more rows"), "{error}");
    // A null numerator is unknown, and taken out of the total.
    let metric = metric.replace("unknown: share < 0.5", "count: 1");
    let level = one(&slo_of(&metric, ROLLING), SECOND);
    assert_eq!((level.counts.bad, level.counts.total, level.counts.unknown), (1, 2, 1));
}

#[test]
fn what_a_query_lacks_is_told_with_the_place() {
    let told =
        |metric: &str, spec: &str| measured(&slo_of(metric, spec), SECOND).unwrap_err().to_string();
    let source = |spec: &str| format!("{{metricSource: {{type: carddrift, spec: {{{spec}}}}}}}");
    let metric = |spec: &str| format!("ratioMetric: {{good: {0}, total: {0}}}", source(spec));
    let error = told(&metric("query: binding_event"), ROLLING);
    assert!(error.contains("slo.yaml:6: x: no query is called `binding_event`"), "{error}");
    assert!(error.contains("did you mean `binding_events`?"), "{error}");
    let error = told(&metric("sql: SELECT 1 AS good"), ROLLING);
    assert!(error.contains("no column `at`"), "{error}");
    let error = told(&metric("sql: SELECT 1 AS at"), ROLLING);
    assert!(error.contains("no column `good`"), "{error}");
    let error = told(&metric("query: freshness_events, params: {within_s: soon}"), ROLLING);
    assert!(error.contains("wants number"), "{error}");
    let error = told(&metric("sql: DROP TABLE cards"), ROLLING);
    assert!(error.contains("slo.yaml:6"), "{error}");
    let labelled = slo_of(&metric("sql: \"SELECT 1 AS at, true AS good\""), ROLLING)
        .replace("{name: x}", "{name: x, labels: {registry: r1}}");
    let error = measured(&labelled, SECOND).unwrap_err().to_string();
    assert!(error.contains("no column for its label `registry`"), "{error}");
}

#[test]
fn labels_select_agents() {
    let sql = rows(&[(Some(1), Some(false), "agent://b/x"), (Some(2), Some(true), "agent://c/y")]);
    let text = slo(&sql, ROLLING)
        .replace("{name: x}", "{name: x, labels: {agent: [\"agent://c/*\", other], team: t}}");
    let level = one(&text, 10 * SECOND);
    assert_eq!((level.counts.bad, level.counts.total), (0, 1));
}

#[test]
fn alerts_of_the_model_are_replayed_over_the_archive() {
    // A good task each minute for two days, then fifteen bad ones, one each ten seconds.
    let mut all: Vec<_> = (0..2880).map(|minute| (Some(minute * 60), Some(true), "a")).collect();
    let start = 2880 * 60;
    all.extend((0..15).map(|i| (Some(start + i * 10), Some(false), "a")));
    let spec = ROLLING.replace("1d", "30d").replace("0.9", "0.99");
    let level = one(&slo(&rows(&all), &spec), (start + 7200) * SECOND);
    let fired: Vec<_> = level
        .alerts
        .iter()
        .map(|(rule, alerts)| {
            let alert = alerts.first();
            (
                rule.name.as_str(),
                alerts.len(),
                alert.map(|a| {
                    (a.fired_at / SECOND - start, a.cleared_at.map(|c| c / SECOND - start))
                }),
            )
        })
        .collect();
    // One hour: 59 or 60 good ones beside k bad ones; more than 0.144 with the tenth or eleventh.
    // (start - 3600, start] holds 59 good tasks; k / (59 + k) > 0.144 from k = 10 on, at 90 s; the task
    // of the minute 59 leaves at 60 s, so that 58 are left, and 10/68 > 0.144 while 9/67 is not.
    // The bad ones fill the five minutes until 140 s + 300 s, when the last one leaves.
    assert_eq!(fired[0], ("1h/5m", 1, Some((90, Some(440)))));
    assert_eq!(level.alerts[0].1[0].first_bad_at, Some(start * SECOND));
    assert_eq!(fired.len(), pairs(30 * DAY).len());
    let rate = level.rates.iter().find(|r| r.window == HOUR).unwrap();
    assert_eq!((rate.burn_rate, rate.events), (None, 0));
}
