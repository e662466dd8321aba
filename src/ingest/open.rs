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
mod tests {
    use super::*;
    use crate::formats::Framing;
    use std::fmt::Write as _;
    use std::io::{Cursor, Write};

    const LINES: &str = "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n";

    /// For each content: name, compression, lines, truncated, kinds of problems.
    fn told(bytes: Vec<u8>, limits: &Limits) -> Vec<String> {
        open_reader("f", Cursor::new(bytes), limits)
            .map(|content| match content {
                Ok(mut reader) => {
                    let name = reader.name().to_owned();
                    let mut records = 0;
                    for chunk in reader.chunks(Framing::JsonLines) {
                        records += chunk.records().count();
                    }
                    let facts = reader.finish();
                    let kinds: Vec<_> =
                        facts.problems.iter().map(|p| format!(" {:?}", p.kind)).collect();
                    let truncated = if facts.truncated { " truncated" } else { "" };
                    format!("{name} {} {records}{truncated}{}", facts.compression, kinds.concat())
                }
                Err(failed) => format!("{} failed {:?}", failed.name, failed.problem.kind),
            })
            .collect()
    }

    fn read(bytes: Vec<u8>) -> Vec<String> {
        told(bytes, &Limits::default())
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn xz(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Lines that do not compress to nothing, so that a cut lies within them.
    type Compress = fn(&[u8]) -> Vec<u8>;

    fn many_lines() -> Vec<u8> {
        let mut seed = 1_u64;
        let mut text = String::new();
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            writeln!(text, "{{\"a\":\"{seed:x}\"}}").unwrap();
        }
        text.into_bytes()
    }

    #[test]
    fn every_member_is_read_whatever_follows() {
        let codecs: [(&str, Compress); 4] =
            [("gzip", gzip), ("zstd", zstd), ("bzip2", bzip2), ("xz", xz)];
        for (name, compress) in codecs {
            let one = compress(LINES.as_bytes());
            assert_eq!(read(one.clone()), [format!("f {name} 3")]);
            assert_eq!(read([one.clone(), one.clone()].concat()), [format!("f {name} 6")]);
            let note = |records: u64| [format!("f {name} {records} TrailingGarbage")];
            assert_eq!(read([one.clone(), vec![0; 1000]].concat()), note(3));
            assert_eq!(read([&one, &b"trailing garbage"[..]].concat()), note(3));
            let padded = [one.clone(), vec![0; 1000], one.clone()].concat();
            assert_eq!(read(padded), [format!("f {name} 6")]);
            let plain = [&one, LINES.as_bytes()].concat();
            assert_eq!(read(plain), [format!("f {name} 3 truncated CorruptCompression")]);
            assert_eq!(read(compress(b"")), [format!("f {name} 0 EmptySource")]);
        }
    }

    #[test]
    fn what_comes_before_damage_is_kept() {
        let lines = many_lines();
        let codecs: [(&str, Compress); 4] =
            [("gzip", gzip), ("zstd", zstd), ("bzip2", bzip2), ("xz", xz)];
        for (name, compress) in codecs {
            let one = compress(&lines);
            let cut = read(one[..one.len() - 3].to_vec());
            assert!(cut[0].contains("truncated TruncatedCompression"), "{cut:?}");
            if name == "gzip" {
                assert!(cut[0].contains(" 20000 "), "only the checksum is cut: {cut:?}");
            }
            let half = read(one[..one.len() / 2].to_vec());
            assert!(half[0].contains("truncated TruncatedCompression"), "{half:?}");
            let mut damaged = one.clone();
            let middle = damaged.len() / 2;
            damaged[middle..middle + 8].iter_mut().for_each(|byte| *byte ^= 0x55);
            let damaged = read(damaged);
            assert!(damaged[0].contains("truncated CorruptCompression"), "{damaged:?}");
        }
        let half = read(gzip(&lines)[..100_000].to_vec());
        let kept: usize = half[0].split(' ').nth(2).unwrap().parse().unwrap();
        assert!((4000..20_000).contains(&kept), "{half:?}");
    }

    #[test]
    fn names_do_not_matter_but_bytes_do() {
        assert_eq!(read(LINES.into()), ["f none 3"]);
        assert_eq!(read(Vec::new()), ["f none 0 EmptySource"]);
        assert_eq!(read(vec![0x1F, 0x8B]), ["f gzip 0 truncated TruncatedCompression"]);
        assert_eq!(read(gzip(&zstd(&xz(LINES.as_bytes())))), ["f xz+zstd+gzip 3"]);
        let mut nested = LINES.as_bytes().to_vec();
        for _ in 0..8 {
            nested = gzip(&nested);
        }
        assert_eq!(read(nested), ["f failed Unreadable"]);
        let skippable =
            [&[0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &zstd(LINES.as_bytes())];
        assert_eq!(read(skippable.concat()), ["f zstd 3"]);
    }

    #[test]
    fn a_bomb_is_stopped() {
        let limits =
            Limits { expansion_floor_bytes: 1 << 20, record_bytes: 1 << 16, ..Limits::default() };
        let zeros = vec![b' '; 8 << 20];
        for bomb in
            [gzip(&[LINES.as_bytes(), &zeros].concat()), zstd(&[LINES.as_bytes(), &zeros].concat())]
        {
            let told = told(bomb, &Limits { expansion: 100, ..limits.clone() });
            assert!(told[0].contains(" 4 truncated BombRatio"), "{told:?}");
        }
        let small = Limits { source_bytes: 10, block_bytes: 8, ..Limits::default() };
        assert_eq!(told(LINES.into(), &small), ["f none 2 truncated BombRatio"]);
        // A hundredfold is what logs do.
        let log = "{\"time\":\"2026-11-14T08:00:00Z\",\"event\":\"task_status\"}\n".repeat(100_000);
        assert_eq!(read(gzip(log.as_bytes())), ["f gzip 100000"]);
    }

    #[test]
    fn frames_of_the_collector() {
        let frame =
            |bytes: &[u8]| [&u32::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat();
        let messages = [&b"{\"a\":1}"[..], b"{\"a\":2}", b"{\"a\":3}"];
        let framed: Vec<u8> = messages.iter().flat_map(|m| frame(&zstd(m))).collect();
        assert_eq!(read(framed.clone()), ["f frames 3"]);
        let hash = |bytes: Vec<u8>| {
            open_reader("f", Cursor::new(bytes), &Limits::default())
                .next()
                .unwrap()
                .unwrap()
                .finish()
                .sha256
        };
        assert_eq!(hash(framed.clone()), hash(LINES.into()), "the bytes of the uncompressed file");
        let plain: Vec<u8> = messages.iter().flat_map(|m| frame(m)).collect();
        assert_eq!(hash(plain), hash(LINES.into()));
        assert_eq!(
            read(framed[..framed.len() - 3].to_vec()),
            ["f frames 2 truncated TruncatedCompression"]
        );
        let mut damaged = framed.clone();
        let second = frame(&zstd(messages[0])).len();
        damaged[second + 4..second + 8].fill(7);
        assert_eq!(read(damaged), ["f frames 3"]);
        let mut damaged = framed;
        damaged[second + 9..second + 20].fill(0xFF);
        assert_eq!(read(damaged), ["f frames 2 truncated CorruptCompression"]);
    }

    fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = Vec::new();
        for (name, bytes) in members {
            let mut header = [0_u8; 512];
            header[..name.len()].copy_from_slice(name.as_bytes());
            header[124..136].copy_from_slice(format!("{:011o}\0", bytes.len()).as_bytes());
            header[148..156].fill(b' ');
            header[156] = b'0';
            header[257..263].copy_from_slice(b"ustar\0");
            let sum: u32 = header.iter().map(|b| u32::from(*b)).sum();
            header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
            archive.extend_from_slice(&header);
            archive.extend_from_slice(bytes);
            archive.resize(archive.len().next_multiple_of(512), 0);
        }
        archive.resize(archive.len() + 1024, 0);
        archive
    }

    #[test]
    fn members_of_a_tar() {
        let zipped = gzip(LINES.as_bytes());
        let archive =
            tar(&[("a.ndjson", LINES.as_bytes()), ("../../b.gz", &zipped), ("empty", b"")]);
        let all = ["f!a.ndjson tar 3", "f!../../b.gz gzip+tar 3", "f!empty tar 0 EmptySource"];
        assert_eq!(read(archive.clone()), all);
        let gzipped = read(gzip(&archive));
        assert_eq!(gzipped[1], "f!../../b.gz gzip+tar+gzip 3");
        let cut = read(archive[..520].to_vec());
        assert_eq!(cut, ["f!a.ndjson tar 1 truncated TruncatedCompression"]);
        let mut damaged = archive.clone();
        damaged[1024 + 3] ^= 1;
        assert_eq!(read(damaged), ["f!a.ndjson tar 3", "f failed CorruptCompression"]);
        let cut_gzip = gzip(&archive);
        let told = read(cut_gzip[..cut_gzip.len() / 2].to_vec());
        assert!(told.iter().any(|t| t.contains("TruncatedCompression")), "{told:?}");
    }

    #[test]
    fn a_member_that_nobody_reads_is_passed_over() {
        let big = many_lines();
        let archive = tar(&[("a", &big), ("b", LINES.as_bytes())]);
        let mut contents = open_reader(
            "f",
            Cursor::new(archive),
            &Limits { block_bytes: 1000, ..Limits::default() },
        );
        drop(contents.next());
        let last = contents.next().unwrap().unwrap();
        assert_eq!(last.name(), "f!b");
        assert_eq!(last.finish().content_bytes, LINES.len() as u64);
    }

    fn zip(members: &[(&str, &[u8])], later: bool) -> Vec<u8> {
        let mut archive = Vec::new();
        for (name, bytes) in members {
            let mut encoder =
                flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            let body = encoder.finish().unwrap();
            let size = u32::try_from(body.len()).unwrap().to_le_bytes();
            let mut header = [0_u8; 30];
            header[..4].copy_from_slice(b"PK\x03\x04");
            header[6] = if later { 8 } else { 0 };
            header[8] = 8;
            if !later {
                header[18..22].copy_from_slice(&size);
            }
            header[26] = u8::try_from(name.len()).unwrap();
            archive.extend_from_slice(&header);
            archive.extend_from_slice(name.as_bytes());
            archive.extend_from_slice(&body);
            if later {
                archive.extend_from_slice(b"PK\x07\x08\0\0\0\0");
                archive.extend_from_slice(&size);
                archive.extend_from_slice(&[0; 4]);
            }
        }
        archive.extend_from_slice(b"PK\x05\x06");
        archive.extend_from_slice(&[0; 18]);
        archive
    }

    #[test]
    fn members_of_a_zip() {
        let zipped = gzip(LINES.as_bytes());
        for later in [false, true] {
            let archive = zip(&[("d/", b""), ("a", LINES.as_bytes()), ("b.gz", &zipped)], later);
            assert_eq!(read(archive.clone()), ["f!a zip 3", "f!b.gz gzip+zip 3"]);
            let cut = read(archive[..archive.len() - 60].to_vec());
            assert!(cut.last().unwrap().contains("TruncatedCompression"), "{cut:?}");
        }
    }

    /// Gives a few bytes at a time, is interrupted before each, and may break in the end.
    struct Faulty {
        bytes: Vec<u8>,
        at: usize,
        interrupted: bool,
        breaks_at: usize,
    }

    impl Read for Faulty {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.interrupted = !self.interrupted;
            if self.interrupted {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if self.at >= self.breaks_at {
                return Err(io::Error::from_raw_os_error(5));
            }
            let len = out.len().min(7).min(self.bytes.len() - self.at);
            out[..len].copy_from_slice(&self.bytes[self.at..self.at + len]);
            self.at += len;
            Ok(len)
        }
    }

    #[test]
    fn a_disk_that_breaks_costs_what_comes_after() {
        for (name, bytes) in [
            ("none", LINES.repeat(50).into_bytes()),
            ("gzip", gzip(&many_lines())),
            ("bzip2", bzip2(&many_lines())),
            ("xz", xz(&many_lines())),
            ("zstd", zstd(&many_lines())),
        ] {
            let told = |breaks_at: usize| {
                let bytes = bytes.clone();
                let faulty = Faulty { bytes, at: 0, interrupted: false, breaks_at };
                open_reader("f", faulty, &Limits::default())
                    .map(|content| {
                        let mut reader = content.unwrap();
                        let chunks = reader.chunks(Framing::JsonLines);
                        let records: usize = chunks.map(|chunk| chunk.records().count()).sum();
                        let facts = reader.finish();
                        (records, facts.truncated, facts.problems.iter().map(|p| p.kind).collect())
                    })
                    .collect::<Vec<(usize, bool, Vec<Kind>)>>()
            };
            let whole = told(usize::MAX).remove(0);
            assert!(whole.0 > 100 && whole.1 == whole.2.contains(&Kind::Unreadable), "{name}");
            assert_eq!(whole.2, [], "{name}");
            let broken = told(bytes.len() * 3 / 4).remove(0);
            assert!(broken.0 <= whole.0 && broken.1, "{name}: {broken:?}");
            assert_eq!(broken.2, [Kind::Unreadable], "{name}");
        }
    }

    #[test]
    fn a_file_that_grows_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, LINES).unwrap();
        let source = Source { name: "a".to_owned(), origin: Origin::File(path.clone()) };
        let watch = |change: &dyn Fn()| {
            let limits = Limits { block_bytes: 1, ..Limits::default() };
            let reader = open(&source, &limits).next().unwrap().unwrap();
            change();
            reader.finish().problems.iter().map(|p| p.kind).collect::<Vec<_>>()
        };
        assert_eq!(watch(&|| {}), []);
        let grow = || {
            let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
            file.write_all(LINES.as_bytes()).unwrap();
        };
        assert_eq!(watch(&grow), [Kind::SourceChanged]);
        assert_eq!(watch(&|| std::fs::write(&path, b"").unwrap()), [Kind::SourceChanged]);
        let missing =
            Source { name: "b".to_owned(), origin: Origin::File(folder.path().join("b")) };
        let failed = open(&missing, &Limits::default()).next().unwrap().unwrap_err();
        assert_eq!(failed.problem.kind, Kind::Unreadable);
    }
}
