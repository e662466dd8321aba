//! Objectives held against an archive.

use super::SloError;
use super::burn::{Alert, Rule, pairs, rate, replay};
use super::exact::{Ratio, share};
use super::objective::{Alerts, Budgeting, Objective};
use super::period::{Bounds, day, day_ends};
use super::source::{self, Counted, DIMENSIONS};
use super::stream::{Slicing, Stream};
use crate::query::Session;
use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use jiff::civil::Date;
use std::collections::BTreeMap;

/// Fewer events than these are too few, unless told otherwise (model §9).
pub const FLOOR: u64 = 10;
/// How many contributors of each dimension are told.
const WORST: usize = 5;

/// How objectives are measured.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// The instant that they are told for; `None`: the end of the archive. UTC nanoseconds.
    pub at: Option<i64>,
    /// Fewer events than these are too few.
    pub floor: u64,
}

/// All objectives.
#[derive(Debug, Clone)]
pub struct Levels {
    /// First and last event of the archive, UTC nanoseconds; `None`: it has no event.
    pub archive: Option<(i64, i64)>,
    /// The instant that they are told for.
    pub at: Option<i64>,
    /// In the order in which they were given.
    pub levels: Vec<Level>,
    /// Days and alerts are only those that are new since this commit of the store; `None`: all.
    pub since: Option<u64>,
    /// What happened before this was removed from the store; `None`: nothing was. UTC nanoseconds.
    pub kept_from: Option<i64>,
}

/// Whether an objective is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// At least the target's share is good.
    Met,
    /// Less than that.
    Missed,
    /// Too few events to tell.
    Insufficient,
}

impl Status {
    /// Whether the promise was broken.
    pub fn is_missed(self) -> bool {
        self == Self::Missed
    }

    /// The word that is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Missed => "missed",
            Self::Insufficient => "insufficient data",
        }
    }
}

/// One objective.
#[derive(Debug, Clone)]
pub struct Level {
    /// What was promised.
    pub objective: Objective,
    /// Fewer events than these are too few.
    pub floor: u64,
    /// The period; `None`: the archive has no event, or the calendar begins later.
    pub bounds: Option<Bounds>,
    /// Whether it is met.
    pub status: Status,
    /// What was counted in the period.
    pub counts: Counts,
    /// Rows of the queries that do not tell when they happened.
    pub undated: u64,
    /// Days of the period with an event, known or not, in order.
    pub days: Vec<Day>,
    /// The worst of each dimension.
    pub contributors: Vec<Contributor>,
    /// Burn rates at the instant.
    pub rates: Vec<Rate>,
    /// Rules with the alerts that would have fired in the whole archive.
    pub alerts: Vec<(Rule, Vec<Alert>)>,
}

/// What was counted: occurrences, or slices of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// What was bad.
    pub bad: u128,
    /// All that is known.
    pub total: u128,
    /// Events of which it is not known.
    pub unknown: u64,
    /// What one event or slice counts in `bad` and `total`.
    pub unit: u64,
}

impl Counts {
    /// In events or slices, as a float: a ratio counts as a part.
    fn of(self, amount: u128) -> f64 {
        share(amount, u128::from(self.unit.max(1)))
    }

    /// How much was bad.
    pub fn bad(self) -> f64 {
        self.of(self.bad)
    }

    /// How much there was.
    pub fn total(self) -> f64 {
        self.of(self.total)
    }

    /// How much was good.
    pub fn good(self) -> f64 {
        self.of(self.total.saturating_sub(self.bad))
    }

    /// The good share; `None` when nothing is known.
    pub fn compliance(self) -> Option<f64> {
        (self.total > 0).then(|| share(self.total.saturating_sub(self.bad), self.total))
    }

    /// The bad share by the allowed one: 1 has used the budget up.
    pub fn consumed(self, allowed: Ratio) -> Option<f64> {
        (self.total > 0).then(|| share(self.bad, self.total) / allowed.value())
    }
}

/// A day of the period.
#[derive(Debug, Clone, PartialEq)]
pub struct Day {
    /// In the zone of the window.
    pub day: Date,
    /// When it is over, or the instant if that is earlier.
    pub ends_at: i64,
    /// What was counted on it.
    pub counts: Counts,
    /// What is left of the budget of the whole period when it is over, as a share.
    pub left: Option<f64>,
    /// It is to be listed: nothing else was told of it before.
    pub new: bool,
}

/// Who has bad events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contributor {
    /// `agent`, `registry` or `client`.
    pub dimension: &'static str,
    /// `None`: unknown.
    pub name: Option<String>,
    /// Bad events in the period.
    pub bad: u128,
    /// All events in the period.
    pub total: u128,
}

/// A burn rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Rate {
    /// Length of the window in nanoseconds.
    pub window: i64,
    /// `None`: no event.
    pub burn_rate: Option<f64>,
    /// Events in the window.
    pub events: u128,
}

impl Level {
    /// What may be bad: `1 - target`.
    pub fn allowed(&self) -> Ratio {
        self.objective.target.complement().unwrap_or(Ratio { above: 1, below: 1 })
    }

    /// How many alerts would have fired.
    pub fn fired(&self) -> usize {
        self.alerts.iter().map(|(_, alerts)| alerts.len()).sum()
    }
}

impl Levels {
    /// Whether an objective is missed.
    pub fn missed(&self) -> bool {
        self.levels.iter().any(|level| level.status == Status::Missed)
    }

    /// Measures objectives.
    ///
    /// # Errors
    /// When a query cannot be run, or does not give what an indicator needs.
    pub fn measure(
        session: &Session,
        objectives: &[Objective],
        ask: Ask,
    ) -> Result<Self, SloError> {
        let archive = archive(session)?;
        let at = ask.at.or(archive.map(|(_, last)| last));
        let mut levels = Vec::new();
        let mut last: Option<(Objective, Option<Bounds>, Counted)> = None;
        for objective in objectives {
            let bounds = at.and_then(|at| objective.window.bounds(at));
            // Objectives of one service level differ in their targets most of the time.
            let same = |(other, other_bounds, _): &(Objective, Option<Bounds>, Counted)| {
                other.indicator == objective.indicator
                    && other.scope == objective.scope
                    && other.threshold == objective.threshold
                    && *other_bounds == bounds
            };
            let counted = match last.take().filter(|last| same(last)) {
                Some((_, _, counted)) => counted,
                None => source::read(session, objective, bounds)?,
            };
            levels.push(level(objective, &counted, bounds, at, ask));
            last = Some((objective.clone(), bounds, counted));
        }
        Ok(Self { archive, at, levels, since: None, kept_from: None })
    }

    /// Marks as new only the days on which something else was counted than `before`, at that commit of the
    /// store, and leaves only alerts that had not fired then, or have cleared since. `None`: nothing has
    /// changed since.
    pub fn leave_new(&mut self, before: Option<&Self>, commit: u64) {
        self.since = Some(commit);
        for (place, level) in self.levels.iter_mut().enumerate() {
            let Some(before) = before else {
                level.days.iter_mut().for_each(|day| day.new = false);
                level.alerts.iter_mut().for_each(|(_, alerts)| alerts.clear());
                continue;
            };
            // The objectives are the same.
            let Some(old) = before.levels.get(place) else { continue };
            let counted: Vec<(Date, Counts)> = old.days.iter().map(|d| (d.day, d.counts)).collect();
            for day in &mut level.days {
                day.new = !counted.contains(&(day.day, day.counts));
            }
            for ((_, alerts), (_, old)) in level.alerts.iter_mut().zip(&old.alerts) {
                alerts.retain(|alert| !old.contains(alert));
            }
        }
    }
}

/// When the archive begins and ends.
fn archive(session: &Session) -> Result<Option<(i64, i64)>, SloError> {
    let rows = session
        .sql("SELECT first_at, last_at FROM archive", &[])
        .map_err(|error| SloError::Archive { error })?;
    let value = |column: usize| {
        let array =
            rows.batches.iter().find(|batch| batch.num_rows() > 0)?.columns().get(column)?;
        array.as_primitive_opt::<Int64Type>()?.iter().next().flatten()
    };
    Ok(value(0).zip(value(1)))
}

fn level(
    objective: &Objective,
    counted: &Counted,
    bounds: Option<Bounds>,
    at: Option<i64>,
    ask: Ask,
) -> Level {
    let floor = objective.min_events.unwrap_or(ask.floor).max(1);
    let end = at.unwrap_or(i64::MAX);
    let stream = budgeted(objective, &counted.stream, end);
    let mut level = Level {
        objective: objective.clone(),
        floor,
        bounds,
        status: Status::Insufficient,
        counts: Counts { unit: stream.unit, ..Counts::default() },
        undated: counted.undated,
        days: Vec::new(),
        contributors: contributors(counted),
        rates: Vec::new(),
        alerts: Vec::new(),
    };
    let Some(bounds) = bounds else { return level };
    // A slice is known when it is over, and belongs to the period before.
    let shift = i64::from(objective.budgeting != Budgeting::Occurrences);
    let mut days: BTreeMap<Date, Counts> = BTreeMap::new();
    let zone = objective.window.zone();
    let inside = |t: i64| (bounds.first..=bounds.last).contains(&t);
    for moment in &stream.moments {
        let belongs = moment.at.saturating_sub(shift);
        if inside(belongs) {
            let on = days.entry(day(belongs, &zone)).or_insert(level.counts_of_nothing());
            on.bad += u128::from(moment.bad);
            on.total += u128::from(moment.total);
        }
    }
    for (t, amount) in counted.unknown.iter().filter(|(t, _)| inside(*t)) {
        days.entry(day(*t, &zone)).or_insert(level.counts_of_nothing()).unknown += amount;
    }
    for counts in days.values() {
        level.counts.bad += counts.bad;
        level.counts.total += counts.total;
        level.counts.unknown += counts.unknown;
    }
    let allowed = level.allowed();
    let mut bad = 0;
    for (day, counts) in days {
        bad += counts.bad;
        let so_far = Counts { bad, ..level.counts };
        let ends_at = day_ends(day, &zone).map_or(bounds.last, |end| end.min(bounds.last));
        let left = so_far.consumed(allowed).map(|consumed| 1.0 - consumed);
        level.days.push(Day { day, ends_at, counts, left, new: true });
    }
    let enough = level.counts.total >= u128::from(floor) * u128::from(stream.unit);
    if let Some(order) = allowed.compared(level.counts.bad, level.counts.total).filter(|_| enough) {
        level.status = if order.is_gt() { Status::Missed } else { Status::Met };
    }
    let rules = match &objective.alerts {
        Alerts::Pairs => pairs(objective.window.duration().nominal()),
        Alerts::Rules(rules) => rules.clone(),
    };
    let mut windows: Vec<i64> = rules.iter().flat_map(|rule| rule.windows.clone()).collect();
    windows.sort_unstable();
    windows.dedup();
    level.rates = windows
        .into_iter()
        .map(|window| {
            let (burn_rate, events) = rate(&stream, window, bounds.last, allowed);
            Rate { window, burn_rate, events }
        })
        .collect();
    level.alerts = rules
        .into_iter()
        .map(|rule| {
            let alerts = replay(&stream, &rule, allowed, floor, bounds.last);
            (rule, alerts)
        })
        .collect();
    level
}

impl Level {
    fn counts_of_nothing(&self) -> Counts {
        Counts { unit: self.counts.unit, ..Counts::default() }
    }
}

/// The stream that the budget is counted over.
fn budgeted(objective: &Objective, stream: &Stream, end: i64) -> Stream {
    let anchor = objective.window.anchor();
    match objective.budgeting {
        Budgeting::Occurrences => stream.clone(),
        Budgeting::Timeslices { length, target } => {
            stream.sliced(Slicing { length, anchor, target: Some(target) }, end)
        }
        Budgeting::RatioTimeslices { length } => {
            stream.sliced(Slicing { length, anchor, target: None }, end)
        }
    }
}

/// Those with the most bad events, dimension by dimension.
fn contributors(counted: &Counted) -> Vec<Contributor> {
    let unit = u128::from(counted.stream.unit.max(1));
    let mut all = Vec::new();
    for (place, dimension) in DIMENSIONS.into_iter().enumerate() {
        let of = counted.contributors.iter().filter(|((p, _), (bad, _))| *p == place && *bad > 0);
        let mut of: Vec<(&String, i64, i64)> =
            of.map(|((_, name), (bad, total))| (name, *bad, *total)).collect();
        // Where no row has a name there is nothing to tell apart.
        if of.iter().all(|(name, ..)| name.is_empty()) {
            continue;
        }
        of.sort_by(|a, b| (b.1, b.2, a.0).cmp(&(a.1, a.2, b.0)));
        all.extend(of.into_iter().take(WORST).map(|(name, bad, total)| Contributor {
            dimension,
            name: (!name.is_empty()).then(|| name.clone()),
            bad: u128::try_from(bad).unwrap_or(0) / unit,
            total: u128::try_from(total).unwrap_or(0) / unit,
        }));
    }
    all
}
