//! Plain records, which nearly all are: strings, whole numbers, `true`, `false`, `null`, and keys without
//! escapes, each once.
//!
//! Reads no others, and takes nothing that serde would refuse or read otherwise; serde reads the rest.
//! The general way costs twice as much.

use super::field::Field;
use crate::a2a::json::Raw;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// So many digits fit into 64 bits whatever they are.
const SAFE_DIGITS: usize = 18;

/// A value that may stand in a plain record.
pub(super) trait Plain<'a>: Sized {
    /// Reads it; `None`: it is not plain, or no JSON at all.
    fn plain(cursor: &mut Cursor<'a>) -> Option<Self>;
}

/// A place in the text of a record.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the beginning.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Passes over the bracket that opens the record.
    pub(super) fn opens(&mut self) -> Option<()> {
        (self.token()? == b'{').then_some(())
    }

    /// The next key, at whose value the cursor is then.
    pub(super) fn key(&mut self) -> Option<&'a str> {
        (self.peek()? == b'"').then_some(())?;
        let key = self.string()?;
        (self.token()? == b':').then_some(key)
    }

    /// Whether another member follows; else the record is over.
    pub(super) fn goes_on(&mut self) -> Option<bool> {
        match self.token()? {
            b',' => Some(true),
            b'}' => Some(false),
            _ => None,
        }
    }

    /// Nothing but white space follows.
    pub(super) fn ends(&mut self) -> Option<()> {
        self.peek().is_none().then_some(())
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                byte => return byte.copied(),
            }
        }
    }

    /// The same, passed over.
    fn token(&mut self) -> Option<u8> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.bytes().starts_with(word.as_bytes()).then_some(())?;
        self.at += word.len();
        Some(())
    }

    /// The inside of the string at whose opening quote the cursor is, when nothing in it is escaped.
    fn string(&mut self) -> Option<&'a str> {
        let inside = self.bytes().get(1..)?;
        let len = unescaped_len(inside);
        (inside.get(len)? == &b'"').then_some(())?;
        let text = self.text.get(self.at + 1..self.at + 1 + len)?;
        self.at += len + 2;
        Some(text)
    }

    /// A string, quotes included, with any escapes of JSON.
    fn quoted(&mut self) -> Option<&'a str> {
        let bytes = self.bytes();
        let mut len = 1;
        loop {
            len += unescaped_len(bytes.get(len..)?);
            match (bytes.get(len)?, bytes.get(len + 1)) {
                (b'"', _) => {
                    let text = self.text.get(self.at..=self.at + len)?;
                    self.at += len + 1;
                    return Some(text);
                }
                (b'\\', Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => len += 2,
                (b'\\', Some(b'u')) => {
                    bytes.get(len + 2..len + 6)?.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                    len += 6;
                }
                _ => return None,
            }
        }
    }

    /// A whole number that surely fits, and its text.
    fn integer(&mut self) -> Option<(i64, &'a str)> {
        let bytes = self.bytes();
        let sign = usize::from(bytes.first() == Some(&b'-'));
        let digits = bytes.get(sign..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let leading_zero = bytes.get(sign) == Some(&b'0') && (digits > 1 || sign > 0);
        let whole = !matches!(bytes.get(sign + digits), Some(b'.' | b'e' | b'E'));
        if digits == 0 || digits > SAFE_DIGITS || leading_zero || !whole {
            return None;
        }
        let text = self.text.get(self.at..self.at + sign + digits)?;
        self.at += text.len();
        Some((text.parse().ok()?, text))
    }

    /// An array of strings, as it stands.
    fn strings(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.at += 1;
        if self.peek()? == b']' {
            self.at += 1;
            return self.text.get(start..self.at);
        }
        loop {
            (self.peek()? == b'"').then_some(())?;
            self.quoted()?;
            match self.token()? {
                b',' => {}
                b']' => return self.text.get(start..self.at),
                _ => return None,
            }
        }
    }

    /// Any value, as it stands.
    fn any(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&'a RawValue>();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value.get())
    }
}

impl<'a> Plain<'a> for Field<'a> {
    fn plain(cursor: &mut Cursor<'a>) -> Option<Self> {
        Some(match cursor.peek()? {
            b'"' => Self::Text(match cursor.string() {
                Some(text) => Cow::Borrowed(text),
                // An ETag has its quotes escaped.
                None => Cow::Owned(serde_json::from_str(cursor.quoted()?).ok()?),
            }),
            b'-' | b'0'..=b'9' => Self::Int(cursor.integer()?.0),
            b't' => cursor.word("true").map(|()| Self::Bool(true))?,
            b'f' => cursor.word("false").map(|()| Self::Bool(false))?,
            b'n' => cursor.word("null").map(|()| Self::Absent)?,
            _ => return None,
        })
    }
}

impl<'a> Plain<'a> for Raw<'a> {
    fn plain(cursor: &mut Cursor<'a>) -> Option<Self> {
        let start = cursor.at;
        Some(Self(match cursor.peek()? {
            b'"' => Some(cursor.quoted()?),
            b'-' | b'0'..=b'9' => Some(cursor.integer()?.1),
            b'n' => cursor.word("null").map(|()| None)?,
            b'[' => Some(cursor.strings().or_else(|| {
                cursor.at = start;
                cursor.any()
            })?),
            b'{' => Some(cursor.any()?),
            _ => return None,
        }))
    }
}

/// How many bytes come before the first quote, backslash or control character; all, when there is none.
fn unescaped_len(bytes: &[u8]) -> usize {
    /// A bit in each byte that is less; above the first there may be others.
    const fn below(word: u64, byte: u8) -> u64 {
        word.wrapping_sub(u64::from_le_bytes([byte; 8])) & !word & u64::from_le_bytes([0x80; 8])
    }
    /// The same of each byte that is this one.
    const fn equal(word: u64, byte: u8) -> u64 {
        below(word ^ u64::from_le_bytes([byte; 8]), 1)
    }
    let mut at = 0;
    while let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let word = u64::from_le_bytes(*word);
        let found = equal(word, b'"') | equal(word, b'\\') | below(word, b' ');
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | ..b' ')).count()
}
