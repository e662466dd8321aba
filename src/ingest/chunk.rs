//! A chunk: a run of whole records, and the records in it with their exact positions.
//!
//! Records are counted here, where they are found; what becomes of them is counted where events are
//! made of them. Neither number is derived from the other.

use super::lines::{Ending, Framer, Skip, Step};
use super::open::Block;
use super::repair::{Piece, Place, Reading, repair, repair_text};
use super::scan::{End, MAX_DEPTH, value_end};
use super::source::Counts;
use super::utf16;
use crate::formats::Framing;
use crate::problem::{At, Kind, Problem};
use memchr::{memchr, memchr_iter};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A run of whole records.
#[derive(Debug)]
pub struct Chunk {
    /// Its number within the source, from 0.
    pub index: u64,
    pub(super) block: Block,
    pub(super) end: usize,
    pub(super) at: At,
    pub(super) framing: Framing,
    pub(super) ending: Ending,
    pub(super) limit: usize,
    /// The records, when they were found while cutting.
    pub(super) frames: Option<Vec<Frame>>,
    pub(super) mark: Option<Kind>,
    pub(super) utf16: bool,
    pub(super) counts: Arc<Counts>,
}

/// A record within the bytes of a chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) at: At,
    pub(super) shape: Shape,
}

/// What is known of a record's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
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
        let walk = LineWalk {
            framer: Framer { bytes, limit: self.limit, ending: self.ending },
            framing: self.framing,
            utf16: self.utf16,
            next: 0,
            at: self.at,
        };
        Records {
            chunk: self,
            walk,
            text: simdutf8::basic::from_utf8(bytes).ok(),
            frame: 0,
            mark: self.mark,
            found: 0,
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
            _ if self.is_json(record.bytes) => repair(record.bytes, place),
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

    /// Whether its records are JSON, whatever their format.
    pub fn holds_json(&self) -> bool {
        matches!(self.framing, Framing::JsonLines | Framing::JsonValues | Framing::JsonArray(_))
    }

    /// Whether this record is to be read as JSON.
    fn is_json(&self, record: &[u8]) -> bool {
        match self.framing {
            Framing::TextLines => false,
            Framing::LengthPrefixed | Framing::Whole => {
                matches!(record.trim_ascii_start().first(), Some(b'{' | b'['))
            }
            _ => self.holds_json(),
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
    walk: LineWalk<'c>,
    text: Option<&'c str>,
    frame: usize,
    mark: Option<Kind>,
    found: u64,
    blank: u64,
}

impl Drop for Records<'_> {
    fn drop(&mut self) {
        self.chunk.counts.records.fetch_add(self.found + self.blank, Ordering::Relaxed);
        self.chunk.counts.blank.fetch_add(self.blank, Ordering::Relaxed);
    }
}

impl<'c> Iterator for Records<'c> {
    type Item = Record<'c>;

    fn next(&mut self) -> Option<Record<'c>> {
        loop {
            let frame = match (&self.chunk.frames, &mut self.walk) {
                (Some(frames), _) => *frames.get(self.frame)?,
                (None, walk) => match walk.walk() {
                    Walked::Frame(frame) => frame,
                    // A chunk holds whole records.
                    Walked::Skip(..) | Walked::End => return None,
                },
            };
            self.frame += 1;
            if frame.shape == Shape::Blank {
                self.blank += 1;
                self.mark = None;
            } else {
                self.found += 1;
                return Some(self.record(frame));
            }
        }
    }
}

impl<'c> Records<'c> {
    fn record(&mut self, frame: Frame) -> Record<'c> {
        let bytes = self.walk.framer.bytes.get(frame.start..frame.end).unwrap_or_default();
        let mark = self.mark.take();
        let whole = match frame.shape {
            Shape::Plain => true,
            Shape::Spans => self.chunk.framing == Framing::JsonValues,
            Shape::TooLarge(_) | Shape::Cut | Shape::Blank => false,
        };
        // Readers of text would take NULs for a part of it.
        let padded = self.chunk.framing == Framing::TextLines
            && (bytes.first() == Some(&0) || bytes.last() == Some(&0));
        let sound = whole && mark.is_none() && !self.chunk.utf16 && !padded;
        let text = if !sound {
            None
        } else if let Some(text) = self.text {
            text.get(frame.start..frame.end)
        } else {
            simdutf8::basic::from_utf8(bytes).ok()
        };
        let after = self.walk.framer.bytes.get(frame.end..).unwrap_or_default();
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
}

/// Goes from line to line (or over the lines of a value) and keeps the position.
#[derive(Debug)]
pub(super) struct LineWalk<'b> {
    pub(super) framer: Framer<'b>,
    pub(super) framing: Framing,
    pub(super) utf16: bool,
    /// Where the next line begins in the bytes, and in the source.
    pub(super) next: usize,
    pub(super) at: At,
}

/// What a [`LineWalk`] comes upon.
#[derive(Debug)]
pub(super) enum Walked {
    /// A record, or a blank line.
    Frame(Frame),
    /// A record from `start` on that is too large and goes on beyond the bytes.
    Skip(usize, Skip),
    /// The end of the bytes, or of what can be told.
    End,
}

impl LineWalk<'_> {
    pub(super) fn walk(&mut self) -> Walked {
        let bytes = self.framer.bytes;
        let step = if self.framing == Framing::TextLines {
            self.framer.text_step(self.next)
        } else {
            self.framer.step(self.next)
        };
        let (start, end, next, shape) = match step {
            Step::Blank { next } => (self.next, self.next, next, Shape::Blank),
            Step::Record { start, end, next, spans: false } => (start, end, next, Shape::Plain),
            Step::Record { start, end, next, spans: true } => (start, end, next, Shape::Spans),
            Step::TooLarge { start, from, mut skip } => match skip.pass(bytes, from) {
                None if self.framer.ending == Ending::Open => return Walked::Skip(start, skip),
                passed => {
                    let next = passed.unwrap_or(bytes.len());
                    (start, start, next, Shape::TooLarge((next - start) as u64))
                }
            },
            Step::More | Step::End => return Walked::End,
        };
        let before = bytes.get(self.next..start).unwrap_or_default();
        let at = At { line: self.at.line, byte: self.at.byte + self.source_len(before) };
        let passed = bytes.get(self.next..next).unwrap_or_default();
        self.at.line += match shape {
            // Most records are one line.
            Shape::Plain | Shape::Blank => 1,
            _ => memchr_iter(b'\n', passed).count() as u64,
        };
        self.at.byte += self.source_len(passed);
        self.next = next;
        Walked::Frame(Frame { start, end, at, shape })
    }

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
