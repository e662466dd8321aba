//! Task states.

use std::borrow::Cow;

/// The state of a task, in the spelling of model §6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskState {
    /// Taken in.
    Submitted,
    /// Being worked on.
    Working,
    /// Waits for more input.
    InputRequired,
    /// Waits for authentication.
    AuthRequired,
    /// Done.
    Completed,
    /// Broke.
    Failed,
    /// Called off.
    Canceled,
    /// Refused.
    Rejected,
    /// Said to be unknown or unspecified.
    Unknown,
}

impl TaskState {
    /// All states.
    pub const ALL: [TaskState; 9] = [
        TaskState::Submitted,
        TaskState::Working,
        TaskState::InputRequired,
        TaskState::AuthRequired,
        TaskState::Completed,
        TaskState::Failed,
        TaskState::Canceled,
        TaskState::Rejected,
        TaskState::Unknown,
    ];

    /// Reads any A2A spelling: `completed`, `TASK_STATE_COMPLETED`, `input_required`, `cancelled`,
    /// `TaskState.input_required`. `None` for a text that is no state.
    pub fn parse(text: &str) -> Option<TaskState> {
        let text = text.trim();
        if let Some(state) = TaskState::ALL.into_iter().find(|state| state.as_str() == text) {
            return Some(state);
        }
        let folded = text.to_ascii_lowercase().replace('_', "-");
        let name = folded.strip_prefix("task-state-").unwrap_or(&folded);
        let name = name.strip_prefix("taskstate.").unwrap_or(name);
        let name = match name {
            "cancelled" => "canceled",
            "unspecified" => "unknown",
            other => other,
        };
        TaskState::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// The model's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            TaskState::Submitted => "submitted",
            TaskState::Working => "working",
            TaskState::InputRequired => "input-required",
            TaskState::AuthRequired => "auth-required",
            TaskState::Completed => "completed",
            TaskState::Failed => "failed",
            TaskState::Canceled => "canceled",
            TaskState::Rejected => "rejected",
            TaskState::Unknown => "unknown",
        }
    }

    /// Nothing follows it (model §6: a task's state is its first terminal one).
    pub fn is_terminal(self) -> bool {
        matches!(
            self,
            TaskState::Completed | TaskState::Failed | TaskState::Canceled | TaskState::Rejected
        )
    }

    /// The agent waits for the client: a stream may end here (model §7).
    pub fn is_interrupted(self) -> bool {
        matches!(self, TaskState::InputRequired | TaskState::AuthRequired)
    }
}

/// The model's spelling of a state, or the text as it is when it is no state.
pub fn normalised(text: &str) -> Cow<'_, str> {
    TaskState::parse(text).map_or(Cow::Borrowed(text), |state| Cow::Borrowed(state.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling() {
        for state in TaskState::ALL {
            let shouted = format!("TASK_STATE_{}", state.as_str().to_uppercase().replace('-', "_"));
            assert_eq!(TaskState::parse(state.as_str()), Some(state));
            assert_eq!(TaskState::parse(&shouted), Some(state), "{shouted}");
        }
        assert_eq!(TaskState::parse("TASK_STATE_CANCELLED"), Some(TaskState::Canceled));
        assert_eq!(TaskState::parse("cancelled"), Some(TaskState::Canceled));
        assert_eq!(TaskState::parse("input_required"), Some(TaskState::InputRequired));
        assert_eq!(TaskState::parse("TaskState.auth_required"), Some(TaskState::AuthRequired));
        assert_eq!(TaskState::parse("TASK_STATE_UNSPECIFIED"), Some(TaskState::Unknown));
        assert_eq!(TaskState::parse(" Completed "), Some(TaskState::Completed));
        assert_eq!(TaskState::parse("done"), None);
        assert_eq!(normalised("done"), "done");
        assert_eq!(normalised("WORKING"), "working");
    }

    #[test]
    fn ends() {
        let terminal = TaskState::ALL.into_iter().filter(|state| state.is_terminal()).count();
        let interrupted = TaskState::ALL.into_iter().filter(|state| state.is_interrupted()).count();
        assert_eq!((terminal, interrupted), (4, 2));
    }
}
