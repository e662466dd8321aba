//! Lines of the journal.

use super::random::Random;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes lines, some of them damaged or twice.
pub(super) struct Journal<'a> {
    out: &'a mut dyn Write,
    random: Random,
    damaged: f64,
    duplicated: f64,
    /// Lines that are whole, each once.
    pub(super) lines: u64,
    /// Beginnings of lines.
    pub(super) cut: u64,
    /// Lines that stand there a second time.
    pub(super) twice: u64,
}

impl<'a> Journal<'a> {
    pub(super) fn new(
        out: &'a mut dyn Write,
        random: Random,
        damaged: f64,
        duplicated: f64,
    ) -> Self {
        Self { out, random, damaged, duplicated, lines: 0, cut: 0, twice: 0 }
    }

    pub(super) fn write(&mut self, line: Line) -> io::Result<()> {
        let mut text = line.0;
        text.push_str("}\n");
        if self.random.chance(self.damaged) {
            // Within the first fields: what is left is no JSON.
            let length = 20 + usize::try_from(self.random.below(20)).unwrap_or(0);
            let start = text.get(..length.min(text.len() - 2)).unwrap_or("{");
            self.out.write_all(start.as_bytes())?;
            self.out.write_all(b"\n")?;
            self.cut += 1;
        }
        self.out.write_all(text.as_bytes())?;
        self.lines += 1;
        if self.random.chance(self.duplicated) {
            self.out.write_all(text.as_bytes())?;
            self.twice += 1;
        }
        Ok(())
    }
}

/// A line, but for its end.
pub(super) struct Line(String);

impl Line {
    pub(super) fn new(at: i64, event: &str) -> Self {
        let time = rfc3339(at);
        Self(format!("{{\"time\":\"{time}\",\"event\":\"{event}\""))
    }

    /// A field whose value is JSON.
    pub(super) fn json(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        let _ = write!(self.0, ",\"{name}\":{value}");
        self
    }

    /// A field whose value is a text.
    pub(super) fn text(mut self, name: &str, value: &str) -> Self {
        let _ = write!(self.0, ",\"{name}\":{}", serde_json::Value::from(value));
        self
    }
}

/// An instant as journals write it.
pub(super) fn rfc3339(at: i64) -> String {
    jiff::Timestamp::from_nanosecond(at.into()).unwrap_or_default().to_string()
}
