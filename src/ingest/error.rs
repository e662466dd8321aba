//! What stops an ingest as a whole. What is wrong with an input does not: it becomes a problem.

use std::fmt;
use std::io;

/// Why an ingest could not go on.
#[derive(Debug)]
pub enum IngestError {
    /// No reader has that name.
    UnknownFormat(String),
    /// A temporary file or the store cannot be written or read.
    Io(io::Error),
    /// Rows cannot be written.
    Write(String),
}

impl IngestError {
    /// A thread is gone, which never happens.
    pub(super) fn gone() -> Self {
        Self::Write("a thread stopped without a word".to_owned())
    }
}

impl fmt::Display for IngestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFormat(name) => {
                let known: Vec<_> =
                    crate::formats::ALL.iter().map(|format| format.name()).collect();
                write!(f, "there is no format `{name}`; known are {}", known.join(", "))
            }
            Self::Io(error) => {
                write!(f, "cannot write or read a temporary file or the store: {error}")
            }
            Self::Write(error) => write!(f, "cannot write rows: {error}"),
        }
    }
}

impl std::error::Error for IngestError {}

impl From<io::Error> for IngestError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<parquet::errors::ParquetError> for IngestError {
    fn from(error: parquet::errors::ParquetError) -> Self {
        use parquet::errors::ParquetError::External;
        match error {
            External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => Self::Io(*error),
                Err(other) => Self::Write(other.to_string()),
            },
            other => Self::Write(other.to_string()),
        }
    }
}

impl From<arrow::error::ArrowError> for IngestError {
    fn from(error: arrow::error::ArrowError) -> Self {
        Self::Write(error.to_string())
    }
}
