//! The outcome of one attempt, in the order of model §7.

use super::{Outcome, of_code, of_grpc, of_http, of_state};
use crate::a2a::error_name;
use crate::a2a::protocol::Era;
use crate::a2a::state::TaskState;

/// What is known of one attempt and its answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct AttemptFacts<'a> {
    /// The protocol era ([`Era::of`]).
    pub era: Era,
    /// Code of the JSON-RPC or A2A error.
    pub rpc_code: Option<i64>,
    /// Name of the A2A error, in any form of [`error_name`].
    pub error_reason: Option<&'a str>,
    /// The connection failed.
    pub transport_error: bool,
    /// Streaming was asked for.
    pub stream: bool,
    /// The stream broke: recorded so, or it ended without a terminal or interrupted state,
    /// `final: true` or a message.
    pub stream_broke: bool,
    /// State of the task in the answer.
    pub task_state: Option<TaskState>,
    /// gRPC status, in any spelling.
    pub grpc_status: Option<&'a str>,
    /// HTTP status.
    pub http_status: Option<u16>,
}

/// The outcome of an attempt for which none was recorded, in the order of model §7. What a later
/// `failed` status makes of it is not decided here.
pub fn derive(facts: &AttemptFacts<'_>) -> Outcome {
    let outcome = answered(facts);
    if outcome == Outcome::Accepted && facts.stream_broke { Outcome::Midstream } else { outcome }
}

fn answered(facts: &AttemptFacts<'_>) -> Outcome {
    if let Some(outcome) = of_error(facts) {
        return outcome;
    }
    if facts.transport_error {
        let opened = facts.stream && facts.http_status.is_some_and(|s| (200..300).contains(&s));
        return if opened { Outcome::Midstream } else { Outcome::Transport };
    }
    if let Some(state) = facts.task_state {
        return of_state(state);
    }
    let status = facts.grpc_status.map(of_grpc).or(facts.http_status.map(of_http));
    match status {
        Some(Outcome::Accepted) | None if facts.error_reason.is_some() => Outcome::Other,
        Some(outcome) => outcome,
        None => Outcome::Accepted,
    }
}

/// The meaning of the A2A error: its code, or the code of its name when it has no known one.
fn of_error(facts: &AttemptFacts<'_>) -> Option<Outcome> {
    let named = facts.error_reason.and_then(error_name::code);
    let known = |code: i64| matches!(code, -32011..=-32001 | -32603..=-32600 | -32700);
    let code = facts.rpc_code.filter(|code| known(*code)).or(named).or(facts.rpc_code)?;
    Some(of_code(facts.era, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> AttemptFacts<'static> {
        AttemptFacts::default()
    }

    #[test]
    fn the_order_of_the_model() {
        let error = AttemptFacts { rpc_code: Some(-32602), transport_error: true, ..facts() };
        assert_eq!(derive(&error), Outcome::Capability);
        let opened =
            AttemptFacts { transport_error: true, stream: true, http_status: Some(200), ..facts() };
        assert_eq!(derive(&opened), Outcome::Midstream);
        assert_eq!(derive(&AttemptFacts { stream: false, ..opened }), Outcome::Transport);
        let refused = AttemptFacts {
            task_state: Some(TaskState::Rejected),
            http_status: Some(200),
            ..facts()
        };
        assert_eq!(derive(&refused), Outcome::Capability);
        let grpc =
            AttemptFacts { grpc_status: Some("UNIMPLEMENTED"), http_status: Some(200), ..facts() };
        assert_eq!(derive(&grpc), Outcome::Capability);
        assert_eq!(derive(&facts()), Outcome::Accepted);
    }

    #[test]
    fn an_error_by_name_decides_as_its_code_does() {
        let named = AttemptFacts {
            error_reason: Some("PUSH_NOTIFICATION_NOT_SUPPORTED"),
            grpc_status: Some("UNAVAILABLE"),
            ..facts()
        };
        assert_eq!(derive(&named), Outcome::Capability);
        let unknown =
            AttemptFacts { error_reason: Some("BUSY"), http_status: Some(503), ..facts() };
        assert_eq!(derive(&unknown), Outcome::Transport);
        let at_200 = AttemptFacts { error_reason: Some("BUSY"), http_status: Some(200), ..facts() };
        assert_eq!(derive(&at_200), Outcome::Other);
        let both = AttemptFacts {
            rpc_code: Some(-32000),
            error_reason: Some("VERSION_NOT_SUPPORTED"),
            ..facts()
        };
        assert_eq!(derive(&both), Outcome::Capability);
    }

    #[test]
    fn a_broken_stream() {
        let broke = AttemptFacts {
            stream: true,
            stream_broke: true,
            http_status: Some(200),
            task_state: Some(TaskState::Working),
            ..facts()
        };
        assert_eq!(derive(&broke), Outcome::Midstream);
        assert_eq!(derive(&AttemptFacts { rpc_code: Some(-32003), ..broke }), Outcome::Capability);
    }
}
