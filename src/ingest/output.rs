//! The segments that one thread writes, a table each.

use super::batch::Rows;
use crate::tables::{
    Artifacts, Attempts, CardFetches, Dataset, Destination, Folder, Problems, TableWriter,
    TaskEvents,
};
use arrow::array::RecordBatch;
use parquet::errors::ParquetError;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of a segment that stay in memory before a file is begun.
const IN_MEMORY_BYTES: usize = 8 << 20;

/// Bytes of rows that may wait for their row group to be full, over all tables of a thread.
const WAITING_BYTES: usize = 48 << 20;

/// Writes the rows of any table.
#[derive(Debug)]
pub struct Output {
    folder: Arc<Folder>,
    /// Tells the segments of one thread from another's.
    label: String,
    memory_bytes: usize,
    writers: BTreeMap<&'static str, TableWriter>,
}

impl Output {
    /// Writes into that folder.
    pub fn new(folder: &Arc<Folder>, label: String) -> Self {
        let memory_bytes = match **folder {
            Folder::Scratch(_) => IN_MEMORY_BYTES,
            Folder::At(_) => 0,
        };
        Self { folder: Arc::clone(folder), label, memory_bytes, writers: BTreeMap::new() }
    }

    /// Adds rows of a table.
    pub fn write(&mut self, name: &'static str, batch: &RecordBatch) -> Result<(), ParquetError> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let writer = match self.writers.entry(name) {
            std::collections::btree_map::Entry::Occupied(writer) => writer.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => {
                let destination = Destination {
                    memory_bytes: self.memory_bytes,
                    folder: Arc::clone(&self.folder),
                    name: format!("{name}-{}.parquet", self.label),
                };
                place.insert(TableWriter::new(&batch.schema(), destination)?)
            }
        };
        writer.write(batch)
    }

    /// Adds what is left of a chunk.
    pub fn write_rows(&mut self, rows: &Rows) -> Result<(), ParquetError> {
        self.write(CardFetches::NAME, &rows.fetches)?;
        self.write(Attempts::NAME, &rows.attempts)?;
        self.write(TaskEvents::NAME, &rows.statuses)?;
        self.write(Artifacts::NAME, &rows.artifacts)?;
        self.write(Problems::NAME, &rows.problems)?;
        if self.writers.values().map(TableWriter::waiting_bytes).sum::<usize>() > WAITING_BYTES {
            self.writers.values_mut().try_for_each(TableWriter::flush)?;
        }
        Ok(())
    }

    /// Ends the segments.
    pub fn finish(self) -> Result<Dataset, ParquetError> {
        let mut tables = Dataset::default();
        for (name, writer) in self.writers {
            tables.push(name, writer.finish()?.segment);
        }
        Ok(tables)
    }
}
