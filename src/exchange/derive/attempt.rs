//! Attempts: task submissions and push-notification configurations, with their answers (model §7).

use super::answer::{Answer, Outcome};
use super::calls::Call;
use super::facts::{Facts, owned};
use super::{Derived, Rules};
use crate::a2a::method::Operation;
use crate::a2a::object::request::Params;
use crate::a2a::skill;
use crate::event::{Attempt, Text};
use crate::exchange::Exchange;
use crate::problem::Kind;
use std::borrow::Cow;

/// The attempt that a call is. `only`: the exchange has no other call.
pub(super) fn of(
    call: &Call<'_>,
    only: bool,
    answer: &Answer<'_>,
    exchange: &Exchange<'_>,
    facts: &Facts<'_>,
    rules: &Rules,
) -> Attempt<'static> {
    let outcome = Outcome::of(answer.to(call, only));
    let stated = exchange.stated.as_deref();
    let params = call.params.as_ref();
    let message = params.and_then(Params::message);
    let own = |text: &str| -> Text<'static> { Cow::Owned(text.to_owned()) };
    let skill = params.and_then(|params| skill::of(params, rules.skill.as_deref()));
    let modes = params.map(Params::output_modes).filter(|modes| !modes.is_empty());
    let references = message.map(|message| message.reference_task_ids.0).unwrap_or_default();
    let references: Vec<Text<'static>> =
        references.into_iter().filter_map(|id| Some(own(id.get()?))).collect();
    let is_push = call.operation == Operation::PushSet;
    let streams = call.operation == Operation::Stream;
    let error = outcome.error;
    let version = stated.and_then(|stated| stated.protocol_version.clone());
    let version = version.or_else(|| facts.version_asked(exchange).map(Cow::Borrowed));
    Attempt {
        common: facts.common.clone(),
        end_time: exchange.ended_at,
        method: Some(own(&call.method)),
        protocol_version: owned(version.as_ref()),
        task_id: call.task_id.clone().or_else(|| outcome.task_id.map(own)),
        context_id: call.context_id.clone().or_else(|| outcome.context_id.map(own)),
        skill_id: owned(stated.and_then(|stated| stated.skill_id.as_ref()))
            .or_else(|| skill.map(|skill| own(&skill))),
        admitted_under: owned(stated.and_then(|stated| stated.admitted_under.as_ref())),
        accepted_output_modes: stated
            .and_then(|stated| stated.accepted_output_modes.as_ref())
            .map(|modes| modes.iter().map(|mode| own(mode)).collect())
            .or_else(|| modes.map(|modes| modes.iter().map(|mode| own(mode)).collect())),
        stream: stated.and_then(|stated| stated.stream).or((!is_push).then_some(streams)),
        push: stated
            .and_then(|stated| stated.push)
            .or_else(|| params.map(|params| is_push || params.wants_push())),
        outcome: owned(stated.and_then(|stated| stated.outcome.as_ref())),
        http_status: facts.status.or_else(|| error.and_then(|e| e.http_status).map(i64::from)),
        rpc_code: error.and_then(|error| error.code).or(exchange.rpc_code),
        task_state: outcome.state.map(own).or_else(|| owned(exchange.task_state.as_ref())),
        grpc_status: owned(exchange.grpc_status.as_ref()),
        error_reason: owned(stated.and_then(|stated| stated.error_reason.as_ref()))
            .or_else(|| error.and_then(|error| error.reason.as_deref()).map(own)),
        transport_error: transport_error(answer, exchange, facts),
        broke: !is_push && broke(streams, answer, &outcome, exchange, facts),
        error: error
            .and_then(|error| error.message.as_deref())
            .map(own)
            .or_else(|| owned(exchange.error.as_ref())),
        reference_task_ids: (!references.is_empty()).then_some(references),
    }
}

/// Why the connection failed. An error beside an HTTP status that is none of success only repeats
/// the status.
fn transport_error(
    answer: &Answer<'_>,
    exchange: &Exchange<'_>,
    facts: &Facts<'_>,
) -> Option<Text<'static>> {
    if facts.status.is_some() && !facts.is_success() {
        return None;
    }
    if let Some(error) = &exchange.error {
        return Some(Cow::Owned(error.clone().into_owned()));
    }
    if exchange.cut && !answer.is_stream {
        return Some(Cow::Borrowed("the answer broke off"));
    }
    // An empty body without a status: the recorder wrote down that nothing came.
    let answered = facts.status.is_some()
        || answer.came
        || exchange.grpc_status.is_some()
        || exchange.rpc_code.is_some()
        || exchange.task_state.is_some()
        || exchange.rpc_method.is_some() && exchange.request_body.is_none();
    (!answered).then_some(Cow::Borrowed("no answer"))
}

/// Whether a stream that had opened ended before its task did, as far as its events are on record. An
/// error by itself ends it; one that says nothing of A2A (`event: error` of a server that failed) only
/// breaks it.
fn broke(
    asked_for_stream: bool,
    answer: &Answer<'_>,
    outcome: &Outcome<'_, '_>,
    exchange: &Exchange<'_>,
    facts: &Facts<'_>,
) -> bool {
    let opened = facts.is_success() || facts.status.is_none() && !answer.replies.is_empty();
    let is_stream = answer.is_stream || asked_for_stream && exchange.cut;
    let refused = outcome.error.is_some_and(|e| e.code.is_some() || e.reason.is_some());
    is_stream && opened && !outcome.ended && !refused
}

/// What is wrong or missing in the answer of an attempt.
pub(super) fn note(
    call: &Call<'_>,
    attempt: &Attempt<'_>,
    answer: &Answer<'_>,
    exchange: &Exchange<'_>,
    derived: &mut Derived,
) {
    if call.params.is_none() && exchange.request_body.is_none() {
        derived.note(exchange, Kind::MissingBody, "the body of the request is not on record");
    }
    if attempt.broke {
        derived.note(exchange, Kind::CutStream, "no terminal or interrupted state came");
    } else if answer.unread {
        derived.note(exchange, Kind::BadAnswer, "the answer is not JSON");
    } else if !answer.is_recorded && attempt.transport_error.is_none() {
        derived.note(exchange, Kind::MissingBody, "the body of the answer is not on record");
    }
}
