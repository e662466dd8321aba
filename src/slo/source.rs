//! From the rows of queries to a stream of counts.
//!
//! A metric source names a query and says in SQL, over its columns, when a row happened (`time`), whether
//! it counts (`where`), whether that is not known (`unknown`), how much it counts (`count`) and its value
//! (`value`). A query with the columns `at` and `good`, as the indicators have them, needs none of these.
//! A row whose `where` is null is unknown: counted apart, neither good nor bad.

use super::SloError;
use super::objective::{Metric, Objective, Relation, Source};
use super::period::Bounds;
use super::stream::{Moment, Stream, WHOLE, of_ratio};
use crate::query::{self, Rows, Session};
use arrow::array::{Array, AsArray, BooleanArray, Float64Array, Int64Array, StringArray};
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::collections::BTreeMap;

/// By what bad events are told apart.
pub const DIMENSIONS: [&str; 3] = ["agent", "registry", "client"];

/// Bad and total of each dimension (its place in [`DIMENSIONS`]) and name; a null is the empty name.
pub type Contributors = BTreeMap<(usize, String), (i64, i64)>;

/// Everything that an indicator says.
#[derive(Debug, Clone)]
pub struct Counted {
    /// What is known.
    pub stream: Stream,
    /// Instants of what is not known, and how much; in no order.
    pub unknown: Vec<(i64, u64)>,
    /// Rows that do not tell when they happened.
    pub undated: u64,
    /// Who contributed within the bounds.
    pub contributors: Contributors,
}

/// Runs the queries of an objective's indicator; contributors are counted within `bounds`.
pub(super) fn read(
    session: &Session,
    objective: &Objective,
    bounds: Option<Bounds>,
) -> Result<Counted, SloError> {
    let scope = &objective.scope;
    let metric = &objective.indicator.metric;
    let mut gathering = Gathering {
        objective,
        bounds,
        unit: if matches!(metric, Metric::Raw { .. }) { WHOLE } else { 1 },
        changes: Vec::new(),
        unknown: Vec::new(),
        undated: 0,
        contributors: BTreeMap::new(),
        matchers: [
            matcher(objective, &scope.agents)?,
            matcher(objective, &scope.registries)?,
            matcher(objective, &scope.clients)?,
        ],
    };
    match metric {
        Metric::Threshold(source) => gathering.add(session, source, Part::Threshold)?,
        Metric::Good { good, total } => {
            gathering.add(session, total, Part::Total { as_bad: 1 })?;
            gathering.add(session, good, Part::Good)?;
        }
        Metric::Bad { bad, total } => {
            gathering.add(session, total, Part::Total { as_bad: 0 })?;
            gathering.add(session, bad, Part::Bad)?;
        }
        Metric::Raw { source, success } => {
            gathering.add(session, source, Part::Raw { success: *success })?;
        }
    }
    gathering.finish()
}

/// What the rows of a source are in their metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All rows; where good ones are told, each is bad until it is told good.
    Total {
        as_bad: i64,
    },
    Good,
    Bad,
    Threshold,
    Raw {
        success: bool,
    },
}

/// What is gathered while rows are read.
struct Gathering<'a> {
    objective: &'a Objective,
    bounds: Option<Bounds>,
    unit: u64,
    changes: Vec<Change>,
    unknown: Vec<(i64, u64)>,
    undated: u64,
    contributors: Contributors,
    matchers: [Option<GlobSet>; 3],
}

/// A change of the counts at one instant.
struct Change {
    at: i64,
    bad: i64,
    total: i64,
}

/// A matcher of globs; `None` matches all.
fn matcher(objective: &Objective, globs: &[String]) -> Result<Option<GlobSet>, SloError> {
    if globs.is_empty() {
        return Ok(None);
    }
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        let made = Glob::new(glob);
        builder
            .add(made.map_err(|e| fault(objective, format!("`{glob}` is no glob: {}", e.kind())))?);
    }
    builder.build().map(Some).map_err(|e| fault(objective, e.to_string()))
}

fn fault(objective: &Objective, what: impl Into<String>) -> SloError {
    SloError::Objective {
        file: objective.file.clone(),
        line: objective.line,
        name: objective.name(),
        what: what.into(),
    }
}

/// The SQL of each column that is asked of a source whose query has the columns `names`.
fn columns(
    objective: &Objective,
    source: &Source,
    part: Part,
    names: &[String],
) -> Result<String, SloError> {
    let has = |name: &str| names.iter().any(|column| column == name);
    let time = match &source.time {
        Some(sql) => sql.as_str(),
        None if has("at") => "at",
        None => {
            let what = "its query has no column `at`: say when a row happened with `time: COLUMN`";
            return Err(fault(objective, what));
        }
    };
    let filter = match (&source.filter, part) {
        (Some(sql), _) => sql.as_str(),
        // What `good` leaves open is told once, by the total.
        (None, Part::Good) if has("good") => "coalesce(good, false)",
        (None, Part::Bad) if has("good") => "coalesce(NOT good, false)",
        (None, Part::Total { .. }) if has("good") => "CASE WHEN good IS NOT NULL THEN true END",
        (None, Part::Good | Part::Bad) => {
            let what = "its query has no column `good`: say which rows count with `where: SQL`";
            return Err(fault(objective, what));
        }
        (None, _) => "true",
    };
    let unknown = source.unknown.as_deref().unwrap_or("false");
    let count = source.count.as_deref().unwrap_or("1");
    let value = source.value.as_deref().unwrap_or("NULL");
    let dimension = |name: &str| {
        let column = if has(name) { name } else { "NULL" };
        format!("CAST({column} AS VARCHAR) AS in_{name}")
    };
    let dimensions = DIMENSIONS.map(dimension).join(", ");
    Ok(format!(
        "CAST(arrow_cast(({time}), 'Timestamp(Nanosecond, Some(\"UTC\"))') AS BIGINT) AS in_at, \
         CAST(({filter}) AS BOOLEAN) AS in_counts, CAST(({unknown}) AS BOOLEAN) AS in_unknown, \
         CAST(({count}) AS BIGINT) AS in_count, CAST(({value}) AS DOUBLE) AS in_value, {dimensions}"
    ))
}

/// A batch of rows.
struct Batch {
    at: Int64Array,
    counts: BooleanArray,
    unknown: BooleanArray,
    count: Int64Array,
    value: Float64Array,
    names: Vec<StringArray>,
}

/// What a row says.
enum Says {
    /// It does not count.
    Nothing,
    /// It is not known whether it counts, or as what.
    Unknown,
    /// So much bad of so much.
    Known(i64, i64),
}

impl Gathering<'_> {
    fn add(&mut self, session: &Session, source: &Source, part: Part) -> Result<(), SloError> {
        let objective = self.objective;
        let failed = |error| SloError::Query {
            file: objective.file.clone(),
            line: source.line,
            name: objective.name(),
            error,
        };
        let relation = match &source.relation {
            Relation::Query(name) => query::Relation::Named(name),
            Relation::Sql(sql) => query::Relation::Sql(sql),
        };
        let names = session.columns(relation, &source.params).map_err(failed)?;
        for (name, matcher) in DIMENSIONS.iter().zip(&self.matchers) {
            if matcher.is_some() && !names.iter().any(|column| column == name) {
                let what = format!("its query has no column for its label `{name}`");
                return Err(fault(objective, what));
            }
        }
        let columns = columns(objective, source, part, &names)?;
        let rows = session.select(&columns, relation, &source.params).map_err(failed)?;
        self.rows(&rows, part)
    }

    fn rows(&mut self, rows: &Rows, part: Part) -> Result<(), SloError> {
        let objective = self.objective;
        let broken = || fault(objective, "its query gives columns of other types than asked for");
        for batch in &rows.batches {
            let cast = |column: usize, to: &DataType| {
                let array = batch.columns().get(column).ok_or_else(broken)?;
                arrow::compute::cast(array, to).map_err(|_| broken())
            };
            let mut names = Vec::new();
            for column in 5..8 {
                names.push(cast(column, &DataType::Utf8)?.as_string::<i32>().clone());
            }
            let batch = Batch {
                at: cast(0, &DataType::Int64)?.as_primitive::<Int64Type>().clone(),
                counts: cast(1, &DataType::Boolean)?.as_boolean().clone(),
                unknown: cast(2, &DataType::Boolean)?.as_boolean().clone(),
                count: cast(3, &DataType::Int64)?.as_primitive::<Int64Type>().clone(),
                value: cast(4, &DataType::Float64)?.as_primitive::<Float64Type>().clone(),
                names,
            };
            for row in 0..batch.at.len() {
                self.row(&batch, row, part)?;
            }
        }
        Ok(())
    }

    fn row(&mut self, batch: &Batch, row: usize, part: Part) -> Result<(), SloError> {
        let name = |place: usize| {
            let texts = batch.names.get(place).filter(|texts| texts.is_valid(row));
            texts.map_or("", |texts| texts.value(row))
        };
        let mut matchers = self.matchers.iter().enumerate();
        if !matchers.all(|(place, m)| m.as_ref().is_none_or(|m| m.is_match(name(place)))) {
            return Ok(());
        }
        let count = batch.count.is_valid(row).then(|| batch.count.value(row));
        let Some(count) = count.filter(|n| *n >= 0) else {
            return Err(fault(self.objective, "the `count` of a row is null or negative"));
        };
        let says = self.says(batch, row, part)?;
        if matches!(says, Says::Nothing) {
            return Ok(());
        }
        let in_total = !matches!(part, Part::Good | Part::Bad);
        let amount = u64::try_from(count).unwrap_or(0);
        if !batch.at.is_valid(row) {
            // The total tells of each row once.
            self.undated += if in_total { amount } else { 0 };
            return Ok(());
        }
        let at = batch.at.value(row);
        let (bad, total) = match says {
            Says::Nothing => return Ok(()),
            Says::Known(bad, total) => (bad, total),
            Says::Unknown => {
                self.unknown.push((at, amount));
                match part {
                    // The total holds this row already: it is taken out again.
                    Part::Good => (-1, -1),
                    Part::Bad => (0, -1),
                    _ => return Ok(()),
                }
            }
        };
        let (bad, total) = (bad.saturating_mul(count), total.saturating_mul(count));
        self.changes.push(Change { at, bad, total });
        if self.bounds.is_some_and(|b| (b.first..=b.last).contains(&at)) {
            for place in 0..DIMENSIONS.len() {
                let sums = self.contributors.entry((place, name(place).to_owned())).or_default();
                *sums = (sums.0.saturating_add(bad), sums.1.saturating_add(total));
            }
        }
        Ok(())
    }

    fn says(&self, batch: &Batch, row: usize, part: Part) -> Result<Says, SloError> {
        if batch.unknown.is_valid(row) && batch.unknown.value(row) || !batch.counts.is_valid(row) {
            return Ok(Says::Unknown);
        }
        if !batch.counts.value(row) {
            return Ok(Says::Nothing);
        }
        let value = batch.value.is_valid(row).then(|| batch.value.value(row));
        let value = value.filter(|v| !v.is_nan());
        Ok(match part {
            Part::Total { as_bad } => Says::Known(as_bad, 1),
            Part::Good => Says::Known(-1, 0),
            Part::Bad => Says::Known(1, 0),
            Part::Threshold => match (value, self.objective.threshold) {
                (Some(value), Some(threshold)) => {
                    let order = value.partial_cmp(&threshold.value);
                    Says::Known(i64::from(!order.is_some_and(|o| threshold.op.holds(o))), 1)
                }
                _ => Says::Unknown,
            },
            Part::Raw { success } => match value.map(of_ratio) {
                None => Says::Unknown,
                Some(None) => {
                    return Err(fault(self.objective, "a ratio of its query lies outside 0 to 1"));
                }
                Some(Some(portion)) => {
                    let bad = if success { WHOLE - portion } else { portion };
                    let whole = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
                    Says::Known(whole(bad), whole(WHOLE))
                }
            },
        })
    }

    fn finish(mut self) -> Result<Counted, SloError> {
        self.changes.sort_unstable_by_key(|change| change.at);
        let mut moments: Vec<Moment> = Vec::new();
        let mut changes = self.changes.iter().peekable();
        while let Some(first) = changes.next() {
            let (mut bad, mut total) = (first.bad, first.total);
            while let Some(next) = changes.next_if(|change| change.at == first.at) {
                bad = bad.saturating_add(next.bad);
                total = total.saturating_add(next.total);
            }
            let (Ok(known_bad), Ok(known_total)) = (u64::try_from(bad), u64::try_from(total))
            else {
                return Err(self.contradicts());
            };
            if known_bad > known_total {
                return Err(self.contradicts());
            }
            if total > 0 {
                moments.push(Moment { at: first.at, bad: known_bad, total: known_total });
            }
        }
        Ok(Counted {
            stream: Stream { moments, unit: self.unit },
            unknown: self.unknown,
            undated: self.undated,
            contributors: self.contributors,
        })
    }

    fn contradicts(&self) -> SloError {
        let what = "at some instant its numerator has more rows than its total: both must count the \
                    same rows, with the same `time` and `count`";
        fault(self.objective, what)
    }
}
