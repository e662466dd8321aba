//! What the archive knows of one task.

use crate::query::{QueryError, Session};
use crate::report::answers::{ReportError, view};
use crate::report::findings::Binding;
use crate::report::typed;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A task with the card in force; times are UTC nanoseconds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names of the columns of the view `admissions`")]
pub struct Task {
    pub agent: Option<String>,
    pub agent_key: String,
    pub task_id: String,
    pub admitted_at: i64,
    pub client: Option<String>,
    pub client_key: String,
    pub skill_id: Option<String>,
    pub state: Option<String>,
    pub evidence: String,
    pub card: Option<String>,
    pub registry: Option<String>,
    pub etag: Option<String>,
}

/// One event of the story.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Moment {
    /// When.
    pub t: i64,
    /// `attempt`, `status`, `artifact`, `fetch`, `sight` (of the mirror), `epoch` (of the authority).
    pub kind: String,
    /// Who: a client, an agent, a registry.
    pub who: Option<String>,
    /// The outcome, state, artifact, or how the card was got.
    pub what: Option<String>,
    /// The method, media type or `ETag`.
    pub how: Option<String>,
    /// The card that it shows or was made under.
    pub card: Option<String>,
    /// The schema version that it states.
    pub schema: Option<String>,
    /// Where it is recorded.
    pub source_file: Option<String>,
    /// See there.
    pub source_line: Option<i64>,
}

/// The story of a task of one agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Story {
    /// The task.
    pub task: Task,
    /// The registry whose word is final for its agent, and the rule that says so.
    pub authority: Option<(String, String)>,
    /// What happened, in order.
    pub moments: Vec<Moment>,
    /// The verdicts on its artifacts.
    pub bindings: Vec<Binding>,
}

/// Which task was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    /// The one of this id.
    Task(String),
    /// Several begin so; the first ten.
    Several(Vec<String>),
    /// It is there, but not within the limits.
    Outside,
    /// None; the nearest id within the limits.
    None(Option<String>),
}

/// The task that was meant: the one of this id, else the only one that begins so.
///
/// # Errors
/// When the archive cannot be asked.
pub fn find(session: &Session, wanted: &str) -> Result<Meant, ReportError> {
    #[derive(Deserialize)]
    struct Id {
        task_id: String,
    }
    let ids = |sql: &str| -> Result<Vec<String>, ReportError> {
        let rows: Vec<Id> = ask(session, sql)?;
        Ok(rows.into_iter().map(|row| row.task_id).collect())
    };
    let id = quoted(wanted);
    let mut some = ids(&format!(
        "SELECT DISTINCT task_id FROM task_selection WHERE starts_with(task_id, {id})
         ORDER BY task_id LIMIT 10"
    ))?;
    // The whole id comes before all that it begins.
    if some.first().is_some_and(|first| first == wanted) || some.len() == 1 {
        return Ok(Meant::Task(some.swap_remove(0)));
    }
    if !some.is_empty() {
        return Ok(Meant::Several(some));
    }
    let outside = format!("SELECT DISTINCT task_id FROM admissions WHERE task_id = {id}");
    if !ids(&outside)?.is_empty() {
        return Ok(Meant::Outside);
    }
    let all = ids("SELECT DISTINCT task_id FROM task_selection ORDER BY task_id")?;
    let near = crate::config::nearest(wanted, all.iter().map(String::as_str));
    Ok(Meant::None(near.map(str::to_owned)))
}

/// The story of the task at each agent that has one of that id, within the limits.
///
/// # Errors
/// When the archive cannot be asked.
pub fn stories(session: &Session, task_id: &str) -> Result<Vec<Story>, ReportError> {
    let id = quoted(task_id);
    let tasks: Vec<Task> = ask(session, &TASKS.replace("{task}", &id))?;
    tasks.into_iter().map(|task| story(session, task)).collect()
}

fn story(session: &Session, task: Task) -> Result<Story, ReportError> {
    #[derive(Deserialize)]
    struct Authority {
        registry: String,
        source: String,
    }
    let agent = quoted(&task.agent_key);
    let id = quoted(&task.task_id);
    let client = quoted(&task.client_key);
    let registry = quoted(task.registry.as_deref().unwrap_or_default());
    let put = |sql: &str, before: i64| {
        sql.replace("{agent}", &agent)
            .replace("{task}", &id)
            .replace("{client}", &client)
            .replace("{registry}", &registry)
            .replace("{before}", &before.to_string())
    };
    let authority: Vec<Authority> = ask(session, &put(AUTHORITY, 0))?;
    let bindings: Vec<Binding> = ask(session, &put(BINDINGS, 0))?;
    let mut moments: Vec<Moment> = Vec::new();
    for sql in [ATTEMPTS, STATUSES, ARTIFACTS] {
        moments.extend(ask::<Moment>(session, &put(sql, 0))?);
    }
    let sent = moments.iter().filter(|m| m.kind == "attempt").map(|m| m.t).min();
    let admitted = sent.unwrap_or(task.admitted_at).max(task.admitted_at);
    let last = moments.iter().map(|m| m.t).max().unwrap_or(admitted);
    moments.extend(ask::<Moment>(session, &put(FETCH, admitted))?);
    moments.extend(ask::<Moment>(session, &put(SIGHT, admitted))?);
    moments.extend(ask::<Moment>(session, &put(EPOCHS, last))?);
    moments.extend(ask::<Moment>(session, &put(NEXT_EPOCH, last))?);
    moments.sort_by_key(|m| (m.t, rank(&m.kind)));
    let authority = authority.into_iter().next().map(|a| (a.registry, a.source));
    Ok(Story { task, authority, moments, bindings })
}

/// At one instant: what was served before what was fetched before what was sent.
fn rank(kind: &str) -> u8 {
    match kind {
        "epoch" => 0,
        "sight" => 1,
        "fetch" => 2,
        "attempt" => 3,
        "artifact" => 4,
        _ => 5,
    }
}

fn ask<T: DeserializeOwned>(session: &Session, sql: &str) -> Result<Vec<T>, ReportError> {
    let rows = session.sql(sql, &[]).map_err(|e| match e {
        // It is ours, not the user's.
        QueryError::Failed { message, .. } => {
            QueryError::Failed { name: "explain".to_owned(), message }
        }
        other => other,
    })?;
    typed::read(view(&rows)).map_err(|e| ReportError::Shape(format!("explain: {e}")))
}

/// A text as a literal of SQL.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

const TASKS: &str = "
SELECT a.* FROM admissions AS a
LEFT SEMI JOIN task_selection AS s
  ON s.task_id = a.task_id AND coalesce(s.agent, '') = a.agent_key
WHERE a.task_id = {task} ORDER BY a.agent_key";

const AUTHORITY: &str = "SELECT registry, source FROM authorities WHERE agent = {agent}";

const BINDINGS: &str = "
SELECT * FROM bindings
WHERE task_id = {task} AND coalesce(agent, '') = {agent} ORDER BY artifact_id";

const ATTEMPTS: &str = "
SELECT r.t, 'attempt' AS kind, r.client AS who, r.outcome AS what, max(a.method) AS how,
  r.admitted_under AS card, r.skill_id AS schema, r.source_file, r.source_line
FROM tries AS r
LEFT JOIN attempts AS a
  ON a.source_file = r.source_file AND a.source_line = r.source_line AND a.task_id = r.task_id
    AND CAST(a.time AS BIGINT) = r.t
WHERE r.task_id = {task} AND coalesce(r.agent, '') = {agent}
GROUP BY r.id, r.t, r.client, r.outcome, r.admitted_under, r.skill_id, r.source_file, r.source_line
ORDER BY r.t, r.id";

const STATUSES: &str = "
SELECT CAST(e.time AS BIGINT) AS t, 'status' AS kind, coalesce(e.agent, u.agent, o.agent) AS who,
  e.state AS what, e.time_from AS how, e.admitted_under AS card, CAST(NULL AS VARCHAR) AS schema,
  e.source_file, e.source_line
FROM task_events AS e
LEFT JOIN url_agents AS u ON u.url = e.url
LEFT JOIN only_agents AS o ON o.task_id = e.task_id
WHERE e.task_id = {task} AND coalesce(e.agent, u.agent, o.agent, '') = {agent}
ORDER BY t, e.source_file, e.source_line, e.source_byte";

const ARTIFACTS: &str = "
SELECT r.t, 'artifact' AS kind, r.agent AS who, r.artifact_id AS what, r.media_base AS how,
  CAST(NULL AS VARCHAR) AS card, r.schema_stated AS schema, r.source_file, r.source_line
FROM artifact_records AS r
WHERE r.task_id = {task} AND r.agent_key = {agent}
ORDER BY r.t, r.id";

/// The client's latest fetch up to the admission: where its card came from.
const FETCH: &str = "
SELECT f.t, 'fetch' AS kind, f.registry AS who, CAST(f.status AS VARCHAR) AS what, f.etag AS how,
  f.card, c.schema, s.source_file, s.source_line
FROM fetches AS f
LEFT JOIN card_contents AS c ON c.card = f.card
LEFT JOIN card_fetches AS s
  ON CAST(s.time AS BIGINT) = f.t AND coalesce(s.client, '') = f.client_key AND s.registry = f.registry
WHERE f.agent = {agent} AND f.client_key = {client} AND f.ok AND f.t <= {before}
ORDER BY f.t DESC, f.id DESC, s.source_file, s.source_line LIMIT 1";

/// The latest sight of the registry of the admission, by anyone, up to the admission.
const SIGHT: &str = "
SELECT o.t, 'sight' AS kind, o.registry AS who, CASE WHEN o.is_publish THEN 'publish' ELSE 'fetch' END AS what,
  CAST(NULL AS VARCHAR) AS how, o.card, c.schema, s.source_file, s.source_line
FROM observations AS o
LEFT JOIN card_contents AS c ON c.card = o.card
LEFT JOIN card_fetches AS s
  ON s.registry = o.registry AND CAST(s.time AS BIGINT) = o.t
WHERE o.agent = {agent} AND o.registry = {registry} AND o.t <= {before}
ORDER BY o.t DESC, o.id DESC, s.source_file, s.source_line LIMIT 1";

/// The authority's epochs up to the task's last event: the last three of them.
const EPOCHS: &str = "
SELECT e.rotated_at AS t, 'epoch' AS kind, a.registry AS who, CAST(e.k AS VARCHAR) AS what,
  CASE WHEN e.is_publish THEN 'published' ELSE 'first seen' END AS how, e.card, c.schema,
  min(s.source_file) AS source_file, min(s.source_line) AS source_line
FROM epochs AS e
JOIN authorities AS a ON a.agent = e.agent
LEFT JOIN card_contents AS c ON c.card = e.card
LEFT JOIN card_fetches AS s
  ON s.registry = a.registry AND s.card = e.card AND CAST(s.time AS BIGINT) = e.rotated_at
WHERE e.agent = {agent} AND e.rotated_at <= {before}
GROUP BY e.rotated_at, a.registry, e.k, e.is_publish, e.card, c.schema
ORDER BY e.k DESC LIMIT 3";

/// The authority's first epoch after it.
const NEXT_EPOCH: &str = "
SELECT e.rotated_at AS t, 'epoch' AS kind, a.registry AS who, CAST(e.k AS VARCHAR) AS what,
  CASE WHEN e.is_publish THEN 'published' ELSE 'first seen' END AS how, e.card, c.schema,
  min(s.source_file) AS source_file, min(s.source_line) AS source_line
FROM epochs AS e
JOIN authorities AS a ON a.agent = e.agent
LEFT JOIN card_contents AS c ON c.card = e.card
LEFT JOIN card_fetches AS s
  ON s.registry = a.registry AND s.card = e.card AND CAST(s.time AS BIGINT) = e.rotated_at
WHERE e.agent = {agent} AND e.rotated_at > {before}
GROUP BY e.rotated_at, a.registry, e.k, e.is_publish, e.card, c.schema
ORDER BY e.k LIMIT 1";
