//! Asks a session for everything that a report is made of.

use super::document::Document;
use super::findings::{self, Findings, LIMITED};
use super::json;
use super::news::Before;
use super::rows::{View, rfc3339};
use super::{WriteError, sections};
use crate::query::{Limits, NOTES, Note, QueryError, Relation, Rows, Session, catalogue};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

/// The name of the report's shape.
pub const SCHEMA: &str = "carddrift.report/1";

/// `bindings` in their order, only those of these verdicts.
const BINDINGS: &str = "SELECT * FROM bindings WHERE verdict = '$verdict'
    ORDER BY task_id, artifact_id, agent NULLS LAST";

pub(super) const SOURCES: &str = "SELECT * FROM sources ORDER BY source_file, sha256";

/// The first three problems of each kind, those that cost records first.
pub(super) const PROBLEMS: &str = "
WITH numbered AS (
  SELECT p.*,
    row_number() OVER (PARTITION BY code
      ORDER BY source_file, source_line, source_byte, pointer, detail) AS place,
    CASE severity WHEN 'error' THEN 0 WHEN 'data_loss' THEN 1 WHEN 'repaired' THEN 2 ELSE 3 END
      AS rank
  FROM problems AS p
),
counted AS (
  SELECT code, count(*) AS of_kind, count(DISTINCT source_file) AS sources_of_kind
  FROM problems GROUP BY code
)
SELECT n.code, n.severity, n.kind, n.source_file, n.source_line, n.source_byte, n.pointer, n.detail,
  c.of_kind, c.sources_of_kind
FROM numbered AS n JOIN counted AS c ON c.code = n.code
WHERE n.place <= 3
ORDER BY n.rank, n.code, n.place";

/// Later tasks that refer to a split-brain one, or go on in its context.
const DOWNSTREAM: &str = "
WITH split AS (
  SELECT task_id, agent, min(admitted_at) AS admitted_at, min(artifact_at) AS artifact_at
  FROM bindings WHERE verdict = 'split_brain' GROUP BY task_id, agent
),
referring AS (
  SELECT DISTINCT unnest(reference_task_ids) AS task_id, task_id AS later_task_id, client, time
  FROM attempts WHERE task_id IS NOT NULL AND reference_task_ids IS NOT NULL
),
context_of AS (
  SELECT DISTINCT task_id, context_id FROM attempts
  WHERE task_id IS NOT NULL AND context_id IS NOT NULL
),
going_on AS (
  SELECT s.task_id, a.task_id AS later_task_id, a.client, a.time
  FROM split AS s
  JOIN context_of AS c ON c.task_id = s.task_id
  JOIN attempts AS a ON a.context_id = c.context_id
  WHERE a.task_id <> s.task_id AND a.time > s.artifact_at
),
found AS (
  SELECT s.task_id, r.later_task_id, r.client, r.time, 0 AS rank
  FROM split AS s JOIN referring AS r ON r.task_id = s.task_id
  WHERE r.later_task_id <> s.task_id
  UNION ALL
  SELECT task_id, later_task_id, client, time, 1 AS rank FROM going_on
)
SELECT task_id, later_task_id, client, min(time) AS sent_at,
  CASE min(rank) WHEN 0 THEN 'reference' ELSE 'context' END AS by
FROM found
GROUP BY task_id, later_task_id, client
ORDER BY sent_at, task_id, later_task_id, client NULLS LAST";

/// Why a report could not be made.
#[derive(Debug)]
pub enum ReportError {
    /// A query failed.
    Query(QueryError),
    /// An answer is not what its query's header says.
    Shape(String),
    /// The output could not be written.
    Write(WriteError),
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Query(e) => e.fmt(f),
            Self::Shape(e) => write!(f, "an answer has an unexpected shape: {e}"),
            Self::Write(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for ReportError {}

impl From<QueryError> for ReportError {
    fn from(e: QueryError) -> Self {
        Self::Query(e)
    }
}

impl From<WriteError> for ReportError {
    fn from(e: WriteError) -> Self {
        Self::Write(e)
    }
}

impl From<io::Error> for ReportError {
    fn from(e: io::Error) -> Self {
        Self::Write(WriteError::Io(e))
    }
}

/// The answers of all built-in queries, with what was read.
#[derive(Debug)]
pub struct Answers {
    /// By the key of the JSON report, in its order.
    queries: Vec<(&'static str, Rows)>,
    corrupt: Rows,
    downstream: Rows,
    sources: Rows,
    problems: Rows,
    notes: Vec<Note>,
}

impl Answers {
    /// Tells a session that this, then `more`, and nothing else, will be asked.
    pub fn expect(session: &Session, more: &[String]) {
        let bindings =
            ["split_brain", "corrupt"].map(|verdict| BINDINGS.replace("$verdict", verdict));
        let named = catalogue().iter().map(|query| query.name).filter(|name| *name != "bindings");
        let mut questions: Vec<Relation<'_>> = named.map(Relation::Named).collect();
        questions.extend(bindings.iter().map(|sql| Relation::Sql(sql)));
        questions.extend(more.iter().map(|sql| Relation::Sql(sql)));
        questions.extend([DOWNSTREAM, SOURCES, PROBLEMS, NOTES].map(Relation::Sql));
        session.expect(&questions);
    }

    /// Asks everything.
    ///
    /// # Errors
    /// When a query cannot be run.
    pub fn ask(session: &Session) -> Result<Self, QueryError> {
        let bindings = |verdict: &str| session.sql(&BINDINGS.replace("$verdict", verdict), &[]);
        let mut queries = Vec::new();
        for query in catalogue() {
            match query.name {
                "bindings" => queries.push(("split_brains", bindings("split_brain")?)),
                name => queries.push((name, session.built_in(name)?)),
            }
        }
        Ok(Self {
            queries,
            corrupt: bindings("corrupt")?,
            downstream: session.sql(DOWNSTREAM, &[])?,
            sources: session.sql(SOURCES, &[])?,
            problems: session.sql(PROBLEMS, &[])?,
            notes: limited(session.limits()).into_iter().chain(session.notes()?).collect(),
        })
    }

    /// The rows of everything that is listed: all but the summary.
    fn lists(&mut self) -> impl Iterator<Item = (&'static str, &mut Rows)> {
        let queries = self.queries.iter_mut().filter(|(name, _)| *name != "summary");
        let others = [
            ("corrupt", &mut self.corrupt),
            ("downstream", &mut self.downstream),
            ("sources", &mut self.sources),
            ("problems", &mut self.problems),
        ];
        queries.map(|(name, rows)| (*name, rows)).chain(others)
    }

    /// What the lists say, to be compared with later ones.
    ///
    /// # Errors
    /// When a value cannot be printed.
    pub fn said(mut self) -> io::Result<BTreeMap<&'static str, Before>> {
        self.lists().map(|(name, rows)| Ok((name, Before::of(view(rows))?))).collect()
    }

    /// Leaves in the lists only what an earlier report, of the store as it was at `commit`, did not say;
    /// `None`: it said everything. The summary and the notes stay those of everything.
    ///
    /// # Errors
    /// When a value cannot be printed.
    pub fn leave_new(
        &mut self,
        mut before: Option<BTreeMap<&'static str, Before>>,
        commit: u64,
    ) -> io::Result<()> {
        for (name, rows) in self.lists() {
            let said = match &mut before {
                Some(before) => before.remove(name).unwrap_or_default(),
                None => Before::everything(),
            };
            *rows = said.leave_new(rows)?;
        }
        let note = Note {
            kind: "only_new".to_owned(),
            subject: None,
            count: 0,
            text: format!(
                "Listed is only what is new since commit {commit} of the store, or says something else than \
                 then. The summary is of everything."
            ),
        };
        self.notes.insert(0, note);
        Ok(())
    }

    /// Says that what happened before `from` is no longer whole.
    pub fn say_kept_from(&mut self, from: i64) {
        let note = Note {
            kind: "kept_from".to_owned(),
            subject: None,
            count: 0,
            text: format!(
                "Attempts before {}, and tasks that had ended by then, were removed from the store.",
                rfc3339(from.into())
            ),
        };
        self.notes.insert(0, note);
    }

    /// The rows of a query by its key in the report.
    pub fn rows(&self, key: &str) -> Option<View<'_>> {
        self.queries.iter().find(|(name, _)| *name == key).map(|(_, rows)| view(rows))
    }

    /// The answers as structs.
    ///
    /// # Errors
    /// When an answer lacks a column or holds another type.
    pub fn findings(&self) -> Result<Findings, ReportError> {
        let shape = |e: serde::de::value::Error| ReportError::Shape(e.to_string());
        let rows = |key: &str| {
            self.rows(key).ok_or_else(|| ReportError::Shape(format!("there is no query `{key}`")))
        };
        macro_rules! read {
            ($key:literal) => {
                findings::read($key, rows($key)?).map_err(shape)?
            };
        }
        let summary: Vec<findings::Summary> = read!("summary");
        Ok(Findings {
            summary: summary.into_iter().next().unwrap_or_default(),
            split_brains: read!("split_brains"),
            corrupt: findings::read("corrupt", view(&self.corrupt)).map_err(shape)?,
            downstream: findings::read("downstream", view(&self.downstream)).map_err(shape)?,
            rotations: read!("rotations"),
            lags: read!("registry_lag"),
            windows: read!("split_brain_rate"),
            replays: read!("replays"),
            storms: read!("retry_storms"),
            incidents: read!("drift_incidents"),
            actions: read!("actions"),
            daily: read!("slo_daily"),
            sources: findings::read("sources", view(&self.sources)).map_err(shape)?,
            problems: findings::read("problems", view(&self.problems)).map_err(shape)?,
            notes: self.notes.clone(),
        })
    }

    /// The report for people.
    ///
    /// # Errors
    /// As [`Answers::findings`].
    pub fn document(&self) -> Result<Document, ReportError> {
        Ok(sections::document(&self.findings()?))
    }

    /// Writes the report as one JSON object, `carddrift.report/1`.
    ///
    /// # Errors
    /// When an answer has not its shape, or the output cannot be written.
    pub fn write_json(&self, out: &mut dyn Write) -> Result<(), ReportError> {
        let findings = self.findings()?;
        writeln!(out, "{{\n\"schema\": \"{SCHEMA}\",")?;
        self.write_inputs(&findings, out)?;
        let time = |ns: Option<i64>| {
            ns.map_or_else(|| "null".to_owned(), |ns| format!("\"{}\"", rfc3339(ns.into())))
        };
        let (first, last) = (time(findings.first_time()), time(findings.last_time()));
        writeln!(out, "\"period\": {{\"from\":{first},\"to\":{last}}},")?;
        for (key, rows) in &self.queries {
            write!(out, "\"{key}\": ")?;
            if *key == "summary" {
                write_object(view(rows), out)?;
            } else {
                json::array(view(rows), "  ", out)?;
            }
            writeln!(out, ",")?;
        }
        write!(out, "\"notes\": [")?;
        for (i, note) in self.notes.iter().enumerate() {
            let mut line = Vec::new();
            line.extend_from_slice(if i == 0 { b"\n  {\"kind\":" } else { b",\n  {\"kind\":" });
            json::string(&mut line, &note.kind);
            line.extend_from_slice(b",\"subject\":");
            match &note.subject {
                Some(subject) => json::string(&mut line, subject),
                None => line.extend_from_slice(b"null"),
            }
            write!(line, ",\"count\":{},\"text\":", note.count)?;
            json::string(&mut line, &note.text);
            line.push(b'}');
            out.write_all(&line)?;
        }
        writeln!(out, "{}]\n}}", if self.notes.is_empty() { "" } else { "\n" })?;
        Ok(())
    }

    fn write_inputs(&self, findings: &Findings, out: &mut dyn Write) -> Result<(), ReportError> {
        write!(out, "\"inputs\": {{")?;
        let totals = [
            ("records", findings.total(|s| s.records)),
            ("accepted", findings.total(|s| s.accepted)),
            ("repaired", findings.total(|s| s.repaired)),
            ("rejected", findings.total(|s| s.rejected)),
            ("duplicate", findings.total(|s| s.duplicate)),
            ("blank", findings.total(|s| s.blank)),
            ("events", findings.total(|s| s.events)),
            ("duplicate_events", findings.total(|s| s.duplicate_events)),
            ("without_events", findings.total(|s| s.without_events)),
        ];
        for (name, total) in totals {
            write!(out, "\"{name}\":{total},")?;
        }
        write!(out, "\"sources\": ")?;
        json::array(view(&self.sources), "  ", out)?;
        writeln!(out, "}},")?;
        Ok(())
    }
}

/// That only a part was measured, which must not be taken for the whole.
fn limited(limits: &Limits) -> Option<Note> {
    let mut parts = Vec::new();
    for (bound, ns) in [("from", limits.from), ("before", limits.to)] {
        if let Some(ns) = ns {
            parts.push(format!("{bound} {}", rfc3339(ns.into())));
        }
    }
    for (kind, globs) in
        [("agent", &limits.agents), ("registry", &limits.registries), ("client", &limits.clients)]
    {
        if !globs.is_empty() {
            parts.push(format!("{kind} {}", globs.join(" or ")));
        }
    }
    let parts = parts.join(", ");
    (!parts.is_empty()).then(|| Note {
        kind: LIMITED.to_owned(),
        text: format!(
            "Only a part was measured: {parts}. All events were read, so cards and groups are whole."
        ),
        subject: Some(parts),
        count: 0,
    })
}

fn write_object(rows: View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let keys = json::keys(rows);
    let mut object = Vec::new();
    rows.for_each_row(|row| {
        object.clear();
        json::object(&mut object, &keys, row)
    })?;
    if object.is_empty() {
        object.extend_from_slice(b"{}");
    }
    out.write_all(&object)
}

/// The rows of an answer.
pub fn view(rows: &Rows) -> View<'_> {
    View { schema: &rows.schema, batches: &rows.batches }
}
