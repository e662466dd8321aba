//! What could not be measured and why, and every assumption made.

use super::{QueryError, Session};
use arrow::array::{Array, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};

/// One note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// A stable word for its kind.
    pub kind: String,
    /// The agent, registry or URL that it concerns; `None`: the whole archive.
    pub subject: Option<String>,
    /// How many rows it touches.
    pub count: i64,
    /// What it says, for people.
    pub text: String,
}

/// What [`Session::notes`] asks: the rows of `queries/views/notes.sql`, by kind and subject.
pub const NOTES: &str = "SELECT kind, subject, CAST(n AS BIGINT) AS n, text FROM notes
    ORDER BY kind, subject NULLS FIRST, text";

/// The rows of `queries/views/notes.sql`, by kind and subject.
pub(super) fn all(session: &Session) -> Result<Vec<Note>, QueryError> {
    let rows = session.sql(NOTES, &[])?;
    let mut notes = Vec::new();
    for batch in &rows.batches {
        let text = |column: usize| {
            cast(batch.column(column), &DataType::Utf8).map_err(|error| QueryError::Failed {
                name: "notes".to_owned(),
                message: error.to_string(),
            })
        };
        let (kinds, subjects, texts) = (text(0)?, text(1)?, text(3)?);
        let (kinds, subjects, texts) =
            (kinds.as_string::<i32>(), subjects.as_string::<i32>(), texts.as_string::<i32>());
        let counts = batch.column(2).as_primitive::<Int64Type>();
        for row in 0..batch.num_rows() {
            notes.push(Note {
                kind: kinds.value(row).to_owned(),
                subject: subjects.is_valid(row).then(|| subjects.value(row).to_owned()),
                count: counts.value(row),
                text: texts.value(row).to_owned(),
            });
        }
    }
    Ok(notes)
}
