//! A session over one data set: shared views are run once and kept.

use super::compact;
use super::header::{Header, Parameter};
use super::views::Views;
use super::{
    Limits, Note, QueryError, Settings, catalogue, files, indicators, notes, register, text,
};
use crate::tables::Dataset;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::config::ConfigOptions;
use datafusion::error::DataFusionError;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{SQLOptions, SessionConfig, SessionContext};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Bytes of rows that are sorted at once when memory is not limited.
const IN_PLACE_BYTES: usize = 512 << 20;

/// The answer of a query.
#[derive(Debug, Clone)]
pub struct Rows {
    /// Its columns.
    pub schema: SchemaRef,
    /// Its rows, in order.
    pub batches: Vec<RecordBatch>,
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
    pub(super) runtime: Runtime,
    pub(super) context: SessionContext,
    pub(super) settings: Settings,
    pub(super) views: Views,
    /// Where views are kept when memory is limited.
    pub(super) kept: Option<TempDir>,
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
        // Views are made side by side (see `views`); parting each of them as often costs a fifth more.
        options.execution.target_partitions = match settings.memory_limit {
            // Each part of a sort wants memory of its own.
            Some(_) => 1,
            None => threads.div_ceil(2),
        };
        options.execution.parquet.pushdown_filters = false;
        options.sql_parser.collect_spans = true;
        let mut environment = RuntimeEnvBuilder::new();
        let mut kept = None;
        if let Some(bytes) = settings.memory_limit {
            // Hash joins cannot spill, sort-merge joins can.
            options.optimizer.prefer_hash_join = false;
            // What a sort sets aside for merging its spilled runs must fit many times.
            let share = bytes / 16;
            options.execution.sort_spill_reservation_bytes = share.min(10 << 20);
            options.execution.sort_in_place_threshold_bytes = share.min(1 << 20);
            // What views hold of the pages that they point into cannot be told apart, so it is counted
            // many times: texts are copied instead.
            options.execution.parquet.schema_force_view_types = false;
            options.sql_parser.map_string_types_to_utf8view = false;
            // Rows that wait for their row group, of views that are kept in files.
            options.execution.parquet.max_row_group_size = 32 << 10;
            options.execution.parquet.allow_single_file_parallelism = false;
            environment = environment.with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
            let folder = tempfile::Builder::new().prefix("carddrift-").tempdir();
            kept = Some(folder.map_err(|e| opening(e.into()))?);
        } else {
            // Filters that a join learns while it runs cost more than they save: keys hardly ever miss.
            options.optimizer.enable_join_dynamic_filter_pushdown = false;
            options.optimizer.enable_aggregate_dynamic_filter_pushdown = false;
            // Rows sorted batch by batch are merged again one by one; with room they are sorted at once.
            options.execution.sort_in_place_threshold_bytes = IN_PLACE_BYTES;
        }
        let environment = environment.build_arc().map_err(opening)?;
        let context = SessionContext::new_with_config_rt(SessionConfig::from(options), environment);
        let (to, data, set) = (context.clone(), dataset.clone(), settings.clone());
        run(&runtime, async move {
            register::dataset(&to, &data, set.memory_limit.is_none()).await?;
            register::settings(&to, &set)
        })
        .map_err(opening)?;
        Ok(Self {
            runtime,
            context,
            settings: settings.clone(),
            views: Views::default(),
            kept,
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
        self.asked(Relation::Named(name))?;
        let rows = self.rows(name, &sql)?;
        self.done(Relation::Named(name))?;
        Ok(rows)
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
        self.asked(relation)?;
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
        self.needs(relation)?;
        let context = self.context.clone();
        let frame =
            run(&self.runtime, async move { context.sql_with_options(&sql, only_reads()).await })
                .map_err(|error| failed(relation.name(), &error))?;
        Ok(frame.schema().fields().iter().map(|field| field.name().clone()).collect())
    }

    /// The text of a relation with its parameters bound.
    fn prepared(
        &self,
        relation: Relation<'_>,
        params: &[(String, String)],
    ) -> Result<String, QueryError> {
        match relation {
            Relation::Named(name) => {
                let text = self.text(name).ok_or_else(|| self.unknown(name))?;
                self.bind(name, text, params)
            }
            Relation::Sql(sql) => {
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
        self.asked(Relation::Sql(sql))?;
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
        self.make_all(&self.views_among(text::relations(text.sql)))?;
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
    pub(super) fn query_names(&self) -> impl Iterator<Item = &str> {
        let own = self.settings.queries.iter().map(|query| query.name.as_str());
        own.chain(catalogue().iter().chain(indicators()).map(|query| query.name))
    }

    pub(super) fn unknown(&self, name: &str) -> QueryError {
        QueryError::UnknownQuery {
            name: name.to_owned(),
            nearest: nearest(name, self.query_names()),
        }
    }

    /// The text of the user's query, else of the built-in query, indicator or view `name`.
    pub(super) fn text(&self, name: &str) -> Option<Text<'_>> {
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
    pub(super) fn bind(
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

    pub(super) fn rows(&self, name: &str, sql: &str) -> Result<Rows, QueryError> {
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
pub(super) fn run<T: Send + 'static>(
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

/// The text of a query and its parameters.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) sql: &'a str,
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

    /// Its name, or its SQL.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Named(text) | Self::Sql(text) => text,
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
