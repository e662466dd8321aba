//! What the archive says day by day, as families of samples.
//!
//! Counters grow over the archive and have a sample at the end of each UTC day on which they grew; the
//! day that the archive ends on is over with it.

use super::super::SloError;
use super::super::measure::{Levels, Status};
use super::super::period::{day, day_ends};
use crate::query::Session;
use crate::report::rows::View;
use crate::report::typed;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Upper bounds of the buckets of lags, in seconds.
const BUCKETS: [u32; 10] = [60, 300, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400];

/// The kind of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It only grows.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Counts by size.
    Histogram,
}

/// Names and values of labels.
pub type Labels = Vec<(&'static str, String)>;

/// A value at an instant.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Whole.
    Count(u64),
    /// Any.
    Number(f64),
    /// Of each bucket of [`BUCKETS`] how many are at most so large, then how many there are, their sum.
    Buckets([u64; 10], u64, f64),
}

/// A family of metrics.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// Its name, of a counter without `_total`.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Its unit, which ends its name; empty: none.
    pub unit: &'static str,
    /// What it says.
    pub help: &'static str,
    /// Of each metric its samples in order of time; UTC nanoseconds.
    pub metrics: BTreeMap<Labels, Vec<(i64, Value)>>,
}

impl Family {
    fn new(name: &'static str, kind: Kind, unit: &'static str, help: &'static str) -> Self {
        Self { name, kind, unit, help, metrics: BTreeMap::new() }
    }

    fn push(&mut self, labels: Labels, at: i64, value: Value) {
        self.metrics.entry(labels).or_default().push((at, value));
    }

    /// Adds to a counter: days must come in order.
    fn grow(&mut self, labels: Labels, at: i64, by: u64) {
        let samples = self.metrics.entry(labels).or_default();
        let before = match samples.last() {
            Some((_, Value::Count(count))) => *count,
            _ => 0,
        };
        let sum = Value::Count(before.saturating_add(by));
        match samples.last_mut() {
            Some(last) if last.0 == at => last.1 = sum,
            _ => samples.push((at, sum)),
        }
    }
}

/// The bounds of the buckets.
pub fn bucket_bounds() -> impl Iterator<Item = f64> {
    BUCKETS.into_iter().map(f64::from)
}

#[derive(Debug, Deserialize)]
struct Daily {
    day: String,
    agent: Option<String>,
    registry: Option<String>,
    verifiable: u64,
    split_brain: u64,
    digest_match: u64,
    digest_mismatch: u64,
    binding_sli: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct Tried {
    day: String,
    agent: Option<String>,
    outcome: String,
    attempts: u64,
    replays: u64,
}

#[derive(Debug, Deserialize)]
struct Lag {
    at: i64,
    agent: Option<String>,
    registry: Option<String>,
    seconds: f64,
}

#[derive(Debug, Deserialize)]
struct Storm {
    at: i64,
    agent: Option<String>,
}

fn ask<T: DeserializeOwned>(session: &Session, sql: &str) -> Result<Vec<T>, SloError> {
    let rows = session.sql(sql, &[]).map_err(|error| SloError::Archive { error })?;
    let view = View { schema: &rows.schema, batches: &rows.batches };
    typed::read(view).map_err(|error| SloError::Archive {
        error: crate::query::QueryError::Failed {
            name: "series".into(),
            message: error.to_string(),
        },
    })
}

/// The families of an archive and of its levels.
///
/// # Errors
/// When a query cannot be run.
pub fn read(session: &Session, levels: &Levels) -> Result<Vec<Family>, SloError> {
    let mut families = Vec::new();
    let Some((_, last)) = levels.archive else { return Ok(families) };
    // The end of an instant's day, or of the archive.
    let ends = |at: i64| {
        day_ends(day(at, &TimeZone::UTC), &TimeZone::UTC).map_or(last, |end| end.min(last))
    };
    let ends_of = |text: &str| {
        let date = text.parse().ok();
        date.and_then(|d| day_ends(d, &TimeZone::UTC)).map_or(last, |end| end.min(last))
    };
    families.extend(tasks(session, &ends_of)?);
    families.extend(attempts(session, &ends_of)?);
    families.push(storms(session, &ends)?);
    families.extend(lags(session, last)?);
    families.extend(promises(levels));
    families.retain(|family| !family.metrics.is_empty());
    Ok(families)
}

fn of(agent: Option<&String>, registry: Option<&String>) -> Labels {
    let name = |text: Option<&String>| text.cloned().unwrap_or_default();
    vec![("agent", name(agent)), ("registry", name(registry))]
}

fn tasks(session: &Session, ends_of: &dyn Fn(&str) -> i64) -> Result<[Family; 5], SloError> {
    let mut verifiable = Family::new(
        "a2a_verifiable_tasks",
        Kind::Counter,
        "",
        "Completed tasks whose artifacts could be checked against the card of their admission.",
    );
    let mut split = Family::new(
        "a2a_split_brain_tasks",
        Kind::Counter,
        "",
        "Verifiable tasks with an artifact that contradicts the card of their admission.",
    );
    let mut ratio = Family::new(
        "a2a_split_brain_ratio",
        Kind::Gauge,
        "ratio",
        "Share of split-brain tasks among the verifiable ones of the day.",
    );
    let mut held = Family::new(
        "a2a_digest_match_tasks",
        Kind::Counter,
        "",
        "Verifiable tasks whose digests match.",
    );
    let mut broken = Family::new(
        "a2a_digest_mismatch_tasks",
        Kind::Counter,
        "",
        "Verifiable tasks with a digest that does not match.",
    );
    for row in ask::<Daily>(session, "SELECT * FROM slo_daily AS d ORDER BY day, agent, registry")?
    {
        let at = ends_of(&row.day);
        let labels = of(row.agent.as_ref(), row.registry.as_ref());
        verifiable.grow(labels.clone(), at, row.verifiable);
        split.grow(labels.clone(), at, row.split_brain);
        held.grow(labels.clone(), at, row.digest_match);
        broken.grow(labels.clone(), at, row.digest_mismatch);
        if let Some(sli) = row.binding_sli {
            ratio.push(labels, at, Value::Number(1.0 - sli));
        }
    }
    Ok([verifiable, split, ratio, held, broken])
}

fn attempts(session: &Session, ends_of: &dyn Fn(&str) -> i64) -> Result<[Family; 2], SloError> {
    let mut attempts = Family::new("a2a_attempts", Kind::Counter, "", "Attempts by their outcome.");
    let mut replays = Family::new(
        "a2a_replays",
        Kind::Counter,
        "",
        "Rejections under a card that had already failed, without a fetch in between.",
    );
    let sql = "SELECT CAST(CAST(arrow_cast(t.t, 'Timestamp(Nanosecond, None)') AS DATE) AS VARCHAR) AS day, \
               t.agent, t.outcome, count(*) AS attempts, count(CASE WHEN r.is_replay THEN 1 END) AS replays \
               FROM try_selection AS t LEFT JOIN rejections AS r ON r.id = t.id \
               GROUP BY 1, t.agent, t.outcome ORDER BY 1, 2, 3";
    for row in ask::<Tried>(session, sql)? {
        let at = ends_of(&row.day);
        let agent = ("agent", row.agent.clone().unwrap_or_default());
        attempts.grow(vec![agent.clone(), ("outcome", row.outcome)], at, row.attempts);
        if row.replays > 0 {
            replays.grow(vec![agent], at, row.replays);
        }
    }
    Ok([attempts, replays])
}

fn storms(session: &Session, ends: &dyn Fn(i64) -> i64) -> Result<Family, SloError> {
    let mut storms = Family::new("a2a_retry_storms", Kind::Counter, "", "Retry storms begun.");
    let sql = "SELECT CAST(started_at AS BIGINT) AS at, agent FROM retry_storms AS s ORDER BY 1, 2";
    for row in ask::<Storm>(session, sql)? {
        storms.grow(vec![("agent", row.agent.unwrap_or_default())], ends(row.at), 1);
    }
    Ok(storms)
}

/// How long mirrors took: each at the instant at which it had caught up, and all of them as a histogram
/// at the end of the archive. One instant is all that `prometheus_client` reads of a histogram: of the
/// next ones it drops samples.
fn lags(session: &Session, last: i64) -> Result<[Family; 2], SloError> {
    let mut each = Family::new(
        "a2a_registry_catch_up_seconds",
        Kind::Gauge,
        "seconds",
        "How long the mirror took that has just shown a rotation's contract.",
    );
    let mut all = Family::new(
        "a2a_registry_lag_seconds",
        Kind::Histogram,
        "seconds",
        "How long mirrors took to show a rotation's contract, of those that did.",
    );
    let sql = "SELECT greatest(caught_up_at, rotated_at) AS at, agent, registry, \
               CAST(lag AS DOUBLE) / 1000000000.0 AS seconds FROM lag_selection AS l \
               WHERE status = 'closed' AND NOT never_away ORDER BY 1, 4, 2, 3";
    for row in ask::<Lag>(session, sql)? {
        let labels = of(row.agent.as_ref(), row.registry.as_ref());
        let samples = each.metrics.entry(labels.clone()).or_default();
        match samples.last_mut() {
            // Of several at one instant the longest.
            Some(sample) if sample.0 == row.at => sample.1 = Value::Number(row.seconds),
            _ => samples.push((row.at, Value::Number(row.seconds))),
        }
        let samples = all.metrics.entry(labels).or_default();
        let (mut counts, mut count, mut sum) = match samples.pop() {
            Some((_, Value::Buckets(counts, count, sum))) => (counts, count, sum),
            _ => ([0; 10], 0, 0.0),
        };
        for (bucket, bound) in counts.iter_mut().zip(bucket_bounds()) {
            *bucket += u64::from(row.seconds <= bound);
        }
        count += 1;
        sum += row.seconds;
        samples.push((last, Value::Buckets(counts, count, sum)));
    }
    Ok([each, all])
}

/// What was promised and what came of it.
fn promises(levels: &Levels) -> Vec<Family> {
    let gauge = |name, unit, help| Family::new(name, Kind::Gauge, unit, help);
    let mut target = gauge("carddrift_slo_target_ratio", "ratio", "The share that must be good.");
    let mut good = gauge("carddrift_slo_compliance_ratio", "ratio", "The share that is good.");
    let mut left = gauge(
        "carddrift_slo_error_budget_left_ratio",
        "ratio",
        "What is left of the error budget of the period; below 0 it is overdrawn.",
    );
    let mut met = gauge("carddrift_slo_met", "", "1 met, 0 missed; absent with too few events.");
    let mut known = gauge("carddrift_slo_known_events", "", "Events of the period that are known.");
    let mut bad = gauge("carddrift_slo_bad_events", "", "Bad events of the period.");
    let mut unknown =
        gauge("carddrift_slo_unknown_events", "", "Events of the period that are not.");
    let mut fired = gauge(
        "carddrift_slo_alerts_fired",
        "",
        "Alerts that would have fired in the archive up to its end.",
    );
    for level in &levels.levels {
        let Some(at) = levels.at else { continue };
        let objective = &level.objective;
        let labels = vec![
            ("objective", objective.title.clone().unwrap_or_else(|| objective.place.to_string())),
            ("service", objective.service.clone()),
            ("slo", objective.slo.clone()),
        ];
        target.push(labels.clone(), at, Value::Number(objective.target.value()));
        if let Some(share) = level.counts.compliance() {
            good.push(labels.clone(), at, Value::Number(share));
        }
        for day in &level.days {
            if let Some(share) = day.left {
                left.push(labels.clone(), day.ends_at, Value::Number(share));
            }
        }
        if level.status != Status::Insufficient {
            met.push(labels.clone(), at, Value::Count(u64::from(level.status == Status::Met)));
        }
        known.push(labels.clone(), at, Value::Number(level.counts.total()));
        bad.push(labels.clone(), at, Value::Number(level.counts.bad()));
        unknown.push(labels.clone(), at, Value::Count(level.counts.unknown));
        for (rule, alerts) in &level.alerts {
            let mut labels = labels.clone();
            labels.extend([("rule", rule.name.clone()), ("severity", rule.severity.clone())]);
            fired.push(labels, at, Value::Count(alerts.len().try_into().unwrap_or(u64::MAX)));
        }
    }
    vec![target, good, left, met, known, bad, unknown, fired]
}
