//! A2A errors by name.
//!
//! v1.0 names an error by the `reason` of an `ErrorInfo` (`TASK_NOT_FOUND`), its release candidate by
//! the type of a problem document (`https://a2a-protocol.org/errors/task-not-found`), some SDKs by
//! the class (`TaskNotFoundError`). All of them fold to the words in a row.

/// Folded names and the JSON-RPC codes they stand for, as `ErrorInfo` spells them.
const NAMES: &[(&str, i64)] = &[
    ("TASK_NOT_FOUND", -32001),
    ("TASK_NOT_CANCELABLE", -32002),
    ("TASK_NOT_CANCELLABLE", -32002),
    ("PUSH_NOTIFICATION_NOT_SUPPORTED", -32003),
    ("UNSUPPORTED_OPERATION", -32004),
    ("CONTENT_TYPE_NOT_SUPPORTED", -32005),
    ("INVALID_AGENT_RESPONSE", -32006),
    ("EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32007),
    ("AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED", -32007),
    ("EXTENSION_SUPPORT_REQUIRED", -32008),
    ("VERSION_NOT_SUPPORTED", -32009),
    ("TASK_GENERATION_MISMATCH", -32010),
    ("PARSE_ERROR", -32700),
    ("JSON_PARSE", -32700),
    ("INVALID_REQUEST", -32600),
    ("METHOD_NOT_FOUND", -32601),
    ("INVALID_PARAMS", -32602),
    ("INTERNAL_ERROR", -32603),
];

/// The code and the canonical name (`TASK_NOT_FOUND`) of an error named in any of its forms; `None`
/// for other names.
pub fn resolve(name: &str) -> Option<(&'static str, i64)> {
    let name = name.trim();
    let last = name.rsplit(['/', '.', '$', ':']).next().unwrap_or(name);
    let wanted = folded(last);
    NAMES.iter().copied().find(|(known, _)| folded(known) == wanted)
}

/// The JSON-RPC code that a reason, a problem type or an error class stands for.
pub fn code(name: &str) -> Option<i64> {
    resolve(name).map(|(_, code)| code)
}

/// Every reason and its code, as data for queries.
pub fn reasons() -> impl Iterator<Item = (&'static str, i64)> {
    NAMES.iter().copied()
}

/// Letters only, in lower case, without a final `error`.
fn folded(name: &str) -> String {
    let letters: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    match letters.strip_suffix("error") {
        Some(short) => short.to_owned(),
        None => letters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms() {
        for name in [
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
            "https://a2a-protocol.org/errors/push-notification-not-supported",
            "PushNotificationNotSupportedError",
            "io.a2a.spec.PushNotificationNotSupportedError",
        ] {
            assert_eq!(resolve(name), Some(("PUSH_NOTIFICATION_NOT_SUPPORTED", -32003)), "{name}");
        }
        assert_eq!(code("JSONParseError"), Some(-32700));
        assert_eq!(code("InternalError"), Some(-32603));
        assert_eq!(code("a2a.utils.errors.MethodNotFoundError"), Some(-32601));
    }

    #[test]
    fn other_names() {
        for name in ["", "RATE_LIMIT_EXCEEDED", "about:blank", "Error", "https://example.com/"] {
            assert_eq!(code(name), None, "{name}");
        }
    }

    #[test]
    fn every_name_resolves_to_itself() {
        for (name, code) in reasons() {
            assert_eq!(resolve(name), Some((name, code)));
        }
    }
}
