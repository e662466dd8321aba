//! Writes the rows of one table as Parquet, in memory while they are few, else into a folder.

use super::Segment;
use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tempfile::TempDir;

/// Rows of a row group: few enough that statistics part the times, and that little waits in memory.
const ROW_GROUP_ROWS: usize = 128 << 10;

/// Numbers that mostly rise: their differences are small.
const RISING: [&str; 5] = ["time", "sent_at", "end_time", "source_line", "source_byte"];

/// Columns whose values hardly repeat: a dictionary of them costs time and saves nothing.
const UNIQUE: [&str; 10] = [
    "task_id",
    "context_id",
    "trace_id",
    "span_id",
    "digest",
    "digest_sha256",
    "text_sha256",
    "json_sha256",
    "bytes_sha256",
    "body",
];

/// The folder of a data set's files.
#[derive(Debug)]
pub enum Folder {
    /// Private, made when the first file is, and gone with the last [`Dataset`](super::Dataset) that keeps it.
    Scratch(OnceLock<Arc<TempDir>>),
    /// One that stays.
    At(PathBuf),
}

impl Folder {
    /// A private folder that is not made yet.
    pub fn scratch() -> Self {
        Self::Scratch(OnceLock::new())
    }

    /// The private folder, when it was made.
    pub fn made(&self) -> Option<Arc<TempDir>> {
        match self {
            Self::Scratch(made) => made.get().cloned(),
            Self::At(_) => None,
        }
    }

    fn path(&self) -> io::Result<PathBuf> {
        match self {
            Self::At(path) => Ok(path.clone()),
            Self::Scratch(made) => {
                if let Some(folder) = made.get() {
                    return Ok(folder.path().to_owned());
                }
                let folder = tempfile::Builder::new().prefix("carddrift-").tempdir()?;
                // Whoever was first made the one that counts; the other goes at once.
                Ok(made.get_or_init(|| Arc::new(folder)).path().to_owned())
            }
        }
    }
}

/// Where a table's rows go.
#[derive(Debug, Clone)]
pub struct Destination {
    /// Bytes that stay in memory before a file is begun; 0: a file from the first byte on.
    pub memory_bytes: usize,
    /// Where the file lies, when there is one.
    pub folder: Arc<Folder>,
    /// Its name.
    pub name: String,
}

/// What a writer left.
#[derive(Debug)]
pub struct Written {
    /// The Parquet.
    pub segment: Segment,
    /// Rows in it.
    pub rows: u64,
    /// Its length.
    pub bytes: u64,
}

/// Writes one segment of one table.
#[derive(Debug)]
pub struct TableWriter {
    writer: ArrowWriter<Spill>,
    rows: u64,
}

impl TableWriter {
    /// Begins a segment with that schema.
    pub fn new(schema: &SchemaRef, destination: Destination) -> Result<Self, ParquetError> {
        let compression = match *destination.folder {
            Folder::Scratch(_) => Compression::UNCOMPRESSED,
            Folder::At(_) => Compression::ZSTD(ZstdLevel::try_new(1)?),
        };
        let properties = properties(schema, compression);
        let spill = Spill { destination, memory: Vec::new(), file: None, bytes: 0 };
        let writer = ArrowWriter::try_new(spill, Arc::clone(schema), Some(properties))?;
        Ok(Self { writer, rows: 0 })
    }

    /// Adds rows.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        self.rows += batch.num_rows() as u64;
        self.writer.write(batch)
    }

    /// Bytes of rows that wait in memory for their row group to be full.
    pub fn waiting_bytes(&self) -> usize {
        self.writer.memory_size()
    }

    /// Ends the row group.
    pub fn flush(&mut self) -> Result<(), ParquetError> {
        self.writer.flush()
    }

    /// Ends the segment; a file is on disk when this returns.
    pub fn finish(self) -> Result<Written, ParquetError> {
        let spill = self.writer.into_inner()?;
        let bytes = spill.bytes;
        let segment = match spill.file {
            Some((file, path)) => {
                file.sync_all()?;
                Segment::File(path)
            }
            None => Segment::Memory(spill.memory.into()),
        };
        Ok(Written { segment, rows: self.rows, bytes })
    }
}

fn properties(schema: &SchemaRef, compression: Compression) -> WriterProperties {
    let mut builder = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_created_by(concat!("carddrift ", env!("CARGO_PKG_VERSION")).to_owned());
    for name in UNIQUE.into_iter().filter(|name| schema.index_of(name).is_ok()) {
        builder = builder.set_column_dictionary_enabled(ColumnPath::from(name), false);
    }
    for name in RISING.into_iter().filter(|name| schema.index_of(name).is_ok()) {
        builder = builder
            .set_column_dictionary_enabled(ColumnPath::from(name), false)
            .set_column_encoding(ColumnPath::from(name), Encoding::DELTA_BINARY_PACKED);
    }
    // The smallest and the largest text of a row group, of agents in no order, part nothing.
    for field in schema.fields().iter().filter(|field| *field.data_type() == DataType::Utf8) {
        let column = ColumnPath::from(field.name().as_str());
        builder = builder.set_column_statistics_enabled(column, EnabledStatistics::None);
    }
    builder.build()
}

/// Bytes that move into a file once they are many.
#[derive(Debug)]
struct Spill {
    destination: Destination,
    memory: Vec<u8>,
    file: Option<(File, PathBuf)>,
    bytes: u64,
}

impl Write for Spill {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        if let Some((file, _)) = &mut self.file {
            file.write_all(bytes)?;
        } else if self.memory.len() + bytes.len() > self.destination.memory_bytes {
            let path = self.destination.folder.path()?.join(&self.destination.name);
            let mut file = File::create_new(&path)?;
            file.write_all(&self.memory)?;
            file.write_all(bytes)?;
            self.memory = Vec::new();
            self.file = Some((file, path));
        } else {
            self.memory.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
