//! What an input holds, before anything is measured: sources, events by kind, and what they let be
//! told. Counts only; why something cannot be told stands beside it.

use super::answers::{ReportError, view};
use super::document::{Document, Prose, Section, Table};
use super::figures::{Clock, count, counted};
use super::findings::{Findings, ProblemExample, Source};
use super::rows::rfc3339;
use super::{answers, json, sections, typed};
use crate::query::Session;
use serde::Deserialize;
use std::io::{self, Write};

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
    /// Sources that no reader knows, with what would read them.
    pub proposals: Vec<Proposed>,
}

/// A source that no reader knows, and a mapping that would read it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposed {
    /// The source.
    pub source_file: String,
    /// The mapping, to be pasted into the configuration.
    pub toml: String,
    /// What would come of its first lines: `3 card_fetch, 2 attempt`.
    pub events: String,
    /// Lines looked at, and those that the mapping reads.
    pub lines: (usize, usize),
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
     count(CASE WHEN digest_status IN ('match', 'mismatch') THEN 1 END) AS digests_checked
   FROM bindings),
  (SELECT count(*) AS attempts, count(CASE WHEN is_rejection THEN 1 END) AS rejections,
     count(skill_id) AS attempts_with_skill
   FROM tries)";

impl Contents {
    /// Asks a session.
    ///
    /// # Errors
    /// When the archive cannot be asked.
    pub fn ask(session: &Session) -> Result<Self, ReportError> {
        macro_rules! ask {
            ($sql:expr) => {
                typed::read(view(&session.sql($sql, &[])?))
                    .map_err(|e| ReportError::Shape(format!("inspect: {e}")))?
            };
        }
        let carried: Vec<Carried> = ask!(CARRIED);
        Ok(Self {
            sources: ask!(answers::SOURCES),
            problems: ask!(answers::PROBLEMS),
            events: ask!(EVENTS),
            agents: ask!(AGENTS),
            carried: carried.into_iter().next().unwrap_or_default(),
            proposals: Vec::new(),
        })
    }

    /// For people.
    pub fn document(&self) -> Document {
        let findings = Findings {
            sources: self.sources.clone(),
            problems: self.problems.clone(),
            ..Findings::default()
        };
        let mut opening = vec![sections::accounting(&findings)];
        if let (Some(first), Some(last)) = (findings.first_time(), findings.last_time()) {
            let clock = Clock::of(Some(first), Some(last));
            opening.push(format!("From {} to {}.", clock.utc(first), clock.utc(last)).into());
        }
        let all = [
            self.sources_section(),
            self.events_section(),
            self.agents_section(),
            self.measures_section(),
            self.proposals_section(),
            sections::problems_section(&findings),
        ];
        Document {
            title: "What the input holds".to_owned(),
            opening,
            alarm: self.sources.iter().any(|s| s.rejected > 0 || s.truncated),
            sections: all.into_iter().filter(|s| !s.is_empty()).collect(),
        }
    }

    fn sources_section(&self) -> Section {
        let mut section = Section::new("Sources");
        let mut table = Table::new(&[
            "source",
            "format",
            "compression",
            ">records",
            ">accepted",
            ">repaired",
            ">rejected",
            ">duplicate",
            ">blank",
            ">events",
            ">without events",
            "truncated",
        ]);
        for s in &self.sources {
            let some = |n: i64| if n == 0 { Prose::new() } else { count(n).into() };
            table.row([
                Prose::new().name(&s.source_file),
                if s.format.is_empty() { "unknown".into() } else { Prose::new().name(&s.format) },
                if s.compression == "none" {
                    Prose::new()
                } else {
                    Prose::new().name(&s.compression)
                },
                count(s.records).into(),
                count(s.accepted).into(),
                some(s.repaired),
                some(s.rejected),
                some(s.duplicate),
                some(s.blank),
                count(s.events).into(),
                some(s.without_events),
                if s.truncated { "yes".into() } else { Prose::new() },
            ]);
        }
        section.table(table);
        section
    }

    fn events_section(&self) -> Section {
        let mut section = Section::new("Events");
        let mut table = Table::new(&["event", ">events", ">with a client"]);
        for e in &self.events {
            table.row([
                e.event.as_str().into(),
                count(e.events).into(),
                count(e.with_client).into(),
            ]);
        }
        section.table(table);
        section
    }

    fn agents_section(&self) -> Section {
        let mut section = Section::new("Agents and registries");
        let mut table = Table::new(&["agent", "registry", "role", ">cards seen", ">contracts"]);
        for a in &self.agents {
            table.row([
                Prose::new().name(&a.agent),
                Prose::new().name(&a.registry),
                match &a.authority_source {
                    Some(rule) => format!("authority ({rule})").into(),
                    None => "mirror".into(),
                },
                count(a.sights).into(),
                count(a.contracts).into(),
            ]);
        }
        section.table(table);
        section
    }

    fn proposals_section(&self) -> Section {
        let mut section = Section::new("A mapping would read these");
        for p in &self.proposals {
            section.line(
                Prose::new()
                    .name(&p.source_file)
                    .say(format!(
                        ": of the first {} the mapping below reads {}, as {}. Check it, and put it into ",
                        counted(i64::try_from(p.lines.0).unwrap_or(i64::MAX), "line", "lines"),
                        p.lines.1,
                        p.events,
                    ))
                    .code("carddrift.toml")
                    .say("."),
            );
            section.lines(&p.toml);
        }
        section
    }

    /// What can be told, and what not and why.
    fn measures_section(&self) -> Section {
        let c = &self.carried;
        let mut section = Section::new("What can be measured");
        let admitted = c.admitted_recorded + c.admitted_by_fetch;
        let mut tell = |what: &str, can: bool, why: String| {
            let verdict = if can { "yes" } else { "no" };
            section
                .item(Prose::new().strong(format!("{what}: {verdict}")).say(format!(", {why}.")));
        };
        tell(
            "Split-brain bindings",
            admitted > 0 && c.artifacts_with_schema > 0 && c.cards_with_schema > 0,
            format!(
                "{} of {} have a known card ({} recorded, {} by the client's fetch); {} of {} and {} of {} \
                 state a schema version",
                count(admitted),
                counted(c.tasks, "task", "tasks"),
                count(c.admitted_recorded),
                count(c.admitted_by_fetch),
                count(c.cards_with_schema),
                counted(c.cards, "card", "cards"),
                count(c.artifacts_with_schema),
                counted(c.artifacts, "artifact", "artifacts"),
            ),
        );
        tell(
            "Corruption",
            c.digests_checked > 0,
            format!(
                "{} of {} state a digest, {} could be checked",
                count(c.artifacts_with_digest),
                counted(c.artifacts, "artifact", "artifacts"),
                count(c.digests_checked),
            ),
        );
        let mirrors = self.agents.iter().filter(|a| a.authority_source.is_none()).count();
        let rotating = self.agents.iter().any(|a| a.authority_source.is_some() && a.contracts > 1);
        tell(
            "Registry lag",
            mirrors > 0 && rotating,
            match (mirrors, rotating) {
                (0, _) => "no registry but the authority was asked".to_owned(),
                (_, false) => "no authority was seen to change its contract".to_owned(),
                (n, true) => {
                    format!(
                        "{} beside the authority",
                        counted(i64::try_from(n).unwrap_or(i64::MAX), "registry", "registries")
                    )
                }
            },
        );
        let named = self.events.iter().find(|e| e.event == "attempt").map_or(0, |e| e.with_client);
        tell(
            "Replays and storms",
            c.attempts > 0,
            match c.attempts {
                0 => "there is no attempt".to_owned(),
                _ => format!(
                    "{}, {} of them rejected; {} name their client, {} their skill",
                    counted(c.attempts, "attempt", "attempts"),
                    count(c.rejections),
                    count(named),
                    count(c.attempts_with_skill),
                ),
            },
        );
        section
    }

    /// As one object, `carddrift.inspect/1`.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut text = b"{\"schema\":\"carddrift.inspect/1\",\"sources\":[".to_vec();
        for (i, s) in self.sources.iter().enumerate() {
            text.extend_from_slice(if i == 0 {
                b"\n  {\"source_file\":"
            } else {
                b",\n  {\"source_file\":"
            });
            json::string(&mut text, &s.source_file);
            for (name, value) in
                [("format", &s.format), ("compression", &s.compression), ("sha256", &s.sha256)]
            {
                write!(text, ",\"{name}\":")?;
                json::string(&mut text, value);
            }
            for (name, n) in [
                ("records", s.records),
                ("accepted", s.accepted),
                ("repaired", s.repaired),
                ("rejected", s.rejected),
                ("duplicate", s.duplicate),
                ("blank", s.blank),
                ("events", s.events),
                ("without_events", s.without_events),
            ] {
                write!(text, ",\"{name}\":{n}")?;
            }
            for (name, time) in [("first_time", s.first_time), ("last_time", s.last_time)] {
                match time {
                    Some(ns) => write!(text, ",\"{name}\":\"{}\"", rfc3339(ns.into()))?,
                    None => write!(text, ",\"{name}\":null")?,
                }
            }
            write!(text, ",\"truncated\":{}}}", s.truncated)?;
        }
        text.extend_from_slice(b"],\n\"events\":{");
        for (i, e) in self.events.iter().enumerate() {
            text.extend_from_slice(if i == 0 { b"" } else { b"," });
            json::string(&mut text, &e.event);
            write!(text, ":{}", e.events)?;
        }
        text.extend_from_slice(b"},\n\"registries\":[");
        for (i, a) in self.agents.iter().enumerate() {
            text.extend_from_slice(if i == 0 { b"\n  {\"agent\":" } else { b",\n  {\"agent\":" });
            json::string(&mut text, &a.agent);
            text.extend_from_slice(b",\"registry\":");
            json::string(&mut text, &a.registry);
            text.extend_from_slice(b",\"authority_source\":");
            match &a.authority_source {
                Some(rule) => json::string(&mut text, rule),
                None => text.extend_from_slice(b"null"),
            }
            write!(text, ",\"sights\":{},\"contracts\":{}}}", a.sights, a.contracts)?;
        }
        text.extend_from_slice(b"],\n\"carried\":{");
        let c = &self.carried;
        let carried = [
            ("cards", c.cards),
            ("cards_with_schema", c.cards_with_schema),
            ("tasks", c.tasks),
            ("admitted_recorded", c.admitted_recorded),
            ("admitted_by_fetch", c.admitted_by_fetch),
            ("completed", c.completed),
            ("artifacts", c.artifacts),
            ("artifacts_with_schema", c.artifacts_with_schema),
            ("artifacts_with_digest", c.artifacts_with_digest),
            ("digests_checked", c.digests_checked),
            ("attempts", c.attempts),
            ("rejections", c.rejections),
            ("attempts_with_skill", c.attempts_with_skill),
        ];
        for (i, (name, n)) in carried.iter().enumerate() {
            write!(text, "{}\"{name}\":{n}", if i == 0 { "" } else { "," })?;
        }
        text.extend_from_slice(b"},\n\"proposals\":[");
        for (i, p) in self.proposals.iter().enumerate() {
            text.extend_from_slice(if i == 0 { b"\n  {" } else { b",\n  {" });
            let texts =
                [("source_file", &p.source_file), ("mapping", &p.toml), ("events", &p.events)];
            for (name, value) in texts {
                json::string(&mut text, name);
                text.push(b':');
                json::string(&mut text, value);
                text.push(b',');
            }
            write!(text, "\"lines\":{},\"lines_read\":{}}}", p.lines.0, p.lines.1)?;
        }
        text.extend_from_slice(b"]}\n");
        out.write_all(&text)
    }
}
