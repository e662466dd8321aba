//! What an input holds, before anything is measured: the detectability audit.
//!
//! Counts and names only. For each input and in total: what it holds, which measures it supports and
//! which not, and the one change of the recorder that would make each measurable; what biases every
//! number; and for a source that no reader knows, why, and what would read it.
//!
//! | module | what |
//! |---|---|
//! | [`holdings`] | sources, events, agents |
//! | [`measures`] | what can be measured, by input and in total |
//! | [`unread`] | sources that no reader knows |
//! | [`json`] | the same for machines |

mod holdings;
mod json;
mod measures;
mod unread;

pub use unread::{Proposed, Shown, Unread};

use super::answers::{ReportError, view};
use super::audit::{Holds, holds};
use super::bias;
use super::document::{Document, Prose, Section};
use super::figures::Clock;
use super::findings::{Findings, ProblemExample, Source};
use super::{answers, sections, typed};
use crate::query::{Note, Session};
use serde::Deserialize;

/// What an input holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contents {
    /// One for each source.
    pub sources: Vec<Source>,
    /// The first problems of each kind.
    pub problems: Vec<ProblemExample>,
    /// How many events of each kind.
    pub events: Vec<Counted>,
    /// The agents, with who serves their cards.
    pub agents: Vec<Agent>,
    /// What the events carry.
    pub carried: Carried,
    /// What each source with events of its own holds.
    pub by_source: Vec<Holds>,
    /// What sources saw of events that stand under another.
    pub joined: Vec<Joined>,
    /// What all hold together.
    pub total: Holds,
    /// Notes; some of them are warnings.
    pub notes: Vec<Note>,
    /// Sources that no reader knows.
    pub unread: Vec<Unread>,
}

/// A kind of event and how many there are.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Counted {
    /// `card_publish`, `card_fetch`, `attempt`, `push_config`, `task_status` or `artifact`.
    pub event: String,
    /// How many.
    pub events: i64,
    /// How many of them name their client.
    pub with_client: i64,
}

/// An agent and a registry that was asked for it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Agent {
    /// The agent.
    pub agent: String,
    /// The registry.
    pub registry: String,
    /// The rule that makes it the authority; `None`: a mirror.
    pub authority_source: Option<String>,
    /// How often its cards were seen.
    pub sights: i64,
    /// How many contracts it showed.
    pub contracts: i64,
}

/// What a source saw of exchanges that other sources recorded too: they were joined, and stand there.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Joined {
    /// The source.
    pub source_file: String,
    /// Events that it saw and that stand under another.
    pub events: i64,
    /// That other one, the first by name.
    pub under: String,
    /// How many others there are.
    pub others: i64,
}

/// Counts of what can be told from.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[expect(missing_docs, reason = "the names say it; each is a number of rows")]
pub struct Carried {
    pub cards: i64,
    pub cards_with_schema: i64,
    pub tasks: i64,
    pub admitted_recorded: i64,
    pub admitted_by_fetch: i64,
    pub completed: i64,
    pub artifacts: i64,
    pub artifacts_with_schema: i64,
    pub artifacts_with_digest: i64,
    pub digests_checked: i64,
    pub dispositions: i64,
    pub attempts: i64,
    pub rejections: i64,
    pub attempts_with_skill: i64,
}

const EVENTS: &str = "
SELECT event, events, with_client FROM (
  SELECT CASE kind WHEN 'publish' THEN 'card_publish' ELSE 'card_fetch' END AS event,
    count(*) AS events, count(client) AS with_client
  FROM card_fetches GROUP BY 1
  UNION ALL
  SELECT CASE WHEN push_config THEN 'push_config' ELSE 'attempt' END, count(*), count(client)
  FROM attempts GROUP BY 1
  UNION ALL
  SELECT 'task_status', count(*), count(client) FROM task_events
  UNION ALL
  SELECT 'artifact', count(*), count(client) FROM artifacts
) WHERE events > 0 ORDER BY event";

const AGENTS: &str = "
SELECT o.agent, o.registry, max(a.source) AS authority_source, count(*) AS sights,
  count(DISTINCT o.contract) AS contracts
FROM observations AS o
LEFT JOIN authorities AS a ON a.agent = o.agent AND a.registry = o.registry
GROUP BY o.agent, o.registry
ORDER BY o.agent, authority_source NULLS LAST, o.registry";

const CARRIED: &str = "
SELECT * FROM
  (SELECT count(DISTINCT card) AS cards FROM cards WHERE is_card),
  (SELECT count(DISTINCT card) AS cards_with_schema FROM card_schemas),
  (SELECT count(*) AS tasks,
     count(CASE WHEN evidence = 'recorded' THEN 1 END) AS admitted_recorded,
     count(CASE WHEN evidence = 'client_fetch' THEN 1 END) AS admitted_by_fetch,
     count(CASE WHEN completed THEN 1 END) AS completed
   FROM admissions),
  (SELECT count(*) AS artifacts, count(artifact_schema) AS artifacts_with_schema,
     count(CASE WHEN digest_status <> 'absent' THEN 1 END) AS artifacts_with_digest,
     count(CASE WHEN digest_status IN ('match', 'mismatch') THEN 1 END) AS digests_checked,
     count(disposition) AS dispositions
   FROM bindings),
  (SELECT count(*) AS attempts, count(CASE WHEN is_rejection THEN 1 END) AS rejections,
     count(skill_id) AS attempts_with_skill
   FROM tries)";

const JOINED: &str = "
SELECT seen AS source_file, count(*) AS events, min(source_file) AS under,
  count(DISTINCT source_file) AS others
FROM (
  SELECT unnest(seen_by) AS seen, source_file FROM card_fetches
  UNION ALL SELECT unnest(seen_by), source_file FROM attempts
  UNION ALL SELECT unnest(seen_by), source_file FROM task_events
  UNION ALL SELECT unnest(seen_by), source_file FROM artifacts
)
WHERE seen <> source_file
GROUP BY seen ORDER BY seen";

impl Contents {
    /// Asks a session.
    ///
    /// # Errors
    /// When the archive cannot be asked.
    pub fn ask(session: &Session) -> Result<Self, ReportError> {
        macro_rules! read {
            ($rows:expr) => {
                typed::read(view(&$rows))
                    .map_err(|e| ReportError::Shape(format!("inspect: {e}")))?
            };
        }
        macro_rules! ask {
            ($sql:expr) => {
                read!(session.sql($sql, &[])?)
            };
        }
        let carried: Vec<Carried> = ask!(CARRIED);
        let total: Vec<Holds> = read!(holds::ask(session, false)?);
        Ok(Self {
            sources: ask!(answers::SOURCES),
            problems: ask!(answers::PROBLEMS),
            events: ask!(EVENTS),
            agents: ask!(AGENTS),
            carried: carried.into_iter().next().unwrap_or_default(),
            by_source: read!(holds::ask(session, true)?),
            joined: ask!(JOINED),
            total: total.into_iter().next().unwrap_or_default(),
            notes: session.notes()?,
            unread: Vec::new(),
        })
    }

    /// For people.
    pub fn document(&self) -> Document {
        let findings = Findings {
            sources: self.sources.clone(),
            // Why no reader knows a source is told with it.
            problems: self.problems.iter().filter(|p| p.code != "CD002").cloned().collect(),
            ..Findings::default()
        };
        let mut opening = vec![sections::accounting(&findings)];
        if let (Some(first), Some(last)) = (findings.first_time(), findings.last_time()) {
            let clock = Clock::of(Some(first), Some(last));
            opening.push(format!("From {} to {}.", clock.utc(first), clock.utc(last)).into());
        }
        opening.push(self.in_short());
        let all = [
            if self.is_empty() { self.unread_section() } else { Section::new("") },
            self.measures_section(),
            self.warnings_section(),
            self.changes_section(),
            self.inputs_section(),
            self.sources_section(),
            self.events_section(),
            self.agents_section(),
            if self.is_empty() { Section::new("") } else { self.unread_section() },
            sections::problems_section(&findings),
        ];
        Document {
            title: "What the input holds".to_owned(),
            opening,
            alarm: self.sources.iter().any(|s| s.rejected > 0 || s.truncated)
                || !self.unread.is_empty(),
            sections: all.into_iter().filter(|s| !s.is_empty()).collect(),
        }
    }

    fn warnings_section(&self) -> Section {
        let mut section = Section::new("What biases every number");
        for note in bias::warnings(&self.notes) {
            // The alias is to be pasted: it stands on lines of its own.
            match note.text.split_once(" write under [agents]: ") {
                Some((text, alias)) if note.kind == "agent_moved" => {
                    section.item(
                        Prose::new().told(text).say(" put into ").code("carddrift.toml").say(":"),
                    );
                    section.lines(format!("[agents]\n{alias}"));
                }
                _ => section.item(Prose::new().told(&note.text)),
            }
        }
        section
    }
}
