//! How a run of bytes falls into JSON records, normally one a line.
//!
//! Knows no file and no chunk. A line that begins with `{`, ends with `}` and is followed by a line
//! that begins with `{` is a record and costs one `memchr`: in JSON no value goes on across such a
//! place. Everything else is looked at with [`scan`](super::scan): a value may span lines.
//! A value that breaks off leaves its first line (and the lines that can only continue it, being
//! indented or closing brackets) as one unreadable record, and the next line begins afresh.

use super::scan::{End, value_end};
use crate::formats::container::{Line, Run};
use memchr::{memchr, memrchr};

/// What follows the bytes of a [`Framer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// More bytes, not here yet.
    Open,
    /// Something that begins a record of its own.
    Boundary,
    /// Nothing: the source ends.
    Source,
}

/// A record, a blank line, or why neither can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing but white space up to the next line, which begins at `next`.
    Blank {
        /// Where to go on.
        next: usize,
    },
    /// A record from `start` up to `end`, without white space around it.
    Record {
        /// First byte.
        start: usize,
        /// Byte after the last one.
        end: usize,
        /// Where to go on: the beginning of the next line.
        next: usize,
        /// Its JSON value goes on beyond its first line.
        spans: bool,
    },
    /// A record beyond the limit begins at `start`; pass over it with `skip`, from `from`.
    TooLarge {
        /// First byte.
        start: usize,
        /// Where to begin skipping.
        from: usize,
        /// What to pass over.
        skip: Skip,
    },
    /// It cannot be told without the bytes that follow.
    More,
    /// All bytes are used up.
    End,
}

/// Passes over a record that is too large to hold, in any number of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// Up to the end of the line.
    Line,
    /// Up to a line that does not continue the value; within a line.
    Value,
    /// The same, at the beginning of a line.
    ValueAtLineStart,
}

impl Skip {
    /// Passes over bytes from `from`: where the next record begins, or `None` when all are passed.
    pub fn pass(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            if *self == Self::ValueAtLineStart {
                if !continues(*bytes.get(at)?) {
                    return Some(at);
                }
                *self = Self::Value;
            }
            at += memchr(b'\n', bytes.get(at..)?)? + 1;
            if *self == Self::Line {
                return Some(at);
            }
            *self = Self::ValueAtLineStart;
        }
    }
}

/// Whether a line that begins so can only continue a value: indented, or closing a bracket.
fn continues(first: u8) -> bool {
    matches!(first, b' ' | b'\t' | b'}' | b']')
}

/// Finds the records in a run of bytes that begins with a record.
#[derive(Debug, Clone, Copy)]
pub struct Framer<'b> {
    /// The run.
    pub bytes: &'b [u8],
    /// The largest record, in bytes.
    pub limit: usize,
    /// What comes after.
    pub ending: Ending,
}

impl Framer<'_> {
    /// The record or blank line that begins at `at`.
    pub fn step(&self, at: usize) -> Step {
        let Some(rest) = self.bytes.get(at..) else { return Step::End };
        let Some(&first) = rest.first() else { return Step::End };
        let newline = memchr(b'\n', rest);
        let (line, next) = match newline {
            Some(len) => (rest.get(..len).unwrap_or_default(), at + len + 1),
            None if rest.len() > self.limit => return too_large(at, Skip::Line),
            None if self.ending == Ending::Open => return Step::More,
            None => (rest, at + rest.len()),
        };
        if line.len() > self.limit {
            return too_large(at, Skip::Line);
        }
        let end = at + line.trim_ascii_end().len();
        // The fast path: one object, and the next line begins another.
        if first == b'{'
            && self.bytes.get(end.wrapping_sub(1)) == Some(&b'}')
            && match self.bytes.get(next) {
                Some(byte) => *byte == b'{',
                None => self.ending != Ending::Open,
            }
        {
            return Step::Record { start: at, end, next, spans: false };
        }
        let start = at + (line.len() - line.trim_ascii_start().len());
        if start >= end {
            return Step::Blank { next };
        }
        let whole_line = Step::Record { start, end, next, spans: false };
        let value = start + line_padding(self.bytes.get(start..end).unwrap_or_default());
        if !matches!(self.bytes.get(value), Some(b'{' | b'[')) {
            return whole_line;
        }
        let window_end = start.saturating_add(self.limit).min(self.bytes.len());
        let window = self.bytes.get(..window_end).unwrap_or_default();
        match value_end(window, value) {
            End::Complete(stop) if stop <= end => whole_line,
            End::Complete(stop) => self.spanning(start, stop),
            End::Cut if window_end < self.bytes.len() => {
                Step::TooLarge { start, from: at, skip: Skip::Value }
            }
            End::Cut if self.ending == Ending::Open => Step::More,
            End::Cut if self.ending == Ending::Source && !self.restarts(next) => {
                let end =
                    start + self.bytes.get(start..).unwrap_or_default().trim_ascii_end().len();
                Step::Record { start, end, next: self.bytes.len(), spans: end > next }
            }
            End::Broken(stop) | End::TooDeep(stop) if stop <= end => whole_line,
            End::Cut | End::Broken(_) | End::TooDeep(_) => self.broken(start, at),
        }
    }

    /// The line of text, or the blank line, that begins at `at`; a line that a container's runtime cut is
    /// one record.
    pub fn text_step(&self, at: usize) -> Step {
        let Some(rest) = self.bytes.get(at..) else { return Step::End };
        if rest.is_empty() {
            return Step::End;
        }
        let (line, next) = match memchr(b'\n', rest) {
            Some(len) => (rest.get(..len).unwrap_or_default(), at + len + 1),
            None if rest.len() > self.limit => return too_large(at, Skip::Line),
            None if self.ending == Ending::Open => return Step::More,
            None => (rest, at + rest.len()),
        };
        if line.len() > self.limit {
            return too_large(at, Skip::Line);
        }
        let text = line.trim_ascii_end();
        if text.is_empty() {
            return Step::Blank { next };
        }
        if Line::of(line).is_some_and(|line| line.is_partial)
            && let Some(step) = self.cut_line(at)
        {
            return step;
        }
        Step::Record { start: at, end: at + text.len(), next, spans: false }
    }

    /// The line that begins at `at` and was cut, if its pieces are there.
    fn cut_line(&self, at: usize) -> Option<Step> {
        let rest = self.bytes.get(at..)?;
        let window = rest.get(..self.limit.saturating_add(1)).unwrap_or(rest);
        let is_all = window.len() == rest.len();
        match Run::of(window, is_all && self.ending != Ending::Open) {
            Run::None => None,
            Run::Open if is_all => Some(Step::More),
            Run::Open => {
                // Pieces beyond the limit: what was looked at is not looked at again.
                let from = at + memrchr(b'\n', window)? + 1;
                Some(Step::TooLarge { start: at, from, skip: Skip::Line })
            }
            Run::Whole(_, len) => {
                let end = at + rest.get(..len)?.trim_ascii_end().len();
                let next = (at + len + 1).min(self.bytes.len());
                Some(Step::Record { start: at, end, next, spans: true })
            }
        }
    }

    /// A value over several lines that ends before `stop`; what follows it on its last line belongs
    /// to the record.
    fn spanning(&self, start: usize, stop: usize) -> Step {
        let rest = self.bytes.get(stop..).unwrap_or_default();
        let (end, next) = match memchr(b'\n', rest) {
            Some(len) => (stop + len, stop + len + 1),
            None if rest.len() > self.limit => return too_large(start, Skip::Value),
            None if self.ending == Ending::Open => return Step::More,
            None => (self.bytes.len(), self.bytes.len()),
        };
        let record = self.bytes.get(start..end).unwrap_or_default().trim_ascii_end();
        if end - start > self.limit {
            return too_large(start, Skip::Value);
        }
        Step::Record { start, end: start + record.len(), next, spans: true }
    }

    /// A value that breaks off on a later line: its first line and those that can only continue it.
    fn broken(&self, start: usize, line_start: usize) -> Step {
        let mut skip = Skip::Value;
        let next = match skip.pass(self.bytes, line_start) {
            Some(next) => next,
            None if self.bytes.len() - start > self.limit => return too_large(start, Skip::Value),
            None if self.ending == Ending::Open => return Step::More,
            None => self.bytes.len(),
        };
        let record = self.bytes.get(start..next).unwrap_or_default().trim_ascii_end();
        if next - start > self.limit {
            return too_large(start, Skip::Value);
        }
        Step::Record {
            start,
            end: start + record.len(),
            next,
            spans: memchr(b'\n', self.bytes.get(start..next - 1).unwrap_or_default()).is_some(),
        }
    }

    /// Whether a value that the end of the source cuts off is rather a broken line followed by
    /// others: one of the lines from `at` is an object of its own.
    fn restarts(&self, at: usize) -> bool {
        self.bytes.get(at..).unwrap_or_default().split(|b| *b == b'\n').any(|line| {
            let line = line.trim_ascii_end();
            line.first() == Some(&b'{') && value_end(line, 0) == End::Complete(line.len())
        })
    }
}

fn too_large(start: usize, skip: Skip) -> Step {
    Step::TooLarge { start, from: start, skip }
}

/// How many bytes of byte-order marks, NULs and white space stand before the value on a line.
pub fn line_padding(line: &[u8]) -> usize {
    let mut rest = line;
    loop {
        rest = match rest {
            [b' ' | b'\t' | b'\r' | 0, after @ ..] | [0xEF, 0xBB, 0xBF, after @ ..] => after,
            _ => return line.len() - rest.len(),
        };
    }
}

/// The last place in the bytes where surely a record begins and none goes on: a `{` at the beginning
/// of a line, after a byte that no JSON value could go on from. Cheap: looks back from the end.
pub fn last_boundary(bytes: &[u8]) -> Option<usize> {
    let mut end = bytes.len();
    // Each look costs little, but a run without a boundary is better framed from its beginning.
    for _ in 0..1024 {
        let newline = memrchr(b'\n', bytes.get(..end)?)?;
        if bytes.get(newline + 1) == Some(&b'{') {
            let before = bytes.get(..newline).unwrap_or_default().trim_ascii_end();
            if matches!(before.last(), Some(last) if !matches!(last, b':' | b',' | b'[')) {
                return Some(newline + 1);
            }
        }
        end = newline;
    }
    None
}

/// The last place in the bytes where a line of text begins that no piece of a cut line comes before.
pub fn last_text_boundary(bytes: &[u8]) -> Option<usize> {
    let mut end = memrchr(b'\n', bytes)?;
    for _ in 0..1024 {
        let before = memrchr(b'\n', bytes.get(..end)?);
        let line = bytes.get(before.map_or(0, |before| before + 1)..end)?;
        if Line::of(line).is_none_or(|line| !line.is_partial) {
            return Some(end + 1);
        }
        end = before?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records as (first byte, text), blank lines as their number.
    fn frame(text: &str, limit: usize) -> (Vec<(usize, String)>, usize) {
        let framer = Framer { bytes: text.as_bytes(), limit, ending: Ending::Source };
        let (mut records, mut blank, mut at) = (Vec::new(), 0, 0);
        loop {
            match framer.step(at) {
                Step::Blank { next } => (blank, at) = (blank + 1, next),
                Step::Record { start, end, next, .. } => {
                    records.push((start, text.get(start..end).unwrap().to_owned()));
                    at = next;
                }
                Step::TooLarge { start, from, mut skip } => {
                    records.push((start, "too large".to_owned()));
                    at = skip.pass(text.as_bytes(), from).unwrap_or(text.len());
                }
                Step::More => panic!("nothing more comes"),
                Step::End => return (records, blank),
            }
        }
    }

    /// Records as text lines.
    fn text_lines(text: &str, limit: usize) -> Vec<String> {
        let (mut records, mut at) = (Vec::new(), 0);
        let framer = Framer { bytes: text.as_bytes(), limit, ending: Ending::Source };
        loop {
            match framer.text_step(at) {
                Step::Record { start, end, next, .. } => {
                    records.push(text.get(start..end).unwrap().to_owned());
                    at = next;
                }
                Step::TooLarge { from, mut skip, .. } => {
                    records.push("too large".to_owned());
                    at = skip.pass(text.as_bytes(), from).unwrap_or(text.len());
                }
                Step::Blank { next } => at = next,
                Step::More => panic!("nothing more comes"),
                Step::End => return records,
            }
        }
    }

    #[test]
    fn a_line_that_a_container_runtime_cut_is_one_record() {
        let line = |tag: &str, text: &str| format!("2026-11-14T08:00:00.1Z stdout {tag} {text}\n");
        let cut = [line("P", "{\"a\":"), line("P", "1"), line("F", "}")].concat();
        let other = line("F", "{}");
        assert_eq!(
            text_lines(&format!("x\n{cut}{other}{cut}"), 1000),
            ["x", cut.trim(), other.trim(), cut.trim()]
        );
        // The end of it is missing, or belongs to something else.
        let first = line("P", "{");
        assert_eq!(
            text_lines(&format!("{first}x\n{first}"), 1000),
            [first.trim(), "x", first.trim()]
        );
        let lost = first.repeat(3);
        assert_eq!(text_lines(&format!("{lost}x\n{lost}"), 1000), [lost.trim(), "x", lost.trim()]);
        // Of a run that is too large each look goes on where the one before ended.
        let many = line("P", "xxxxxxxxxx").repeat(9);
        assert_eq!(
            text_lines(&format!("{many}x\n"), 100),
            ["too large", "too large", "too large", "x"]
        );
        let open = Framer { bytes: first.as_bytes(), limit: 1000, ending: Ending::Open };
        assert_eq!(open.text_step(0), Step::More);
        assert_eq!(last_text_boundary(format!("x\n{first}{first}y").as_bytes()), Some(2));
        assert_eq!(last_text_boundary(first.as_bytes()), None);
        assert_eq!(last_text_boundary(b"x\ny\nz"), Some(4));
    }

    fn texts(text: &str) -> Vec<String> {
        frame(text, 1000).0.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn lines_are_records() {
        let (records, blank) = frame("{\"a\":1}\r\n\n  \t\n {\"a\":2} \nx\n{\"a\":3}", 1000);
        let expected = [(0, "{\"a\":1}"), (15, "{\"a\":2}"), (24, "x"), (26, "{\"a\":3}")];
        assert_eq!(records, expected.map(|(at, text)| (at, text.to_owned())));
        assert_eq!(blank, 2);
    }

    #[test]
    fn a_value_may_span_lines() {
        assert_eq!(texts("{\n  \"a\": 1\n}\n{\"a\":2}\n"), ["{\n  \"a\": 1\n}", "{\"a\":2}"]);
        assert_eq!(texts("{\"a\":{\"b\":1}\n,\"c\":2}\n"), ["{\"a\":{\"b\":1}\n,\"c\":2}"]);
        assert_eq!(texts("{\"a\":[\n{},\n{}\n]} x\n1\n"), ["{\"a\":[\n{},\n{}\n]} x", "1"]);
        assert_eq!(texts("[\n1\n]"), ["[\n1\n]"]);
    }

    #[test]
    fn a_broken_line_costs_only_itself() {
        assert_eq!(texts("{\"a\":\n{\"a\":2}\n{\"a\":3}\n"), ["{\"a\":", "{\"a\":2}", "{\"a\":3}"]);
        assert_eq!(texts("{\"a\":[1,\n{\"a\":2}"), ["{\"a\":[1,", "{\"a\":2}"]);
        assert_eq!(texts("{\"a\":\"b\n{\"a\":2}"), ["{\"a\":\"b", "{\"a\":2}"]);
        assert_eq!(texts("{\"a\":\nINFO\n{\"a\":3}\n"), ["{\"a\":", "INFO", "{\"a\":3}"]);
    }

    #[test]
    fn a_broken_value_takes_its_indented_lines_along() {
        let broken = "{\n  \"a\": foo,\n  \"b\": {}\n}";
        assert_eq!(texts(&format!("{broken}\n{{\"a\":2}}\n")), [broken, "{\"a\":2}"]);
        let cut = "{\n  \"a\": [\n    {\"b\": 1},\n    {\"b\":";
        assert_eq!(texts(cut), [cut]);
    }

    #[test]
    fn a_large_record_is_passed_over() {
        let (records, _) = frame("{\"a\":1}\n{\"aaaaaaaaaaaaa\":1}\n{\"a\":3}\n", 10);
        assert_eq!(records.iter().map(|r| r.0).collect::<Vec<_>>(), [0, 8, 28]);
        assert_eq!(records[1].1, "too large");
        let (records, _) = frame("{\n  \"a\":1,\n  \"b\":2\n}\n{\"a\":3}\n", 10);
        assert_eq!(records.iter().map(|r| r.0).collect::<Vec<_>>(), [0, 21]);
    }

    #[test]
    fn boundaries_lie_between_objects() {
        assert_eq!(last_boundary(b"{}\n{}\n{\"a"), Some(6));
        assert_eq!(last_boundary(b"{}\n{}\n"), Some(3));
        assert_eq!(last_boundary(b"[\n{},\n{}"), None);
        assert_eq!(last_boundary(b"{}\n\n\n{"), Some(5));
        assert_eq!(last_boundary(b""), None);
    }
}
