//! Cuts content into chunks of whole records.
//!
//! Knows no format but how its sources fall into records. Cutting is done by one thread, and finding
//! the records in a chunk by whoever takes it, in parallel; any size of blocks gives the same records.

use super::array::ArrayScanner;
pub use super::chunk::{Chunk, Record, Records};
use super::chunk::{Frame, LineWalk, Shape, Walked};
use super::lines::{Ending, Framer, Skip, last_boundary, last_text_boundary};
use super::open::Block;
pub use super::source::{Counts, SourceFacts, SourceReader};
use super::utf16;
use crate::formats::Framing;
use crate::problem::{At, Kind};
use memchr::memchr_iter;
use std::sync::Arc;

/// The most records of a chunk that is framed while it is cut: of short broken lines each costs much more
/// than its bytes. Few in tests, so that they meet it.
const MOST_FRAMES: usize = if cfg!(test) { 3 } else { 128 << 10 };

/// A record that is passed over because it is too large to hold.
#[derive(Debug)]
pub(super) struct Skipping {
    pub(super) at: At,
    pub(super) len: u64,
    pub(super) how: SkipHow,
}

#[derive(Debug)]
pub(super) enum SkipHow {
    Lines(Skip),
    Bytes(u64),
    Rest,
}

/// The chunks of a source.
#[derive(Debug)]
pub struct Chunks<'r> {
    pub(super) reader: &'r mut SourceReader,
    pub(super) framing: Framing,
    pub(super) index: u64,
    pub(super) buffer: Block,
    /// Position of the first byte of `buffer`.
    pub(super) at: At,
    pub(super) skipping: Option<Skipping>,
    pub(super) scanner: Option<ArrayScanner>,
    pub(super) mark: Option<Kind>,
    /// The buffer begins with lines that were too many for the last chunk.
    unframed: bool,
    pub(super) done: bool,
}

impl<'r> Chunks<'r> {
    pub(super) fn new(reader: &'r mut SourceReader, framing: Framing) -> Self {
        let at = At { line: 1, byte: reader.mark as u64 };
        let wide = reader.transcoder.is_some();
        let limit = reader.limits.record_bytes;
        let scanner = match framing {
            Framing::JsonArray(path) => Some(ArrayScanner::new(path, limit, at.byte, wide)),
            _ => None,
        };
        Self {
            mark: (reader.mark > 0 && !wide).then_some(Kind::RepairedBom),
            reader,
            framing,
            index: 0,
            buffer: Block::default(),
            at,
            skipping: None,
            scanner,
            unframed: false,
            done: false,
        }
    }
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
    pub(super) fn held(&self) -> &[u8] {
        self.buffer.bytes.get(self.buffer.start..).unwrap_or_default()
    }

    /// Takes one more block into the buffer; false: there is none.
    pub(super) fn more(&mut self) -> bool {
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
    pub(super) fn cut(&mut self, len: usize, ending: Ending, frames: Option<Vec<Frame>>) -> Chunk {
        let rest = self.held().get(len..).unwrap_or_default().to_vec();
        let block = std::mem::replace(&mut self.buffer, Block { bytes: rest, start: 0 });
        let end = (block.start + len).min(block.bytes.len());
        let at = self.at;
        self.at = self.after(block.bytes.get(block.start..end).unwrap_or_default());
        self.chunk(block, end, at, ending, frames)
    }

    pub(super) fn chunk(
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
    pub(super) fn skipped(&mut self, skipped: &Skipping) -> Chunk {
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
            let mut ended = !std::mem::take(&mut self.unframed) && !self.more();
            while !ended && self.held().len() < enough {
                ended = !self.more();
            }
            if ended {
                self.done = true;
                let len = self.held().len();
                return (len > 0).then(|| self.cut(len, Ending::Source, None));
            }
            let boundary = if self.framing == Framing::TextLines {
                last_text_boundary(self.held())
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
        let mut walk = LineWalk {
            framer: Framer {
                bytes: self.held(),
                limit: self.reader.limits.record_bytes,
                ending: Ending::Open,
            },
            framing: self.framing,
            utf16: self.reader.transcoder.is_some(),
            next: 0,
            at: self.at,
        };
        let mut frames = Vec::new();
        let skip = loop {
            if frames.len() == MOST_FRAMES {
                break None;
            }
            match walk.walk() {
                Walked::Frame(frame) => frames.push(frame),
                Walked::Skip(start, skip) => break Some((start, skip)),
                Walked::End => break None,
            }
        };
        let len = walk.next;
        self.unframed = frames.len() == MOST_FRAMES;
        let chunk = (len > 0).then(|| self.cut(len, Ending::Boundary, Some(frames)));
        let Some((start, skip)) = skip else { return chunk };
        self.pass(start - len);
        let held = self.held().len();
        let how = SkipHow::Lines(skip);
        self.skipping = Some(Skipping { at: self.at, len: held as u64, how });
        self.pass(held);
        // Without a chunk what was passed over comes next.
        chunk.or_else(|| self.next_lines())
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::open::{Limits, open_reader};
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
        Limits { record_bytes, block_bytes, ..Limits::default() }
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
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

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
                let before = text.get(..usize::try_from(at.byte).unwrap()).unwrap();
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
