//! The outcome of an attempt (model §7): what each kind of answer means.
//!
//! Queries derive outcomes from [`default_rules`], so that a configuration can override them;
//! [`derive`] is the same in Rust, for one attempt.

use std::borrow::Cow;
use std::fmt;

use super::error_name;
use super::protocol::Era;
use super::state::TaskState;

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
        _ => Outcome::Accepted,
    }
}

/// gRPC status names; the index is the number.
const GRPC: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// The name of a gRPC status (`FAILED_PRECONDITION`) from any spelling: a number, `FailedPrecondition`,
/// `StatusCode.FAILED_PRECONDITION`. Unknown texts stay.
pub fn grpc_name(status: &str) -> Cow<'_, str> {
    let text = status.trim();
    let last = text.rsplit('.').next().unwrap_or(text);
    let by_number = last.parse::<usize>().ok().and_then(|number| GRPC.get(number));
    let fold = |text: &str| text.replace(['_', '-', ' '], "").to_ascii_uppercase();
    let wanted = fold(last).replace("CANCELED", "CANCELLED");
    match by_number.or_else(|| GRPC.iter().find(|name| fold(name) == wanted)) {
        Some(name) => Cow::Borrowed(name),
        None => Cow::Borrowed(text),
    }
}

/// One line of the model's table, as data. The outcome of what no line names is `other`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeRule {
    /// What the key is: `code` (JSON-RPC), `http`, `grpc`, `state`.
    pub kind: &'static str,
    /// The era in which a code means this; `None`: in all of them.
    pub era: Option<Era>,
    /// The code, the status, the state.
    pub key: String,
    /// What it means.
    pub outcome: Outcome,
}

/// The model's table, one line for each thing that an answer can say.
pub fn default_rules() -> Vec<OutcomeRule> {
    let rule = |kind, era, key: &dyn ToString, outcome| OutcomeRule {
        kind,
        era,
        key: key.to_string(),
        outcome,
    };
    let codes = (-32011..=-32001).chain(-32603..=-32600).chain([-32700]);
    let codes = codes.flat_map(|code| Era::ALL.map(|era| (code, era)));
    let mut rules: Vec<_> =
        codes.map(|(code, era)| rule("code", Some(era), &code, of_code(era, code))).collect();
    rules.extend((100..=599).chain([0]).map(|status| rule("http", None, &status, of_http(status))));
    rules.extend(GRPC.iter().map(|name| rule("grpc", None, name, of_grpc(name))));
    rules.extend(
        TaskState::ALL.iter().map(|state| rule("state", None, &state.as_str(), of_state(*state))),
    );
    rules
}

/// Reads the key of a configured override: a code (`-32603`), `http 404` or `grpc NOT_FOUND`, as the
/// kind and key of an [`OutcomeRule`] for every era. `None` when it is none of these.
pub fn override_key(text: &str) -> Option<(&'static str, String)> {
    let text = text.trim();
    if let Some((kind, key)) = text.split_once(' ') {
        let key = key.trim();
        return match kind {
            "http" => key.parse::<u16>().ok().map(|status| ("http", status.to_string())),
            "grpc" => {
                let name = grpc_name(key);
                GRPC.contains(&name.as_ref()).then(|| ("grpc", name.into_owned()))
            }
            _ => None,
        };
    }
    text.parse::<i64>().ok().map(|code| ("code", code.to_string()))
}

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

    #[test]
    fn the_rules_say_what_the_functions_say() {
        let rules = default_rules();
        let find = |kind, key: &str, era| {
            rules.iter().find(|r| r.kind == kind && r.key == key && r.era == era).unwrap().outcome
        };
        assert_eq!(find("code", "-32007", Some(Era::V01)), Outcome::Auth);
        assert_eq!(find("http", "501", None), Outcome::Capability);
        assert_eq!(find("grpc", "UNAVAILABLE", None), Outcome::Transport);
        assert_eq!(find("state", "auth-required", None), Outcome::Auth);
        let mut keys: Vec<_> = rules.iter().map(|r| (r.kind, r.era, &r.key)).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), rules.len());
    }

    #[test]
    fn overrides() {
        assert_eq!(override_key("-32603"), Some(("code", "-32603".to_owned())));
        assert_eq!(override_key("http 404"), Some(("http", "404".to_owned())));
        assert_eq!(override_key("grpc not_found"), Some(("grpc", "NOT_FOUND".to_owned())));
        assert_eq!(override_key("grpc nonsense"), None);
        assert_eq!(override_key("smtp 550"), None);
        assert_eq!(override_key("teapot"), None);
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
