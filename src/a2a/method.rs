//! Operations, by every name that a version, a binding or a gateway gives them.

use super::protocol::Era;

/// What a call asks for, whatever its name on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Submit a message and wait for the answer.
    Send,
    /// Submit a message and stream the answer.
    Stream,
    /// Read one task.
    GetTask,
    /// List tasks.
    ListTasks,
    /// Cancel a task.
    Cancel,
    /// Stream the updates of an existing task.
    Subscribe,
    /// Set a push-notification configuration.
    PushSet,
    /// Read a push-notification configuration.
    PushGet,
    /// List push-notification configurations.
    PushList,
    /// Delete a push-notification configuration.
    PushDelete,
    /// Fetch the public card.
    Card,
    /// Fetch the extended card.
    ExtendedCard,
    /// Something else.
    Unknown,
}

/// Each operation's names: the canonical one, then those on the wire, without the gRPC service.
const NAMES: &[(Operation, &[&str])] = &[
    (Operation::Send, &["send", "tasks/send", "message/send", "SendMessage"]),
    (
        Operation::Stream,
        &["stream", "tasks/sendSubscribe", "message/stream", "SendStreamingMessage"],
    ),
    (Operation::GetTask, &["get_task", "tasks/get", "GetTask"]),
    (Operation::ListTasks, &["list_tasks", "tasks/list", "ListTasks", "ListTask"]),
    (Operation::Cancel, &["cancel", "tasks/cancel", "CancelTask"]),
    (
        Operation::Subscribe,
        &["subscribe", "tasks/resubscribe", "SubscribeToTask", "TaskSubscription"],
    ),
    (
        Operation::PushSet,
        &[
            "push_set",
            "tasks/pushNotification/set",
            "tasks/pushNotificationConfig/set",
            "CreateTaskPushNotificationConfig",
            "SetTaskPushNotificationConfig",
            "CreateTaskPushNotification",
        ],
    ),
    (
        Operation::PushGet,
        &[
            "push_get",
            "tasks/pushNotification/get",
            "tasks/pushNotificationConfig/get",
            "GetTaskPushNotificationConfig",
            "GetTaskPushNotification",
        ],
    ),
    (
        Operation::PushList,
        &[
            "push_list",
            "tasks/pushNotification/list",
            "tasks/pushNotificationConfig/list",
            "ListTaskPushNotificationConfigs",
            "ListTaskPushNotificationConfig",
            "ListTaskPushNotification",
        ],
    ),
    (
        Operation::PushDelete,
        &[
            "push_delete",
            "tasks/pushNotification/delete",
            "tasks/pushNotificationConfig/delete",
            "DeleteTaskPushNotificationConfig",
        ],
    ),
    (Operation::Card, &["card", "agent/getCard", "GetAgentCard"]),
    (
        Operation::ExtendedCard,
        &[
            "extended_card",
            "agent/authenticatedExtendedCard",
            "agent/getAuthenticatedExtendedCard",
            "agent/getExtendedAgentCard",
            "GetExtendedAgentCard",
        ],
    ),
];

impl Operation {
    /// The operation of a method name as on the wire of any version, of gRPC
    /// (`/lf.a2a.v1.A2AService/SendMessage`) or in a gateway's log.
    pub fn of(method: &str) -> Operation {
        let name = without_service(method.trim()).0;
        NAMES
            .iter()
            .find(|(_, names)| names.contains(&name))
            .map_or(Operation::Unknown, |(operation, _)| *operation)
    }

    /// The canonical name (`send`, `push_set`, ...; `unknown`).
    pub fn as_str(self) -> &'static str {
        NAMES
            .iter()
            .find(|(operation, _)| *operation == self)
            .and_then(|(_, names)| names.first())
            .copied()
            .unwrap_or("unknown")
    }

    /// Whether it submits a message: model §5 makes admissions of these.
    pub fn is_submission(self) -> bool {
        matches!(self, Operation::Send | Operation::Stream)
    }

    /// Whether it sets a push-notification configuration, the other kind of attempt (model §1).
    pub fn is_push_config(self) -> bool {
        self == Operation::PushSet
    }

    /// Whether it makes an attempt: acts on a card towards its agent (model §1).
    pub fn is_attempt(self) -> bool {
        self.is_submission() || self.is_push_config()
    }

    /// Whether its answer is a stream of events.
    pub fn is_streaming(self) -> bool {
        matches!(self, Operation::Stream | Operation::Subscribe)
    }
}

/// The era that a method's name implies when no version is stated (model §7): `tasks/send`,
/// `tasks/sendSubscribe`, `tasks/pushNotification/…` are v0.1, all other `…/…` v0.3, the rest the
/// newest. A gRPC name tells by its package.
pub fn era(method: &str) -> Era {
    let (name, package) = without_service(method.trim());
    match package {
        Some(package) if package.contains("lf.") => return Era::V10,
        Some(package) if package.contains("a2a.v1") => return Era::V03,
        _ => {}
    }
    if matches!(name, "tasks/send" | "tasks/sendSubscribe")
        || name.starts_with("tasks/pushNotification/")
    {
        Era::V01
    } else if name.contains('/') {
        Era::V03
    } else {
        Era::V10
    }
}

/// Parts a gRPC method from its service: (`SendMessage`, `/lf.a2a.v1.`).
fn without_service(method: &str) -> (&str, Option<&str>) {
    match method.split_once("A2AService") {
        Some((package, name)) => (name.trim_start_matches(['/', '.']), Some(package)),
        None => (method, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_operation_and_no_other() {
        for (operation, names) in NAMES {
            for name in *names {
                assert_eq!(Operation::of(name), *operation, "{name}");
            }
            assert_eq!(Operation::of(operation.as_str()), *operation);
        }
        assert_eq!(Operation::of("tools/call"), Operation::Unknown);
        assert_eq!(Operation::Unknown.as_str(), "unknown");
    }

    #[test]
    fn grpc_names() {
        assert_eq!(Operation::of("/lf.a2a.v1.A2AService/SendMessage"), Operation::Send);
        assert_eq!(Operation::of("a2a.v1.A2AService/TaskSubscription"), Operation::Subscribe);
        assert_eq!(era("/lf.a2a.v1.A2AService/SendMessage"), Era::V10);
        assert_eq!(era("a2a.v1.A2AService/SendMessage"), Era::V03);
    }

    #[test]
    fn eras_by_name() {
        for name in ["tasks/send", "tasks/sendSubscribe", "tasks/pushNotification/set"] {
            assert_eq!(era(name), Era::V01, "{name}");
        }
        for name in
            ["tasks/get", "tasks/resubscribe", "tasks/pushNotificationConfig/set", "message/send"]
        {
            assert_eq!(era(name), Era::V03, "{name}");
        }
        for name in ["SendMessage", "whatever", ""] {
            assert_eq!(era(name), Era::V10, "{name}");
        }
    }

    #[test]
    fn attempts() {
        assert!(Operation::Stream.is_submission() && Operation::Send.is_attempt());
        assert!(Operation::PushSet.is_attempt() && !Operation::PushSet.is_submission());
        assert!(!Operation::PushGet.is_attempt() && !Operation::Subscribe.is_attempt());
    }
}
