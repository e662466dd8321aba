//! Rows that are kept, without what they do not need.
//!
//! A text as a view points into buffers that many batches share, so a few rows may keep all that they were
//! chosen from, and each batch names every buffer of its ancestors. Before rows are kept for later
//! queries, their texts are copied into buffers of their own, unless that took more.

use arrow::array::{ArrayRef, AsArray, RecordBatch};
use arrow::error::ArrowError;
use std::sync::Arc;

/// The batches with texts in buffers of their own; empty ones are left out.
///
/// # Errors
/// None that the rows could cause.
pub(super) fn batches(batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>, ArrowError> {
    batches.into_iter().filter(|batch| batch.num_rows() > 0).map(batch).collect()
}

fn batch(batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
    let (schema, columns, _) = batch.into_parts();
    RecordBatch::try_new(schema, columns.into_iter().map(column).collect())
}

fn column(column: ArrayRef) -> ArrayRef {
    let Some(texts) = column.as_string_view_opt() else { return column };
    // Texts that repeat, read through a dictionary, take less as they are than as copies.
    let held: usize = texts.data_buffers().iter().map(arrow::buffer::Buffer::len).sum();
    if held <= texts.total_buffer_bytes_used() { column } else { Arc::new(texts.gc()) }
}
