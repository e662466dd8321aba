//! The story of a task in words, and as JSON.

use super::facts::{Moment, Story};
use crate::report::causes;
use crate::report::document::{Document, Prose, Section, Table};
use crate::report::figures::Clock;
use crate::report::findings::Binding;
use crate::report::json;
use crate::report::rows::rfc3339;
use std::io::{self, Write};

/// The stories for people.
pub fn document(stories: &[Story]) -> Document {
    let mut document = Document { title: "The story of a task".to_owned(), ..Document::default() };
    for story in stories {
        document.opening.extend(opening(story));
        document.alarm |=
            story.bindings.iter().any(|b| b.verdict == "split_brain" || b.verdict == "corrupt");
        let whose = (stories.len() > 1).then(|| match &story.task.agent {
            Some(agent) => Prose::from("At ").name(agent).say("."),
            None => "At an unknown agent.".into(),
        });
        document.sections.push(course(story, whose.clone()));
        document.sections.push(verdicts(story, whose));
    }
    document
}

fn clock(story: &Story) -> Clock {
    // A task is short: to the millisecond.
    Clock::of(Some(story.task.admitted_at), Some(story.task.admitted_at))
}

fn opening(story: &Story) -> Vec<Prose> {
    let task = &story.task;
    let mut who = Prose::from("Task ").name(&task.task_id);
    who = match &task.agent {
        Some(agent) => who.say(" of ").name(agent),
        None => who.say(" of an unknown agent"),
    };
    who = match &task.state {
        Some(state) => who.say(" is ").strong(state.clone()),
        None => who.say(" has no recorded state"),
    };
    let mut sentences = vec![match &task.client {
        Some(client) => who.say("; its client is ").name(client).say("."),
        None => who.say("; its client is unknown."),
    }];
    if story.bindings.is_empty() {
        sentences.push("No artifact of it is on record, so there is no verdict.".into());
    }
    for binding in &story.bindings {
        sentences.push(
            Prose::from("Artifact ")
                .name(&binding.artifact_id)
                .say(": ")
                .strong(binding.verdict.replace('_', " "))
                .say(", ")
                .then(because(binding))
                .say("."),
        );
        if let Some(cause) = &binding.cause {
            sentences.push(cause_of(cause, binding));
        }
        if let Some(missing) = missing(binding) {
            sentences.push(missing.into());
        }
    }
    sentences
}

/// Why the verdict is what it is.
fn because(b: &Binding) -> Prose {
    let schemas = || {
        let stated = |text: &Option<String>| match text {
            Some(text) => Prose::new().name(text),
            None => "nothing".into(),
        };
        Prose::from("the card in force states schema ")
            .then(stated(&b.card_schema))
            .say(" and the artifact ")
            .then(stated(&b.artifact_schema))
    };
    match b.verdict.as_str() {
        "split_brain" => schemas().say(match b.digest_status.as_str() {
            "match" => {
                ", and the task completed; silent: the digest matches, so nothing else shows it"
            }
            _ => ", and the task completed",
        }),
        "mismatch_incomplete" => schemas().say(", but the task did not complete"),
        "corrupt" => schemas().say(", but the payload does not match its digest"),
        "no_digest" => schemas().say("; without a digest, corruption cannot be seen"),
        "consistent" => schemas().say(format!("; digest: {}", b.digest_status)),
        _ => match b.reason.as_deref() {
            Some("no_admission_card") => "no card in force is known at the admission".into(),
            Some("card_not_in_archive") => "only the hash of the card in force is known".into(),
            Some("card_declares_no_schema") => "the card in force states no schema version".into(),
            Some("artifact_declares_no_schema") => "the artifact states no schema version".into(),
            _ => "the recording does not tell".into(),
        },
    }
}

/// What must be recorded for a verdict.
fn missing(b: &Binding) -> Option<&'static str> {
    match b.reason.as_deref()? {
        "no_admission_card" => Some(
            "Missing: a card fetch by this client before the admission, or `admitted_under` on its attempt.",
        ),
        "card_not_in_archive" => Some(
            "Missing: the body of that card; ingest any recording that holds it, or record bodies.",
        ),
        "card_declares_no_schema" => Some(
            "Missing: a schema version in the card; if it stands elsewhere, name the place in [extract] card_schema.",
        ),
        "artifact_declares_no_schema" => Some(
            "Missing: a schema version in the artifact; if it stands elsewhere, name the place in [extract] artifact_schema.",
        ),
        _ => None,
    }
}

fn cause_of(name: &str, binding: &Binding) -> Prose {
    let mut prose = Prose::from("Cause: ").strong(name.to_owned());
    if let Some(cause) = causes::cause(name) {
        prose = prose.say(format!(" ({}); side: {}", cause.meaning, cause.side));
    }
    if binding.cause_certain == Some(false) {
        prose = prose.say("; not certain: a time lies within the bounds of a rotation");
    }
    if let Some(action) = &binding.action {
        prose = prose
            .say(". Action: quarantine the artifact and ")
            .strong(action.clone())
            .say(format!(" ({})", causes::action(action)));
    }
    prose.say(".")
}

/// What happened, in the order of time.
fn course(story: &Story, whose: Option<Prose>) -> Section {
    let mut section = Section::new("What happened");
    if let Some(whose) = whose {
        section.line(whose);
    }
    let clock = clock(story);
    if let Some((authority, rule)) = &story.authority {
        section.line(
            Prose::from("The authority is ")
                .name(authority)
                .say(format!(" (rule: {rule}). Times are UTC.")),
        );
    }
    let mut table = Table::new(&["time", "what", "card", "evidence"]);
    for m in &story.moments {
        let evidence = match (&m.source_file, m.source_line) {
            (Some(file), Some(line)) => Prose::new().name(format!("{file}:{line}")),
            _ => Prose::new(),
        };
        let admitted = m.t == story.task.admitted_at && m.kind == "status";
        let mark = if admitted { " (the admission)" } else { "" };
        table.row([clock.time(m.t).into(), told(m).say(mark), shown_card(m), evidence]);
    }
    section.table(table);
    let task = &story.task;
    section.line(
        match (&task.card, task.evidence.as_str()) {
            (Some(card), "recorded") => Prose::from("The card in force is ")
                .name(card)
                .say(", as recorded with the admission"),
            (Some(card), _) => Prose::from("The card in force is ")
                .name(card)
                .say(", the client's latest fetch before it sent"),
            (None, _) => "No card in force is known".into(),
        }
        .then(match (&task.registry, &task.etag) {
            (Some(registry), Some(etag)) => {
                Prose::from(", from ").name(registry).say(" with ETag ").name(etag)
            }
            (Some(registry), None) => Prose::from(", from ").name(registry),
            _ => Prose::new(),
        })
        .say("."),
    );
    section
}

/// The first digits of the card, with the schema that it states.
fn shown_card(m: &Moment) -> Prose {
    let Some(card) = &m.card else { return Prose::new() };
    let shown = Prose::new().name(card.chars().take(12).collect::<String>());
    match &m.schema {
        Some(schema) if m.kind != "attempt" => shown.say(" schema ").name(schema.trim_matches('"')),
        _ => shown,
    }
}

fn told(m: &Moment) -> Prose {
    let name = |text: &Option<String>| match text {
        Some(text) => Prose::new().name(text),
        None => "unknown".into(),
    };
    match m.kind.as_str() {
        "epoch" => Prose::from("authority ")
            .then(name(&m.who))
            .say(format!(" began epoch {}", m.what.as_deref().unwrap_or("?")))
            .say(format!(" ({})", m.how.as_deref().unwrap_or("seen"))),
        "sight" => {
            Prose::from("registry ").then(name(&m.who)).say(" was last seen before the admission")
        }
        "fetch" => Prose::from("client got its card from ")
            .then(name(&m.who))
            .say(format!(" (status {})", m.what.as_deref().unwrap_or("unknown"))),
        "attempt" => {
            let mut told = Prose::from("client sent ").then(match &m.how {
                Some(method) => Prose::new().name(method),
                None => "an attempt".into(),
            });
            if let Some(skill) = &m.schema {
                told = told.say(" for skill ").name(skill);
            }
            told.say(format!(": {}", m.what.as_deref().unwrap_or("unknown")))
        }
        "status" => Prose::from("state ").strong(m.what.clone().unwrap_or_default()),
        _ => {
            let mut told = Prose::from("artifact ").then(name(&m.what));
            if let Some(schema) = &m.schema {
                told = told.say(" of schema ").name(schema);
            }
            told
        }
    }
}

/// The rules of the model that decided.
fn verdicts(story: &Story, whose: Option<Prose>) -> Section {
    let mut section = Section::new("Verdict by the model (§5, §6)");
    if let Some(whose) = whose {
        section.line(whose);
    }
    let mut table = Table::new(&[
        "artifact",
        ">card says",
        ">artifact says",
        "digest",
        "task",
        "verdict",
        "cause",
        "action",
    ]);
    for b in &story.bindings {
        let text = |t: &Option<String>| {
            t.as_ref().map_or_else(|| "unknown".into(), |t| Prose::new().name(t))
        };
        let own = |t: &Option<String>| t.as_ref().map_or_else(Prose::new, |t| t.as_str().into());
        table.row([
            Prose::new().name(&b.artifact_id),
            text(&b.card_schema),
            text(&b.artifact_schema),
            b.digest_status.as_str().into(),
            own(&b.task_state),
            b.verdict.as_str().into(),
            own(&b.cause),
            own(&b.action),
        ]);
    }
    section.table(table);
    let mut told: Vec<&str> = Vec::new();
    for b in &story.bindings {
        let Some(cause) = b.cause.as_deref().and_then(causes::cause) else { continue };
        if !told.contains(&cause.name) {
            told.push(cause.name);
            section.line(
                Prose::from("The first rule that holds, ")
                    .strong(cause.name)
                    .say(format!(": {}.", cause.rule)),
            );
        }
    }
    if section.is_empty() {
        section.line("There is no artifact to judge.");
    }
    section
}

/// Writes the stories as one object, `carddrift.explain/1`.
///
/// # Errors
/// When the output cannot be written.
pub fn write_json(stories: &[Story], out: &mut dyn Write) -> io::Result<()> {
    let mut text = b"{\"schema\":\"carddrift.explain/1\",\"tasks\":[".to_vec();
    for (i, story) in stories.iter().enumerate() {
        let task = &story.task;
        text.extend_from_slice(if i == 0 { b"\n" } else { b",\n" });
        let admitted = Some(rfc3339(task.admitted_at.into()));
        let authority = story.authority.as_ref().map(|(registry, _)| registry.clone());
        let rule = story.authority.as_ref().map(|(_, rule)| rule.clone());
        fields(
            &mut text,
            &[
                ("task_id", Some(&task.task_id)),
                ("agent", task.agent.as_ref()),
                ("client", task.client.as_ref()),
                ("state", task.state.as_ref()),
                ("admitted_at", admitted.as_ref()),
                ("admission_evidence", Some(&task.evidence)),
                ("card", task.card.as_ref()),
                ("card_etag", task.etag.as_ref()),
                ("registry", task.registry.as_ref()),
                ("authority", authority.as_ref()),
                ("authority_source", rule.as_ref()),
            ],
        );
        text.extend_from_slice(b",\"story\":[");
        for (i, m) in story.moments.iter().enumerate() {
            text.extend_from_slice(if i == 0 { b"\n  " } else { b",\n  " });
            let time = Some(rfc3339(m.t.into()));
            fields(
                &mut text,
                &[
                    ("time", time.as_ref()),
                    ("kind", Some(&m.kind)),
                    ("who", m.who.as_ref()),
                    ("what", m.what.as_ref()),
                    ("how", m.how.as_ref()),
                    ("card", m.card.as_ref()),
                    (if m.kind == "attempt" { "skill_id" } else { "schema" }, m.schema.as_ref()),
                    ("source_file", m.source_file.as_ref()),
                ],
            );
            write_line(&mut text, m.source_line)?;
        }
        text.extend_from_slice(b"],\"bindings\":[");
        for (i, b) in story.bindings.iter().enumerate() {
            text.extend_from_slice(if i == 0 { b"\n  " } else { b",\n  " });
            fields(
                &mut text,
                &[
                    ("artifact_id", Some(&b.artifact_id)),
                    ("card_schema", b.card_schema.as_ref()),
                    ("artifact_schema", b.artifact_schema.as_ref()),
                    ("digest_status", Some(&b.digest_status)),
                    ("verdict", Some(&b.verdict)),
                    ("reason", b.reason.as_ref()),
                    ("cause", b.cause.as_ref()),
                    ("action", b.action.as_ref()),
                    ("disposition", b.disposition.as_ref()),
                    ("source_file", b.source_file.as_ref()),
                ],
            );
            write_line(&mut text, b.source_line)?;
        }
        text.extend_from_slice(b"]}");
    }
    text.extend_from_slice(b"\n]}\n");
    out.write_all(&text)
}

/// Opens an object with texts, null where there is none.
fn fields(text: &mut Vec<u8>, fields: &[(&str, Option<&String>)]) {
    for (i, (name, value)) in fields.iter().enumerate() {
        text.push(if i == 0 { b'{' } else { b',' });
        json::string(text, name);
        text.push(b':');
        match value {
            Some(value) => json::string(text, value),
            None => text.extend_from_slice(b"null"),
        }
    }
}

/// Closes an object with its line.
fn write_line(text: &mut Vec<u8>, line: Option<i64>) -> io::Result<()> {
    match line {
        Some(line) => write!(text, ",\"source_line\":{line}}}"),
        None => write!(text, ",\"source_line\":null}}"),
    }
}
