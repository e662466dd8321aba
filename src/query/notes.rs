//! What could not be measured and why, and every assumption made.

use super::{QueryError, Session};

/// One note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// A stable word for its kind.
    pub kind: String,
    /// The agent, registry or client that it concerns; `None`: the whole archive.
    pub subject: Option<String>,
    /// How many rows it touches.
    pub count: u64,
    /// What it says, for people.
    pub text: String,
}

pub(super) fn all(_session: &Session) -> Result<Vec<Note>, QueryError> {
    Ok(Vec::new())
}
