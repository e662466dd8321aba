//! What an event says, in a few words: names, times and states, no contents.

use crate::event::{CardSeen, Event};

/// An event as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Told {
    /// The line it comes of.
    pub line: u64,
    /// `attempt`, for example.
    pub kind: &'static str,
    /// UTC nanoseconds.
    pub time: i64,
    /// Who acted; `None`: not told.
    pub client: Option<String>,
    /// The agent, or the URL that stands for it.
    pub agent: Option<String>,
    /// Method, state, task and the like.
    pub what: String,
}

impl Told {
    /// Of an event that a line gave.
    pub(super) fn of(line: u64, kind: &'static str, event: &Event<'_>) -> Self {
        let common = event.common();
        let owned = |text: &Option<crate::event::Text<'_>>| text.as_deref().map(str::to_owned);
        Self {
            line,
            kind,
            time: common.time,
            client: owned(&common.client),
            agent: owned(&common.agent).or_else(|| owned(&common.url)),
            what: what(event),
        }
    }
}

fn what(event: &Event<'_>) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut say = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            words.push(format!("{name} {value}"));
        }
    };
    match event {
        Event::Card(e) => {
            say("status", e.status.map(|status| status.to_string()).as_deref());
            say("ETag", e.etag.as_deref());
            let seen = match &e.card {
                CardSeen::Unknown => "no card",
                CardSeen::Hash(_) => "hash of a card",
                _ => "card",
            };
            words.push(seen.to_owned());
        }
        Event::Attempt(e) => {
            say("method", e.method.as_deref());
            say("task", e.task_id.as_deref());
            say("skill", e.skill_id.as_deref());
            say("status", e.http_status.map(|status| status.to_string()).as_deref());
            say("error", e.rpc_code.map(|code| code.to_string()).as_deref());
            say("state", e.task_state.as_deref());
        }
        Event::Status(e) => {
            say("task", Some(&e.task_id));
            say("state", Some(&e.state));
        }
        Event::Artifact(e) => {
            say("task", Some(&e.task_id));
            say("artifact", Some(&e.artifact_id));
            say("schema", e.schema.as_ref().map(|(_, schema)| schema.as_ref()));
            say("digest", e.digest.as_ref().map(|_| "stated"));
        }
    }
    words.join(", ")
}
