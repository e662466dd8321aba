//! The segments that one thread writes, a table each.

use super::batch::Rows;
use super::error::IngestError;
use crate::tables::{
    Artifacts, Attempts, CardFetches, Dataset, Destination, Folder, Problems, Segment, TableWriter,
    TaskEvents,
};
use arrow::array::{AsArray, BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Writes the table of problems again, without those of some sources: how many were left out, by code.
pub fn without_problems_of(
    tables: &mut Dataset,
    folder: &Arc<Folder>,
    sources: &BTreeSet<String>,
) -> Result<BTreeMap<String, u64>, IngestError> {
    let mut dropped: BTreeMap<String, u64> = BTreeMap::new();
    let mut output = Output::new(folder, "kept".to_owned());
    for segment in tables.take(Problems::NAME) {
        let bytes = match segment {
            Segment::File(path) => std::fs::read(path)?.into(),
            Segment::Memory(bytes) => bytes,
        };
        for batch in ParquetRecordBatchReaderBuilder::try_new(bytes)?.build()? {
            let batch = batch?;
            let column =
                |name: &str| batch.column_by_name(name).and_then(|c| c.as_string_opt::<i32>());
            let (Some(files), Some(codes)) = (column("source_file"), column("code")) else {
                continue;
            };
            let keep: BooleanArray =
                files.iter().map(|file| file.map(|file| !sources.contains(file))).collect();
            for (code, _) in codes.iter().zip(keep.values()).filter(|(_, keep)| !keep) {
                *dropped.entry(code.unwrap_or_default().to_owned()).or_default() += 1;
            }
            output.write(Problems::NAME, &filter_record_batch(&batch, &keep)?)?;
        }
    }
    tables.extend(output.finish()?);
    Ok(dropped)
}

/// Bytes of a segment that stay in memory before a file is begun.
const IN_MEMORY_BYTES: usize = 8 << 20;

/// Bytes of rows that may wait for their row group to be full, over all tables of a thread.
const WAITING_BYTES: usize = 32 << 20;

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
