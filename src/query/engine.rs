//! A session over one data set: shared views are run once and kept.

use super::compact;
use super::header::{Header, Parameter};
use super::{
    Limits, Note, QueryError, Settings, catalogue, files, indicators, notes, register, text,
};
use crate::tables::Dataset;
use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::SchemaRef;
use datafusion::config::ConfigOptions;
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use datafusion::execution::memory_pool::GreedyMemoryPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::{ExecutionPlanProperties, collect_partitioned};
use datafusion::prelude::{SQLOptions, SessionConfig, SessionContext};
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::runtime::Runtime;

/// The answer of a query.
#[derive(Debug, Clone)]
pub struct Rows {
    /// Its columns.
    pub schema: SchemaRef,
    /// Its rows, in order.
    pub batches: Vec<RecordBatch>,
}

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

/// Relations that hold the names within the limits, made before the first selection.
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

/// What a query reads from.
#[derive(Debug, Clone, Copy)]
pub enum Relation<'a> {
    /// One of the user's queries, a built-in query, an indicator or a shared view.
    Named(&'a str),
    /// SQL.
    Sql(&'a str),
}

/// A session over one data set.
pub struct Session {
    runtime: Runtime,
    context: SessionContext,
    settings: Settings,
    /// Views and queries that are registered already.
    made: Mutex<BTreeSet<String>>,
    /// How often each view will still be read; what is not in here stays.
    left: Mutex<BTreeMap<String, usize>>,
    /// Keeps the segments' folder.
    _dataset: Dataset,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Session {
    /// Opens a session: registers the tables, runs nothing.
    ///
    /// # Errors
    /// When a segment cannot be reached.
    pub fn open(dataset: Dataset, settings: &Settings) -> Result<Self, QueryError> {
        let opening = |error: DataFusionError| failed("tables", &error);
        let threads = settings.threads.max(1);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_stack_size(16 << 20)
            .enable_all()
            .build()
            .map_err(|e| QueryError::Failed { name: "tables".into(), message: e.to_string() })?;
        let mut options = ConfigOptions::new();
        options.execution.target_partitions = threads;
        options.execution.parquet.pushdown_filters = false;
        options.sql_parser.collect_spans = true;
        let mut environment = RuntimeEnvBuilder::new();
        if let Some(bytes) = settings.memory_limit {
            // Hash joins cannot spill, sort-merge joins can.
            options.optimizer.prefer_hash_join = false;
            // What a sort sets aside for merging its spilled runs must fit many times.
            let share = bytes / (threads * 16);
            options.execution.sort_spill_reservation_bytes = share.min(10 << 20);
            options.execution.sort_in_place_threshold_bytes = share.min(1 << 20);
            environment = environment.with_memory_pool(Arc::new(GreedyMemoryPool::new(bytes)));
        }
        let environment = environment.build_arc().map_err(opening)?;
        let context = SessionContext::new_with_config_rt(SessionConfig::from(options), environment);
        let (to, data, set) = (context.clone(), dataset.clone(), settings.clone());
        run(&runtime, async move {
            register::dataset(&to, &data).await?;
            register::settings(&to, &set)
        })
        .map_err(opening)?;
        Ok(Self {
            runtime,
            context,
            settings: settings.clone(),
            made: Mutex::new(BTreeSet::new()),
            left: Mutex::new(BTreeMap::new()),
            _dataset: dataset,
        })
    }

    /// Runs the built-in query `name`.
    ///
    /// # Errors
    /// When no query has this name, or it cannot be run.
    pub fn built_in(&self, name: &str) -> Result<Rows, QueryError> {
        self.query(name, &[])
    }

    /// Runs the user's or else the built-in query or indicator `name` with values for its parameters.
    ///
    /// # Errors
    /// When no query has this name, or it cannot be run.
    pub fn query(&self, name: &str, params: &[(String, String)]) -> Result<Rows, QueryError> {
        if !self.query_names().any(|query| query == name) {
            return Err(self.unknown(name));
        }
        let sql = self.prepared(Relation::Named(name), params)?;
        let rows = self.rows(name, &sql)?;
        self.done(Relation::Named(name))?;
        Ok(rows)
    }

    /// Tells everything that will be asked, so that a view is let go as soon as nothing needs it any
    /// more. What is asked beside it is right, too: views are made again.
    pub fn expect(&self, questions: &[Relation<'_>]) {
        // With limits, views also read what names the globs match.
        if self.settings.limits.any() {
            return;
        }
        let mut left = BTreeMap::new();
        let mut open: Vec<String> =
            questions.iter().flat_map(|question| self.reads(*question)).collect();
        while let Some(name) = open.pop() {
            let uses = left.entry(name.clone()).or_insert(0);
            *uses += 1;
            if *uses == 1 {
                open.extend(self.reads(Relation::Named(&name)));
            }
        }
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = left;
    }

    /// The views that a relation reads itself.
    fn reads(&self, relation: Relation<'_>) -> Vec<String> {
        let names = match relation {
            Relation::Named(name) => match SELECTIONS.iter().find(|(view, _)| *view == name) {
                Some((_, whole)) => vec![*whole],
                None => self.text(name).map(|text| self.names_in(name, text)).unwrap_or_default(),
            },
            Relation::Sql(sql) => text::names(sql),
        };
        names.into_iter().filter(|name| self.text(name).is_some()).map(str::to_owned).collect()
    }

    /// A relation was asked: what nothing else needs is let go.
    fn done(&self, relation: Relation<'_>) -> Result<(), QueryError> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.is_empty() {
            return Ok(());
        }
        for name in self.reads(relation) {
            let Some(uses) = left.get_mut(&name) else { continue };
            *uses -= 1;
            if *uses == 0 {
                left.remove(&name);
                self.context.deregister_table(&name).map_err(|error| failed(&name, &error))?;
                self.made.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
            }
        }
        Ok(())
    }

    /// Runs `SELECT columns FROM relation`, the columns being SQL.
    ///
    /// # Errors
    /// When there is no such relation, or it cannot be run.
    pub fn select(
        &self,
        columns: &str,
        relation: Relation<'_>,
        params: &[(String, String)],
    ) -> Result<Rows, QueryError> {
        let sql = self.prepared(relation, params)?;
        let sql = sql.trim_end().trim_end_matches(';');
        let rows =
            self.rows(relation.name(), &format!("SELECT {columns} FROM ({sql}\n) AS relation"))?;
        self.done(relation)?;
        Ok(rows)
    }

    /// The names of a relation's columns, in order.
    ///
    /// # Errors
    /// When there is no such relation, or it cannot be planned.
    pub fn columns(
        &self,
        relation: Relation<'_>,
        params: &[(String, String)],
    ) -> Result<Vec<String>, QueryError> {
        let sql = self.prepared(relation, params)?;
        let context = self.context.clone();
        let frame =
            run(&self.runtime, async move { context.sql_with_options(&sql, only_reads()).await })
                .map_err(|error| failed(relation.name(), &error))?;
        Ok(frame.schema().fields().iter().map(|field| field.name().clone()).collect())
    }

    /// The text of a relation with its parameters bound; what it reads is made.
    fn prepared(
        &self,
        relation: Relation<'_>,
        params: &[(String, String)],
    ) -> Result<String, QueryError> {
        match relation {
            Relation::Named(name) => {
                let text = self.text(name).ok_or_else(|| self.unknown(name))?;
                self.needs_of(name, text)?;
                self.bind(name, text, params)
            }
            Relation::Sql(sql) => {
                self.needs_all(&text::names(sql))?;
                let header = Header::parse(sql).unwrap_or_default();
                self.bind("-e", Text { sql, parameters: &header.parameters }, params)
            }
        }
    }

    /// Runs a query of the user's. Tables, shared views and built-in queries are its relations.
    ///
    /// # Errors
    /// When the SQL is wrong, changes anything, or lacks a parameter's value.
    pub fn sql(&self, sql: &str, params: &[(String, String)]) -> Result<Rows, QueryError> {
        let prepared = self.prepared(Relation::Sql(sql), params)?;
        let rows = self.rows("-e", &prepared)?;
        self.done(Relation::Sql(sql))?;
        Ok(rows)
    }

    /// What could not be measured and why, and every assumption made.
    ///
    /// # Errors
    /// When a query behind a note cannot be run.
    pub fn notes(&self) -> Result<Vec<Note>, QueryError> {
        notes::all(self)
    }

    /// The logical plan of a built-in query or shared view, its own relations made before.
    ///
    /// # Errors
    /// When it cannot be planned.
    pub fn plan(&self, name: &str) -> Result<LogicalPlan, QueryError> {
        let text = self.text(name).ok_or_else(|| self.unknown(name))?;
        self.needs(text.sql)?;
        let sql = self.bind(name, text, &[])?;
        let state = self.context.state();
        run(&self.runtime, async move { state.create_logical_plan(&sql).await })
            .map_err(|error| failed(name, &error))
    }

    /// Runs a plan, for example one that came back from a cluster's wire format.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn run_plan(&self, plan: LogicalPlan) -> Result<Rows, QueryError> {
        let context = self.context.clone();
        run(&self.runtime, async move {
            let frame = context.execute_logical_plan(plan).await?;
            let schema = Arc::new(frame.schema().as_arrow().clone());
            Ok(Rows { schema, batches: frame.collect().await? })
        })
        .map_err(|error| failed("plan", &error))
    }

    /// The limits on what is measured.
    pub fn limits(&self) -> &Limits {
        &self.settings.limits
    }

    /// The session's context, for reading plans back.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// Names of all built-in queries, indicators and shared views.
    pub fn relations() -> impl Iterator<Item = &'static str> {
        files::QUERIES.iter().chain(files::INDICATORS).chain(files::VIEWS).map(|(name, _)| *name)
    }

    /// Names of the queries that can be run by name, the user's first.
    fn query_names(&self) -> impl Iterator<Item = &str> {
        let own = self.settings.queries.iter().map(|query| query.name.as_str());
        own.chain(catalogue().iter().chain(indicators()).map(|query| query.name))
    }

    fn unknown(&self, name: &str) -> QueryError {
        QueryError::UnknownQuery {
            name: name.to_owned(),
            nearest: nearest(name, self.query_names()),
        }
    }

    /// The text of the user's query, else of the built-in query, indicator or view `name`.
    fn text(&self, name: &str) -> Option<Text<'_>> {
        if let Some(own) = self.settings.queries.iter().find(|query| query.name == name) {
            return Some(Text { sql: &own.sql, parameters: &own.header.parameters });
        }
        let built_in = catalogue().iter().chain(indicators()).find(|query| query.name == name);
        let built_in = built_in.map(|query| Text { sql: query.sql, parameters: &query.parameters });
        built_in.or_else(|| {
            let view = files::VIEWS.iter().find(|(view, _)| *view == name);
            view.map(|(_, sql)| Text { sql, parameters: &[] })
        })
    }

    /// Puts the values of parameters into a text: those given, else the defaults, else the settings'.
    fn bind(
        &self,
        name: &str,
        text: Text<'_>,
        params: &[(String, String)],
    ) -> Result<String, QueryError> {
        let wanted = text::parameters(text.sql);
        if let Some((param, _)) = params.iter().find(|(param, _)| !wanted.contains(&param.as_str()))
        {
            return Err(QueryError::Parameter(match nearest(param, wanted.iter().copied()) {
                Some(near) => {
                    format!("the query has no parameter `{param}`; did you mean `{near}`?")
                }
                None => format!("the query has no parameter `{param}`"),
            }));
        }
        let mut wrong = None;
        let bound = text::bind(text.sql, |wanted| {
            let given = params.iter().find(|(param, _)| param == wanted).map(|(_, value)| value);
            let declared = text.parameters.iter().find(|parameter| parameter.name == wanted);
            let Some(parameter) = declared else {
                return given.map(|v| literal(v)).or_else(|| self.settings.literal(wanted));
            };
            let literal = parameter.literal(given.or(parameter.default.as_ref())?);
            literal.map_err(|message| wrong = Some(message)).ok()
        });
        match (bound, wrong) {
            (_, Some(message)) => Err(QueryError::Parameter(message)),
            (Ok(sql), None) => Ok(sql),
            (Err(lacking), None) => Err(QueryError::Parameter(format!(
                "query `{name}` wants a value for `{lacking}`: give -p {lacking}=VALUE"
            ))),
        }
    }

    /// Makes the relations that `sql` reads, those that they read first.
    fn needs(&self, sql: &str) -> Result<(), QueryError> {
        self.needs_all(&text::relations(sql))
    }

    /// Makes the relations that a named query reads. The style of a user's query is not ours: there
    /// every word may be one.
    fn needs_of(&self, name: &str, text: Text<'_>) -> Result<(), QueryError> {
        self.needs_all(&self.names_in(name, text))
    }

    fn names_in<'t>(&self, name: &str, text: Text<'t>) -> Vec<&'t str> {
        if !self.settings.queries.iter().any(|query| query.name == name) {
            return text::relations(text.sql);
        }
        let mut names = text::names(text.sql);
        names.retain(|word| *word != name);
        names
    }

    fn needs_all(&self, names: &[&str]) -> Result<(), QueryError> {
        for name in names {
            if !self.is_made(name) {
                if LIMITED.contains(name) {
                    self.make_limited()?;
                } else if self.text(name).is_some() {
                    self.make(name)?;
                }
            }
        }
        Ok(())
    }

    fn is_made(&self, name: &str) -> bool {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
    }

    fn set_made(&self, name: &str) {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
    }

    fn make(&self, name: &str) -> Result<(), QueryError> {
        let whole = SELECTIONS.iter().find(|(selection, _)| *selection == name);
        if let (Some((_, whole)), false) = (whole, self.settings.limits.any()) {
            self.needs_all(&[whole])?;
            let table = self
                .runtime
                .block_on(self.context.table_provider(*whole))
                .map_err(|error| failed(name, &error))?;
            self.context.register_table(name, table).map_err(|error| failed(name, &error))?;
            self.set_made(name);
            return self.done(Relation::Named(name));
        }
        let text = self.text(name).ok_or_else(|| self.unknown(name))?;
        self.needs_of(name, text)?;
        let sql = self.bind(name, text, &[])?;
        let (context, view) = (self.context.clone(), name.to_owned());
        run(&self.runtime, async move {
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
        .map_err(|error| failed(name, &error))?;
        self.set_made(name);
        self.done(Relation::Named(name))
    }

    /// The names of agents, registries and clients that the limits' globs match; all when there is
    /// no glob. `''` stands for unknown.
    fn make_limited(&self) -> Result<(), QueryError> {
        let limits = &self.settings.limits;
        for (name, globs) in
            LIMITED.iter().zip([&limits.agents, &limits.registries, &limits.clients])
        {
            let kind = name.strip_prefix("limited_").unwrap_or(name);
            let matcher = globset(globs)?;
            let mut names = self.names(kind)?;
            names.retain(|name| matcher.as_ref().is_none_or(|m| m.is_match(name)));
            let names: Vec<Vec<String>> = names.into_iter().map(|name| vec![name]).collect();
            register::texts(&self.context, name, &["name"], &names)
                .map_err(|error| failed(name, &error))?;
            self.set_made(name);
        }
        Ok(())
    }

    /// All names of a kind of the view `names`; `''` stands for unknown.
    fn names(&self, kind: &str) -> Result<Vec<String>, QueryError> {
        let sql = format!("SELECT name FROM names WHERE kind = '{kind}' ORDER BY name");
        let rows = self.sql(&sql, &[])?;
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
            let names = if globs.is_empty() { Vec::new() } else { self.names(all)? };
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

    fn rows(&self, name: &str, sql: &str) -> Result<Rows, QueryError> {
        let only_reads = only_reads();
        let (context, sql) = (self.context.clone(), sql.to_owned());
        run(&self.runtime, async move {
            let frame = context.sql_with_options(&sql, only_reads).await?;
            let schema = Arc::new(frame.schema().as_arrow().clone());
            let batches = compact::batches(frame.collect().await?)?;
            Ok(Rows { schema, batches })
        })
        .map_err(|error| failed(name, &error))
    }
}

/// Runs a future on a thread of the runtime and waits for it: planning wants a deeper stack than the
/// caller may have.
fn run<T: Send + 'static>(
    runtime: &Runtime,
    future: impl Future<Output = Result<T, DataFusionError>> + Send + 'static,
) -> Result<T, DataFusionError> {
    runtime
        .block_on(runtime.spawn(future))
        .unwrap_or_else(|error| Err(DataFusionError::Execution(error.to_string())))
}

/// A value given with `-p` as a literal: a number or a truth value as such, the rest as text.
fn literal(value: &str) -> String {
    let plain = value.parse::<i64>().is_ok()
        || value.parse::<f64>().is_ok_and(f64::is_finite)
        || ["true", "false", "null"].contains(&value);
    if plain { value.to_owned() } else { text::quoted(value) }
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

/// The text of a query and its parameters.
#[derive(Clone, Copy)]
struct Text<'a> {
    sql: &'a str,
    parameters: &'a [Parameter],
}

impl Relation<'_> {
    /// Its name; of SQL the flag that gives it.
    fn name(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::Sql(_) => "-e",
        }
    }
}

/// Nothing that changes anything.
fn only_reads() -> SQLOptions {
    SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false)
}

fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    crate::config::nearest(name, names).map(str::to_owned)
}

pub(super) fn failed(name: &str, error: &DataFusionError) -> QueryError {
    let root = error.find_root();
    let message = unknown_relation(root).unwrap_or_else(|| root.to_string());
    if matches!(root, DataFusionError::ResourcesExhausted(_)) {
        QueryError::Memory { name: name.to_owned(), message }
    } else {
        QueryError::Failed { name: name.to_owned(), message }
    }
}

/// What is to be said when SQL reads from what is not there.
fn unknown_relation(error: &DataFusionError) -> Option<String> {
    let DataFusionError::Plan(message) = error else { return None };
    let name = message.strip_prefix("table 'datafusion.public.")?.strip_suffix("' not found")?;
    let tables = crate::tables::all();
    let known = tables.iter().map(|table| table.name).chain(Session::relations());
    Some(match nearest(name, known) {
        Some(near) => format!("there is no table or query `{name}`; did you mean `{near}`?"),
        None => format!(
            "there is no table or query `{name}`; `carddrift queries` and `carddrift queries --tables` list them"
        ),
    })
}
