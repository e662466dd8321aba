//! How a command ends.

use crate::config::load::ConfigError;
use crate::query::QueryError;
use crate::report::answers::ReportError;
use crate::report::{WriteError, condition::BadCondition};
use crate::store::StoreError;
use std::fmt;
use std::process::ExitCode;

/// The exit status; a closed pipe is `Done`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: done.
    Done,
    /// 1: an objective missed or a gate breached.
    Breached,
    /// 2: wrong usage.
    Usage,
    /// 3: input unreadable, or data lost that was not to be lost.
    Unreadable,
    /// 4: an internal error.
    Internal,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Breached => 1,
            Exit::Usage => 2,
            Exit::Unreadable => 3,
            Exit::Internal => 4,
        })
    }
}

/// Why a command did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// How the process ends.
    pub exit: Exit,
    /// What went wrong; empty: it was said already.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl Failure {
    /// A failure without advice.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), help: None }
    }

    /// Wrong usage.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// The same with what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl From<WriteError> for Failure {
    fn from(e: WriteError) -> Self {
        if e.is_closed_pipe() {
            return Self::new(Exit::Done, "");
        }
        Self::new(Exit::Internal, e.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(e: std::io::Error) -> Self {
        WriteError::Io(e).into()
    }
}

impl From<QueryError> for Failure {
    fn from(e: QueryError) -> Self {
        let exit = match &e {
            QueryError::UnknownQuery { .. } | QueryError::Parameter(_) => Exit::Usage,
            // The user's own SQL.
            QueryError::Failed { name, .. } if name == "-e" => Exit::Usage,
            QueryError::Failed { .. } | QueryError::Memory { .. } => Exit::Internal,
        };
        Self::new(exit, e.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(e: StoreError) -> Self {
        let exit = match (e.is_usage(), e.is_full_disk()) {
            (true, _) => Exit::Usage,
            (_, true) => Exit::Internal,
            _ => Exit::Unreadable,
        };
        Self { exit, message: e.to_string(), help: e.help().map(str::to_owned) }
    }
}

impl From<ReportError> for Failure {
    fn from(e: ReportError) -> Self {
        match e {
            ReportError::Query(e) => e.into(),
            ReportError::Write(e) => e.into(),
            ReportError::Shape(_) => Self::new(Exit::Internal, e.to_string()),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(e: ConfigError) -> Self {
        Self { exit: Exit::Usage, message: e.to_string(), help: e.help }
    }
}

impl From<BadCondition> for Failure {
    fn from(e: BadCondition) -> Self {
        Self::usage(format!("--fail-on: {e}"))
    }
}
