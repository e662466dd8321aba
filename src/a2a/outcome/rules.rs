//! The model's table as data, so that queries can derive outcomes and configurations override them.

use super::grpc::{GRPC, grpc_name};
use super::{Outcome, of_code, of_grpc, of_http, of_state};
use crate::a2a::protocol::Era;
use crate::a2a::state::TaskState;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
