//! One content of a source: its head, its chunks, and what is known when it was read.
//!
//! Measures and hashes what passes, and turns UTF-16 into UTF-8; cutting is [`split`](super::split)'s.

use super::open::{Block, Content, Limits, Message};
use super::split::Chunks;
use super::utf16::{self, Transcoder};
use crate::formats::Framing;
use crate::problem::{At, Kind, Problem};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How much of a source its format is told from.
const HEAD_BYTES: usize = 64 << 10;

/// How much of a source its encoding is told from.
const MARK_BYTES: usize = 8;

/// Records and blank lines found so far, by all who look for them: whole when the last chunk of the
/// source was looked through.
#[derive(Debug, Default)]
pub struct Counts {
    pub(super) records: AtomicU64,
    pub(super) blank: AtomicU64,
}

impl Counts {
    /// Records found, the blank ones among them.
    pub fn records(&self) -> u64 {
        self.records.load(Ordering::Relaxed)
    }

    /// Blank lines.
    pub fn blank(&self) -> u64 {
        self.blank.load(Ordering::Relaxed)
    }
}

/// What is known of a source when it was read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFacts {
    /// SHA-256 of the content, hex.
    pub sha256: String,
    /// Stored bytes.
    pub size_bytes: u64,
    /// Bytes of content.
    pub content_bytes: u64,
    /// `none`, `gzip`, and so on.
    pub compression: String,
    /// Records found, the blank ones among them.
    pub records: u64,
    /// Blank lines.
    pub blank: u64,
    /// There would have been more.
    pub truncated: bool,
    /// What was wrong or odd with the source itself.
    pub problems: Vec<Problem>,
}

/// Reads one content: first its head, then its chunks, then its facts.
#[derive(Debug)]
pub struct SourceReader {
    content: Content,
    pub(super) limits: Limits,
    head: Vec<u8>,
    first: Option<Block>,
    hasher: Sha256,
    content_bytes: u64,
    size_bytes: u64,
    ended: bool,
    pub(super) truncated: bool,
    pub(super) problems: Vec<Problem>,
    pub(super) transcoder: Option<Transcoder>,
    /// A byte-order mark, as long as this.
    pub(super) mark: usize,
    pub(super) counts: Arc<Counts>,
}

impl SourceReader {
    /// Takes the first block.
    pub fn new(content: Content, limits: &Limits) -> Self {
        let mut reader = Self {
            content,
            limits: limits.clone(),
            head: Vec::new(),
            first: None,
            hasher: Sha256::new(),
            content_bytes: 0,
            size_bytes: 0,
            ended: false,
            truncated: false,
            problems: Vec::new(),
            transcoder: None,
            mark: 0,
            counts: Arc::default(),
        };
        let mut block = reader.receive().unwrap_or_default();
        // Blocks are small only in tests.
        while block.bytes.len() - block.start < MARK_BYTES
            && let Some(next) = reader.receive()
        {
            block.bytes.extend_from_slice(next.bytes.get(next.start..).unwrap_or_default());
        }
        let start = block.bytes.get(block.start..).unwrap_or_default();
        if let Some((order, mark)) = utf16::detect(start) {
            reader.mark = mark;
            block.start += mark;
            reader.transcoder = Some(Transcoder::new(order));
            block = reader.transcode(&block);
        } else if start.starts_with(b"\xEF\xBB\xBF") {
            reader.mark = 3;
            block.start += 3;
        }
        let head = block.bytes.get(block.start..).unwrap_or_default();
        reader.head = head.get(..HEAD_BYTES).unwrap_or(head).to_vec();
        reader.first = Some(block);
        reader
    }

    /// What those who look through the chunks count; it outlives the reader.
    pub fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }

    /// The source's name; `archive!member` for a member of an archive.
    pub fn name(&self) -> &str {
        &self.content.name
    }

    /// The beginning of the content as UTF-8 without a byte-order mark, up to 64 KiB.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The chunks, in order. Take them once; what is not taken is still hashed by [`Self::finish`].
    pub fn chunks(&mut self, framing: Framing) -> Chunks<'_> {
        Chunks::new(self, framing)
    }

    /// Reads what is left, and tells what is known.
    pub fn finish(mut self) -> SourceFacts {
        while self.receive().is_some() {}
        if let Some(transcoder) = &self.transcoder
            && transcoder.replaced > 0
        {
            let detail = format!("{} times in UTF-16", transcoder.replaced);
            self.problems.push(Problem::new(
                Kind::RepairedSurrogate,
                At { line: 1, byte: 0 },
                detail,
            ));
        }
        let mut sha256 = String::with_capacity(64);
        for byte in self.hasher.finalize() {
            // Writing to a string cannot fail.
            let _ = write!(sha256, "{byte:02x}");
        }
        SourceFacts {
            sha256,
            size_bytes: self.size_bytes,
            content_bytes: self.content_bytes,
            compression: self.content.compression,
            records: self.counts.records(),
            blank: self.counts.blank(),
            truncated: self.truncated,
            problems: self.problems,
        }
    }

    /// The next block as UTF-8.
    pub(super) fn block(&mut self) -> Option<Block> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        if self.ended {
            return None;
        }
        let Some(block) = self.receive() else {
            let transcoder = self.transcoder.as_mut()?;
            let mut rest = Vec::new();
            transcoder.finish(&mut rest);
            return (!rest.is_empty()).then_some(Block { bytes: rest, start: 0 });
        };
        Some(if self.transcoder.is_some() { self.transcode(&block) } else { block })
    }

    fn transcode(&mut self, block: &Block) -> Block {
        let mut bytes = Vec::with_capacity(block.bytes.len());
        if let Some(transcoder) = &mut self.transcoder {
            transcoder.push(block.bytes.get(block.start..).unwrap_or_default(), &mut bytes);
        }
        Block { bytes, start: 0 }
    }

    /// The next block as it is; `None`: the content ends.
    fn receive(&mut self) -> Option<Block> {
        if self.ended {
            return None;
        }
        match self.content.messages.recv() {
            Ok(Message::Block(block)) => {
                let bytes = block.bytes.get(block.start..).unwrap_or_default();
                self.hasher.update(bytes);
                self.content_bytes += bytes.len() as u64;
                return Some(block);
            }
            Ok(Message::End { problems, truncated, size_bytes }) => {
                self.problems.extend(problems);
                self.truncated |= truncated;
                self.size_bytes = size_bytes;
            }
            Err(_) => {
                let detail = "the reading thread stopped without a word";
                self.problems.push(Problem::new(Kind::Internal, At::default(), detail));
                self.truncated = true;
            }
        }
        self.ended = true;
        None
    }
}
