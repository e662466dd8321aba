//! The events of earlier commits: time and hash of each, looked up where times overlap.

use super::disk;
use super::error::StoreError;
use crate::ingest::dedup::{Earlier, Event, Seen, encode, read};
use crate::tables::Cards;
use arrow::array::AsArray;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes of an event.
const EVENT_BYTES: u64 = 16;

/// Events of a block, the unit of reading.
const BLOCK_EVENTS: u64 = 4096;

/// Blocks of one file that stay in memory.
const BLOCKS_HELD: usize = 16;

/// The events of one commit.
#[derive(Debug)]
struct Run {
    path: PathBuf,
    first_time: i64,
    last_time: i64,
    count: u64,
    opened: Option<Opened>,
}

#[derive(Debug)]
struct Opened {
    file: File,
    /// The first event of each block.
    firsts: Vec<Event>,
    /// Blocks read, with the time of their last use.
    blocks: BTreeMap<u64, (u64, Vec<Event>)>,
    clock: u64,
}

/// The events of all earlier commits.
#[derive(Debug, Default)]
pub struct EarlierEvents {
    runs: Vec<Run>,
}

impl EarlierEvents {
    /// Adds a file of events.
    pub fn push(&mut self, path: PathBuf, first_time: i64, last_time: i64, bytes: u64) {
        self.runs.push(Run {
            path,
            first_time,
            last_time,
            count: bytes / EVENT_BYTES,
            opened: None,
        });
    }
}

impl Earlier for EarlierEvents {
    fn contains(&mut self, event: Event) -> io::Result<bool> {
        for run in &mut self.runs {
            if (run.first_time..=run.last_time).contains(&event.0) && run.contains(event)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Run {
    fn contains(&mut self, event: Event) -> io::Result<bool> {
        let count = self.count;
        let opened = match &mut self.opened {
            Some(opened) => opened,
            none => none.insert(Opened::new(&self.path, count)?),
        };
        // The block is the last one that begins at or before the event.
        let Some(block) = opened.firsts.partition_point(|first| *first <= event).checked_sub(1)
        else {
            return Ok(false);
        };
        let block = opened.block(block as u64, count)?;
        Ok(block.binary_search(&event).is_ok())
    }
}

impl Opened {
    fn new(path: &Path, count: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut firsts = Vec::new();
        for block in 0..count.div_ceil(BLOCK_EVENTS) {
            firsts.extend(read(&mut file, block * BLOCK_EVENTS * EVENT_BYTES, 1)?);
        }
        Ok(Self { file, firsts, blocks: BTreeMap::new(), clock: 0 })
    }

    fn block(&mut self, number: u64, count: u64) -> io::Result<&[Event]> {
        self.clock += 1;
        if !self.blocks.contains_key(&number) {
            if self.blocks.len() >= BLOCKS_HELD {
                let oldest = self
                    .blocks
                    .iter()
                    .min_by_key(|(_, (used, _))| *used)
                    .map(|(number, _)| *number);
                oldest.and_then(|oldest| self.blocks.remove(&oldest));
            }
            let events = (count - number * BLOCK_EVENTS).min(BLOCK_EVENTS);
            let events = usize::try_from(events).unwrap_or_default();
            let block = read(&mut self.file, number * BLOCK_EVENTS * EVENT_BYTES, events)?;
            self.blocks.insert(number, (self.clock, block));
        }
        let Some((used, block)) = self.blocks.get_mut(&number) else { return Ok(&[]) };
        *used = self.clock;
        Ok(block)
    }
}

/// Writes all events, in order; the times of the first and the last. `None`: there are none.
pub fn write_events(path: &Path, seen: Seen) -> Result<Option<(i64, i64)>, StoreError> {
    let at = |error| StoreError::io(path, error);
    disk::step().map_err(at)?;
    let mut file = BufWriter::new(File::create_new(path).map_err(at)?);
    let mut times: Option<(i64, i64)> = None;
    let written = seen.into_sorted(|events| {
        for event in events {
            file.write_all(&encode(*event))?;
            times = Some((times.map_or(event.0, |(first, _)| first), event.0));
        }
        Ok(())
    });
    written.map_err(at)?;
    let file = file.into_inner().map_err(|error| at(error.into_error()))?;
    file.sync_all().map_err(at)?;
    Ok(times)
}

/// Writes hashes of artifacts, and whether a record of each appended.
pub fn write_artifacts(path: &Path, artifacts: &BTreeMap<u64, bool>) -> Result<(), StoreError> {
    let at = |error| StoreError::io(path, error);
    let mut bytes = Vec::with_capacity(artifacts.len() * 9);
    for (artifact, appends) in artifacts {
        bytes.extend_from_slice(&artifact.to_le_bytes());
        bytes.push(u8::from(*appends));
    }
    let mut file = File::create_new(path).map_err(at)?;
    file.write_all(&bytes).map_err(at)?;
    file.sync_all().map_err(at)
}

/// Reads them back.
pub fn read_artifacts(path: &Path) -> Result<Vec<(u64, bool)>, StoreError> {
    let bytes = std::fs::read(path).map_err(|error| StoreError::io(path, error))?;
    Ok(bytes
        .chunks_exact(9)
        .filter_map(|entry| {
            let (artifact, appends) = entry.split_first_chunk::<8>()?;
            Some((u64::from_le_bytes(*artifact), appends == [1]))
        })
        .collect())
}

/// Adds the binding hashes of a segment of `cards`.
pub fn read_cards(path: &Path, cards: &mut BTreeSet<String>) -> Result<(), StoreError> {
    let at = |error| StoreError::io(path, error);
    let other =
        |error: parquet::errors::ParquetError| StoreError::io(path, io::Error::other(error));
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(File::open(path).map_err(at)?).map_err(other)?;
    let column = Cards::schema().index_of("card").unwrap_or_default();
    let mask = ProjectionMask::roots(builder.parquet_schema(), [column]);
    for batch in builder.with_projection(mask).build().map_err(other)? {
        let batch = batch.map_err(|error| at(io::Error::other(error)))?;
        cards.extend(batch.column(0).as_string::<i32>().iter().flatten().map(str::to_owned));
    }
    Ok(())
}
