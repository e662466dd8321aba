//! Findings into what people and machines read: text, Markdown, JSON, CSV, Parquet.
//!
//! This room does not know where the rows come from, nor where the bytes go: rows in, bytes out.
//! Nothing in it computes a measure: a number that is printed here stands in an answer of a query, or
//! is the interval of two that do.
//! The same rows give the same bytes.
//!
//! *A format for rows*: one file and one line in [`Format`].

pub mod answers;
pub mod audit;
pub mod bias;
pub mod card_diff;
pub mod causes;
pub mod compare;
pub mod condition;
pub mod csv;
pub mod document;
pub mod explain;
pub mod figures;
pub mod findings;
pub mod html;
pub mod inspect;
pub mod json;
pub mod markdown;
pub mod news;
pub mod parquet;
pub mod rows;
pub mod safe;
pub mod sections;
pub mod table;
pub mod timesketch;
pub mod trouble;
pub mod typed;
pub mod work;

use rows::View;
use std::fmt;
use std::io::{self, Write};

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A table as wide as `columns` of a terminal; `None`: as wide as its cells.
    Text {
        /// Columns of the terminal.
        columns: Option<usize>,
    },
    /// An array of objects.
    Json,
    /// One object a line.
    Ndjson,
    /// With a header.
    Csv {
        /// Leave texts as they are that a spreadsheet would run as formulas.
        raw: bool,
    },
    /// A table of GitHub's Markdown.
    Markdown,
    /// One file, compressed with zstd.
    Parquet,
}

/// Writes rows in a format.
pub fn write_rows(
    view: View<'_>,
    format: Format,
    out: &mut (dyn Write + Send),
) -> Result<(), WriteError> {
    match format {
        Format::Text { columns } => table::write(view, columns, out)?,
        Format::Json => {
            json::array(view, "  ", out)?;
            out.write_all(b"\n")?;
        }
        Format::Ndjson => json::ndjson(view, out)?,
        Format::Csv { raw } => csv::write(view, raw, out)?,
        Format::Markdown => markdown::write(view, out)?,
        Format::Parquet => parquet::write(view, out)?,
    }
    Ok(())
}

/// Why output could not be written.
#[derive(Debug)]
pub enum WriteError {
    /// The sink refused; a closed pipe is one of these.
    Io(io::Error),
    /// The rows do not go into the format.
    Format(String),
}

impl WriteError {
    /// Whether the reader of the output has gone away, which is no failure.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Io(e) if e.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(e) => write!(f, "the output cannot be written: {e}"),
            Self::Format(e) => write!(f, "the rows do not fit the format: {e}"),
        }
    }
}

impl std::error::Error for WriteError {}

impl From<io::Error> for WriteError {
    fn from(e: io::Error) -> Self {
        Self::Io(e)
    }
}

impl From<::csv::Error> for WriteError {
    fn from(e: ::csv::Error) -> Self {
        match e.into_kind() {
            ::csv::ErrorKind::Io(e) => Self::Io(e),
            other => Self::Format(format!("{other:?}")),
        }
    }
}

impl From<::parquet::errors::ParquetError> for WriteError {
    fn from(e: ::parquet::errors::ParquetError) -> Self {
        match e {
            ::parquet::errors::ParquetError::External(inner) => match inner.downcast::<io::Error>()
            {
                Ok(e) => Self::Io(*e),
                Err(other) => Self::Format(other.to_string()),
            },
            other => Self::Format(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parquet_reads_back_what_was_written() {
        let batch = rows::tests::batch();
        let view = View { schema: batch.schema_ref(), batches: std::slice::from_ref(&batch) };
        let mut file = Vec::new();
        write_rows(view, Format::Parquet, &mut file).unwrap();
        let reader = ::parquet::arrow::arrow_reader::ParquetRecordBatchReader::try_new(
            bytes::Bytes::from(file),
            1024,
        )
        .unwrap();
        let batches: Vec<_> = reader.map(Result::unwrap).collect();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        json::ndjson(view, &mut before).unwrap();
        let schema = batches[0].schema();
        json::ndjson(View { schema: &schema, batches: &batches }, &mut after).unwrap();
        assert_eq!(before, after);
    }
}
