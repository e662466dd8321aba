//! Changes that leave most of a recording readable: values are replaced, moved, repeated and left out
//! whole; one in a few changes is libFuzzer's own, of bytes.

use crate::shape::Shape;
use libfuzzer_sys::fuzzer_mutate;
use std::ops::Range;
use std::sync::OnceLock;

/// What a value may become.
pub const VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-1",
    "200",
    "304",
    "404",
    "503",
    "-32601",
    "-32007",
    "1e400",
    "-0.0",
    "18446744073709551616",
    "1713099631002478000",
    "\"\"",
    "\"x\"",
    "[]",
    "{}",
    "[null]",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "\"{\\\"name\\\":\\\"S\\\"}\"",
    "\"completed\"",
    "\"TASK_STATE_FAILED\"",
    "\"input-required\"",
    "\"2026-11-14T08:00:00Z\"",
    "\"2016-12-31T23:59:60Z\"",
    "\"2026-11-14T08:00:00.123456789+05:30\"",
    "\"2026-11-14 08:00:00\"",
    "\"message/send\"",
    "\"SendStreamingMessage\"",
    "\"tasks/send\"",
    "\"application/vnd.a.b.v2+json\"",
    "\"text/plain; version=3\"",
    "\"sha256:00\"",
    "\"https://u:p@h.example/.well-known/agent-card.json?token=t\"",
    "\"http://\"",
    "\"text/event-stream\"",
    "\"accepted\"",
    "\"midstream\"",
    "{\"kind\":\"task\"}",
    "{\"a\":1,\"a\":2}",
    "NaN",
    "'x'",
    "\"\\p\"",
];

/// What stands between lines, or breaks them.
const PIECES: &[&str] = &[
    "\n",
    "\r\n",
    "\n\n",
    "\r",
    "\u{feff}",
    "\0",
    "data: ",
    "data:",
    "event: x\n",
    "id: 1\n",
    ": c\n",
    "retry: 1\n",
    ",",
    "]",
    "}",
    "{",
    "[",
    "\"",
    "\\",
    "\x1b[31m",
    " ",
    "\t",
    "\u{2028}",
    "\u{e9}",
];

/// xorshift: the same seed gives the same change.
pub struct Random(u64);

impl Random {
    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end.max(1) as u64).unwrap_or(0)
    }

    /// One of all.
    pub fn of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }
}

/// Changes `data[..size]` in place; its new size.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random((u64::from(seed) << 32 | 0x9e37_79b9) ^ 0x7f4a_7c15);
    random.below(1);
    if size == 0 || random.below(16) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let Some(old) = data.get(..size) else { return size };
    let mut new = old.to_vec();
    for _ in 0..1 + random.below(8) / 6 {
        new = shape().changed(&new, &mut random);
    }
    if new.len() > max_size && !matches!(shape(), Shape::Text) {
        return size;
    }
    new.truncate(max_size);
    if let Some(room) = data.get_mut(..new.len()) {
        room.copy_from_slice(&new);
    }
    new.len()
}

/// What keeps lengths in this target's inputs.
fn shape() -> Shape {
    static SHAPE: OnceLock<Shape> = OnceLock::new();
    *SHAPE.get_or_init(|| Shape::of(&std::env::var("TARGET").unwrap_or_default()))
}

/// One change of text.
pub fn changed(old: &[u8], random: &mut Random) -> Vec<u8> {
    let all = values(old);
    // Keys are spelled otherwise, but not replaced by numbers and lists.
    let values: Vec<_> = all.iter().filter(|value| !is_key(old, value)).cloned().collect();
    let value = random.of(&values).cloned();
    match (random.below(16), value) {
        (0..=3 | 12 | 13, Some(value)) => {
            let with = random.of(VALUES).copied().unwrap_or_default();
            replaced(old, value, with.as_bytes())
        }
        (4 | 5 | 14, Some(value)) => {
            let from = random.of(&values).cloned().unwrap_or(value.clone());
            let with = old.get(from).unwrap_or_default().to_vec();
            replaced(old, value, &with)
        }
        (6, _) if !all.is_empty() => {
            let value = all[random.below(all.len())].clone();
            // A digit or a letter of it.
            let mut new = old.to_vec();
            let at = value.start + random.below(value.len());
            if let Some(byte) = new.get_mut(at)
                && byte.is_ascii_alphanumeric()
            {
                *byte = b"0123456789azAZvV"[random.below(16)];
            }
            new
        }
        (7, Some(value)) if random.below(4) == 0 => replaced(old, value, b""),
        (7, Some(value)) => replaced(old, member(old, value), b""),
        (8, _) => {
            // A line again, or the lines in another order.
            let lines: Vec<&[u8]> = old.split_inclusive(|b| *b == b'\n').collect();
            let line = random.of(&lines).copied().unwrap_or_default().to_vec();
            let at = lines.iter().take(random.below(lines.len() + 1)).map(|line| line.len()).sum();
            replaced(old, at..at, &line)
        }
        (9, _) => {
            let lines: Vec<&[u8]> = old.split_inclusive(|b| *b == b'\n').collect();
            let out = random.below(lines.len().max(1));
            let rest = lines.iter().enumerate().filter(|(at, _)| *at != out);
            if lines.len() < 2 {
                old.to_vec()
            } else {
                rest.flat_map(|(_, line)| line.to_vec()).collect()
            }
        }
        (10, _) => {
            let at = random.below(old.len() + 1);
            let piece = random.of(PIECES).copied().unwrap_or_default();
            replaced(old, at..at, piece.as_bytes())
        }
        _ => {
            let start = random.below(old.len().max(1));
            let end = (start + 1 + random.below(4)).min(old.len());
            replaced(old, start..end, b"")
        }
    }
}

/// Whether this string is the key of a member.
fn is_key(text: &[u8], value: &Range<usize>) -> bool {
    let after = text.get(value.end..).unwrap_or_default();
    text.get(value.start) == Some(&b'"') && after.trim_ascii_start().first() == Some(&b':')
}

/// A value with its key and the comma that parts it from the next, or from the one before.
fn member(text: &[u8], value: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = value;
    let before = text.get(..start).unwrap_or_default().trim_ascii_end();
    if let Some(key) = before.strip_suffix(b":") {
        let quotes = key.iter().enumerate().rev().filter(|(_, byte)| **byte == b'"');
        start = quotes.map(|(at, _)| at).nth(1).unwrap_or(start);
    }
    let after = text.get(end..).unwrap_or_default();
    let gap = after.len() - after.trim_ascii_start().len();
    if after.trim_ascii_start().first() == Some(&b',') {
        end += gap + 1;
    } else if let Some(before) = text.get(..start)
        && before.trim_ascii_end().last() == Some(&b',')
    {
        start = before.trim_ascii_end().len() - 1;
    }
    start..end
}

fn replaced(old: &[u8], range: Range<usize>, with: &[u8]) -> Vec<u8> {
    let mut new = old.get(..range.start).unwrap_or_default().to_vec();
    new.extend_from_slice(with);
    new.extend_from_slice(old.get(range.end..).unwrap_or_default());
    new
}

/// Where the values of JSON are, as far as can be told: whole strings, numbers and words, and what
/// brackets enclose.
fn values(text: &[u8]) -> Vec<Range<usize>> {
    let (mut found, mut open, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(byte) = text.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'"' => {
                while let Some(byte) = text.get(at) {
                    at += 1 + usize::from(*byte == b'\\');
                    if *byte == b'"' {
                        break;
                    }
                }
                at = at.min(text.len());
                found.push(start..at);
            }
            b'{' | b'[' => open.push(start),
            b'}' | b']' => {
                if let Some(start) = open.pop() {
                    found.push(start..at);
                }
            }
            b'-' | b'0'..=b'9' | b'a'..=b'z' => {
                while text.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b))
                {
                    at += 1;
                }
                found.push(start..at);
            }
            _ => {}
        }
        if found.len() > 4096 {
            break;
        }
    }
    found
}
