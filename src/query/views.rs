//! Makes the shared views that a question reads, and lets them go when nothing will read them any more.
//!
//! Each view is made once and kept as rows. Views that do not need each other are made at the same time:
//! most of the work in one is done by one thread after another.

use super::engine::{Relation, Session, failed, run};
use super::{QueryError, compact, register, text};
use arrow::array::{Array, AsArray};
use datafusion::datasource::MemTable;
use datafusion::physical_plan::{ExecutionPlanProperties, collect_partitioned};
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A view within the limits, and the view that it is when there are none.
const SELECTIONS: &[(&str, &str)] = &[
    ("binding_selection", "bindings_found"),
    ("fetch_selection", "fetches"),
    ("group_selection", "groups"),
    ("incident_selection", "incidents"),
    ("lag_selection", "lags"),
    ("rotation_selection", "rotations_found"),
    ("storm_selection", "storms"),
    ("task_selection", "task_verdicts"),
    ("try_selection", "tries"),
    ("window_selection", "windows"),
];

/// Relations that hold the names within the limits: those of `names` that a glob matches.
const LIMITED: &[&str] = &["limited_agents", "limited_registries", "limited_clients"];

/// A glob of the limits that no name matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// `agent`, `registry` or `client`.
    pub kind: &'static str,
    /// The glob.
    pub glob: String,
    /// The name that it is nearest to, if it is near to one.
    pub nearest: Option<String>,
}

/// What is made of a session's views.
#[derive(Debug, Default)]
pub(super) struct Views {
    /// Those that are registered.
    made: Mutex<BTreeSet<String>>,
    /// What will be asked.
    expected: Mutex<Expected>,
}

/// What will be asked; without questions, views stay.
#[derive(Debug, Default)]
struct Expected {
    /// The questions: names and SQL.
    questions: Vec<String>,
    /// The views that they read, in their order.
    later: Vec<String>,
    /// How often each view will still be read.
    left: BTreeMap<String, usize>,
}

/// A relation that is to be made.
struct Open {
    name: String,
    reads: Vec<String>,
    /// Asked for now, not later.
    wanted: bool,
}

/// Relations that are to be made together.
struct Making {
    /// Those that nobody makes yet; what is read comes before what reads it.
    open: Vec<Open>,
    /// How many are not made yet of those that are wanted.
    awaited: usize,
    /// How many are being made.
    under_way: usize,
    /// Why it ends early.
    failed: Option<QueryError>,
}

impl Session {
    /// Tells everything that will be asked, so that a view is let go as soon as nothing needs it any
    /// more. After a question that is not among them all views stay.
    pub fn expect(&self, questions: &[Relation<'_>]) {
        let mut left = BTreeMap::new();
        let later: Vec<String> =
            questions.iter().flat_map(|question| self.reads(*question)).collect();
        let mut open = later.clone();
        while let Some(name) = open.pop() {
            let uses = left.entry(name.clone()).or_insert(0);
            *uses += 1;
            if *uses == 1 {
                open.extend(self.reads(Relation::Named(&name)));
            }
        }
        let questions = questions.iter().map(|question| question.text().to_owned()).collect();
        *held(&self.views.expected) = Expected { questions, later, left };
    }

    /// A question comes: makes what it reads.
    pub(super) fn asked(&self, relation: Relation<'_>) -> Result<(), QueryError> {
        let mut expected = held(&self.views.expected);
        match expected.questions.iter().position(|question| question == relation.text()) {
            Some(place) => drop(expected.questions.swap_remove(place)),
            None => *expected = Expected::default(),
        }
        drop(expected);
        self.needs(relation)
    }

    /// Makes what a relation reads.
    pub(super) fn needs(&self, relation: Relation<'_>) -> Result<(), QueryError> {
        self.make_all(&self.reads(relation))
    }

    /// The relations that a relation reads itself, without tables.
    fn reads(&self, relation: Relation<'_>) -> Vec<String> {
        let names = match relation {
            Relation::Named(name) if LIMITED.contains(&name) => vec!["names"],
            Relation::Named(name) => match self.whole(name) {
                Some(whole) => vec![whole],
                None => self.names_in(name),
            },
            Relation::Sql(sql) => text::names(sql),
        };
        self.views_among(names)
    }

    /// Those of the names that are to be made.
    pub(super) fn views_among(&self, names: Vec<&str>) -> Vec<String> {
        let is_view = |name: &&str| LIMITED.contains(name) || self.text(name).is_some();
        names.into_iter().filter(is_view).map(str::to_owned).collect()
    }

    /// The view that a selection is when there are no limits.
    fn whole(&self, name: &str) -> Option<&'static str> {
        let found = SELECTIONS.iter().find(|(selection, _)| *selection == name);
        found.filter(|_| !self.settings.limits.any()).map(|(_, whole)| *whole)
    }

    /// The words of a named relation that may be relations. The style of a user's query is not ours:
    /// there every word may be one.
    fn names_in(&self, name: &str) -> Vec<&str> {
        let Some(relation) = self.text(name) else { return Vec::new() };
        if !self.settings.queries.iter().any(|query| query.name == name) {
            return text::relations(relation.sql);
        }
        let mut names = text::names(relation.sql);
        names.retain(|word| *word != name);
        names
    }

    /// A relation was read: what nothing else needs is let go.
    pub(super) fn done(&self, relation: Relation<'_>) -> Result<(), QueryError> {
        let mut expected = held(&self.views.expected);
        for name in self.reads(relation) {
            let Some(uses) = expected.left.get_mut(&name) else { continue };
            *uses -= 1;
            if *uses == 0 {
                expected.left.remove(&name);
                self.context.deregister_table(&name).map_err(|error| failed(&name, &error))?;
                held(&self.views.made).remove(&name);
            }
        }
        Ok(())
    }

    fn is_made(&self, name: &str) -> bool {
        held(&self.views.made).contains(name)
    }

    /// Adds `name` and what it reads to `open`, what is read first, without what is made.
    fn order(&self, name: &str, wanted: bool, open: &mut Vec<Open>) {
        if self.is_made(name) || open.iter().any(|other| other.name == name) {
            return;
        }
        let reads = self.reads(Relation::Named(name));
        for read in &reads {
            self.order(read, wanted, open);
        }
        open.push(Open { name: name.to_owned(), reads, wanted });
    }

    /// Makes relations and what they read: as many at a time as there are threads, or one after the
    /// other when memory is limited. A thread that would wait makes what will be asked for later.
    pub(super) fn make_all<N: AsRef<str>>(&self, names: &[N]) -> Result<(), QueryError> {
        let mut open = Vec::new();
        for name in names {
            self.order(name.as_ref(), true, &mut open);
        }
        let awaited = open.len();
        if awaited == 0 {
            return Ok(());
        }
        let at_once = match self.settings.memory_limit {
            Some(_) => 1,
            None => self.settings.threads.max(1),
        };
        if at_once > 1 {
            let expected = held(&self.views.expected);
            let later = expected.later.iter().filter(|name| expected.left.contains_key(*name));
            later.for_each(|name| self.order(name, false, &mut open));
        }
        let making = Mutex::new(Making { open, awaited, under_way: 0, failed: None });
        let changed = Condvar::new();
        std::thread::scope(|scope| {
            for _ in 1..at_once {
                // Where no thread can be had, those that are there do all.
                let helper = std::thread::Builder::new();
                if helper.spawn_scoped(scope, || self.make_open(&making, &changed)).is_err() {
                    break;
                }
            }
            self.make_open(&making, &changed);
        });
        let making = making.into_inner().unwrap_or_else(PoisonError::into_inner);
        making.failed.map_or(Ok(()), Err)
    }

    /// Makes one relation after the other until those that are wanted are made.
    fn make_open(&self, making: &Mutex<Making>, changed: &Condvar) {
        let mut state = held(making);
        while state.failed.is_none() && state.awaited > 0 {
            let can_be_made = |open: &Open| open.reads.iter().all(|read| self.is_made(read));
            let place = state.open.iter().position(can_be_made);
            // When nothing can come any more, the engine tells which relation lacks.
            let lacking = state.under_way == 0 && !state.open.is_empty();
            let Some(place) = place.or(lacking.then_some(0)) else {
                state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let Open { name, wanted, .. } = state.open.remove(place);
            state.under_way += 1;
            drop(state);
            let result = self.make(&name);
            state = held(making);
            state.under_way -= 1;
            state.awaited -= usize::from(wanted);
            if let Err(error) = result {
                state.failed.get_or_insert(error);
            }
            changed.notify_all();
        }
    }

    /// Makes a relation; what it reads is there.
    fn make(&self, name: &str) -> Result<(), QueryError> {
        if LIMITED.contains(&name) {
            self.make_limited(name)?;
        } else if let Some(whole) = self.whole(name) {
            let table = self
                .runtime
                .block_on(self.context.table_provider(whole))
                .map_err(|error| failed(name, &error))?;
            self.context.register_table(name, table).map_err(|error| failed(name, &error))?;
        } else {
            self.make_rows(name)?;
        }
        held(&self.views.made).insert(name.to_owned());
        self.done(Relation::Named(name))
    }

    fn make_rows(&self, name: &str) -> Result<(), QueryError> {
        let text = self.text(name).ok_or_else(|| self.unknown(name))?;
        let sql = self.bind(name, text, &[])?;
        let (context, view) = (self.context.clone(), name.to_owned());
        let is_query = self.query_names().any(|query| query == name);
        let folder = self.kept.as_ref().map(|folder| folder.path().to_owned());
        run(&self.runtime, async move {
            if is_query {
                // What asks it wants few of its rows: they are chosen before they are sorted.
                let rows = context.sql(&sql).await?.into_view();
                context.register_table(view, rows)?;
                return Ok(());
            }
            if let Some(folder) = folder {
                return register::in_a_file(&context, &view, &sql, &folder).await;
            }
            let plan = context.sql(&sql).await?.create_physical_plan().await?;
            let schema = plan.schema();
            let parts = if plan.output_partitioning().partition_count() == 0 {
                vec![vec![]]
            } else {
                collect_partitioned(plan, context.task_ctx()).await?
            };
            let parts = parts.into_iter().map(compact::batches).collect::<Result<Vec<_>, _>>()?;
            context.register_table(view, Arc::new(MemTable::try_new(schema, parts)?))?;
            Ok(())
        })
        .map_err(|error| failed(name, &error))
    }

    /// The names of agents, registries or clients that the limits' globs match; all when there is
    /// no glob. `''` stands for unknown.
    fn make_limited(&self, name: &str) -> Result<(), QueryError> {
        let limits = &self.settings.limits;
        let kind = name.strip_prefix("limited_").unwrap_or(name);
        let globs = match kind {
            "agents" => &limits.agents,
            "registries" => &limits.registries,
            _ => &limits.clients,
        };
        let matcher = globset(globs)?;
        let mut names = self.names(kind)?;
        names.retain(|name| matcher.as_ref().is_none_or(|m| m.is_match(name)));
        let names: Vec<Vec<String>> = names.into_iter().map(|name| vec![name]).collect();
        register::texts(&self.context, name, &["name"], &names)
            .map_err(|error| failed(name, &error))
    }

    /// All names of a kind of the view `names`, which is there; `''` stands for unknown.
    fn names(&self, kind: &str) -> Result<Vec<String>, QueryError> {
        let sql = format!("SELECT name FROM names WHERE kind = '{kind}' ORDER BY name");
        let rows = self.rows("names", &sql)?;
        let mut names = Vec::new();
        for batch in &rows.batches {
            let column = arrow::compute::cast(batch.column(0), &arrow::datatypes::DataType::Utf8)
                .map_err(|e| failed("names", &e.into()))?;
            let texts = column.as_string::<i32>();
            names.extend((0..texts.len()).map(|i| texts.value(i).to_owned()));
        }
        Ok(names)
    }

    /// Globs of the limits that no name matches.
    ///
    /// # Errors
    /// When a glob is none, or the names cannot be read.
    pub fn unmatched(&self) -> Result<Vec<Unmatched>, QueryError> {
        let limits = &self.settings.limits;
        let mut unmatched = Vec::new();
        for (all, kind, globs) in [
            ("agents", "agent", &limits.agents),
            ("registries", "registry", &limits.registries),
            ("clients", "client", &limits.clients),
        ] {
            if globs.is_empty() {
                continue;
            }
            self.make_all(&["names"])?;
            let names = self.names(all)?;
            for glob in globs {
                let matcher = globset(std::slice::from_ref(glob))?;
                if !names.iter().any(|name| matcher.as_ref().is_some_and(|m| m.is_match(name))) {
                    let nearest = nearest(glob, names.iter().map(String::as_str));
                    unmatched.push(Unmatched { kind, glob: glob.clone(), nearest });
                }
            }
        }
        Ok(unmatched)
    }
}

/// What a lock holds; a thread that panicked with it changes nothing.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

fn globset(globs: &[String]) -> Result<Option<GlobSet>, QueryError> {
    if globs.is_empty() {
        return Ok(None);
    }
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        let glob = Glob::new(glob)
            .map_err(|e| QueryError::Parameter(format!("`{glob}` is no glob: {}", e.kind())))?;
        builder.add(glob);
    }
    builder.build().map(Some).map_err(|e| QueryError::Parameter(e.to_string()))
}

fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    crate::config::nearest(name, names).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::query::{Limits, Settings};
    use crate::tables::Dataset;

    /// Sessions without rows: views one after the other, side by side, in files, and within limits.
    fn sessions() -> Vec<Session> {
        let plain = Settings { threads: 1, ..Settings::of(&Config::default()) };
        let side_by_side = Settings { threads: 4, ..plain.clone() };
        let in_files = Settings { memory_limit: Some(64 << 20), ..plain.clone() };
        let limits = Limits { agents: vec!["*".to_owned()], ..Limits::default() };
        let limited = Settings { limits, ..side_by_side.clone() };
        let open = |settings| Session::open(Dataset::default(), &settings).unwrap();
        [plain, side_by_side, in_files, limited].map(open).into()
    }

    #[test]
    fn what_nothing_will_read_any_more_goes() {
        for session in sessions() {
            let names = ["bindings", "replays", "summary"];
            session.expect(&names.map(Relation::Named));
            for name in names {
                session.built_in(name).unwrap();
            }
            assert_eq!(*session.views.made.lock().unwrap(), BTreeSet::new());
        }
    }

    #[test]
    fn what_was_not_expected_is_answered_too() {
        for session in sessions() {
            session.expect(&["summary", "actions"].map(Relation::Named));
            for name in ["actions", "rotations", "summary", "actions", "bindings", "summary"] {
                session.built_in(name).unwrap();
            }
            assert!(session.is_made("tries"));
        }
    }
}
