//! Decompression by magic, member by member, that keeps what came before any damage.
//!
//! Knows no file and no record. A [`Decoder`] gives every byte that can be had, then the end or a
//! [`Fault`] that says what is wrong.

use crate::problem::{At, Kind, Problem};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

/// Why no more bytes can be had, carried within an [`io::Error`].
#[derive(Debug, Clone)]
pub struct Fault {
    /// The kind of problem.
    pub kind: Kind,
    /// What was found.
    pub detail: Cow<'static, str>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.title(), self.detail)
    }
}

impl std::error::Error for Fault {}

impl Fault {
    /// As an error of a reader.
    pub fn error(kind: Kind, detail: impl Into<Cow<'static, str>>) -> io::Error {
        io::Error::other(Self { kind, detail: detail.into() })
    }

    /// Whether the error tells of damage of the content rather than of the machine.
    pub fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Self>)
    }

    /// The fault in an error; any other error is one of the machine.
    pub fn of(error: &io::Error) -> Self {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            Some(fault) => fault.clone(),
            None => Self { kind: Kind::Unreadable, detail: error.to_string().into() },
        }
    }
}

/// A buffered reader that can look ahead. An error met while looking ahead comes after the bytes
/// before it.
pub struct Peek<R> {
    inner: R,
    buffer: Vec<u8>,
    from: usize,
    to: usize,
    failed: Option<io::Error>,
}

impl<R> fmt::Debug for Peek<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peek")
            .field("from", &self.from)
            .field("to", &self.to)
            .finish_non_exhaustive()
    }
}

impl<R: Read> Peek<R> {
    /// Reads ahead by up to 64 KiB.
    pub fn new(inner: R) -> Self {
        Self { inner, buffer: vec![0; 64 << 10], from: 0, to: 0, failed: None }
    }

    /// The next bytes: at least `len` of them unless the input ends before, at most 64 KiB.
    pub fn peek(&mut self, len: usize) -> &[u8] {
        while self.to - self.from < len && self.failed.is_none() {
            if self.from > 0 {
                self.buffer.copy_within(self.from..self.to, 0);
                self.to -= self.from;
                self.from = 0;
            }
            match read_retrying(&mut self.inner, self.buffer.get_mut(self.to..).unwrap_or_default())
            {
                Ok(0) => break,
                Ok(read) => self.to += read,
                Err(error) => self.failed = Some(error),
            }
        }
        self.buffer.get(self.from..self.to).unwrap_or_default()
    }
}

impl<R: Read> Read for Peek<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.from == self.to && self.failed.is_none() && out.len() >= self.buffer.len() {
            return read_retrying(&mut self.inner, out);
        }
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: Read> BufRead for Peek<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.from == self.to {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            self.from = 0;
            self.to = 0;
            self.to = read_retrying(&mut self.inner, &mut self.buffer)?;
        }
        Ok(self.buffer.get(self.from..self.to).unwrap_or_default())
    }

    fn consume(&mut self, amount: usize) {
        self.from = (self.from + amount).min(self.to);
    }
}

fn read_retrying(reader: &mut impl Read, out: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(out) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// What all decoders of one source share.
#[derive(Debug, Clone)]
pub struct Meter {
    /// Bytes read from the source as stored.
    pub stored: Rc<Cell<u64>>,
    /// Notes for the content that is being read.
    pub notes: Rc<RefCell<Vec<Problem>>>,
    /// How many times larger than `stored` the content may get.
    pub expansion: u64,
    /// Up to this many bytes nobody asks.
    pub expansion_floor_bytes: u64,
}

impl Meter {
    /// An error when `decoded` bytes are too many for what is stored.
    pub fn check(&self, decoded: u64) -> io::Result<()> {
        let allowed =
            self.stored.get().saturating_mul(self.expansion).max(self.expansion_floor_bytes);
        if decoded <= allowed {
            return Ok(());
        }
        let stored = self.stored.get();
        Err(Fault::error(Kind::BombRatio, format!("{stored} bytes gave more than {allowed}")))
    }

    /// Adds a note.
    pub fn note(&self, kind: Kind, detail: impl Into<Cow<'static, str>>) {
        self.notes.borrow_mut().push(Problem::new(kind, At::default(), detail));
    }
}

/// A way to compress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// bzip2.
    Bzip2,
    /// xz.
    Xz,
}

impl Codec {
    /// The codec of bytes that begin so.
    pub fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1F, 0x8B, 8, ..] | [0x1F, 0x8B] => Some(Self::Gzip),
            // Skippable frames are 184D2A50 to 184D2A5F.
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Some(Self::Zstd),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, ..] => Some(Self::Bzip2),
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            _ => None,
        }
    }

    /// The word in the column `compression`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
        }
    }
}

/// The memory that one xz stream may ask for.
const XZ_MEMORY_BYTES: u64 = 512 << 20;

enum Member<R: BufRead> {
    Gzip(flate2::bufread::GzDecoder<R>),
    Zstd(zstd::stream::read::Decoder<'static, R>),
    Bzip2(bzip2::bufread::BzDecoder<R>),
    Xz(liblzma::bufread::XzDecoder<R>),
}

impl<R: BufRead> Member<R> {
    fn new(codec: Codec, input: R) -> io::Result<Self> {
        Ok(match codec {
            Codec::Gzip => Self::Gzip(flate2::bufread::GzDecoder::new(input)),
            Codec::Zstd => {
                Self::Zstd(zstd::stream::read::Decoder::with_buffer(input)?.single_frame())
            }
            Codec::Bzip2 => Self::Bzip2(bzip2::bufread::BzDecoder::new(input)),
            Codec::Xz => {
                let stream = liblzma::stream::Stream::new_stream_decoder(XZ_MEMORY_BYTES, 0)?;
                Self::Xz(liblzma::bufread::XzDecoder::new_stream(input, stream))
            }
        })
    }

    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Gzip(decoder) => decoder.read(out),
            Self::Zstd(decoder) => decoder.read(out),
            Self::Bzip2(decoder) => decoder.read(out),
            Self::Xz(decoder) => decoder.read(out),
        }
    }

    fn into_inner(self) -> R {
        match self {
            Self::Gzip(decoder) => decoder.into_inner(),
            Self::Zstd(decoder) => decoder.finish(),
            Self::Bzip2(decoder) => decoder.into_inner(),
            Self::Xz(decoder) => decoder.into_inner(),
        }
    }
}

enum State<R: Read> {
    Between(Peek<R>),
    Within(Box<Member<Peek<R>>>),
    Done,
}

/// Decodes all members, of whatever codecs, one after the other.
pub struct Decoder<R: Read> {
    state: State<R>,
    members: u64,
    decoded: u64,
    meter: Meter,
}

impl<R: Read> fmt::Debug for Decoder<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("members", &self.members).finish_non_exhaustive()
    }
}

impl<R: Read> Decoder<R> {
    /// Begins at the first member.
    pub fn new(input: Peek<R>, meter: Meter) -> Self {
        Self { state: State::Between(input), members: 0, decoded: 0, meter }
    }

    /// Begins the next member, if there is one.
    fn next_member(&mut self, mut input: Peek<R>) -> io::Result<State<R>> {
        if self.members > 0 {
            let padding = pass_zeros(&mut input)?;
            if padding > 0 && input.peek(1).is_empty() {
                self.meter.note(Kind::TrailingGarbage, format!("{padding} zero bytes"));
            }
        }
        let head = input.peek(6);
        if head.is_empty() {
            // An error that the look ahead met comes now.
            input.fill_buf()?;
            return Ok(State::Done);
        }
        if let Some(codec) = Codec::of(head) {
            self.members += 1;
            return Ok(State::Within(Box::new(Member::new(codec, input)?)));
        }
        let records = matches!(head.first(), Some(b'{' | b'['));
        let mut rest = Rest::default();
        let count = io::copy(&mut input, &mut rest)?;
        if records || rest.may_be_a_member(count) {
            let what = if records { "look like plain records" } else { "may be a damaged member" };
            let detail = format!("{count} bytes after the last member {what}");
            return Err(Fault::error(Kind::CorruptCompression, detail));
        }
        self.meter.note(Kind::TrailingGarbage, format!("{count} bytes"));
        Ok(State::Done)
    }
}

/// Looks at what follows the last member.
#[derive(Debug, Default)]
struct Rest {
    /// It holds what is neither text nor padding.
    is_binary: bool,
}

/// The smallest member: an empty one of gzip.
const SMALLEST_MEMBER: u64 = 18;

impl Rest {
    /// Whether records may be lost in it.
    fn may_be_a_member(&self, len: u64) -> bool {
        self.is_binary && len >= SMALLEST_MEMBER
    }
}

impl io::Write for Rest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let harmless = |byte: &u8| matches!(byte, 0 | b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0xFF);
        self.is_binary |= !bytes.iter().all(harmless);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn pass_zeros<R: Read>(input: &mut Peek<R>) -> io::Result<u64> {
    let mut passed = 0;
    loop {
        let bytes = input.fill_buf()?;
        let zeros = bytes.iter().take_while(|b| **b == 0).count();
        let all = zeros == bytes.len();
        input.consume(zeros);
        passed += zeros as u64;
        if zeros == 0 || !all {
            return Ok(passed);
        }
    }
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(&mut self.state, State::Done) {
                State::Done => return Ok(0),
                State::Between(input) => self.state = self.next_member(input)?,
                State::Within(mut member) => match member.read(out) {
                    Ok(0) if !out.is_empty() => self.state = State::Between(member.into_inner()),
                    Ok(read) => {
                        self.decoded += read as u64;
                        self.meter.check(self.decoded)?;
                        self.state = State::Within(member);
                        return Ok(read);
                    }
                    Err(error) => return Err(damage(error)),
                },
            }
        }
    }
}

/// Tells damage of the compressed data from errors of what it is read from.
fn damage(error: io::Error) -> io::Error {
    let of_the_machine = error.raw_os_error().is_some();
    if of_the_machine || Fault::is(&error) {
        return error;
    }
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return Fault::error(Kind::TruncatedCompression, "the last member is not complete");
    }
    Fault::error(Kind::CorruptCompression, error.to_string())
}
