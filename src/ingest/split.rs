//! Cuts the content of a source into chunks of whole records with exact positions.
//!
//! Knows no format but how its sources fall into records. Cutting is done by one thread, and finding
//! the records in a chunk by whoever takes it, in parallel; any size of blocks and chunks gives the
//! same records. Records are counted here, by [`Records`]; what becomes of them is counted elsewhere.

use super::array::ArrayScanner;
use super::lines::{Ending, Framer, Skip, Step, last_boundary};
use super::open::{Block, Content, Limits, Message};
use super::repair::{Piece, Place, Reading, repair, repair_text};
use super::scan::{End, MAX_DEPTH, value_end};
use super::utf16::{self, Transcoder};
use crate::formats::Framing;
use crate::problem::{At, Kind, Problem};
use memchr::{memchr, memchr_iter, memrchr};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
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
    records: AtomicU64,
    blank: AtomicU64,
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
    limits: Limits,
    head: Vec<u8>,
    first: Option<Block>,
    hasher: Sha256,
    content_bytes: u64,
    size_bytes: u64,
    ended: bool,
    truncated: bool,
    problems: Vec<Problem>,
    transcoder: Option<Transcoder>,
    /// A byte-order mark, as long as this.
    mark: usize,
    counts: Arc<Counts>,
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
        let at = At { line: 1, byte: self.mark as u64 };
        let mut scanner = None;
        if let Framing::JsonArray(path) = framing {
            let wide = self.transcoder.is_some();
            scanner = Some(ArrayScanner::new(path, self.limits.record_bytes, at.byte, wide));
        }
        Chunks {
            mark: (self.mark > 0 && self.transcoder.is_none()).then_some(Kind::RepairedBom),
            reader: self,
            framing,
            index: 0,
            buffer: Block::default(),
            at,
            skipping: None,
            scanner,
            done: false,
        }
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
    fn block(&mut self) -> Option<Block> {
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

/// A run of whole records.
#[derive(Debug)]
pub struct Chunk {
    /// Its number within the source, from 0.
    pub index: u64,
    block: Block,
    end: usize,
    at: At,
    framing: Framing,
    ending: Ending,
    limit: usize,
    /// The records, when they were found while cutting.
    frames: Option<Vec<Frame>>,
    mark: Option<Kind>,
    utf16: bool,
    counts: Arc<Counts>,
}

/// A record within the bytes of a chunk.
#[derive(Debug, Clone, Copy)]
struct Frame {
    start: usize,
    end: usize,
    at: At,
    shape: Shape,
}

/// What is known of a record's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Plain,
    /// Its value spans lines.
    Spans,
    /// It was not kept; its length.
    TooLarge(u64),
    /// The source ends within it.
    Cut,
    Blank,
}

/// A record.
#[derive(Debug, Clone, Copy)]
pub struct Record<'c> {
    /// Its bytes, without line end; of UTF-16, transcoded.
    pub bytes: &'c [u8],
    /// The same as text, when a strict parser may try: it is UTF-8, nests no deeper than allowed, and
    /// nothing was wrong with it so far. Else call [`Chunk::repair`].
    pub text: Option<&'c str>,
    /// Its first byte.
    pub at: At,
    shape: Shape,
    ends_source: bool,
    mark: Option<Kind>,
}

impl Chunk {
    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        self.block.bytes.get(self.block.start..self.end).unwrap_or_default()
    }

    /// Its records in order, blank ones left out; counts both.
    pub fn records(&self) -> Records<'_> {
        let bytes = self.bytes();
        let framer = Framer { bytes, limit: self.limit, ending: self.ending };
        Records {
            chunk: self,
            framer,
            text: simdutf8::basic::from_utf8(bytes).ok(),
            position: 0,
            at: self.at,
            frame: 0,
            mark: self.mark,
            records: 0,
            blank: 0,
        }
    }

    /// What to do with a record that has no [`Record::text`] or that a strict parser refused. The
    /// pieces beyond the first are counted as records of their own. Binary records (of
    /// [`Framing::LengthPrefixed`] and [`Framing::Whole`]) come back as they are.
    pub fn repair<'r>(&self, record: &Record<'r>) -> Vec<Piece<'r>> {
        let place = Place {
            at: record.at,
            counts_lines: matches!(
                self.framing,
                Framing::JsonLines | Framing::JsonValues | Framing::TextLines | Framing::Whole
            ),
            utf16: self.utf16,
            ends_source: record.ends_source,
        };
        let mut pieces = match record.shape {
            Shape::TooLarge(len) => {
                let detail = format!("it takes {len} bytes, the limit is {}", self.limit);
                vec![rejected(record.at, Kind::TooLarge, detail)]
            }
            Shape::Cut if self.framing == Framing::LengthPrefixed => {
                let detail = format!("only {} of its bytes are there", record.bytes.len());
                vec![rejected(record.at, Kind::TruncatedRecord, detail)]
            }
            _ if self.framing == Framing::TextLines => vec![repair_text(record.bytes, place)],
            _ if self.holds_json(record.bytes) => repair(record.bytes, place),
            _ => vec![Piece {
                at: record.at,
                reading: Reading::Readable(Cow::Borrowed(record.bytes)),
                problems: Vec::new(),
            }],
        };
        let spans = record.shape == Shape::Spans && self.framing != Framing::JsonValues;
        let spans = spans.then_some(Kind::SpansLines);
        let wide = self.utf16.then_some(Kind::RepairedUtf16);
        for piece in pieces.iter_mut().filter(|piece| matches!(piece.reading, Reading::Readable(_)))
        {
            for kind in [record.mark, spans, wide].into_iter().flatten() {
                piece.problems.push(Problem::new(kind, piece.at, ""));
            }
        }
        self.counts.records.fetch_add(pieces.len().saturating_sub(1) as u64, Ordering::Relaxed);
        let blank = pieces.iter().filter(|piece| piece.reading == Reading::Blank).count();
        self.counts.blank.fetch_add(blank as u64, Ordering::Relaxed);
        pieces
    }

    fn holds_json(&self, record: &[u8]) -> bool {
        match self.framing {
            Framing::JsonLines | Framing::JsonValues | Framing::JsonArray(_) => true,
            Framing::TextLines => false,
            Framing::LengthPrefixed | Framing::Whole => {
                matches!(record.trim_ascii_start().first(), Some(b'{' | b'['))
            }
        }
    }
}

fn rejected(at: At, kind: Kind, detail: String) -> Piece<'static> {
    Piece { at, reading: Reading::Rejected, problems: vec![Problem::new(kind, at, detail)] }
}

/// The records of a chunk. What it gave and the blank lines it passed are counted when it is dropped.
#[derive(Debug)]
pub struct Records<'c> {
    chunk: &'c Chunk,
    framer: Framer<'c>,
    text: Option<&'c str>,
    position: usize,
    at: At,
    frame: usize,
    mark: Option<Kind>,
    records: u64,
    blank: u64,
}

impl Drop for Records<'_> {
    fn drop(&mut self) {
        self.chunk.counts.records.fetch_add(self.records + self.blank, Ordering::Relaxed);
        self.chunk.counts.blank.fetch_add(self.blank, Ordering::Relaxed);
    }
}

impl<'c> Iterator for Records<'c> {
    type Item = Record<'c>;

    fn next(&mut self) -> Option<Record<'c>> {
        loop {
            let frame = if let Some(frames) = &self.chunk.frames {
                let frame = *frames.get(self.frame)?;
                self.frame += 1;
                frame
            } else {
                self.line()?
            };
            if frame.shape == Shape::Blank {
                self.blank += 1;
                self.mark = None;
            } else {
                self.records += 1;
                return Some(self.record(frame));
            }
        }
    }
}

impl<'c> Records<'c> {
    fn record(&mut self, frame: Frame) -> Record<'c> {
        let bytes = self.framer.bytes.get(frame.start..frame.end).unwrap_or_default();
        let mark = self.mark.take();
        let sound = mark.is_none() && frame.shape == Shape::Plain && !self.chunk.utf16;
        let text = if !sound {
            None
        } else if let Some(text) = self.text {
            text.get(frame.start..frame.end)
        } else {
            simdutf8::basic::from_utf8(bytes).ok()
        };
        let after = self.framer.bytes.get(frame.end..).unwrap_or_default();
        let at_end = self.chunk.ending == Ending::Source && memchr(b'\n', after).is_none();
        Record {
            bytes,
            text: text.filter(|_| !too_deep(bytes)),
            at: frame.at,
            shape: frame.shape,
            ends_source: frame.shape == Shape::Cut || at_end,
            mark,
        }
    }

    /// The next line, or the next value over several lines.
    fn line(&mut self) -> Option<Frame> {
        let step = if self.chunk.framing == Framing::TextLines {
            self.framer.text_step(self.position)
        } else {
            self.framer.step(self.position)
        };
        let (frame, next) = match step {
            Step::Blank { next } => (
                Frame {
                    start: self.position,
                    end: self.position,
                    at: self.at,
                    shape: Shape::Blank,
                },
                next,
            ),
            Step::Record { start, end, next, spans } => {
                let at = self.advanced(start);
                (
                    Frame {
                        start,
                        end,
                        at,
                        shape: if spans { Shape::Spans } else { Shape::Plain },
                    },
                    next,
                )
            }
            Step::TooLarge { start, from, mut skip } => {
                let next = skip.pass(self.framer.bytes, from).unwrap_or(self.framer.bytes.len());
                let len = next - start;
                let at = self.advanced(start);
                (Frame { start, end: start, at, shape: Shape::TooLarge(len as u64) }, next)
            }
            // A chunk holds whole records.
            Step::More | Step::End => return None,
        };
        // Most lines are one line.
        let passed = self.framer.bytes.get(self.position..next).unwrap_or_default();
        self.at.line += if frame.shape == Shape::Plain || frame.shape == Shape::Blank {
            1
        } else {
            memchr_iter(b'\n', passed).count() as u64
        };
        self.at.byte += self.chunk.source_len(passed);
        self.position = next;
        Some(frame)
    }

    /// The position of `start`, which lies on the line that begins at `self.position`.
    fn advanced(&self, start: usize) -> At {
        let passed = self.framer.bytes.get(self.position..start).unwrap_or_default();
        At { line: self.at.line, byte: self.at.byte + self.chunk.source_len(passed) }
    }
}

impl Chunk {
    fn source_len(&self, bytes: &[u8]) -> u64 {
        if self.utf16 { utf16::source_len(bytes) } else { bytes.len() as u64 }
    }
}

/// Whether a record nests deeper than allowed. Most have fewer brackets than that.
fn too_deep(record: &[u8]) -> bool {
    // `[` is 0x5B and `{` is 0x7B. Counted in runs so short that a byte holds the count: that is
    // what makes it fast.
    let opened: u32 = record
        .chunks(128)
        .map(|run| u32::from(run.iter().map(|b| u8::from(b | 0x20 == b'{')).sum::<u8>()))
        .sum();
    opened > MAX_DEPTH && matches!(value_end(record, 0), End::TooDeep(_))
}

/// A record that is passed over because it is too large to hold.
#[derive(Debug)]
struct Skipping {
    at: At,
    len: u64,
    how: SkipHow,
}

#[derive(Debug)]
enum SkipHow {
    Lines(Skip),
    Bytes(u64),
    Rest,
}

/// The chunks of a source.
#[derive(Debug)]
pub struct Chunks<'r> {
    reader: &'r mut SourceReader,
    framing: Framing,
    index: u64,
    buffer: Block,
    /// Position of the first byte of `buffer`.
    at: At,
    skipping: Option<Skipping>,
    scanner: Option<ArrayScanner>,
    mark: Option<Kind>,
    done: bool,
}

impl Iterator for Chunks<'_> {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        if self.done {
            return None;
        }
        match self.framing {
            Framing::JsonLines | Framing::JsonValues | Framing::TextLines => self.next_lines(),
            Framing::JsonArray(_) => self.next_elements(),
            Framing::LengthPrefixed => self.next_messages(),
            Framing::Whole => self.next_whole(),
        }
    }
}

impl Chunks<'_> {
    fn held(&self) -> &[u8] {
        self.buffer.bytes.get(self.buffer.start..).unwrap_or_default()
    }

    /// Takes one more block into the buffer; false: there is none.
    fn more(&mut self) -> bool {
        let Some(mut block) = self.reader.block() else { return false };
        let held = self.held();
        if held.is_empty() {
            self.buffer = block;
        } else if held.len() <= block.start {
            let from = block.start - held.len();
            if let Some(room) = block.bytes.get_mut(from..block.start) {
                room.copy_from_slice(held);
            }
            block.start = from;
            self.buffer = block;
        } else {
            self.buffer.bytes.extend_from_slice(block.bytes.get(block.start..).unwrap_or_default());
        }
        true
    }

    /// Gives the first `len` bytes of the buffer as a chunk and keeps the rest.
    fn cut(&mut self, len: usize, ending: Ending, frames: Option<Vec<Frame>>) -> Chunk {
        let rest = self.held().get(len..).unwrap_or_default().to_vec();
        let block = std::mem::replace(&mut self.buffer, Block { bytes: rest, start: 0 });
        let end = (block.start + len).min(block.bytes.len());
        let at = self.at;
        self.at = self.after(block.bytes.get(block.start..end).unwrap_or_default());
        self.chunk(block, end, at, ending, frames)
    }

    fn chunk(
        &mut self,
        block: Block,
        end: usize,
        at: At,
        ending: Ending,
        frames: Option<Vec<Frame>>,
    ) -> Chunk {
        let index = self.index;
        self.index += 1;
        Chunk {
            index,
            block,
            end,
            at,
            framing: self.framing,
            ending,
            limit: self.reader.limits.record_bytes,
            frames,
            mark: self.mark.take(),
            utf16: self.reader.transcoder.is_some(),
            counts: Arc::clone(&self.reader.counts),
        }
    }

    /// A chunk without bytes that tells of a record which was passed over.
    fn skipped(&mut self, skipped: &Skipping) -> Chunk {
        let frame = Frame { start: 0, end: 0, at: skipped.at, shape: Shape::TooLarge(skipped.len) };
        self.chunk(Block::default(), 0, skipped.at, Ending::Boundary, Some(vec![frame]))
    }

    /// The position after `bytes`, which begin at `self.at`.
    fn after(&self, bytes: &[u8]) -> At {
        let lines = memchr_iter(b'\n', bytes).count() as u64;
        let wide = self.reader.transcoder.is_some();
        let len = if wide { utf16::source_len(bytes) } else { bytes.len() as u64 };
        At { line: self.at.line + lines, byte: self.at.byte + len }
    }

    /// Forgets the first `len` bytes of the buffer.
    fn pass(&mut self, len: usize) {
        self.at = self.after(self.held().get(..len).unwrap_or_default());
        self.buffer.start += len;
    }

    // --- lines -------------------------------------------------------------------------------

    fn next_lines(&mut self) -> Option<Chunk> {
        // How much must be there before it is worth looking (again).
        let mut enough = 1;
        loop {
            if let Some(skipping) = self.skipping.take() {
                if let Some(skipped) = self.skip_lines(skipping) {
                    return Some(self.skipped(&skipped));
                }
                continue;
            }
            let mut ended = !self.more();
            while !ended && self.held().len() < enough {
                ended = !self.more();
            }
            if ended {
                self.done = true;
                let len = self.held().len();
                return (len > 0).then(|| self.cut(len, Ending::Source, None));
            }
            let boundary = if self.framing == Framing::TextLines {
                memrchr(b'\n', self.held()).map(|at| at + 1)
            } else {
                last_boundary(self.held())
            };
            if let Some(len) = boundary.filter(|len| *len > 0) {
                return Some(self.cut(len, Ending::Boundary, None));
            }
            if let Some(chunk) = self.framed() {
                return Some(chunk);
            }
            enough = self.held().len().saturating_mul(2);
        }
    }

    /// Frames the buffer from its beginning as far as it can be told.
    fn framed(&mut self) -> Option<Chunk> {
        let limit = self.reader.limits.record_bytes;
        let framer = Framer { bytes: self.held(), limit, ending: Ending::Open };
        let (mut frames, mut position, mut skip_from) = (Vec::new(), 0, None);
        let mut at = self.at;
        let here = |at: At, from: usize, to: usize| {
            let place = Place {
                at,
                counts_lines: true,
                utf16: self.reader.transcoder.is_some(),
                ends_source: false,
            };
            place.after(framer.bytes.get(from..to).unwrap_or_default())
        };
        loop {
            let step = if self.framing == Framing::TextLines {
                framer.text_step(position)
            } else {
                framer.step(position)
            };
            let (frame, next) = match step {
                Step::Blank { next } => {
                    (Frame { start: position, end: position, at, shape: Shape::Blank }, next)
                }
                Step::Record { start, end, next, spans } => {
                    let shape = if spans { Shape::Spans } else { Shape::Plain };
                    (Frame { start, end, at: here(at, position, start), shape }, next)
                }
                Step::TooLarge { start, from, mut skip } => {
                    let Some(next) = skip.pass(framer.bytes, from) else {
                        skip_from = Some((start, skip));
                        break;
                    };
                    let len = next - start;
                    let shape = Shape::TooLarge(len as u64);
                    (Frame { start, end: start, at: here(at, position, start), shape }, next)
                }
                Step::More | Step::End => break,
            };
            frames.push(frame);
            at = here(at, position, next);
            position = next;
        }
        if let Some((start, skip)) = skip_from {
            let chunk = (position > 0).then(|| self.cut(position, Ending::Boundary, Some(frames)));
            self.pass(start - position);
            let len = self.held().len();
            self.skipping =
                Some(Skipping { at: self.at, len: len as u64, how: SkipHow::Lines(skip) });
            self.pass(len);
            // Without a chunk the caller goes on with skipping.
            return chunk.or_else(|| self.next_lines());
        }
        (position > 0).then(|| self.cut(position, Ending::Boundary, Some(frames)))
    }

    /// Passes over lines; gives what was passed when it ends.
    fn skip_lines(&mut self, mut skipping: Skipping) -> Option<Skipping> {
        if !self.more() {
            return Some(skipping);
        }
        let SkipHow::Lines(skip) = &mut skipping.how else { return Some(skipping) };
        if let Some(len) = skip.pass(self.held(), 0) {
            skipping.len += len as u64;
            self.pass(len);
            return Some(skipping);
        }
        let len = self.held().len();
        skipping.len += len as u64;
        self.pass(len);
        self.skipping = Some(skipping);
        None
    }

    // --- elements of an array ----------------------------------------------------------------

    fn next_elements(&mut self) -> Option<Chunk> {
        let mut scanner = self.scanner.take()?;
        while scanner.waiting() < self.reader.limits.block_bytes {
            let Some(block) = self.reader.block() else {
                let problems = scanner.finish();
                self.reader.truncated |= problems.iter().any(|p| p.kind == Kind::TruncatedRecord);
                self.reader.problems.extend(problems);
                self.done = true;
                break;
            };
            scanner.push(block.bytes.get(block.start..).unwrap_or_default());
        }
        let (bytes, elements) = scanner.take();
        self.scanner = Some(scanner);
        if elements.is_empty() {
            return None;
        }
        let frames = elements
            .into_iter()
            .map(|element| {
                let shape = match element.too_large {
                    Some(len) => Shape::TooLarge(len),
                    None if element.cut => Shape::Cut,
                    None => Shape::Plain,
                };
                Frame { start: element.start, end: element.end, at: element.at, shape }
            })
            .collect();
        let end = bytes.len();
        let at = self.at;
        Some(self.chunk(Block { bytes, start: 0 }, end, at, Ending::Boundary, Some(frames)))
    }

    // --- messages with their lengths ---------------------------------------------------------

    fn next_messages(&mut self) -> Option<Chunk> {
        loop {
            if let Some(skipping) = self.skipping.take() {
                if let Some(skipped) = self.skip_bytes(skipping) {
                    return Some(self.skipped(&skipped));
                }
                continue;
            }
            let ended = !self.more();
            let (frames, used) = self.messages(ended);
            if ended {
                self.done = true;
                let len = self.held().len();
                return (len > 0).then(|| self.cut(len, Ending::Source, Some(frames)));
            }
            if used > 0 {
                // Messages are counted in place of lines.
                let line = self.at.line + frames.len() as u64;
                let chunk = self.cut(used, Ending::Boundary, Some(frames));
                self.at.line = line;
                return Some(chunk);
            }
        }
    }

    /// The whole messages in the buffer, and the bytes that they take; begins to skip one that is
    /// too large.
    fn messages(&mut self, ended: bool) -> (Vec<Frame>, usize) {
        let (mut frames, mut used) = (Vec::new(), 0);
        let limit = self.reader.limits.record_bytes;
        let mut skipping = None;
        while let Some((length, rest)) =
            self.held().get(used..).and_then(<[u8]>::split_first_chunk::<4>)
        {
            let len = u32::from_be_bytes(*length) as usize;
            let at = At {
                line: self.at.line + frames.len() as u64,
                byte: self.at.byte + used as u64 + 4,
            };
            let start = used + 4;
            if len > limit {
                if !ended && frames.is_empty() {
                    let left = len.saturating_sub(rest.len());
                    skipping = Some((start + len.min(rest.len()), left as u64, at, len as u64));
                    break;
                }
                if !ended {
                    break;
                }
                let end = start + rest.len().min(len);
                frames.push(Frame { start, end: start, at, shape: Shape::TooLarge(len as u64) });
                used = end;
            } else if rest.len() >= len {
                frames.push(Frame { start, end: start + len, at, shape: Shape::Plain });
                used = start + len;
            } else {
                break;
            }
        }
        let left = self.held().len() - used;
        if ended && left > 0 {
            let start = used + left.min(4);
            let at =
                At { line: self.at.line + frames.len() as u64, byte: self.at.byte + start as u64 };
            frames.push(Frame { start, end: used + left, at, shape: Shape::Cut });
        }
        if let Some((passed, left, at, len)) = skipping {
            self.buffer.start += passed;
            self.at = At { line: at.line + 1, byte: self.at.byte + passed as u64 };
            self.skipping = Some(Skipping { at, len, how: SkipHow::Bytes(left) });
        }
        (frames, used)
    }

    fn skip_bytes(&mut self, mut skipping: Skipping) -> Option<Skipping> {
        let SkipHow::Bytes(left) = &mut skipping.how else { return Some(skipping) };
        let here = usize::try_from(*left).unwrap_or(usize::MAX).min(self.held().len());
        *left -= here as u64;
        let done = *left == 0;
        self.buffer.start += here;
        self.at.byte += here as u64;
        if done || !self.more() {
            return Some(skipping);
        }
        self.skipping = Some(skipping);
        None
    }

    // --- one record --------------------------------------------------------------------------

    fn next_whole(&mut self) -> Option<Chunk> {
        let limit = self.reader.limits.record_bytes;
        loop {
            if let Some(Skipping { at, len, .. }) = self.skipping.take() {
                let held = self.held().len() as u64;
                self.buffer = Block::default();
                let skipping = Skipping { at, len: len + held, how: SkipHow::Rest };
                if self.more() {
                    self.skipping = Some(skipping);
                    continue;
                }
                self.done = true;
                return Some(self.skipped(&skipping));
            }
            if self.held().len() > limit {
                self.skipping = Some(Skipping { at: self.at, len: 0, how: SkipHow::Rest });
                continue;
            }
            if !self.more() {
                self.done = true;
                let end = self.held().len();
                if self.held().trim_ascii().is_empty() {
                    return None;
                }
                let frame = Frame { start: 0, end, at: self.at, shape: Shape::Plain };
                return Some(self.cut(end, Ending::Source, Some(vec![frame])));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::open::open_reader;
    use proptest::prelude::*;
    use std::io::{self, Cursor, Read};

    /// Gives its bytes in pieces of the given sizes, over and over; then fails, if told to.
    struct Pieces {
        bytes: Cursor<Vec<u8>>,
        sizes: Vec<usize>,
        next: usize,
        fails: bool,
    }

    impl Read for Pieces {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let size = self.sizes[self.next % self.sizes.len()];
            self.next += 1;
            if size == 0 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let size = size.min(out.len());
            match self.bytes.read(&mut out[..size])? {
                0 if self.fails => Err(io::Error::from_raw_os_error(5)),
                read => Ok(read),
            }
        }
    }

    /// Each record as its position, bytes and pieces; then the facts.
    fn read(
        bytes: &[u8],
        framing: Framing,
        limits: &Limits,
        sizes: &[usize],
        fails: bool,
    ) -> (Vec<String>, SourceFacts) {
        let pieces =
            Pieces { bytes: Cursor::new(bytes.to_vec()), sizes: sizes.to_vec(), next: 0, fails };
        let mut contents = open_reader("x", pieces, limits);
        let mut reader = contents.next().expect("one content").expect("readable");
        let mut told = Vec::new();
        for (number, chunk) in reader.chunks(framing).enumerate() {
            assert_eq!(chunk.index, number as u64);
            for record in chunk.records() {
                let strict = record.text.is_some_and(|text| {
                    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
                });
                told.push(format!(
                    "{}:{} {} {strict} {:?}",
                    record.at.line,
                    record.at.byte,
                    String::from_utf8_lossy(record.bytes),
                    chunk.repair(&record)
                ));
            }
        }
        (told, reader.finish())
    }

    fn limits(block_bytes: usize, record_bytes: usize) -> Limits {
        Limits { block_bytes, record_bytes, ..Limits::default() }
    }

    /// Text that is full of what makes cutting hard.
    fn hard_text() -> impl Strategy<Value = Vec<u8>> {
        let token = prop_oneof![
            6 => Just("\n"),
            4 => Just("{\"a\":1}\n"),
            2 => Just("{"),
            2 => Just("}"),
            1 => Just("["),
            1 => Just("]"),
            1 => Just(","),
            1 => Just(":"),
            1 => Just("\""),
            1 => Just("\"b\""),
            1 => Just("\"c\":"),
            1 => Just("\\"),
            1 => Just(" "),
            1 => Just("\r\n"),
            1 => Just("\0"),
            1 => Just("\u{FEFF}"),
            1 => Just("12"),
            1 => Just("x"),
            1 => Just("{\n  \"d\": [\n    1\n  ]\n}\n"),
            1 => Just("{\"longer than any limit\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}"),
        ];
        proptest::collection::vec(token, 0..60).prop_map(|tokens| tokens.concat().into_bytes())
    }

    fn framings() -> impl Strategy<Value = Framing> {
        prop_oneof![
            6 => Just(Framing::JsonLines),
            2 => Just(Framing::TextLines),
            2 => Just(Framing::JsonArray(&["c"])),
            1 => Just(Framing::JsonArray(&[])),
            1 => Just(Framing::Whole),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn any_sizes_give_the_same_records(
            text in hard_text(),
            framing in framings(),
            block in 1_usize..80,
            sizes in proptest::collection::vec(0_usize..9, 1..6),
            record_bytes in prop_oneof![Just(40_usize), Just(1000)],
        ) {
            prop_assume!(sizes.iter().any(|size| *size > 0));
            let whole = read(&text, framing, &limits(1 << 20, record_bytes), &[1 << 20], false);
            let parts = read(&text, framing, &limits(block, record_bytes), &sizes, false);
            prop_assert_eq!(whole, parts);
        }

        #[test]
        fn messages_in_any_sizes(
            lens in proptest::collection::vec(0_usize..60, 0..12),
            cut in 0_usize..20,
            block in 1_usize..80,
        ) {
            let mut bytes = Vec::new();
            for len in lens {
                bytes.extend_from_slice(&u32::try_from(len).unwrap().to_be_bytes());
                bytes.extend(std::iter::repeat_n(b'\n', len));
            }
            bytes.truncate(bytes.len().saturating_sub(cut));
            let whole = read(&bytes, Framing::LengthPrefixed, &limits(1 << 20, 40), &[1 << 20], false);
            let parts = read(&bytes, Framing::LengthPrefixed, &limits(block, 40), &[3, 1], false);
            prop_assert_eq!(whole, parts);
        }

        #[test]
        fn every_byte_of_lines_is_in_a_record_or_is_space(text in hard_text()) {
            prop_assume!(utf16::detect(&text).is_none());
            let mut reader = open_reader("x", Cursor::new(text.clone()), &limits(64, 1000));
            let mut reader = reader.next().unwrap().unwrap();
            let mut covered = vec![false; text.len()];
            let mut lines = 0;
            for chunk in reader.chunks(Framing::JsonLines) {
                for record in chunk.records() {
                    let from = usize::try_from(record.at.byte).unwrap();
                    prop_assert_eq!(&text[from..from + record.bytes.len()], record.bytes);
                    let line = 1 + memchr_iter(b'\n', &text[..from]).count() as u64;
                    prop_assert_eq!(record.at.line, line);
                    prop_assert!(line > lines, "records ascend");
                    lines = line;
                    covered[from..from + record.bytes.len()].fill(true);
                }
            }
            for (at, covered) in covered.iter().enumerate() {
                prop_assert!(*covered || text[at].is_ascii_whitespace() || (at < 3 && text.starts_with("\u{FEFF}".as_bytes())), "byte {at}");
            }
        }

        #[test]
        fn utf16_gives_the_records_of_utf8(
            text in hard_text(), little in any::<bool>(), block in 1_usize..80,
        ) {
            let text = format!("{{\"é\":\"\u{1F600}\"}}\n{}", String::from_utf8(text).unwrap());
            let order = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
            let wide: Vec<u8> = format!("\u{FEFF}{text}").encode_utf16().flat_map(order).collect();
            let read_all = |bytes: &[u8]| {
                let mut contents = open_reader("x", Cursor::new(bytes.to_vec()), &limits(block, 1000));
                let mut reader = contents.next().unwrap().unwrap();
                let mut records = Vec::new();
                for chunk in reader.chunks(Framing::JsonLines) {
                    for record in chunk.records() {
                        records.push((record.at, record.bytes.to_vec()));
                    }
                }
                records
            };
            let narrow = read_all(text.as_bytes());
            let wide = read_all(&wide);
            prop_assert_eq!(narrow.len(), wide.len());
            for ((at, bytes), (wide_at, wide_bytes)) in narrow.iter().zip(&wide) {
                prop_assert_eq!(bytes, wide_bytes);
                prop_assert_eq!(at.line, wide_at.line);
                let before = &text[..usize::try_from(at.byte).unwrap()];
                prop_assert_eq!(wide_at.byte, 2 + 2 * before.encode_utf16().count() as u64);
            }
        }
    }

    #[test]
    fn an_error_keeps_what_was_read() {
        let (records, facts) =
            read(b"{}\n{}\n{", Framing::JsonLines, &limits(64, 1000), &[2], true);
        assert_eq!(records.len(), 3);
        assert!(records[2].contains("TruncatedRecord"), "{}", records[2]);
        assert!(facts.truncated);
        assert_eq!(facts.problems[0].kind, Kind::Unreadable);
    }

    #[test]
    fn facts_of_a_source() {
        let (_, facts) = read(b"{}\n\n{}{}\n", Framing::JsonLines, &limits(64, 1000), &[64], false);
        assert_eq!((facts.records, facts.blank, facts.content_bytes), (4, 1, 9));
        let empty = read(b"", Framing::JsonLines, &limits(64, 1000), &[64], false).1;
        assert_eq!(empty.problems[0].kind, Kind::EmptySource);
        assert_eq!(
            empty.sha256,
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }
}
