//! Asking the tables: the catalogue over `queries/*.sql` and the engine that runs it.
//!
//! The only room that knows DataFusion and tokio. It does not know where the tables came from nor
//! how answers are printed. What is computed stands in the SQL files; here they are only run: a
//! shared view is run once, before the first query that reads it, and kept.
//!
//! Own queries have the same header, and are checked when they are loaded.
//!
//! *A measure*: one `.sql` file in `queries/` with its header and one line in
//! [`files::QUERIES`](files); *a shared view*: the same in `queries/views/`.

mod catalogue;
mod compact;
mod engine;
mod files;
mod header;
mod known;
mod notes;
mod own;
mod register;
mod settings;
mod text;
mod views;

pub use catalogue::{BuiltIn, ColumnDoc, catalogue, indicators};
pub use engine::{Relation, Rows, Session};
pub use header::{Header, HeaderError, Parameter};
pub use known::{Known, Origin};
pub use notes::{NOTES, Note};
pub use own::{OwnFault, OwnQuery};
pub use settings::{Limits, Settings};
pub use views::Unmatched;

use std::fmt;

/// Why a query gave no answer.
#[derive(Debug)]
pub enum QueryError {
    /// No query has this name; the nearest one, if any is near.
    UnknownQuery {
        /// What was asked for.
        name: String,
        /// The nearest name.
        nearest: Option<String>,
    },
    /// The SQL, the tables or the memory do not allow it.
    Failed {
        /// The query or view that failed.
        name: String,
        /// What the engine says.
        message: String,
    },
    /// A parameter that the query has not, or one without a value.
    Parameter(String),
    /// The query does not fit into the memory limit.
    Memory {
        /// The query or view that failed.
        name: String,
        /// What the engine says.
        message: String,
    },
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownQuery { name, nearest: Some(nearest) } => {
                write!(f, "no query is called `{name}`; did you mean `{nearest}`?")
            }
            Self::UnknownQuery { name, nearest: None } => {
                write!(f, "no query is called `{name}`; `carddrift queries` lists them")
            }
            Self::Failed { name, message } => write!(f, "query `{name}`: {message}"),
            Self::Parameter(message) => f.write_str(message),
            Self::Memory { name, message } => write!(
                f,
                "query `{name}` does not fit into the memory limit: {message}; raise --memory-limit"
            ),
        }
    }
}

impl std::error::Error for QueryError {}
