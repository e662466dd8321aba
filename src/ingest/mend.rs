//! What is wrong inside a value of sound structure, and the bytes to put in its place.
//!
//! Knows no record and no position in a source: it sees the tokens of one value as they are scanned.

use super::repair::Faults;
use super::scan::{Escapes, Visitor, is_number};
use crate::problem::Kind;
use std::borrow::Cow;
use std::ops::Range;

/// Collects what to change in a value while it is scanned.
pub(super) struct Mender<'b> {
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
    pub(super) fn new(bytes: &'b [u8], clean: bool) -> Self {
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
    pub(super) fn mended(mut self, used: usize, faults: &mut Faults) -> Cow<'b, [u8]> {
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
pub(super) fn is_clean(record: &[u8]) -> bool {
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
