//! The outcome of an attempt (model §7): what each kind of answer means.
//!
//! Queries derive outcomes from [`default_rules`], so that a configuration can override them;
//! [`derive`] is the same in Rust, for one attempt.

mod derive;
mod grpc;
mod rules;

use std::fmt;

use super::protocol::Era;
use super::state::TaskState;

pub use derive::{AttemptFacts, derive};
pub use grpc::grpc_name;
pub use rules::{OutcomeRule, default_rules, override_key};

/// What came of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// A task or message came back, or the stream opened, or the configuration was set.
    Accepted,
    /// Connection error, timeout, or a server in trouble.
    Transport,
    /// Asked too often.
    RateLimited,
    /// The task is the trouble, not the card.
    TaskError,
    /// Not authenticated or not allowed.
    Auth,
    /// The agent does not offer what was asked for.
    Capability,
    /// Accepted, then failed before it completed.
    Midstream,
    /// Any other error.
    Other,
}

impl Outcome {
    /// All outcomes, in the order of the model's table.
    pub const ALL: [Outcome; 8] = [
        Outcome::Accepted,
        Outcome::Transport,
        Outcome::RateLimited,
        Outcome::TaskError,
        Outcome::Auth,
        Outcome::Capability,
        Outcome::Midstream,
        Outcome::Other,
    ];

    /// The model's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Accepted => "accepted",
            Outcome::Transport => "transport",
            Outcome::RateLimited => "rate_limited",
            Outcome::TaskError => "task_error",
            Outcome::Auth => "auth",
            Outcome::Capability => "capability",
            Outcome::Midstream => "midstream",
            Outcome::Other => "other",
        }
    }

    /// Reads the model's spelling.
    pub fn parse(text: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| outcome.as_str() == text)
    }

    /// Whether it makes the cached card suspect (model §7, rejection).
    pub fn is_rejection(self) -> bool {
        matches!(self, Outcome::Capability | Outcome::Auth | Outcome::Midstream | Outcome::Other)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a JSON-RPC or A2A error code means in an era.
pub fn of_code(era: Era, code: i64) -> Outcome {
    match (code, era) {
        (-32001 | -32002, _) | (-32009, Era::V01) => Outcome::TaskError,
        (-32007 | -32008, Era::V01) => Outcome::Auth,
        (-32010, Era::V01) => Outcome::RateLimited,
        (-32006, Era::V01) | (-32602..=-32600 | -32005..=-32003 | -32009..=-32007, _) => {
            Outcome::Capability
        }
        _ => Outcome::Other,
    }
}

/// What an HTTP status means when there is no A2A error; 0 is what HAR writes for no answer.
pub fn of_http(status: u16) -> Outcome {
    match status {
        200..=299 => Outcome::Accepted,
        401 | 403 => Outcome::Auth,
        404 | 405 | 406 | 415 | 501 => Outcome::Capability,
        429 => Outcome::RateLimited,
        0 | 408 | 500..=599 => Outcome::Transport,
        _ => Outcome::Other,
    }
}

/// What a gRPC status, in any spelling, means when there is no A2A error.
pub fn of_grpc(status: &str) -> Outcome {
    match grpc_name(status).as_ref() {
        "OK" => Outcome::Accepted,
        "UNAVAILABLE" | "DEADLINE_EXCEEDED" => Outcome::Transport,
        "RESOURCE_EXHAUSTED" => Outcome::RateLimited,
        "UNAUTHENTICATED" | "PERMISSION_DENIED" => Outcome::Auth,
        "UNIMPLEMENTED" | "INVALID_ARGUMENT" | "FAILED_PRECONDITION" => Outcome::Capability,
        _ => Outcome::Other,
    }
}

/// What the state of the task in an answer means.
pub fn of_state(state: TaskState) -> Outcome {
    match state {
        TaskState::Rejected => Outcome::Capability,
        TaskState::AuthRequired => Outcome::Auth,
        // Answered with the failed task: accepted, then failed before it completed.
        TaskState::Failed => Outcome::Midstream,
        _ => Outcome::Accepted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_by_era() {
        use Outcome::{Auth, Capability, Other, RateLimited, TaskError};
        for (code, v01, v03, v10) in [
            (-32001, TaskError, TaskError, TaskError),
            (-32003, Capability, Capability, Capability),
            (-32006, Capability, Other, Other),
            (-32007, Auth, Capability, Capability),
            (-32008, Auth, Capability, Capability),
            (-32009, TaskError, Capability, Capability),
            (-32010, RateLimited, Other, Other),
            (-32011, Other, Other, Other),
            (-32600, Capability, Capability, Capability),
            (-32603, Other, Other, Other),
            (-32700, Other, Other, Other),
            (42, Other, Other, Other),
        ] {
            let found = Era::ALL.map(|era| of_code(era, code));
            assert_eq!(found, [v01, v03, v10], "{code}");
        }
    }

    #[test]
    fn statuses() {
        for (status, outcome) in [
            (202, Outcome::Accepted),
            (400, Outcome::Other),
            (408, Outcome::Transport),
            (409, Outcome::Other),
            (501, Outcome::Capability),
            (503, Outcome::Transport),
            (302, Outcome::Other),
            (0, Outcome::Transport),
        ] {
            assert_eq!(of_http(status), outcome, "{status}");
        }
        assert_eq!(of_grpc("StatusCode.UNAVAILABLE"), Outcome::Transport);
        assert_eq!(of_grpc("9"), Outcome::Capability);
        assert_eq!(of_grpc("FailedPrecondition"), Outcome::Capability);
        assert_eq!(of_grpc("NOT_FOUND"), Outcome::Other);
        assert_eq!(grpc_name("canceled"), "CANCELLED");
        assert_eq!(grpc_name("weird"), "weird");
    }

    #[test]
    fn rejections() {
        let rejections = Outcome::ALL.into_iter().filter(|outcome| outcome.is_rejection());
        assert_eq!(rejections.count(), 4);
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::parse(outcome.as_str()), Some(outcome));
        }
    }
}
