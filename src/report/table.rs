//! Rows as a table of text, as wide as the terminal: texts break into several lines; what does not
//! fit even so stands one column a line.
//!
//! Texts of the data can do nothing to the terminal. Hashes are cut to twelve digits: the other
//! formats have them whole.

use super::rows::{Value, View, rfc3339};
use super::safe;
use std::borrow::Cow;
use std::io::{self, Write};

/// Between two columns.
const GAP: usize = 2;
/// No column is made narrower than this.
const LEAST: usize = 12;

/// Writes the rows within `columns` of a terminal, or as wide as they are.
pub fn write(view: View<'_>, columns: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
    let names = view.names().map(|n| safe::terminal(n).into_owned()).collect();
    let right = view.schema.fields().iter().map(|f| f.data_type().is_numeric()).collect();
    let mut grid = Grid::new(names, right);
    view.for_each_row(|row| {
        grid.push(row.iter().map(cell).collect());
        Ok::<(), io::Error>(())
    })?;
    grid.write("", columns, out)
}

/// The value as a person reads it; unknown is `·`.
pub fn cell(value: &Value<'_>) -> String {
    match value {
        Value::Null => "·".to_owned(),
        Value::Bool(v) => if *v { "yes" } else { "no" }.to_owned(),
        Value::Int(v) => v.to_string(),
        Value::UInt(v) => v.to_string(),
        Value::Float(v) => number(*v),
        Value::Decimal(digits) => digits.clone(),
        Value::Time(ns) => rfc3339(*ns),
        Value::Text(v) => shown(v).into_owned(),
        Value::List(items) if items.is_empty() => "none".to_owned(),
        Value::List(items) => items.iter().map(cell).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, v)| format!("{}: {}", safe::terminal(name), cell(v)))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// A number with at most six decimals and without superfluous zeros.
pub fn number(v: f64) -> String {
    let fixed = format!("{v:.6}");
    if v != 0.0 && (v.abs() < 1e-3 || v.abs() >= 1e15) {
        return format!("{v}");
    }
    fixed.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn shown(text: &str) -> Cow<'_, str> {
    let hash = text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    match text.get(..12) {
        Some(head) if hash => Cow::Owned(format!("{head}…")),
        _ => safe::terminal(text),
    }
}

/// Cells and the widths that they take.
#[derive(Debug)]
pub struct Grid {
    names: Vec<String>,
    /// Whether the column is set to the right.
    right: Vec<bool>,
    widths: Vec<usize>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A grid without rows; the names are harmless.
    pub fn new(names: Vec<String>, right: Vec<bool>) -> Self {
        let widths = names.iter().map(|n| safe::width(n)).collect();
        Self { names, right, widths, rows: Vec::new() }
    }

    /// Adds a row of harmless cells.
    pub fn push(&mut self, cells: Vec<String>) {
        for (width, cell) in self.widths.iter_mut().zip(&cells) {
            *width = (*width).max(safe::width(cell));
        }
        self.rows.push(cells);
    }

    /// Writes the rows within `columns` of a terminal, each line after `indent`.
    pub fn write(
        &self,
        indent: &str,
        columns: Option<usize>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let columns = columns.map(|c| c.saturating_sub(safe::width(indent)));
        let widths = match columns {
            None => Some(self.widths.clone()),
            Some(columns) => fit(&self.widths, &self.right, columns),
        };
        match widths {
            Some(widths) => self.write_table(indent, &widths, out),
            None => self.write_records(indent, columns.unwrap_or(usize::MAX), out),
        }
    }

    fn write_table(&self, indent: &str, widths: &[usize], out: &mut dyn Write) -> io::Result<()> {
        let line = |cells: &[String], out: &mut dyn Write| {
            let broken: Vec<Vec<String>> =
                cells.iter().zip(widths).map(|(cell, width)| safe::wrap(cell, *width)).collect();
            let height = broken.iter().map(Vec::len).max().unwrap_or(0);
            for line in 0..height {
                let mut text = String::from(indent);
                for ((lines, width), right) in broken.iter().zip(widths).zip(&self.right) {
                    let cell = lines.get(line).map_or("", String::as_str);
                    let blank = " ".repeat(width.saturating_sub(safe::width(cell)));
                    let (before, after) = if *right { (&*blank, "") } else { ("", &*blank) };
                    text.extend([before, cell, after, "  "]);
                }
                writeln!(out, "{}", text.trim_end())?;
            }
            Ok::<(), io::Error>(())
        };
        line(&self.names, out)?;
        let rules: Vec<String> = widths.iter().map(|w| "─".repeat(*w)).collect();
        line(&rules, out)?;
        for row in &self.rows {
            line(row, out)?;
        }
        Ok(())
    }

    fn write_records(&self, indent: &str, columns: usize, out: &mut dyn Write) -> io::Result<()> {
        let name_width = self.names.iter().map(|n| safe::width(n)).max().unwrap_or(0);
        for (i, row) in self.rows.iter().enumerate() {
            writeln!(out, "{indent}── {} of {}", i + 1, self.rows.len())?;
            for (name, cell) in self.names.iter().zip(row) {
                // A picture of nothing.
                if name.is_empty() && cell.is_empty() {
                    continue;
                }
                let blank = " ".repeat(name_width.saturating_sub(safe::width(name)));
                let room = columns.saturating_sub(name_width + GAP).max(LEAST);
                for (i, line) in safe::wrap(cell, room).iter().enumerate() {
                    let lead =
                        if i == 0 { format!("{name}{blank}") } else { " ".repeat(name_width) };
                    writeln!(out, "{}", format!("{indent}{lead}  {line}").trim_end())?;
                }
            }
        }
        Ok(())
    }
}

/// The widths with the widest texts narrowed until the line fits; `None`: it cannot.
fn fit(widths: &[usize], right: &[bool], columns: usize) -> Option<Vec<usize>> {
    let mut widths = widths.to_vec();
    loop {
        let total = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        if total <= columns {
            return Some(widths);
        }
        let widest = widths
            .iter_mut()
            .zip(right)
            .filter(|(width, right)| !**right && **width > LEAST)
            .map(|(width, _)| width)
            .max_by_key(|width| **width)?;
        *widest -= (total - columns).min((*widest - LEAST).div_ceil(4)).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::batch;
    use super::*;
    use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use std::sync::Arc;

    fn text(batch: &RecordBatch, columns: Option<usize>) -> String {
        let mut out = Vec::new();
        let view = View { schema: batch.schema_ref(), batches: std::slice::from_ref(batch) };
        write(view, columns, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn small() -> RecordBatch {
        let card = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
        RecordBatch::try_from_iter([
            ("agent", Arc::new(StringArray::from(vec!["agent://b/\u{1b}[2J", "b"])) as ArrayRef),
            ("card", Arc::new(StringArray::from(vec![Some(card), None]))),
            ("tasks", Arc::new(Int64Array::from(vec![7, 1847]))),
        ])
        .unwrap()
    }

    #[test]
    fn a_table_is_as_wide_as_its_cells() {
        assert_eq!(
            text(&small(), None),
            "agent                card           tasks\n\
             ───────────────────  ─────────────  ─────\n\
             agent://b/\\u{1b}[2J  9f86d081884c…      7\n\
             b                    ·               1847\n"
        );
    }

    #[test]
    fn a_narrow_terminal_breaks_texts_but_no_number() {
        assert_eq!(
            text(&small(), Some(34)),
            "agent          card          tasks\n\
             ─────────────  ────────────  ─────\n\
             agent://b/     9f86d081884c      7\n\
             \\u{1b}[2J      …\n\
             b              ·              1847\n"
        );
    }

    #[test]
    fn what_cannot_fit_stands_one_column_a_line() {
        let lines = text(&batch(), Some(60));
        assert!(lines.starts_with("── 1 of 2\ntext    a \"b\"\nview    =1+1\n"), "{lines}");
        assert!(lines.contains("at      2026-11-14T08:00:01.5Z\n"), "{lines}");
        assert!(lines.lines().all(|l| safe::width(l) <= 60));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(2400.0), "2400");
        assert_eq!(number(0.031_333_33), "0.031333");
        assert_eq!(number(0.000_02), "0.00002");
        assert_eq!(number(0.0), "0");
    }
}
