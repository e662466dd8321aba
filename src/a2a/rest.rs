//! The HTTP+JSON binding: operations by HTTP method and the end of the path.
//!
//! Routes may be mounted anywhere and carry a tenant, so only the end of a path is looked at. A path
//! such as `/tasks` is not A2A's alone: the caller decides whether the host is an agent.

use std::borrow::Cow;

use super::method::Operation;

/// What a request of the HTTP+JSON binding asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestCall<'a> {
    /// The operation.
    pub operation: Operation,
    /// The path before the route (and before the `/v1` of v0.3): where the interface is mounted.
    pub base: &'a str,
    /// The route had the prefix `/v1`, as v0.3 prescribes; v1.0 has none.
    pub v1_prefix: bool,
    /// The task that the path names, percent-decoded.
    pub task_id: Option<Cow<'a, str>>,
    /// The push-notification configuration that the path names, percent-decoded.
    pub config_id: Option<Cow<'a, str>>,
}

/// Where the card of an agent lies: the path that stands before a well-known one
/// (`/.well-known/agent-card.json`, before v0.3 `/.well-known/agent.json`).
pub fn well_known_base(path: &str) -> Option<&str> {
    let path = without_query(path);
    ["/.well-known/agent-card.json", "/.well-known/agent.json"]
        .iter()
        .find_map(|suffix| path.strip_suffix(suffix))
}

/// Reads a request line of the HTTP+JSON binding; `None` when no route of any version ends so.
/// `path` may have a query.
pub fn call<'a>(http_method: &str, path: &'a str) -> Option<RestCall<'a>> {
    let path = without_query(path);
    let verb = Verb::of(http_method)?;
    if let (Verb::Get, Some(base)) = (verb, well_known_base(path)) {
        return Some(found(Operation::Card, base));
    }
    let path = path.trim_end_matches('/');
    let (before, last) = last_segment(path)?;
    match (verb, last) {
        (Verb::Post, "message:send") => return Some(found(Operation::Send, before)),
        (Verb::Post, "message:stream") => return Some(found(Operation::Stream, before)),
        (Verb::Get, "extendedAgentCard") => return Some(found(Operation::ExtendedCard, before)),
        (Verb::Get, "authenticatedExtendedCard") => {
            return Some(found(Operation::ExtendedCard, before.strip_suffix("/agent")?));
        }
        (Verb::Get, "card") if before.ends_with("/v1") => {
            return Some(found(Operation::ExtendedCard, before));
        }
        (Verb::Get, "tasks") => return Some(found(Operation::ListTasks, before)),
        _ => {}
    }
    task_route(verb, before, last).or_else(|| push_route(verb, before, last))
}

/// `…/tasks/{id}`, `…/tasks/{id}:cancel`, `…/tasks/{id}:subscribe`.
fn task_route<'a>(verb: Verb, before: &'a str, last: &'a str) -> Option<RestCall<'a>> {
    let base = before.strip_suffix("/tasks").or((before == "tasks").then_some(""))?;
    let segment = decoded(last);
    let (id, operation) = match (verb, segment.rsplit_once(':')) {
        (Verb::Post, Some((id, "cancel"))) => (id, Operation::Cancel),
        (Verb::Post | Verb::Get, Some((id, "subscribe"))) => (id, Operation::Subscribe),
        (Verb::Get, _) => (segment.as_ref(), Operation::GetTask),
        _ => return None,
    };
    if id.is_empty() {
        return None;
    }
    let task_id = match &segment {
        Cow::Borrowed(_) => Cow::Borrowed(last.get(..id.len())?),
        Cow::Owned(_) => Cow::Owned(id.to_owned()),
    };
    Some(RestCall { task_id: Some(task_id), ..found(operation, base) })
}

/// `…/tasks/{id}/pushNotificationConfigs` and `…/tasks/{id}/pushNotificationConfigs/{config}`.
fn push_route<'a>(verb: Verb, before: &'a str, last: &'a str) -> Option<RestCall<'a>> {
    let (owner, config, operation) = if last == "pushNotificationConfigs" {
        let operation = match verb {
            Verb::Post => Operation::PushSet,
            Verb::Get => Operation::PushList,
            Verb::Delete => return None,
        };
        (before, None, operation)
    } else {
        let operation = match verb {
            Verb::Get => Operation::PushGet,
            Verb::Delete => Operation::PushDelete,
            Verb::Post => return None,
        };
        (before.strip_suffix("/pushNotificationConfigs")?, Some(decoded(last)), operation)
    };
    let (tasks, id) = last_segment(owner)?;
    let base = tasks.strip_suffix("/tasks")?;
    Some(RestCall { task_id: Some(decoded(id)), config_id: config, ..found(operation, base) })
}

fn found(operation: Operation, base: &str) -> RestCall<'_> {
    let (base, v1_prefix) = match base.strip_suffix("/v1") {
        Some(mount) if operation != Operation::Card => (mount, true),
        _ => (base, false),
    };
    RestCall { operation, base, v1_prefix, task_id: None, config_id: None }
}

/// The HTTP methods that the binding uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Get,
    Post,
    Delete,
}

impl Verb {
    fn of(method: &str) -> Option<Verb> {
        [("GET", Verb::Get), ("POST", Verb::Post), ("DELETE", Verb::Delete)]
            .into_iter()
            .find_map(|(name, verb)| method.eq_ignore_ascii_case(name).then_some(verb))
    }
}

fn without_query(path: &str) -> &str {
    path.split(['?', '#']).next().unwrap_or(path)
}

fn last_segment(path: &str) -> Option<(&str, &str)> {
    path.rsplit_once('/').filter(|(_, last)| !last.is_empty())
}

/// Resolves `%XX`; what does not decode to UTF-8 stays as it is.
fn decoded(segment: &str) -> Cow<'_, str> {
    if !segment.contains('%') {
        return Cow::Borrowed(segment);
    }
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let [first, after @ ..] = rest {
        let pair = after.get(..2).filter(|_| *first == b'%').and_then(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(pair, 16).ok().filter(|_| !pair.starts_with('+'))
        });
        bytes.push(pair.unwrap_or(*first));
        rest = if pair.is_some() { after.get(2..).unwrap_or(&[]) } else { after };
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(segment), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(
        method: &str,
        path: &str,
    ) -> Option<(Operation, String, Option<String>, Option<String>)> {
        let call = call(method, path)?;
        let owned = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned);
        Some((call.operation, call.base.to_owned(), owned(call.task_id), owned(call.config_id)))
    }

    fn expect(method: &str, path: &str, operation: Operation, base: &str, task: Option<&str>) {
        let (found, at, id, _) = read(method, path).unwrap_or_else(|| panic!("{path}"));
        assert_eq!((found, at.as_str(), id.as_deref()), (operation, base, task), "{method} {path}");
    }

    #[test]
    fn routes_of_every_version() {
        expect("POST", "/message:send", Operation::Send, "", None);
        expect("POST", "/v1/message:stream?x=1", Operation::Stream, "", None);
        expect("post", "/a2a/acme/message:send", Operation::Send, "/a2a/acme", None);
        expect("GET", "/a/v1/tasks/t-1", Operation::GetTask, "/a", Some("t-1"));
        expect("GET", "/tasks?pageSize=2", Operation::ListTasks, "", None);
        expect("POST", "/tasks/t:1:cancel", Operation::Cancel, "", Some("t:1"));
        expect("GET", "/tasks/t:subscribe", Operation::Subscribe, "", Some("t"));
        expect("POST", "/tasks/t:subscribe", Operation::Subscribe, "", Some("t"));
        expect("GET", "/tasks/t%3A1", Operation::GetTask, "", Some("t:1"));
        expect("POST", "/tasks/t/pushNotificationConfigs", Operation::PushSet, "", Some("t"));
        expect("GET", "/x/tasks/t/pushNotificationConfigs", Operation::PushList, "/x", Some("t"));
        expect(
            "DELETE",
            "/tasks/t/pushNotificationConfigs/c",
            Operation::PushDelete,
            "",
            Some("t"),
        );
        expect("GET", "/v1/card", Operation::ExtendedCard, "", None);
        expect("GET", "/t/extendedAgentCard", Operation::ExtendedCard, "/t", None);
        expect("GET", "/x/agent/authenticatedExtendedCard", Operation::ExtendedCard, "/x", None);
        expect("GET", "/x/.well-known/agent-card.json", Operation::Card, "/x", None);
        expect("GET", "/.well-known/agent.json", Operation::Card, "", None);
    }

    #[test]
    fn configurations_are_named() {
        let call = call("GET", "/v1/tasks/t/pushNotificationConfigs/c%20d").unwrap();
        assert_eq!(call.operation, Operation::PushGet);
        assert_eq!(call.config_id.as_deref(), Some("c d"));
        assert!(call.v1_prefix);
    }

    #[test]
    fn other_paths() {
        for (method, path) in [
            ("GET", "/"),
            ("POST", "/rpc"),
            ("GET", "/card"),
            ("PUT", "/message:send"),
            ("GET", "/message:send"),
            ("POST", "/tasks/t"),
            ("POST", "/tasks/:cancel"),
            ("GET", ""),
        ] {
            assert_eq!(read(method, path), None, "{method} {path}");
        }
    }

    #[test]
    fn broken_escapes_stay() {
        assert_eq!(decoded("a%2"), "a%2");
        assert_eq!(decoded("a%zz%41"), "a%zzA");
        assert_eq!(decoded("%ff"), "%ff");
        assert_eq!(decoded("%+1"), "%+1");
    }
}
