//! Mends JSON records that a strict parser refuses, and says what was mended.
//!
//! Knows no file and no format. What cannot be mended is rejected with its reason; nothing is ever
//! half read. Call it only when the strict parse of a record has failed, or to learn of duplicate
//! keys and large numbers, which parsers pass over in silence.

use super::lines::line_padding;
use super::mend::{Mender, is_clean};
use super::scan::{End, scan};
use super::utf16;
use crate::formats::container;
use crate::problem::{At, Kind, Problem};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a record, or a part of one, turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading<'r> {
    /// JSON that a strict parser takes; borrowed when nothing in it was changed.
    Readable(Cow<'r, [u8]>),
    /// Cannot be read; the problems say why.
    Rejected,
    /// Nothing but padding.
    Blank,
}

/// A record found where one was expected: one, or several when several stand on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece<'r> {
    /// Where it begins.
    pub at: At,
    /// What it is.
    pub reading: Reading<'r>,
    /// What was mended, or why it was rejected: one problem for each kind.
    pub problems: Vec<Problem>,
}

impl Piece<'_> {
    /// Whether it was mended: at least one problem of severity `repaired`, and it can be read.
    pub fn is_repaired(&self) -> bool {
        matches!(self.reading, Reading::Readable(_))
            && self.problems.iter().any(|p| p.kind.severity() == crate::problem::Severity::Repaired)
    }
}

/// Where a record stands.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place {
    /// Its first byte.
    pub at: At,
    /// Lines are counted; else `at.line` is the number of an entry.
    pub counts_lines: bool,
    /// The source is UTF-16: positions are counted in its bytes.
    pub utf16: bool,
    /// The source ends with it, not even a line feed follows.
    pub ends_source: bool,
}

impl Place {
    /// The position after `bytes`, which begin here.
    pub fn after(&self, bytes: &[u8]) -> At {
        let lines = if self.counts_lines { memchr::memchr_iter(b'\n', bytes).count() } else { 0 };
        let len = if self.utf16 { utf16::source_len(bytes) } else { bytes.len() as u64 };
        At { line: self.at.line + lines as u64, byte: self.at.byte + len }
    }
}

/// Mends a record. Gives at least one piece.
pub fn repair(record: &[u8], place: Place) -> Vec<Piece<'_>> {
    let end = record.len() - trailing_padding(record);
    let clean = is_clean(record);
    let mut pieces = Vec::new();
    let mut at = 0;
    loop {
        let rest = record.get(at..end).unwrap_or_default();
        let padding = padding_over_lines(rest);
        let mut faults = Faults::default();
        faults.padding(rest.get(..padding).unwrap_or_default());
        let start = at + padding;
        if pieces.is_empty() {
            // What is cut off at the end counts to the first piece: most records have but one.
            faults.padding(record.get(end..).unwrap_or_default());
        }
        let value = record.get(start..end).unwrap_or_default();
        let here = place.after(record.get(..start).unwrap_or_default());
        if value.is_empty() {
            if pieces.is_empty() {
                pieces.push(faults.piece(place.after(&[]), Reading::Blank));
            }
            return pieces;
        }
        let mut mender = Mender::new(value, clean);
        let ended = scan(value, 0, &mut mender);
        let (reading, used) = match ended {
            End::Complete(used) => (Some(mender.mended(used, &mut faults)), used),
            End::Cut if place.ends_source => {
                faults
                    .reject(Kind::TruncatedRecord, format!("it ends after {} bytes", value.len()));
                (None, value.len())
            }
            End::Cut => {
                faults.reject(
                    Kind::NotJson,
                    format!("it ends after {} bytes, within a value", value.len()),
                );
                (None, value.len())
            }
            End::Broken(spot) => {
                let detail = format!("byte {spot} of {} does not fit", value.len());
                faults.reject(Kind::NotJson, detail);
                (None, value.len())
            }
            End::TooDeep(spot) => {
                let detail = format!("byte {spot} of {} opens one level too many", value.len());
                faults.reject(Kind::TooDeep, detail);
                (None, value.len())
            }
        };
        let after = value.get(used..).unwrap_or_default();
        let left = after.get(padding_over_lines(after)..).unwrap_or_default();
        let container = matches!(value.first(), Some(b'{' | b'['));
        match (reading, left.first()) {
            (Some(reading), None) => {
                faults.padding(after);
                pieces.push(faults.piece(here, Reading::Readable(reading)));
                break;
            }
            (Some(reading), Some(b'{' | b'[')) if container => {
                pieces.push(faults.piece(here, Reading::Readable(reading)));
                at = end - left.len();
            }
            (Some(reading), Some(_)) if container => {
                faults.count(Kind::TrailingText, left.len() as u64);
                pieces.push(faults.piece(here, Reading::Readable(reading)));
                break;
            }
            (Some(_), Some(_)) => {
                faults
                    .reject(Kind::NotJson, format!("byte {used} of {} does not fit", value.len()));
                pieces.push(faults.piece(here, Reading::Rejected));
                break;
            }
            (None, _) => {
                pieces.push(faults.piece(here, Reading::Rejected));
                break;
            }
        }
    }
    let several = pieces.len();
    if several > 1 {
        for (number, piece) in pieces.iter_mut().enumerate() {
            let detail = format!("number {} of {several}", number + 1);
            piece.problems.push(Problem::new(Kind::SeveralOnLine, piece.at, detail));
        }
    }
    pieces
}

/// A line of text as UTF-8 without NUL padding; one that a container's runtime cut is joined.
pub fn repair_text(line: &[u8], place: Place) -> Piece<'_> {
    let end = line.len() - trailing_padding(line);
    let start = line.iter().take_while(|b| **b == 0).count().min(end);
    let mut faults = Faults::default();
    faults.padding(line.get(..start).unwrap_or_default());
    faults.padding(line.get(end..).unwrap_or_default());
    let text = line.get(start..end).unwrap_or_default();
    let at = place.after(line.get(..start).unwrap_or_default());
    if text.is_empty() {
        return faults.piece(at, Reading::Blank);
    }
    let text = container::joined(text);
    let mended = match String::from_utf8_lossy(&text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(mended) => Some(mended.into_bytes()),
    };
    if mended.is_some() {
        faults.count(Kind::RepairedUtf8, 1);
    }
    let reading = mended.map_or(text, Cow::Owned);
    faults.piece(at, Reading::Readable(reading))
}

/// White space and NULs at the end.
fn trailing_padding(bytes: &[u8]) -> usize {
    bytes.iter().rev().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0)).count()
}

/// Padding between objects; a record over several lines may have line feeds there.
fn padding_over_lines(bytes: &[u8]) -> usize {
    let mut passed = 0;
    loop {
        let rest = bytes.get(passed..).unwrap_or_default();
        let more = line_padding(rest) + usize::from(rest.first() == Some(&b'\n'));
        if more == 0 {
            return passed;
        }
        passed += more;
    }
}

/// How often each kind of fault was met in one record.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub(super) counts: BTreeMap<Kind, u64>,
    rejected: Option<(Kind, String)>,
}

impl Faults {
    pub(super) fn count(&mut self, kind: Kind, times: u64) {
        *self.counts.entry(kind).or_default() += times;
    }

    fn reject(&mut self, kind: Kind, detail: String) {
        self.rejected = Some((kind, detail));
    }

    fn padding(&mut self, bytes: &[u8]) {
        let nuls = memchr::memchr_iter(0, bytes).count();
        if nuls > 0 {
            self.count(Kind::RepairedNul, nuls as u64);
        }
        let marks = memchr::memchr_iter(0xEF, bytes).count();
        if marks > 0 {
            self.count(Kind::RepairedBom, marks as u64);
        }
    }

    fn piece(self, at: At, reading: Reading<'_>) -> Piece<'_> {
        let rejection = self.rejected.map(|(kind, detail)| Problem::new(kind, at, detail));
        let counted = |(kind, times): (Kind, u64)| {
            let detail = match (kind, times) {
                (Kind::RepairedNul | Kind::TrailingText, 1) => Cow::Borrowed("1 byte"),
                (Kind::RepairedNul | Kind::TrailingText, _) => format!("{times} bytes").into(),
                (_, 1) => Cow::Borrowed("once"),
                (_, _) => format!("{times} times").into(),
            };
            Problem::new(kind, at, detail)
        };
        let problems = match rejection {
            // Of a rejected record only the reason counts.
            Some(problem) => vec![problem],
            None => self.counts.into_iter().map(counted).collect(),
        };
        Piece { at, reading, problems }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            at: At { line: 7, byte: 100 },
            counts_lines: true,
            utf16: false,
            ends_source: false,
        }
    }

    /// One piece as its text (or its fate) with the codes of its problems.
    fn told(record: &[u8]) -> Vec<String> {
        repair(record, place())
            .iter()
            .map(|piece| {
                let text = match &piece.reading {
                    Reading::Readable(text) => {
                        serde_json::from_slice::<serde_json::Value>(text).expect("readable");
                        String::from_utf8_lossy(text).into_owned()
                    }
                    Reading::Rejected => "rejected".to_owned(),
                    Reading::Blank => "blank".to_owned(),
                };
                let codes: Vec<_> =
                    piece.problems.iter().map(|p| format!(" {:?}", p.kind)).collect();
                format!("{}: {text}{}", piece.at.byte - 100, codes.concat())
            })
            .collect()
    }

    #[test]
    fn what_is_mended() {
        let cases: &[(&[u8], &[&str])] = &[
            (b"{\"a\":1}", &["0: {\"a\":1}"]),
            (b"\xEF\xBB\xBF{}", &["3: {} RepairedBom"]),
            (b"\0\0{}\0", &["2: {} RepairedNul"]),
            (b"\0\0\0", &["0: blank RepairedNul"]),
            (b"{\"a\":\"x\xFFy\"}", &["0: {\"a\":\"x\u{FFFD}y\"} RepairedUtf8"]),
            (br#"{"a":"\ud800"}"#, &["0: {\"a\":\"\u{FFFD}\"} RepairedSurrogate"]),
            (
                br#"{"a":"\ud83d\ude00\udc00"}"#,
                &["0: {\"a\":\"\\ud83d\\ude00\u{FFFD}\"} RepairedSurrogate"],
            ),
            (br#"{"a":"\ud83d\u0041"}"#, &["0: {\"a\":\"\u{FFFD}\\u0041\"} RepairedSurrogate"]),
            (br#"{"a":"\p\u12\/"}"#, &[r#"0: {"a":"pu12\/"} RepairedEscape"#]),
            (b"{\"a\":\"x\ty\0\"}", &[r#"0: {"a":"x\u0009y\u0000"} RepairedControl"#]),
            (b"[NaN,-Infinity,1]", &["0: [null,null,1] RepairedNan"]),
            (
                b"[1e400,18446744073709551616,18446744073709551615]",
                &["0: [\"1e400\",18446744073709551616,18446744073709551615] RepairedNumber"],
            ),
            (
                b"[-9223372036854775808,-9223372036854775809]",
                &["0: [-9223372036854775808,-9223372036854775809] RepairedNumber"],
            ),
            (
                b"{\"a\":1}{\"a\":2} [3]",
                &[
                    "0: {\"a\":1} SeveralOnLine",
                    "7: {\"a\":2} SeveralOnLine",
                    "15: [3] SeveralOnLine",
                ],
            ),
            (b"{\"a\":1}TRAILER", &["0: {\"a\":1} TrailingText"]),
            (b"{\"a\":1},", &["0: {\"a\":1} TrailingText"]),
            (
                b"{\"a\":1}{\"b\":",
                &["0: {\"a\":1} SeveralOnLine", "7: rejected NotJson SeveralOnLine"],
            ),
            (br#"{"a":1,"b":{"c":1,"c":1},"a":2}"#, &[r#"0: {"b":{"c":1},"a":2} DuplicateKeys"#]),
            (
                br#"{"a":"\ud800","\u0061":2}"#,
                &[r#"0: {"\u0061":2} RepairedSurrogate DuplicateKeys"#],
            ),
            (b"3", &["0: 3"]),
        ];
        for (record, expected) in cases {
            assert_eq!(told(record), *expected, "{}", String::from_utf8_lossy(record));
        }
    }

    #[test]
    fn what_is_rejected() {
        for record in [
            "x",
            "3 4",
            "{\"a\":1",
            "{'a':1}",
            "{\"a\":1,}",
            "}",
            "2026-01-01 {}",
            "{\"a\":\"b\nc\"}",
        ] {
            assert_eq!(told(record.as_bytes()), ["0: rejected NotJson"], "{record}");
        }
        assert_eq!(told("[".repeat(2000).as_bytes()), ["0: rejected TooDeep"]);
        let cut = Place { ends_source: true, ..place() };
        assert_eq!(repair(b"{\"a\":1", cut)[0].problems[0].kind, Kind::TruncatedRecord);
    }

    #[test]
    fn lines_within_a_record_are_counted() {
        let pieces = repair(b"{\n}\n{}", place());
        assert_eq!(pieces[1].at, At { line: 9, byte: 104 });
    }

    #[test]
    fn text_lines() {
        let piece = repair_text(b"\0a \xFF", place());
        assert_eq!(piece.reading, Reading::Readable("a \u{FFFD}".as_bytes().to_vec().into()));
        assert_eq!(
            piece.problems.iter().map(|p| p.kind).collect::<Vec<_>>(),
            [Kind::RepairedUtf8, Kind::RepairedNul]
        );
    }
}
