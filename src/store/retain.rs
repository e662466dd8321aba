//! Retention: rows that are older than a limit go, whole tasks at a time.
//!
//! What goes are attempts, and what tasks went through. A task stays whole as long as anything of it is at
//! or after the limit, so that its verdict does not change. Fetches and cards stay always: what later tasks
//! were admitted under may be old. So do the hashes of events: what was removed does not come back.
//!
//! A segment through which the limit passes is written anew, and one commit says by what each is replaced:
//! a reader sees all of it or nothing. The replaced files go with the next [`Store::gc`] that no reader
//! holds up.

use super::commit::{File, FileKind, Replaced};
use super::disk::{self, Lock};
use super::{Commit, SEGMENTS, STAGING, Store, StoreError};
use crate::tables::{Artifacts, Attempts, Destination, Folder, TableWriter, TaskEvents};
use arrow::array::{AsArray, BooleanArray, RecordBatch};
use arrow::datatypes::TimestampNanosecondType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use parquet::file::statistics::Statistics;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The tables whose rows may go.
const TABLES: [&str; 3] = [Attempts::NAME, TaskEvents::NAME, Artifacts::NAME];

/// Tasks that are looked for at once: 8 bytes each, and each look reads two columns of everything.
const TASKS_AT_ONCE: u64 = 8 << 20;

/// What retention took, or would take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retained {
    /// The commit that says so; `None`: nothing was to go, or nothing was to be done.
    pub commit: Option<u64>,
    /// Rows that went, of each table.
    pub rows: BTreeMap<String, u64>,
}

/// A segment with rows before the limit.
struct Old<'a> {
    file: &'a File,
    table: &'a str,
    rows: u64,
}

impl Store {
    /// When the last event of the store happened; UTC nanoseconds. `None`: it has none.
    pub fn last_time(&self) -> Result<Option<i64>, StoreError> {
        let commits = self.commits()?;
        let files = commits.iter().flat_map(|commit| &commit.files);
        Ok(files
            .filter_map(|file| match file.kind {
                FileKind::Events { last_time, .. } => Some(last_time),
                _ => None,
            })
            .max())
    }

    /// Removes attempts before `from` (UTC nanoseconds), and tasks of which nothing is at or after it. With
    /// `dry`, only tells.
    pub fn retain(&self, from: i64, dry: bool) -> Result<Retained, StoreError> {
        let lock = Lock::take(self.root())?;
        let commits = self.readable()?;
        let mut old = Vec::new();
        let mut kept = Vec::new();
        for (file, table) in tables(&commits) {
            match self.first_time(file)? {
                Some((first, rows)) if first < from => old.push(Old { file, table, rows }),
                _ => kept.push(file),
            }
        }
        let Some(last) = commits.last().filter(|_| !old.is_empty()) else {
            return Ok(Retained::default());
        };
        let staging = self.root().join(STAGING);
        disk::fresh_folder(&staging).map_err(|error| StoreError::io(&staging, error))?;
        let spanning = self.spanning(&old, &kept, from)?;
        let mut retained = Retained::default();
        let mut replaced = Vec::new();
        let stays = |time: i64, task: Option<u64>| {
            time >= from || task.is_some_and(|task| spanning.contains(&task))
        };
        for (number, old) in old.iter().enumerate() {
            let mut gone = 0;
            self.each_row(old.file, |time, task| gone += u64::from(!stays(time, task)))?;
            if gone == 0 {
                continue;
            }
            *retained.rows.entry(old.table.to_owned()).or_default() += gone;
            if !dry {
                let name = format!("{}-{number}.parquet", old.table);
                let by = self.rewrite(old, stays, &staging, &name)?;
                replaced.push(Replaced { name: old.file.name.clone(), by });
            }
        }
        if !replaced.is_empty() {
            let number = last.number + 1;
            self.replace(&lock, last, (number, from), replaced)?;
            retained.commit = Some(number);
        }
        let _ = fs::remove_dir_all(&staging);
        Ok(retained)
    }

    /// Names in a commit by what each file is replaced.
    fn replace(
        &self,
        _: &Lock,
        last: &Commit,
        (number, from): (u64, i64),
        mut replaced: Vec<Replaced>,
    ) -> Result<(), StoreError> {
        let segments = self.root().join(SEGMENTS);
        let staging = self.root().join(STAGING);
        for one in &mut replaced {
            if let Some(file) = &mut one.by {
                *file = disk::adopt(&staging.join(&file.name), &segments, file.kind.clone())?;
            }
        }
        disk::sync_folder(&segments).map_err(|error| StoreError::io(&segments, error))?;
        let commit = Commit {
            number,
            made_by: super::MADE_BY.to_owned(),
            sources: Vec::new(),
            files: Vec::new(),
            replaced,
            kept_from: Some(from),
            ..last.clone()
        };
        commit.write(&self.root().join(super::COMMITS))
    }

    /// The earliest time in a segment, and its rows; `None`: it has none.
    fn first_time(&self, file: &File) -> Result<Option<(i64, u64)>, StoreError> {
        let path = self.path(file);
        let builder = open(&path)?;
        let metadata = builder.metadata();
        let leaves = metadata.file_metadata().schema_descr().columns();
        let column = leaves.iter().position(|leaf| leaf.path().string() == "time");
        let mut first = None;
        for group in metadata.row_groups() {
            let Some(Statistics::Int64(statistics)) =
                column.and_then(|place| group.columns().get(place)?.statistics())
            else {
                return Err(broken(&path, "its times have no statistics"));
            };
            let least = statistics.min_opt().copied();
            first = [first, least].into_iter().flatten().min();
        }
        let rows = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
        Ok(first.map(|first| (first, rows)))
    }

    /// Hashes of the tasks of old segments that have a row at or after the limit.
    fn spanning(
        &self,
        old: &[Old<'_>],
        kept: &[&File],
        from: i64,
    ) -> Result<HashSet<u64>, StoreError> {
        let rows: u64 = old.iter().map(|old| old.rows).sum();
        let parts = rows.div_ceil(TASKS_AT_ONCE).max(1);
        let mut spanning = HashSet::new();
        for part in 0..parts {
            let of_part = |hash: u64| hash % parts == part;
            let mut before = HashSet::new();
            for old in old {
                self.each_row(old.file, |time, task| {
                    before.extend(task.filter(|task| time < from && of_part(*task)));
                })?;
            }
            for file in old.iter().map(|old| old.file).chain(kept.iter().copied()) {
                self.each_row(file, |time, task| {
                    spanning.extend(task.filter(|task| time >= from && before.contains(task)));
                })?;
            }
        }
        Ok(spanning)
    }

    /// Calls `each` with the time and the hash of the task of every row.
    fn each_row(
        &self,
        file: &File,
        mut each: impl FnMut(i64, Option<u64>),
    ) -> Result<(), StoreError> {
        let path = self.path(file);
        let builder = open(&path)?;
        let schema = builder.schema();
        let places = [schema.index_of("time"), schema.index_of("task_id")];
        let [Ok(time), Ok(task)] = places else {
            return Err(broken(&path, "it lacks a column"));
        };
        let mask = ProjectionMask::roots(builder.parquet_schema(), [time, task]);
        let reader = builder.with_projection(mask).build().map_err(|error| broken(&path, error))?;
        for batch in reader {
            let batch = batch.map_err(|error| broken(&path, error))?;
            rows(&batch, &path)?.for_each(|(time, task)| each(time, task));
        }
        Ok(())
    }

    /// Writes what stays of a segment into the staging folder; `None`: nothing does.
    fn rewrite(
        &self,
        old: &Old<'_>,
        stays: impl Fn(i64, Option<u64>) -> bool,
        staging: &Path,
        name: &str,
    ) -> Result<Option<File>, StoreError> {
        let path = self.path(old.file);
        let failed = |error: ParquetError| broken(&path, error);
        let builder = open(&path)?;
        let folder = Arc::new(Folder::At(staging.to_owned()));
        let destination = Destination { memory_bytes: 0, folder, name: name.to_owned() };
        let schema = Arc::clone(builder.schema());
        let mut writer = TableWriter::new(&schema, destination).map_err(failed)?;
        for batch in builder.build().map_err(failed)? {
            let batch = batch.map_err(|error| broken(&path, error))?;
            let mask: BooleanArray =
                rows(&batch, &path)?.map(|(time, task)| Some(stays(time, task))).collect();
            let left = arrow::compute::filter_record_batch(&batch, &mask)
                .map_err(|error| broken(&path, error))?;
            writer.write(&left).map_err(failed)?;
        }
        let written = writer.finish().map_err(failed)?;
        Ok((written.rows > 0).then(|| File {
            name: name.to_owned(),
            kind: FileKind::Table(old.table.to_owned()),
            bytes: written.bytes,
            sha256: String::new(),
        }))
    }
}

/// The segments in force of the tables whose rows may go.
fn tables(commits: &[Commit]) -> impl Iterator<Item = (&File, &'static str)> {
    super::commit::in_force(commits).filter_map(|(_, file)| match &file.kind {
        FileKind::Table(name) => {
            TABLES.iter().find(|table| *table == name).map(|table| (file, *table))
        }
        _ => None,
    })
}

fn open(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<fs::File>, StoreError> {
    let file = fs::File::open(path).map_err(|error| StoreError::io(path, error))?;
    ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| broken(path, error))
}

/// The time and the hash of the task of each row.
fn rows<'a>(
    batch: &'a RecordBatch,
    path: &Path,
) -> Result<impl Iterator<Item = (i64, Option<u64>)> + use<'a>, StoreError> {
    let column = |name: &str| batch.column_by_name(name);
    let times = column("time").and_then(|c| c.as_primitive_opt::<TimestampNanosecondType>());
    let tasks = column("task_id").and_then(|c| c.as_string_opt::<i32>());
    let (Some(times), Some(tasks)) = (times, tasks) else {
        return Err(broken(path, "its columns have other types"));
    };
    let hash = |task: &str| xxhash_rust::xxh3::xxh3_64(task.as_bytes());
    Ok(times.values().iter().copied().zip(tasks.iter().map(move |task| task.map(hash))))
}

fn broken(path: &Path, why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::io(path, io::Error::other(why))
}
