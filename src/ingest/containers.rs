//! Archives and framed files, read as streams. A member's name is shown and never used as a path.
//!
//! tar (ustar, GNU and pax), zip (by its local headers), and the OpenTelemetry Collector's files of
//! 4-byte big-endian lengths, each followed by a message of its own compression.

use super::decode::{Codec, Decoder, Fault, Meter, Peek};
use super::open::{Layer, Reading};
use crate::problem::Kind;
use std::io::{self, BufRead, Read};

/// A file of many files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Archive {
    /// ustar, GNU or pax.
    Tar,
    /// zip.
    Zip,
}

impl Archive {
    /// The kind of archive that begins so.
    pub fn of(head: &[u8]) -> Option<Self> {
        if head.get(257..262) == Some(b"ustar") {
            return Some(Self::Tar);
        }
        matches!(head, [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..]).then_some(Self::Zip)
    }

    /// Reads its members one after the other.
    pub fn members(
        self,
        reading: &Reading,
        mut input: Layer<'_>,
        name: &str,
        layers: &mut Vec<&'static str>,
    ) {
        layers.push(match self {
            Self::Tar => "tar",
            Self::Zip => "zip",
        });
        let done = match self {
            Self::Tar => tar(reading, &mut input, name, layers),
            Self::Zip => zip(reading, &mut input, name, layers),
        };
        layers.pop();
        if let Err(error) = done {
            reading.failed(name, &Fault::of(&error));
        }
    }
}

/// Reads a member, then passes over what is left of it. False: it breaks off, which was told as the
/// member's; nothing more can be had from the archive.
fn member(
    reading: &Reading,
    body: &mut dyn Read,
    name: &str,
    layers: &mut Vec<&'static str>,
    size_bytes: u64,
) -> io::Result<bool> {
    let mut body = Fallible { body, failed: false };
    let input = Peek::new(Box::new(&mut body) as Box<dyn Read + '_>);
    reading.layer(input, name, layers, Some(size_bytes));
    if body.failed {
        return Ok(false);
    }
    io::copy(&mut body, &mut io::sink())?;
    Ok(true)
}

/// Remembers whether it failed.
struct Fallible<'b> {
    body: &'b mut dyn Read,
    failed: bool,
}

impl Read for Fallible<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.body.read(out);
        self.failed |= matches!(&read, Err(e) if e.kind() != io::ErrorKind::Interrupted);
        read
    }
}

/// A part of known length; that it ends early is an error.
struct Exactly<'i, R> {
    input: &'i mut R,
    left: u64,
}

impl<R: Read> Read for Exactly<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let want = usize::try_from(self.left).unwrap_or(usize::MAX).min(out.len());
        let read = self.input.read(out.get_mut(..want).unwrap_or_default())?;
        if read == 0 && want > 0 {
            self.left = 0;
            return Err(Fault::error(
                Kind::TruncatedCompression,
                "the archive ends within a member",
            ));
        }
        self.left -= read as u64;
        Ok(read)
    }
}

fn read_block<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut block = [0; N];
    fill(input, &mut block)?;
    Ok(block)
}

fn fill(input: &mut impl Read, out: &mut [u8]) -> io::Result<()> {
    input.read_exact(out).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            Fault::error(Kind::TruncatedCompression, "the archive ends early")
        }
        _ => error,
    })
}

// --- tar -------------------------------------------------------------------------------------

/// Names in headers are never longer.
const MAX_NAME_BYTES: u64 = 64 << 10;

fn tar(
    reading: &Reading,
    input: &mut Layer<'_>,
    name: &str,
    layers: &mut Vec<&'static str>,
) -> io::Result<()> {
    let (mut long_name, mut long_size) = (None, None);
    loop {
        if input.fill_buf()?.is_empty() {
            // GNU tar reads archives without their end marker, too.
            return Ok(());
        }
        let header: [u8; 512] = read_block(input)?;
        if header.iter().all(|b| *b == 0) {
            io::copy(input, &mut io::sink())?;
            return Ok(());
        }
        let field = |from: usize, len: usize| header.get(from..from + len).unwrap_or_default();
        let sum = header.iter().map(|b| u64::from(*b)).sum::<u64>();
        let own = field(148, 8).iter().map(|b| u64::from(*b)).sum::<u64>();
        if octal(field(148, 8)) != Some(sum - own + 8 * 32) {
            return Err(Fault::error(Kind::CorruptCompression, "a header's checksum is wrong"));
        }
        let size = octal(field(124, 12));
        let Some(mut size) = size else {
            return Err(Fault::error(Kind::CorruptCompression, "a member's size is no number"));
        };
        let kind = header.get(156).copied().unwrap_or_default();
        if !matches!(kind, b'L' | b'K' | b'x' | b'g') {
            size = long_size.take().unwrap_or(size);
        }
        let padding = size.wrapping_neg() % 512;
        let mut body = Exactly { input, left: size };
        match kind {
            b'L' => long_name = Some(until_nul(&small(&mut body)?)),
            b'x' => (long_name, long_size) = pax(&small(&mut body)?, long_name),
            b'0' | 0 | b'7' => {
                let prefix = if field(257, 6) == b"ustar\0" {
                    until_nul(field(345, 155))
                } else {
                    String::new()
                };
                let short = until_nul(field(0, 100));
                let short = if prefix.is_empty() { short } else { format!("{prefix}/{short}") };
                let shown = format!("{name}!{}", long_name.take().unwrap_or(short));
                if !member(reading, &mut body, &shown, layers, size)? {
                    return Ok(());
                }
            }
            b'S' => {
                let shown = format!(
                    "{name}!{}",
                    long_name.take().unwrap_or_else(|| until_nul(field(0, 100)))
                );
                reading.failed(
                    &shown,
                    &Fault { kind: Kind::Unreadable, detail: "a sparse member".into() },
                );
            }
            // Folders, links and devices hold nothing.
            _ => long_name = None,
        }
        io::copy(&mut body, &mut io::sink())?;
        io::copy(&mut Exactly { input, left: padding }, &mut io::sink())?;
    }
}

/// A header's body, whole.
fn small(body: &mut Exactly<'_, Layer<'_>>) -> io::Result<Vec<u8>> {
    if body.left > MAX_NAME_BYTES {
        return Err(Fault::error(Kind::CorruptCompression, "a header is too long"));
    }
    let mut bytes = Vec::new();
    body.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn until_nul(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|b| *b == 0).next().unwrap_or_default()).into_owned()
}

/// A number of a tar header: octal, or big-endian when its first bit is set.
fn octal(field: &[u8]) -> Option<u64> {
    if let Some((first, rest)) = field.split_first()
        && first & 0x80 != 0
    {
        return rest.iter().try_fold(u64::from(first & 0x3F), |value, byte| {
            (value < 1 << 48).then(|| (value << 8) | u64::from(*byte))
        });
    }
    let digits = field.trim_ascii_start();
    let digits = digits.split(|b| matches!(b, 0 | b' ')).next().unwrap_or_default();
    digits.iter().try_fold(0_u64, |value, byte| match byte {
        b'0'..=b'7' if value < 1 << 56 => Some((value << 3) | u64::from(byte - b'0')),
        _ => None,
    })
}

/// `path` and `size` of a pax header: records of `LENGTH KEY=VALUE\n`.
fn pax(bytes: &[u8], name: Option<String>) -> (Option<String>, Option<u64>) {
    let (mut name, mut size) = (name, None);
    let mut rest = bytes;
    while let Some(space) = rest.iter().position(|b| *b == b' ') {
        let number =
            |text: &[u8]| std::str::from_utf8(text).ok().and_then(|t| t.parse::<u64>().ok());
        let Some(record) = number(rest.get(..space).unwrap_or_default())
            .and_then(|len| usize::try_from(len).ok())
            .and_then(|len| rest.get(space + 1..len).map(|record| (record, len)))
        else {
            break;
        };
        let (record, len) = record;
        let record = record.strip_suffix(b"\n").unwrap_or(record);
        if let Some(path) = record.strip_prefix(b"path=") {
            name = Some(until_nul(path));
        } else if let Some(text) = record.strip_prefix(b"size=") {
            size = number(text);
        }
        rest = rest.get(len..).unwrap_or_default();
    }
    (name, size)
}

// --- zip -------------------------------------------------------------------------------------

fn zip(
    reading: &Reading,
    input: &mut Layer<'_>,
    name: &str,
    layers: &mut Vec<&'static str>,
) -> io::Result<()> {
    loop {
        let head: [u8; 4] = first(input.peek(4));
        if &head != b"PK\x03\x04" {
            // The central directory, or its end, repeats what was read.
            let known =
                matches!(&head, b"PK\x01\x02" | b"PK\x05\x06" | b"PK\x06\x06" | b"PK\x06\x08");
            io::copy(input, &mut io::sink())?;
            if known {
                return Ok(());
            }
            return Err(Fault::error(
                Kind::TruncatedCompression,
                "the archive ends without its directory",
            ));
        }
        let header: [u8; 30] = read_block(input)?;
        let short = |at: usize| u64::from(u16::from_le_bytes(two(&header, at)));
        let long = |at: usize| (short(at + 2) << 16) | short(at);
        let (flags, method, name_len, extra_len) = (short(6), short(8), short(26), short(28));
        let mut stored = long(18);
        let mut text = vec![0; usize::try_from(name_len).unwrap_or_default()];
        let mut extra = vec![0; usize::try_from(extra_len).unwrap_or_default()];
        fill(input, &mut text)?;
        fill(input, &mut extra)?;
        let wide = Zip64::of(&extra);
        if let Some(sizes) = &wide {
            stored = sizes.stored.unwrap_or(stored);
        }
        let path = String::from_utf8_lossy(&text).into_owned();
        let shown = format!("{name}!{path}");
        let later = flags & 8 != 0;
        let entry = Entry { shown, folder: path.ends_with('/'), stored, later };
        let goes_on = match method {
            _ if flags & 1 != 0 => entry.pass(reading, input, "an encrypted member")?,
            0 if later && stored == 0 => {
                // Without a length nothing tells where it ends, nor where the next begins.
                return Err(Fault::error(
                    Kind::CorruptCompression,
                    "a stored member of unknown length",
                ));
            }
            0 => entry.read(reading, &mut Exactly { input, left: stored }, layers)?,
            8 => entry.deflated(reading, input, layers)?,
            _ => entry.pass(reading, input, "a member of an unknown compression")?,
        };
        if !goes_on {
            return Ok(());
        }
        if later {
            descriptor(input, wide.is_some())?;
        }
    }
}

struct Entry {
    shown: String,
    folder: bool,
    stored: u64,
    /// Sizes and checksum come after the data.
    later: bool,
}

impl Entry {
    fn read(
        &self,
        reading: &Reading,
        body: &mut dyn Read,
        layers: &mut Vec<&'static str>,
    ) -> io::Result<bool> {
        if self.folder {
            return io::copy(body, &mut io::sink()).map(|_| true);
        }
        member(reading, body, &self.shown, layers, self.stored)
    }

    fn deflated(
        &self,
        reading: &Reading,
        input: &mut Layer<'_>,
        layers: &mut Vec<&'static str>,
    ) -> io::Result<bool> {
        let mut inflated = Inflated {
            decoder: flate2::bufread::DeflateDecoder::new(input),
            decoded: 0,
            meter: reading.meter.clone(),
        };
        self.read(reading, &mut inflated, layers)
    }

    fn pass(
        &self,
        reading: &Reading,
        input: &mut Layer<'_>,
        why: &'static str,
    ) -> io::Result<bool> {
        reading.failed(&self.shown, &Fault { kind: Kind::Unreadable, detail: why.into() });
        if self.later && self.stored == 0 {
            return Err(Fault::error(Kind::CorruptCompression, "what follows it cannot be found"));
        }
        io::copy(&mut Exactly { input, left: self.stored }, &mut io::sink()).map(|_| true)
    }
}

struct Inflated<R> {
    decoder: flate2::bufread::DeflateDecoder<R>,
    decoded: u64,
    meter: Meter,
}

impl<R: BufRead> Read for Inflated<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(out).map_err(|error| match error.kind() {
            _ if error.raw_os_error().is_some() || Fault::is(&error) => error,
            io::ErrorKind::UnexpectedEof => {
                Fault::error(Kind::TruncatedCompression, "the archive ends within a member")
            }
            _ => Fault::error(Kind::CorruptCompression, error.to_string()),
        })?;
        self.decoded += read as u64;
        self.meter.check(self.decoded)?;
        Ok(read)
    }
}

/// The first bytes; zeros when there are fewer.
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

fn two(bytes: &[u8], at: usize) -> [u8; 2] {
    [bytes.get(at).copied().unwrap_or_default(), bytes.get(at + 1).copied().unwrap_or_default()]
}

/// The zip64 field, when there is one.
struct Zip64 {
    /// The stored size, when it gives one.
    stored: Option<u64>,
}

impl Zip64 {
    fn of(extra: &[u8]) -> Option<Self> {
        let mut rest = extra;
        while rest.len() >= 4 {
            let id = u16::from_le_bytes(two(rest, 0));
            let len = usize::from(u16::from_le_bytes(two(rest, 2)));
            let body = rest.get(4..4 + len)?;
            if id == 1 {
                // First the size of the content, then the stored one.
                let stored = body.get(8..).and_then(<[u8]>::first_chunk);
                return Some(Self { stored: stored.copied().map(u64::from_le_bytes) });
            }
            rest = rest.get(4 + len..)?;
        }
        None
    }
}

/// Passes over a data descriptor, with or without its signature.
fn descriptor(input: &mut Layer<'_>, wide: bool) -> io::Result<()> {
    let signed = first(input.peek(4)) == *b"PK\x07\x08";
    let len = if wide { 20 } else { 12 } + if signed { 4 } else { 0 };
    io::copy(&mut Exactly { input, left: len }, &mut io::sink()).map(|_| ())
}

// --- the Collector's frames ------------------------------------------------------------------

/// Whether the bytes are lengths, each with a zstd block or a JSON object of that length. (Frames of
/// plain protobuf are content: they fall into records by their lengths.)
pub fn is_framed(head: &[u8]) -> bool {
    let Some((length, message)) = head.split_first_chunk::<4>() else { return false };
    let len = u32::from_be_bytes(*length) as usize;
    if matches!(message, [0x28, 0xB5, 0x2F, 0xFD, ..]) {
        // Neither text nor protobuf begins so.
        return (8..1 << 30).contains(&len);
    }
    let last = len.checked_sub(1).map(|last| message.get(last));
    let closed = match last {
        Some(Some(byte)) => *byte == b'}',
        // Beyond the head, if the source is that long.
        Some(None) => head.len() >= HEAD_BYTES && len < 1 << 24,
        None => false,
    };
    closed && message.first() == Some(&b'{')
}

/// How much of a source its containers are told from.
pub const HEAD_BYTES: usize = 512;

/// The messages of such a file: JSON as lines (the bytes that the Collector writes without
/// compression), anything else with its length before it.
pub struct Frames<R> {
    input: R,
    meter: Meter,
    limit: usize,
    decoded: u64,
    count: u64,
    /// The messages are JSON, as the first one tells.
    lines: Option<bool>,
    /// The message that is being given, and how much of it was.
    message: Vec<u8>,
    given: usize,
}

impl<R> std::fmt::Debug for Frames<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frames").field("count", &self.count).finish_non_exhaustive()
    }
}

impl<R: BufRead> Frames<R> {
    /// Begins at the first length. Of a message beyond `limit` only so much is given that it is
    /// beyond the limit.
    pub fn new(input: R, meter: Meter, limit: usize) -> Self {
        Self {
            input,
            meter,
            limit,
            decoded: 0,
            count: 0,
            lines: None,
            message: Vec::new(),
            given: 0,
        }
    }

    /// Reads the next message; false: there is none.
    fn next(&mut self) -> io::Result<bool> {
        self.given = 0;
        self.message.clear();
        while self.message.is_empty() {
            if self.input.fill_buf()?.is_empty() {
                return Ok(false);
            }
            let length: [u8; 4] = read_block(&mut self.input)?;
            self.count += 1;
            let mut frame =
                Exactly { input: &mut self.input, left: u64::from(u32::from_be_bytes(length)) };
            let room = self.limit as u64 + 1;
            let read = read_message(&mut frame, &self.meter, room, &mut self.message);
            // The lengths still tell where the next message begins.
            io::copy(&mut frame, &mut io::sink())?;
            if let Err(error) = read {
                let fault = Fault::of(&error);
                if fault.kind != Kind::CorruptCompression {
                    return Err(error);
                }
                self.meter.note(fault.kind, format!("message {}: {}", self.count, fault.detail));
                self.message.clear();
            }
        }
        self.decoded += self.message.len() as u64;
        self.meter.check(self.decoded)?;
        if *self.lines.get_or_insert(self.message.first() == Some(&b'{')) {
            self.message.push(b'\n');
        } else {
            let len = u32::try_from(self.message.len()).unwrap_or(u32::MAX);
            self.message.splice(0..0, len.to_be_bytes());
        }
        Ok(true)
    }
}

fn read_message(
    frame: &mut dyn Read,
    meter: &Meter,
    room: u64,
    message: &mut Vec<u8>,
) -> io::Result<()> {
    let mut frame = Peek::new(frame);
    if Codec::of(frame.peek(6)).is_some() {
        Decoder::new(frame, meter.clone()).take(room).read_to_end(message)?;
    } else {
        frame.take(room).read_to_end(message)?;
    }
    Ok(())
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.given == self.message.len() && !self.next()? {
            return Ok(0);
        }
        let read = self.message.get(self.given..).unwrap_or_default().read(out)?;
        self.given += read;
        Ok(read)
    }
}
