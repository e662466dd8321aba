//! Mends JSON records that a strict parser refuses, and says what was mended.
//!
//! Knows no file and no format. What cannot be mended is rejected with its reason; nothing is ever
//! half read. Call it only when the strict parse of a record has failed, or to learn of duplicate
//! keys and large numbers, which parsers pass over in silence.

use super::lines::line_padding;
use super::scan::{End, Escapes, Visitor, is_number, scan};
use super::utf16;
use crate::problem::{At, Kind, Problem};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

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

/// A line of text as UTF-8 without NUL padding.
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
    let reading = match String::from_utf8_lossy(text) {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(mended) => {
            faults.count(Kind::RepairedUtf8, 1);
            Cow::Owned(mended.into_bytes())
        }
    };
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
struct Faults {
    counts: BTreeMap<Kind, u64>,
    rejected: Option<(Kind, String)>,
}

impl Faults {
    fn count(&mut self, kind: Kind, times: u64) {
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

/// Collects what to change in a value while it is scanned.
struct Mender<'b> {
    bytes: &'b [u8],
    /// See [`is_clean`].
    clean: bool,
    edits: Vec<(Range<usize>, Vec<u8>)>,
    found: Faults,
    /// Members of all open objects.
    members: Vec<Member>,
    /// For each open bracket: where the members of the object begin; `None`: an array.
    open: Vec<Option<usize>>,
}

/// A member of an object.
#[derive(Debug)]
struct Member {
    key: Range<usize>,
    /// Equal for equal keys; `None`: something is escaped in the key.
    print: Option<u32>,
    /// Where the next member, or the closing bracket, begins.
    end: usize,
}

impl Visitor for Mender<'_> {
    fn open(&mut self, _at: usize, object: bool) {
        self.open.push(object.then_some(self.members.len()));
    }

    fn close(&mut self, end: usize) {
        if let Some(Some(first)) = self.open.pop() {
            if let Some(last) = self.members.get_mut(first..).and_then(<[Member]>::last_mut) {
                last.end = end - 1;
            }
            self.duplicates(first);
            self.members.truncate(first);
        }
    }

    fn string(&mut self, start: usize, end: usize, key: bool, escapes: Escapes) {
        let inside = self.bytes.get(start + 1..end - 1).unwrap_or_default();
        if key {
            if let Some(Some(first)) = self.open.last()
                && let Some(last) = self.members.get_mut(*first..).and_then(<[Member]>::last_mut)
            {
                last.end = start;
            }
            let print = (escapes == Escapes::None).then(|| fingerprint(inside));
            self.members.push(Member { key: start..end, end, print });
        }
        if self.clean && escapes != Escapes::Others {
            return;
        }
        if let Some(mended) = mended_string(inside, &mut self.found) {
            self.edits.push((start + 1..end - 1, mended));
        }
    }

    fn scalar(&mut self, start: usize, end: usize) {
        let token = self.bytes.get(start..end).unwrap_or_default();
        if matches!(token, b"NaN" | b"Infinity" | b"-Infinity") {
            self.found.count(Kind::RepairedNan, 1);
            self.edits.push((start..end, b"null".to_vec()));
            return;
        }
        // Nineteen digits always fit into 64 bits but for a few that are checked.
        let short = token.len() < 19 && !token.iter().any(|b| matches!(b, b'e' | b'E'));
        if short || !is_number(token) {
            return;
        }
        let text = std::str::from_utf8(token).unwrap_or_default();
        let whole = !token.iter().any(|b| matches!(b, b'.' | b'e' | b'E'));
        if !text.parse::<f64>().is_ok_and(f64::is_finite) {
            self.found.count(Kind::RepairedNumber, 1);
            self.edits.push((start..end, [b"\"", token, b"\""].concat()));
        } else if whole && text.parse::<u64>().is_err() && text.parse::<i64>().is_err() {
            // Left as it stands: readers that want its digits find them, and digests stay true.
            self.found.count(Kind::RepairedNumber, 1);
        }
    }
}

impl<'b> Mender<'b> {
    fn new(bytes: &'b [u8], clean: bool) -> Self {
        Self {
            bytes,
            clean,
            edits: Vec::new(),
            found: Faults::default(),
            members: Vec::new(),
            open: Vec::new(),
        }
    }

    /// The first `used` bytes, mended; what was done goes into `faults`.
    fn mended(mut self, used: usize, faults: &mut Faults) -> Cow<'b, [u8]> {
        for (kind, times) in self.found.counts {
            faults.count(kind, times);
        }
        if self.edits.is_empty() {
            return Cow::Borrowed(self.bytes.get(..used).unwrap_or_default());
        }
        // A removed member may hold edits of its own: the outer one comes first and covers them.
        self.edits.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let mut mended = Vec::with_capacity(used + 64);
        let mut done = 0;
        for (range, replacement) in self.edits {
            if range.start < done {
                continue;
            }
            mended.extend_from_slice(self.bytes.get(done..range.start).unwrap_or_default());
            mended.extend_from_slice(&replacement);
            done = range.end;
        }
        mended.extend_from_slice(self.bytes.get(done..used).unwrap_or_default());
        Cow::Owned(mended)
    }

    /// Removes the members of the object that closes whose key comes again after them.
    fn duplicates(&mut self, first: usize) {
        let members = self.members.get(first..).unwrap_or_default();
        if !may_repeat(members) {
            return;
        }
        let mut keys: Vec<(Cow<'_, [u8]>, usize)> =
            members.iter().enumerate().map(|(place, member)| (self.key(member), place)).collect();
        keys.sort_unstable();
        let mut removed = Vec::new();
        for pair in keys.windows(2) {
            let [(earlier_key, earlier), (later_key, later)] = pair else { continue };
            if earlier_key != later_key {
                continue;
            }
            let (Some(earlier), Some(later)) = (members.get(*earlier), members.get(*later)) else {
                continue;
            };
            removed
                .push((earlier.key.start..earlier.end, self.value(earlier) != self.value(later)));
        }
        for (range, differs) in removed {
            self.edits.push((range, Vec::new()));
            if differs {
                self.found.count(Kind::DuplicateKeys, 1);
            }
        }
    }

    /// A member's key without quotes and escapes.
    fn key(&self, member: &Member) -> Cow<'b, [u8]> {
        let quoted = self.bytes.get(member.key.clone()).unwrap_or_default();
        let inside = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
        if memchr::memchr(b'\\', inside).is_none() {
            return Cow::Borrowed(inside);
        }
        match serde_json::from_slice::<String>(quoted) {
            Ok(key) => Cow::Owned(key.into_bytes()),
            Err(_) => Cow::Borrowed(inside),
        }
    }

    /// A member's value as written.
    fn value(&self, member: &Member) -> &'b [u8] {
        let text = self.bytes.get(member.key.end..member.end).unwrap_or_default().trim_ascii();
        let text = text.strip_prefix(b":").unwrap_or(text);
        text.strip_suffix(b",").unwrap_or(text).trim_ascii()
    }
}

/// Whether it is UTF-8 and no string in it can hold a control character: then only escapes can be wrong
/// with its strings. Done many bytes at a time, without an early end.
fn is_clean(record: &[u8]) -> bool {
    let plain = record.iter().fold(true, |all, b| all & matches!(b, b' '.. | b'\n'));
    plain && simdutf8::basic::from_utf8(record).is_ok()
}

/// Made of a key's length and some of its bytes.
fn fingerprint(key: &[u8]) -> u32 {
    let byte = |at: usize| u32::from(key.get(at).copied().unwrap_or_default());
    let len = u32::try_from(key.len() & 0xFF).unwrap_or_default();
    (len << 24) | (byte(0) << 16) | (byte(key.len() / 2) << 8) | byte(key.len().wrapping_sub(1))
}

/// Whether one key may stand twice among these: cheap for the objects that people write.
fn may_repeat(members: &[Member]) -> bool {
    if members.len() > 32 || members.iter().any(|member| member.print.is_none()) {
        return members.len() > 1;
    }
    members.iter().enumerate().any(|(place, member)| {
        members.iter().take(place).any(|earlier| earlier.print == member.print)
    })
}

/// The inside of a string with every fault mended; `None`: there was none.
fn mended_string(inside: &[u8], found: &mut Faults) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(inside);
    let mut changed = false;
    if matches!(text, Cow::Borrowed(text) if text.bytes().all(|b| b >= b' ' && b != b'\\')) {
        return None;
    }
    if matches!(text, Cow::Owned(_)) {
        changed = true;
        found.count(Kind::RepairedUtf8, 1);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => changed |= mended_escape(&mut characters, &mut out, found),
            '\0'..='\x1F' => {
                found.count(Kind::RepairedControl, 1);
                push_control(character, &mut out);
                changed = true;
            }
            _ => out.push(character),
        }
    }
    changed.then(|| out.into_bytes())
}

fn push_control(character: char, out: &mut String) {
    out.push_str("\\u00");
    for shift in [4, 0] {
        out.push(char::from_digit((u32::from(character) >> shift) & 0xF, 16).unwrap_or('0'));
    }
}

/// Mends what follows a backslash; true: it was changed.
fn mended_escape(
    characters: &mut std::str::Chars<'_>,
    out: &mut String,
    found: &mut Faults,
) -> bool {
    match characters.next() {
        Some(escaped @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {
            out.push('\\');
            out.push(escaped);
            false
        }
        Some('u') => match hex_unit(characters) {
            None => {
                found.count(Kind::RepairedEscape, 1);
                out.push('u');
                true
            }
            Some((0xD800..=0xDBFF, digits)) => {
                let mut ahead = characters.clone();
                if ahead.next() == Some('\\')
                    && ahead.next() == Some('u')
                    && let Some((0xDC00..=0xDFFF, low_digits)) = hex_unit(&mut ahead)
                {
                    *characters = ahead;
                    for digits in [digits, low_digits] {
                        out.push_str("\\u");
                        out.push_str(digits);
                    }
                    return false;
                }
                replace_surrogate(out, found)
            }
            Some((0xDC00..=0xDFFF, _)) => replace_surrogate(out, found),
            Some((_, digits)) => {
                out.push_str("\\u");
                out.push_str(digits);
                false
            }
        },
        Some(control @ '\0'..='\x1F') => {
            found.count(Kind::RepairedEscape, 1);
            push_control(control, out);
            true
        }
        Some(other) => {
            found.count(Kind::RepairedEscape, 1);
            out.push(other);
            true
        }
        None => true,
    }
}

fn replace_surrogate(out: &mut String, found: &mut Faults) -> bool {
    found.count(Kind::RepairedSurrogate, 1);
    out.push(char::REPLACEMENT_CHARACTER);
    true
}

/// Four hex digits: their value and themselves. Nothing is used up when there are none.
fn hex_unit<'t>(characters: &mut std::str::Chars<'t>) -> Option<(u32, &'t str)> {
    let digits = characters.as_str().get(..4)?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let value = u32::from_str_radix(digits, 16).ok()?;
    *characters = characters.as_str().get(4..)?.chars();
    Some((value, digits))
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
