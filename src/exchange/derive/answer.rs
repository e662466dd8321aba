//! What came back: one body, or the pieces of a stream.

use super::calls::Call;
use super::facts::{Facts, response_header};
use crate::a2a::json::lossy;
use crate::a2a::object::answer::{Item, Reply, replies};
use crate::a2a::object::error::ErrorFacts;
use crate::a2a::sse;
use crate::a2a::state::TaskState;
use crate::exchange::Exchange;
use std::borrow::Cow;

/// The JSON texts of an answer.
#[derive(Debug, Default)]
pub(super) struct Texts<'e> {
    /// Each with the time at which it was captured.
    pub(super) data: Vec<(Option<i64>, Cow<'e, str>)>,
    /// They are the events of a stream.
    pub(super) is_stream: bool,
    /// The last one was not ended by a blank line.
    unfinished: bool,
}

/// Takes the answer apart.
pub(super) fn texts<'e>(exchange: &'e Exchange<'_>, facts: &Facts<'_>) -> Texts<'e> {
    let media = response_header(exchange, "content-type").unwrap_or_default();
    let said = media.trim().get(..17).is_some_and(|m| m.eq_ignore_ascii_case("text/event-stream"));
    if !exchange.stream.is_empty() {
        let data =
            exchange.stream.iter().map(|piece| (piece.time, Cow::Borrowed(&*piece.data))).collect();
        return Texts { data, is_stream: true, unfinished: false };
    }
    let Some(body) = exchange.response_body.as_deref() else { return Texts::default() };
    let body = lossy(body);
    if !(said && facts.is_success() || sse::looks_like_stream(&body)) {
        let data = if body.trim().is_empty() { Vec::new() } else { vec![(None, body)] };
        return Texts { data, is_stream: false, unfinished: false };
    }
    let mut unfinished = false;
    let events = sse::events(&body).map(|event| {
        unfinished = !event.complete;
        (None, Cow::Owned(event.data.into_owned()))
    });
    let data = events.collect();
    Texts { data, is_stream: true, unfinished }
}

/// An answer, read.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    /// What each text carried, with its capture time.
    pub(super) replies: Vec<(Option<i64>, Reply<'a>)>,
    /// It was a stream.
    pub(super) is_stream: bool,
    /// A text is no JSON although it is complete.
    pub(super) unread: bool,
    /// It broke off: the recorder says so, or its last piece is incomplete.
    pub(super) cut: bool,
    /// Something of it was recorded, if only that it is empty.
    pub(super) is_recorded: bool,
    /// It is not empty.
    pub(super) came: bool,
}

impl<'a> Answer<'a> {
    pub(super) fn of(texts: &'a Texts<'_>, exchange: &Exchange<'_>, facts: &Facts<'_>) -> Self {
        let mut answer = Self {
            replies: Vec::new(),
            is_stream: texts.is_stream,
            unread: false,
            cut: exchange.cut,
            is_recorded: exchange.response_body.is_some() || !exchange.stream.is_empty(),
            came: texts.is_stream || !texts.data.is_empty(),
        };
        let last = texts.data.len().saturating_sub(1);
        for (index, (time, text)) in texts.data.iter().enumerate() {
            match replies(text) {
                Ok(read) => answer.replies.extend(read.into_iter().map(|reply| (*time, reply))),
                Err(_) if texts.unfinished && index == last => answer.cut = true,
                Err(_) => answer.unread |= facts.is_success(),
            }
        }
        answer
    }

    /// Whether it carries nothing of A2A.
    pub(super) fn is_empty(&self) -> bool {
        self.replies.iter().all(|(_, reply)| reply.items.is_empty())
    }

    /// What answers one call: by its id in a batch, all when it is the only one.
    pub(super) fn to<'s>(
        &'s self,
        call: &'s Call<'_>,
        only: bool,
    ) -> impl Iterator<Item = &'s Item<'a>> {
        self.replies
            .iter()
            .filter(move |(_, reply)| only || reply.id.is_some() && reply.id == call.id)
            .flat_map(|(_, reply)| &reply.items)
    }
}

/// What an attempt was answered with.
#[derive(Debug, Default)]
pub(super) struct Outcome<'s, 'a> {
    /// The first error.
    pub(super) error: Option<&'s ErrorFacts<'a>>,
    /// The task's first terminal state, else its last.
    pub(super) state: Option<&'s str>,
    /// The first task id.
    pub(super) task_id: Option<&'s str>,
    /// The first context id.
    pub(super) context_id: Option<&'s str>,
    /// It ended as a stream should: a terminal or interrupted state, `final: true`, or a message.
    pub(super) ended: bool,
}

impl<'s, 'a> Outcome<'s, 'a> {
    pub(super) fn of(items: impl Iterator<Item = &'s Item<'a>>) -> Self {
        let mut outcome = Self::default();
        let mut terminal = false;
        for item in items {
            let (task, context, status) = match item {
                Item::Task(task) => (task.id.get(), task.context_id.get(), Some(&task.status)),
                Item::Status(update) => {
                    outcome.ended |= update.is_final;
                    (update.task_id.get(), update.context_id.get(), Some(&update.status))
                }
                Item::Artifact(update) => (update.task_id.get(), update.context_id.get(), None),
                Item::Message(message) => {
                    outcome.ended = true;
                    (message.task_id.get(), message.context_id.get(), None)
                }
                Item::Error(error) => {
                    outcome.error.get_or_insert(error);
                    continue;
                }
            };
            outcome.task_id = outcome.task_id.or(task);
            outcome.context_id = outcome.context_id.or(context);
            let Some(text) = status.and_then(|status| status.state.get()) else { continue };
            if !terminal {
                outcome.state = Some(text);
            }
            if let Some(state) = TaskState::parse(text) {
                terminal |= state.is_terminal();
                outcome.ended |= state.is_terminal() || state.is_interrupted();
            }
        }
        outcome
    }
}
