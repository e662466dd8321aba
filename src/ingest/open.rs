//! Opens a source and gives its content in blocks: decompressed by magic, measured, never held whole.
//!
//! Knows no record and no format. Reading and decompressing run on a thread of their own, a few blocks
//! ahead of who uses them. An archive gives several contents, one after the other.

use super::containers::{self, Archive};
use super::decode::{Codec, Decoder, Fault, Meter, Peek};
use super::discover::{Origin, Source};
use super::pace::Pace;
use super::split::SourceReader;
use crate::problem::{At, Kind, Problem};
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// What a source may cost.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The largest record.
    pub record_bytes: usize,
    /// How many times larger than its stored bytes a source may get; logs stay below 100, and gzip
    /// cannot exceed 1032.
    pub expansion: u64,
    /// Up to this much content the expansion is not looked at.
    pub expansion_floor_bytes: u64,
    /// The largest content of a source.
    pub source_bytes: u64,
    /// How much is read at once, and about how much a chunk holds.
    pub block_bytes: usize,
    /// Who is told how far reading is.
    pub pace: Option<Arc<Pace>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            record_bytes: 16 << 20,
            expansion: 1000,
            expansion_floor_bytes: 64 << 20,
            source_bytes: 1 << 40,
            block_bytes: 1 << 20,
            pace: None,
        }
    }
}

/// How deep compression and archives may lie within each other.
const MAX_LAYERS: usize = 6;

/// Room left before the bytes of a block, so that what is left of the block before can be put there.
pub const HEADROOM: usize = 64 << 10;

/// How many blocks are read ahead.
const BLOCKS_AHEAD: usize = 4;

/// A piece of content: the bytes from `start` on.
#[derive(Debug, Default)]
pub struct Block {
    /// The bytes, with room before them.
    pub bytes: Vec<u8>,
    /// Where they begin.
    pub start: usize,
}

/// What the reading thread says of one content.
#[derive(Debug)]
pub enum Message {
    /// More of it.
    Block(Block),
    /// That was all.
    End {
        /// What was wrong or odd.
        problems: Vec<Problem>,
        /// There would have been more.
        truncated: bool,
        /// Stored bytes.
        size_bytes: u64,
    },
}

/// One content: a file's, or a member's of an archive.
#[derive(Debug)]
pub struct Content {
    /// The source's name, `archive!member` for a member.
    pub name: String,
    /// `none`, `gzip`, `tar+gzip` (the outermost last), and so on.
    pub compression: String,
    /// Its blocks.
    pub messages: Receiver<Message>,
}

/// A source, or a part of one, that cannot be read at all.
#[derive(Debug)]
pub struct Failed {
    /// Its name.
    pub name: String,
    /// Why.
    pub problem: Problem,
}

/// Begins to read a source: one reader for a file, one for each member of an archive, in order.
/// Finish (or drop) a reader before taking the next.
pub fn open(source: &Source, limits: &Limits) -> Contents {
    let origin = source.origin.clone();
    open_with(source.name.clone(), limits, move || match origin {
        Origin::Stdin => Ok(Stored { input: Box::new(io::stdin()), watch: None }),
        Origin::File(path) => {
            let file = File::open(path)?;
            let watch = Watch::new(&file)?;
            Ok(Stored { input: Box::new(file), watch })
        }
    })
}

/// The same for anything that reads; for tests and for bytes in memory.
pub fn open_reader(name: &str, reader: impl Read + Send + 'static, limits: &Limits) -> Contents {
    open_with(name.to_owned(), limits, move || Ok(Stored { input: Box::new(reader), watch: None }))
}

fn open_with(
    name: String,
    limits: &Limits,
    start: impl FnOnce() -> io::Result<Stored> + Send + 'static,
) -> Contents {
    let (sender, receiver) = sync_channel(0);
    let limits = limits.clone();
    let for_thread = limits.clone();
    let thread_name = name.clone();
    let failed_sender = sender.clone();
    let spawned = thread::Builder::new().name("carddrift-read".to_owned()).spawn(move || {
        read_source(name, for_thread, start, sender);
    });
    let failed = spawned.err().map(|error| Failed {
        name: thread_name,
        problem: Problem::new(Kind::Unreadable, At::default(), error.to_string()),
    });
    drop(failed_sender);
    Contents { receiver, limits, failed }
}

/// The contents of a source.
#[derive(Debug)]
pub struct Contents {
    receiver: Receiver<Result<Content, Failed>>,
    limits: Limits,
    failed: Option<Failed>,
}

impl Iterator for Contents {
    type Item = Result<SourceReader, Failed>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(failed) = self.failed.take() {
            return Some(Err(failed));
        }
        let content = self.receiver.recv().ok()?;
        Some(content.map(|content| SourceReader::new(content, &self.limits)))
    }
}

/// An opened source as it is stored.
struct Stored {
    input: Box<dyn Read>,
    watch: Option<Watch>,
}

/// Tells whether a file changed since it was opened.
struct Watch {
    file: File,
    before: (u64, Option<std::time::SystemTime>),
}

impl Watch {
    fn new(file: &File) -> io::Result<Option<Self>> {
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(None);
        }
        let before = (metadata.len(), metadata.modified().ok());
        Ok(Some(Self { file: file.try_clone()?, before }))
    }

    fn changed(&self, stored: u64, at_end: bool) -> Option<String> {
        let metadata = self.file.metadata().ok()?;
        let (len, modified) = self.before;
        if metadata.len() != len {
            return Some(format!("it had {len} bytes at first and {} in the end", metadata.len()));
        }
        if metadata.modified().ok() != modified {
            return Some("it was written to".to_owned());
        }
        (at_end && stored != len)
            .then(|| format!("it had {len} bytes, of which {stored} were read"))
    }
}

/// Counts what is read from the source.
struct Counted {
    input: Box<dyn Read>,
    count: Rc<Cell<u64>>,
    pace: Option<Arc<Pace>>,
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = loop {
            match self.input.read(out) {
                // A signal came in between, nothing more.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.count.set(self.count.get() + read as u64);
        if let Some(pace) = &self.pace {
            pace.read(read as u64);
        }
        Ok(read)
    }
}

fn read_source(
    name: String,
    limits: Limits,
    start: impl FnOnce() -> io::Result<Stored>,
    sender: SyncSender<Result<Content, Failed>>,
) {
    let stored = match start() {
        Ok(stored) => stored,
        Err(error) => {
            let problem = Problem::new(Kind::Unreadable, At::default(), error.to_string());
            // Nobody listens any more: then nobody wants to know.
            let _ = sender.send(Err(Failed { name, problem }));
            return;
        }
    };
    let count = Rc::new(Cell::new(0));
    let meter = Meter {
        stored: Rc::clone(&count),
        notes: Rc::new(RefCell::new(Vec::new())),
        expansion: limits.expansion,
        expansion_floor_bytes: limits.expansion_floor_bytes,
    };
    let counted = Counted { input: stored.input, count, pace: limits.pace.clone() };
    let reading = Reading { limits, sender, meter, watch: stored.watch };
    let input = Peek::new(Box::new(counted) as Box<dyn Read>);
    reading.layer(input, &name, &mut Vec::new(), None);
}

/// Reads one source through all its layers.
pub struct Reading {
    limits: Limits,
    sender: SyncSender<Result<Content, Failed>>,
    /// What all layers share.
    pub meter: Meter,
    watch: Option<Watch>,
}

/// The reader of a layer.
pub type Layer<'r> = Peek<Box<dyn Read + 'r>>;

impl std::fmt::Debug for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reading").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Reading {
    /// Peels one layer off, or gives the content. `size_bytes`: the stored size of an archive's member.
    pub fn layer(
        &self,
        mut input: Layer<'_>,
        name: &str,
        layers: &mut Vec<&'static str>,
        size_bytes: Option<u64>,
    ) {
        let head = input.peek(containers::HEAD_BYTES);
        let codec = Codec::of(head);
        let framed = codec.is_none() && containers::is_framed(head);
        let archive = Archive::of(head);
        if layers.len() >= MAX_LAYERS && (codec.is_some() || archive.is_some()) {
            self.failed(
                name,
                &Fault { kind: Kind::Unreadable, detail: "too many layers of compression".into() },
            );
            return;
        }
        if let Some(codec) = codec {
            layers.push(codec.as_str());
            let decoder = Decoder::new(input, self.meter.clone());
            self.layer(Peek::new(Box::new(decoder)), name, layers, size_bytes);
            layers.pop();
        } else if framed {
            let frames =
                containers::Frames::new(input, self.meter.clone(), self.limits.record_bytes);
            layers.push("frames");
            self.content(&mut Peek::new(Box::new(frames)), name, layers, size_bytes);
            layers.pop();
        } else if let Some(archive) = archive {
            archive.members(self, input, name, layers);
        } else {
            self.content(&mut input, name, layers, size_bytes);
        }
    }

    /// A part that cannot be read.
    pub fn failed(&self, name: &str, fault: &Fault) {
        let problem = Problem::new(fault.kind, At::default(), fault.detail.clone());
        let _ = self.sender.send(Err(Failed { name: name.to_owned(), problem }));
    }

    /// Whether anybody still takes contents.
    fn offer(&self, name: &str, layers: &[&'static str]) -> Option<SyncSender<Message>> {
        let (blocks, messages) = sync_channel(BLOCKS_AHEAD);
        let compression = if layers.is_empty() {
            "none".to_owned()
        } else {
            layers.iter().rev().copied().collect::<Vec<_>>().join("+")
        };
        let content = Content { name: name.to_owned(), compression, messages };
        self.sender.send(Ok(content)).ok().map(|()| blocks)
    }

    fn content(
        &self,
        input: &mut Layer<'_>,
        name: &str,
        layers: &[&'static str],
        size_bytes: Option<u64>,
    ) {
        let Some(blocks) = self.offer(name, layers) else { return };
        let mut content_bytes = 0;
        let fault = loop {
            let (block, error) = self.block(input);
            let read = block.bytes.len() - block.start;
            content_bytes += read as u64;
            let mut fault = error.map(|error| Fault::of(&error));
            if fault.is_none() && content_bytes > self.limits.source_bytes {
                let detail = format!("more than {} bytes of content", self.limits.source_bytes);
                fault = Some(Fault { kind: Kind::BombRatio, detail: detail.into() });
            }
            let last = read == 0 || fault.is_some();
            if read > 0 && blocks.send(Message::Block(block)).is_err() {
                return;
            }
            if last {
                break fault;
            }
        };
        let mut problems = std::mem::take(&mut *self.meter.notes.borrow_mut());
        let truncated =
            fault.is_some() || problems.iter().any(|p| p.kind == Kind::CorruptCompression);
        let stored = self.meter.stored.get();
        if let Some(detail) =
            self.watch.as_ref().and_then(|w| w.changed(stored, size_bytes.is_none() && !truncated))
        {
            problems.push(Problem::new(Kind::SourceChanged, At::default(), detail));
        }
        if let Some(fault) = fault {
            problems.push(Problem::new(fault.kind, At::default(), fault.detail));
        } else if content_bytes == 0 {
            problems.push(Problem::new(Kind::EmptySource, At::default(), ""));
        }
        let size_bytes = size_bytes.unwrap_or(stored);
        let _ = blocks.send(Message::End { problems, truncated, size_bytes });
    }

    /// The next block: full unless the content ends or fails.
    fn block(&self, input: &mut Layer<'_>) -> (Block, Option<io::Error>) {
        let mut bytes = vec![0; HEADROOM + self.limits.block_bytes];
        let mut filled = HEADROOM;
        let mut failed = None;
        while let Some(room) = bytes.get_mut(filled..)
            && !room.is_empty()
        {
            match input.read(room) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        bytes.truncate(filled);
        (Block { bytes, start: HEADROOM }, failed)
    }
}

#[cfg(test)]
mod tests;
