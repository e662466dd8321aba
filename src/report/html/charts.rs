//! What the pictures are drawn from, beside the findings: the answers of the views `timeline_*`,
//! `storm_*` and `*_records`, and the cards that the diffs compare.

use crate::a2a::card::Card;
use crate::query::{QueryError, Rows, Session};
use crate::report::findings::{Findings, read};
use crate::report::rows::View;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};

/// An epoch of an authority.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Epoch {
    /// The agent.
    pub agent: String,
    /// Its number, from 0.
    pub k: i64,
    /// The registry whose word is final.
    pub authority: String,
    /// The rule that chose it.
    pub authority_source: String,
    /// It began after this instant; null: it is the first.
    pub rotated_after: Option<i64>,
    /// And at this one or before.
    pub rotated_at: i64,
    /// When the next began.
    pub next_at: Option<i64>,
    /// The first card seen of it.
    pub card: Option<String>,
    /// What makes it one.
    pub contract: String,
    /// The schema version that the card states by itself.
    pub schema: Option<String>,
    /// The record that opened it.
    pub source_file: Option<String>,
    /// Its line.
    pub source_line: Option<i64>,
}

/// A run of observations of one contract at a mirror.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Sight {
    /// The agent.
    pub agent: String,
    /// The mirror.
    pub registry: String,
    /// Its number, from 1.
    pub run: i64,
    /// What makes it one.
    pub contract: String,
    /// The first card seen of it.
    pub card: Option<String>,
    /// The schema version that the card states by itself.
    pub schema: Option<String>,
    /// The first observation.
    pub first_at: i64,
    /// The last one.
    pub last_at: i64,
    /// How many.
    pub sights: i64,
    /// The record of the first.
    pub source_file: Option<String>,
    /// Its line.
    pub source_line: Option<i64>,
}

/// A task's admission, or a step of time with several of one verdict.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Admission {
    /// The agent; empty: unknown.
    pub agent_key: String,
    /// The registry of the admission.
    pub registry: Option<String>,
    /// The task's verdict; null: it has no artifact.
    pub verdict: Option<String>,
    /// How many tasks.
    pub n: i64,
    /// The first admission.
    pub first_at: i64,
    /// The last.
    pub last_at: i64,
    /// The first task.
    pub task_id: String,
    /// The record of its artifact.
    pub source_file: Option<String>,
    /// Its line.
    pub source_line: Option<i64>,
}

/// A step of time with attempts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Step {
    /// The agent.
    pub agent: String,
    /// Its begin.
    pub step_at: i64,
    /// Its length.
    pub step: i64,
    /// How many attempts.
    pub attempts: i64,
    /// How many of them were rejected.
    pub rejected: i64,
    /// How many of these were replays.
    pub replayed: i64,
}

/// A minute of a storm.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Minute {
    /// The storm's agent.
    pub agent: String,
    /// The storm's card.
    pub card: Option<String>,
    /// The storm's begin.
    pub started_at: i64,
    /// The minute's begin.
    pub minute_at: i64,
    /// Rejections.
    pub rejected: i64,
    /// Replays among them.
    pub replayed: i64,
}

/// A client in a storm.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Rioter {
    /// The storm's agent.
    pub agent: String,
    /// The storm's card.
    pub card: Option<String>,
    /// The storm's begin.
    pub started_at: i64,
    /// The client.
    pub client: Option<String>,
    /// Its rejections.
    pub rejected: i64,
    /// Replays among them.
    pub replayed: i64,
    /// Its first rejection.
    pub first_at: i64,
    /// Its last.
    pub last_at: i64,
    /// The record of the first.
    pub source_file: String,
    /// Its line.
    pub source_line: i64,
}

/// The record of an incident's first rejection.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct IncidentRecord {
    /// The client.
    pub client: Option<String>,
    /// The agent.
    pub agent: String,
    /// When it was rejected.
    pub first_t: i64,
    /// The card held.
    pub card: Option<String>,
    /// The outcome.
    pub outcome: String,
    /// The record.
    pub source_file: String,
    /// Its line.
    pub source_line: i64,
}

/// The records that bound a lag.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct LagRecord {
    /// The agent.
    pub agent: String,
    /// The mirror.
    pub registry: String,
    /// The rotation.
    pub k: i64,
    /// The last record that shows an old contract.
    pub old_file: Option<String>,
    /// Its line.
    pub old_line: Option<i64>,
    /// The first record that shows the rotation's.
    pub caught_file: Option<String>,
    /// Its line.
    pub caught_line: Option<i64>,
}

/// All that is drawn beside the findings.
#[derive(Debug, Default)]
pub struct Charts {
    /// `timeline_epochs`.
    pub epochs: Vec<Epoch>,
    /// `timeline_sights`.
    pub sights: Vec<Sight>,
    /// `timeline_admissions`.
    pub admissions: Vec<Admission>,
    /// `timeline_attempts`.
    pub steps: Vec<Step>,
    /// `storm_minutes`.
    pub minutes: Vec<Minute>,
    /// `storm_clients`, those with the most rejections first.
    pub rioters: Vec<Rioter>,
    /// `incident_records`.
    pub incidents: Vec<IncidentRecord>,
    /// `lag_records`.
    pub lags: Vec<LagRecord>,
    /// The cards that the diffs compare, by binding hash.
    pub cards: BTreeMap<String, Card>,
}

/// How many cards are read for diffs at most.
const CARDS: usize = 200;

impl Charts {
    /// Asks for all of it.
    ///
    /// # Errors
    /// When a query cannot be run.
    pub fn load(session: &Session, findings: &Findings) -> Result<Self, QueryError> {
        Ok(Self {
            epochs: ask(session, EPOCHS)?,
            sights: ask(session, SIGHTS)?,
            admissions: ask(session, ADMISSIONS)?,
            steps: ask(session, STEPS)?,
            minutes: ask(session, MINUTES)?,
            rioters: ask(session, RIOTERS)?,
            incidents: ask(session, INCIDENTS)?,
            lags: ask(session, LAGS)?,
            cards: cards(session, findings)?,
        })
    }

    /// Everything that [`Charts::load`] asks of the shared views, to be told to a session beforehand.
    pub fn questions() -> Vec<String> {
        [EPOCHS, SIGHTS, ADMISSIONS, STEPS, MINUTES, RIOTERS, INCIDENTS, LAGS]
            .into_iter()
            .map(question)
            .collect()
    }
}

/// A view and the order of its rows.
type Asked = (&'static str, &'static str);

const EPOCHS: Asked = ("timeline_epochs", "agent, k");
const SIGHTS: Asked = ("timeline_sights", "agent, registry, run");
const ADMISSIONS: Asked =
    ("timeline_admissions", "agent_key, registry NULLS LAST, first_at, task_id, verdict");
const STEPS: Asked = ("timeline_attempts", "agent, step_at");
const MINUTES: Asked = ("storm_minutes", "agent, card, started_at, minute_at");
const RIOTERS: Asked = ("storm_clients", "agent, card, started_at, place");
const INCIDENTS: Asked =
    ("incident_records", "agent, first_t, client, card, outcome, source_file, source_line");
const LAGS: Asked = ("lag_records", "agent, registry, k");

fn question((view, order): Asked) -> String {
    format!("SELECT * FROM {view} ORDER BY {order}")
}

fn ask<T: DeserializeOwned>(session: &Session, asked: Asked) -> Result<Vec<T>, QueryError> {
    rows(asked.0, session.sql(&question(asked), &[]))
}

fn rows<T: DeserializeOwned>(
    name: &str,
    answer: Result<Rows, QueryError>,
) -> Result<Vec<T>, QueryError> {
    let answer = answer?;
    read(name, View { schema: &answer.schema, batches: &answer.batches })
        .map_err(|error| QueryError::Failed { name: name.to_owned(), message: error.to_string() })
}

/// The cards before and after each rotation and refetch.
fn cards(session: &Session, findings: &Findings) -> Result<BTreeMap<String, Card>, QueryError> {
    #[derive(Deserialize)]
    struct Body {
        card: String,
        body: Option<String>,
    }
    let mut wanted: Vec<&str> = Vec::new();
    let mut seen = BTreeSet::new();
    let rotations = findings.rotations.iter().map(|r| (&r.from_card, &r.to_card));
    let incidents = findings
        .incidents
        .iter()
        .filter(|i| i.result != "identical")
        .map(|i| (&i.card, &i.refetched_card));
    for (from, to) in rotations.chain(incidents) {
        for card in [from, to].into_iter().flatten() {
            // What is no hash cannot be asked for, and has no body.
            if card.bytes().all(|b| b.is_ascii_hexdigit()) && seen.insert(card.as_str()) {
                wanted.push(card);
            }
        }
    }
    wanted.truncate(CARDS);
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let list: Vec<String> = wanted.iter().map(|card| format!("'{card}'")).collect();
    let sql = format!(
        "SELECT card, max(body) AS body FROM cards WHERE card IN ({}) GROUP BY card ORDER BY card",
        list.join(", ")
    );
    let bodies: Vec<Body> = rows("cards", session.sql(&sql, &[]))?;
    Ok(bodies
        .into_iter()
        .filter_map(|row| Some((row.card, Card::parse(row.body?.as_bytes()).ok()?)))
        .collect())
}
