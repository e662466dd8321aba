//! Tables that can be read as they are, and that the script makes sortable, searchable and
//! downloadable.

use super::cell::Cell;
use super::windows::listed;
use crate::report::figures::count;
use maud::{Markup, html};

/// A column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name in a download.
    key: &'static str,
    /// Its heading.
    title: &'static str,
    /// Whether it is set to the right and sorts by size.
    number: bool,
    /// Whether it holds sentences, which need width.
    wide: bool,
}

/// A column of texts.
pub const fn text(key: &'static str, title: &'static str) -> Column {
    Column { key, title, number: false, wide: false }
}

/// A column of sentences.
pub const fn sentence(key: &'static str, title: &'static str) -> Column {
    Column { key, title, number: false, wide: true }
}

/// A column of numbers.
pub const fn number(key: &'static str, title: &'static str) -> Column {
    Column { key, title, number: true, wide: false }
}

/// A table.
#[derive(Debug)]
pub struct Table {
    name: &'static str,
    caption: &'static str,
    columns: Vec<Column>,
    rows: Vec<(Option<String>, Vec<Cell>)>,
    most: usize,
    left_out: usize,
    rest: Option<String>,
}

impl Table {
    /// A table of at most so many rows; its name is that of the download.
    pub fn new(name: &'static str, caption: &'static str, columns: &[Column], most: usize) -> Self {
        Self {
            name,
            caption,
            columns: columns.to_vec(),
            rows: Vec::new(),
            most,
            left_out: 0,
            rest: None,
        }
    }

    /// Says which command shows the rows that are left out.
    #[must_use]
    pub fn rest(mut self, command: impl Into<String>) -> Self {
        self.rest = Some(command.into());
        self
    }

    /// Adds a row that belongs to no window; it always shows.
    pub fn row(&mut self, cells: impl FnOnce() -> Vec<Cell>) {
        self.add(None, cells);
    }

    /// Adds a row that belongs to these windows.
    pub fn row_in(&mut self, windows: &[usize], cells: impl FnOnce() -> Vec<Cell>) {
        self.add(Some(listed(windows)), cells);
    }

    fn add(&mut self, windows: Option<String>, cells: impl FnOnce() -> Vec<Cell>) {
        if self.rows.len() < self.most {
            self.rows.push((windows, cells()));
        } else {
            self.left_out += 1;
        }
    }

    /// Whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table with what was left out.
    pub fn render(mut self) -> Markup {
        self.drop_empty_columns();
        let left_out = i64::try_from(self.left_out).unwrap_or(i64::MAX);
        html! {
            figure.grid data-name=(self.name) {
                div.scroll tabindex="0" role="region" aria-label=(self.caption) {
                    table {
                        caption { span { (self.caption) } }
                        thead { tr {
                            @for c in &self.columns {
                                th scope="col" data-k=(c.key) .num[c.number] .of-agent[c.key == "agent"] .of-picture[c.key == "picture"] { (c.title) }
                            }
                        } }
                        tbody {
                            @for (windows, cells) in &self.rows {
                                tr data-w=[windows.as_deref()] {
                                    @for (cell, c) in cells.iter().zip(&self.columns) {
                                        td data-v=[cell.raw.as_deref()] .num[c.number] .wide[c.wide] .of-agent[c.key == "agent"] .of-picture[c.key == "picture"] { (cell.shown) }
                                    }
                                }
                            }
                        }
                    }
                }
                @if left_out > 0 {
                    figcaption.left-out {
                        (count(left_out)) " more are not in this file"
                        @if let Some(command) = &self.rest { ": " code { (command) } }
                    }
                }
            }
        }
    }

    /// Takes out columns in which no row says anything.
    fn drop_empty_columns(&mut self) {
        let says = |cell: &Cell| match &cell.raw {
            Some(raw) if !raw.is_empty() => true,
            // A picture has no value of its own.
            Some(_) => cell.shown.0.contains("<svg"),
            None => !cell.shown.0.is_empty(),
        };
        let keep: Vec<bool> = (0..self.columns.len())
            .map(|i| self.rows.iter().any(|(_, cells)| cells.get(i).is_some_and(says)))
            .collect();
        let kept = |i: usize| keep.get(i).copied().unwrap_or(true);
        let mut i = 0;
        self.columns.retain(|_| {
            i += 1;
            kept(i - 1)
        });
        for (_, cells) in &mut self.rows {
            let mut i = 0;
            cells.retain(|_| {
                i += 1;
                kept(i - 1)
            });
        }
    }
}
