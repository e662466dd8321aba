//! What an answer says that an earlier one did not: rows compared whole, as they are printed.

use super::answers::view;
use super::json;
use super::rows::View;
use crate::query::Rows;
use arrow::array::{BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io;

/// The rows of an earlier answer, 16 bytes of each.
#[derive(Debug, Clone, Default)]
pub struct Before {
    /// How often each row is there.
    rows: HashMap<[u8; 16], u64>,
    /// All rows are known, whatever they say.
    all: bool,
}

impl Before {
    /// An answer in which everything was said.
    pub fn everything() -> Self {
        Self { all: true, ..Self::default() }
    }

    /// The rows of `answer`.
    ///
    /// # Errors
    /// When a value cannot be printed.
    pub fn of(answer: View<'_>) -> io::Result<Self> {
        let mut before = Self::default();
        each(answer, |row| *before.rows.entry(row).or_default() += 1)?;
        Ok(before)
    }

    /// The rows of `answer` that are not here, in their order; a row that is here once covers one.
    ///
    /// # Errors
    /// When a value cannot be printed.
    pub fn leave_new(mut self, answer: &Rows) -> io::Result<Rows> {
        let schema = answer.schema.clone();
        if self.all {
            return Ok(Rows { schema, batches: Vec::new() });
        }
        let mut new: Vec<bool> = Vec::new();
        each(view(answer), |row| {
            let known = self.rows.get_mut(&row).filter(|times| **times > 0);
            new.push(known.is_none());
            if let Some(times) = known {
                *times -= 1;
            }
        })?;
        let mut batches = Vec::new();
        let mut new = new.into_iter();
        for batch in &answer.batches {
            let mask: BooleanArray = new.by_ref().take(batch.num_rows()).map(Some).collect();
            let left: RecordBatch = filter_record_batch(batch, &mask).map_err(io::Error::other)?;
            batches.extend(Some(left).filter(|left| left.num_rows() > 0));
        }
        Ok(Rows { schema, batches })
    }
}

/// Calls `each` with 16 bytes of the SHA-256 of each row as printed.
fn each(answer: View<'_>, mut each: impl FnMut([u8; 16])) -> io::Result<()> {
    let keys = json::keys(answer);
    let mut text = Vec::new();
    answer.for_each_row(|row| {
        text.clear();
        json::object(&mut text, &keys, row)?;
        let mut short = [0; 16];
        let digest = Sha256::digest(&text);
        short.iter_mut().zip(digest.iter()).for_each(|(to, from)| *to = *from);
        each(short);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{ArrayRef, Int64Array, StringArray};
    use std::sync::Arc;

    fn rows(rows: &[(&str, Option<i64>)]) -> Rows {
        let names: ArrayRef = Arc::new(rows.iter().map(|r| Some(r.0)).collect::<StringArray>());
        let numbers: ArrayRef = Arc::new(rows.iter().map(|r| r.1).collect::<Int64Array>());
        let batch = RecordBatch::try_from_iter([("name", names), ("number", numbers)]).unwrap();
        let half = batch.num_rows() / 2;
        let batches = vec![batch.slice(0, half), batch.slice(half, batch.num_rows() - half)];
        Rows { schema: batch.schema(), batches }
    }

    fn texts(rows: &Rows) -> String {
        let mut out = Vec::new();
        json::ndjson(view(rows), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_new_or_says_something_else_is_left() {
        let before = rows(&[("a", Some(1)), ("b", None), ("c", Some(3)), ("c", Some(3))]);
        let now = rows(&[
            ("a", Some(1)),
            ("b", Some(2)),
            ("c", Some(3)),
            ("c", Some(3)),
            ("c", Some(3)),
            ("d", None),
        ]);
        let before = || Before::of(view(&before)).unwrap();
        assert_eq!(
            texts(&before().leave_new(&now).unwrap()),
            "{\"name\":\"b\",\"number\":2}\n{\"name\":\"c\",\"number\":3}\n{\"name\":\"d\",\"number\":null}\n"
        );
        assert_eq!(texts(&Before::default().leave_new(&now).unwrap()), texts(&now));
        assert_eq!(texts(&Before::everything().leave_new(&now).unwrap()), "");
    }
}
