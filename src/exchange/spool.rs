//! Exchanges kept aside until all sources are read.
//!
//! Knows no A2A and nothing of joining: it turns an exchange into bytes and back. What is small stays
//! in memory; the rest lies in an unnamed temporary file that is gone when the program ends, however
//! it ends. So the memory that joining takes does not grow with the bodies.

use super::{Exchange, Half, Side, StreamPiece};
use crate::event::Text;
use crate::problem::At;
use std::borrow::Cow;
use std::io::{self, Read, Seek, SeekFrom, Write};
use tempfile::SpooledTempFile;

/// Bytes held in memory before the temporary file is made.
const IN_MEMORY_BYTES: usize = 32 << 20;

/// Where an exchange lies in the spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    offset: u64,
    len: u64,
}

impl Slot {
    /// Encoded bytes.
    pub fn len(self) -> u64 {
        self.len
    }
}

/// The store of encoded exchanges.
#[derive(Debug)]
pub struct Spool {
    file: SpooledTempFile,
    end: u64,
}

impl Default for Spool {
    fn default() -> Self {
        Self { file: SpooledTempFile::new(IN_MEMORY_BYTES), end: 0 }
    }
}

impl Spool {
    /// Appends what [`encode`] made. Errors when the temporary folder is full.
    pub fn push(&mut self, encoded: &[u8]) -> io::Result<Slot> {
        let slot = Slot { offset: self.end, len: encoded.len() as u64 };
        self.file.write_all(encoded)?;
        self.end += slot.len;
        Ok(slot)
    }

    /// Reads one back; the spool takes no more after this.
    pub fn read(&mut self, slot: Slot) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(slot.offset))?;
        let mut bytes = Vec::new();
        let got = (&mut self.file).take(slot.len).read_to_end(&mut bytes)?;
        if got as u64 != slot.len {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the temporary file shrank"));
        }
        Ok(bytes)
    }
}

/// The exchange as bytes.
pub fn encode(e: &Exchange<'_>) -> Vec<u8> {
    let bodies = [&e.request_body, &e.response_body];
    let mut w = Writer(Vec::with_capacity(
        512 + bodies.iter().filter_map(|b| b.as_ref().map(|b| b.len())).sum::<usize>(),
    ));
    w.number(e.at.line.cast_signed());
    w.number(e.at.byte.cast_signed());
    w.number(e.started_at);
    w.maybe_number(e.ended_at);
    w.0.push(match e.side {
        Side::Caller => 0,
        Side::Server => 1,
        Side::Gateway => 2,
    });
    w.0.push(match e.half {
        Half::Whole => 0,
        Half::Request => 1,
        Half::Response => 2,
    });
    w.0.push(u8::from(e.cut));
    w.0.push(u8::from(e.from_cache));
    for text in texts(e) {
        w.maybe_bytes(text.as_deref().map(str::as_bytes));
    }
    for body in bodies {
        w.maybe_bytes(body.as_deref());
    }
    for number in [e.status, e.rpc_code] {
        w.maybe_number(number);
    }
    for headers in [&e.request_headers, &e.response_headers] {
        w.number(headers.len() as i64);
        for (name, value) in headers {
            w.bytes(name.as_bytes());
            w.bytes(value.as_bytes());
        }
    }
    w.number(e.stream.len() as i64);
    for piece in &e.stream {
        w.maybe_number(piece.time);
        w.bytes(piece.data.as_bytes());
    }
    w.0
}

/// The optional texts, in the order in which they are written.
fn texts<'e, 'a>(e: &'e Exchange<'a>) -> [&'e Option<Text<'a>>; 16] {
    [
        &e.client,
        &e.agent,
        &e.method,
        &e.url,
        &e.response_sha256,
        &e.error,
        &e.rpc_method,
        &e.grpc_status,
        &e.task_id,
        &e.context_id,
        &e.task_state,
        &e.trace_id,
        &e.span_id,
        &e.parent_span_id,
        &e.key,
        &e.resource,
    ]
}

/// The same, to be filled.
fn texts_mut<'e, 'a>(e: &'e mut Exchange<'a>) -> [&'e mut Option<Text<'a>>; 16] {
    [
        &mut e.client,
        &mut e.agent,
        &mut e.method,
        &mut e.url,
        &mut e.response_sha256,
        &mut e.error,
        &mut e.rpc_method,
        &mut e.grpc_status,
        &mut e.task_id,
        &mut e.context_id,
        &mut e.task_state,
        &mut e.trace_id,
        &mut e.span_id,
        &mut e.parent_span_id,
        &mut e.key,
        &mut e.resource,
    ]
}

/// The exchange again. Errors when the bytes are not what [`encode`] made.
pub fn decode(bytes: &[u8]) -> io::Result<Exchange<'_>> {
    let mut r = Reader(bytes);
    read_exchange(&mut r)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the temporary file is damaged"))
}

fn read_exchange<'a>(r: &mut Reader<'a>) -> Option<Exchange<'a>> {
    let mut e = Exchange {
        at: At { line: r.number()?.cast_unsigned(), byte: r.number()?.cast_unsigned() },
        started_at: r.number()?,
        ended_at: r.maybe_number()?,
        side: match r.byte()? {
            0 => Side::Caller,
            1 => Side::Server,
            _ => Side::Gateway,
        },
        half: match r.byte()? {
            0 => Half::Whole,
            1 => Half::Request,
            _ => Half::Response,
        },
        cut: r.byte()? != 0,
        from_cache: r.byte()? != 0,
        ..Exchange::default()
    };
    for text in texts_mut(&mut e) {
        *text = r.maybe_text()?;
    }
    e.request_body = r.maybe_bytes()?.map(Cow::Borrowed);
    e.response_body = r.maybe_bytes()?.map(Cow::Borrowed);
    e.status = r.maybe_number()?;
    e.rpc_code = r.maybe_number()?;
    for headers in [&mut e.request_headers, &mut e.response_headers] {
        for _ in 0..r.number()? {
            headers.push((r.text()?, r.text()?));
        }
    }
    for _ in 0..r.number()? {
        e.stream.push(StreamPiece { time: r.maybe_number()?, data: r.text()? });
    }
    Some(e)
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, n: i64) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }

    fn maybe_number(&mut self, n: Option<i64>) {
        self.0.push(u8::from(n.is_some()));
        if let Some(n) = n {
            self.number(n);
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as i64);
        self.0.extend_from_slice(bytes);
    }

    fn maybe_bytes(&mut self, bytes: Option<&[u8]>) {
        self.0.push(u8::from(bytes.is_some()));
        if let Some(bytes) = bytes {
            self.bytes(bytes);
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<i64> {
        let (first, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(i64::from_le_bytes(*first))
    }

    fn maybe_number(&mut self) -> Option<Option<i64>> {
        Some(if self.byte()? == 0 { None } else { Some(self.number()?) })
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = usize::try_from(self.number()?).ok()?;
        let (first, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(first)
    }

    fn maybe_bytes(&mut self) -> Option<Option<&'a [u8]>> {
        Some(if self.byte()? == 0 { None } else { Some(self.bytes()?) })
    }

    fn text(&mut self) -> Option<Text<'a>> {
        Some(Cow::Borrowed(std::str::from_utf8(self.bytes()?).ok()?))
    }

    fn maybe_text(&mut self) -> Option<Option<Text<'a>>> {
        Some(if self.byte()? == 0 { None } else { Some(self.text()?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_comes_back_as_it_was() {
        let exchange = Exchange {
            at: At { line: 3, byte: 17 },
            started_at: -5,
            ended_at: Some(9),
            side: Side::Gateway,
            half: Half::Response,
            cut: true,
            client: Some("c".into()),
            resource: Some("r".into()),
            status: Some(200),
            response_body: Some(Cow::Borrowed(b"\xff{}")),
            response_headers: vec![("ETag".into(), "\"1\"".into())],
            stream: vec![StreamPiece { time: Some(1), data: "{}".into() }],
            ..Exchange::default()
        };
        let mut spool = Spool::default();
        spool.push(&encode(&Exchange::default())).unwrap();
        let slot = spool.push(&encode(&exchange)).unwrap();
        let bytes = spool.read(slot).unwrap();
        assert_eq!(format!("{:?}", decode(&bytes).unwrap()), format!("{exchange:?}"));
        assert!(decode(&bytes[..bytes.len() - 1]).is_err());
    }
}
