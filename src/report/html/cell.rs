//! Cells of tables: what people read, and beside it what sorts and goes into a download.

use super::names;
use crate::report::figures::{Clock, bounded, count, duration, percent};
use crate::report::rows::rfc3339;
use maud::{Markup, html};

/// A cell.
#[derive(Debug)]
pub struct Cell {
    /// What people read.
    pub shown: Markup,
    /// What sorts and is downloaded; `None`: the text that is shown.
    pub raw: Option<String>,
}

impl Cell {
    /// Something shown, with the value behind it.
    pub fn new(shown: Markup, raw: impl Into<String>) -> Self {
        Self { shown, raw: Some(raw.into()) }
    }

    /// Nothing.
    pub fn empty() -> Self {
        Self { shown: html! {}, raw: Some(String::new()) }
    }
}

/// Our own words.
pub fn words(text: impl Into<String>) -> Cell {
    let text = text.into();
    Cell { shown: html! { (text) }, raw: None }
}

/// A word of the model, with blanks for people.
pub fn word(word: &str) -> Cell {
    Cell::new(html! { span.keep { (names::words(word)) } }, names::shown(word))
}

/// A name from the recording.
pub fn name(text: Option<&str>) -> Cell {
    Cell::new(names::known(text), text.map(names::shown).unwrap_or_default())
}

/// Names from the recording.
pub fn list(all: Option<&Vec<String>>) -> Cell {
    let raw = all.map(|all| all.iter().take(12).map(|n| names::shown(n)).collect::<Vec<_>>());
    Cell::new(names::list(all.map(Vec::as_slice)), raw.unwrap_or_default().join(" "))
}

/// A hash.
pub fn hash(hash: Option<&str>) -> Cell {
    Cell::new(names::hash(hash), hash.map(names::shown).unwrap_or_default())
}

/// A count.
pub fn number(n: i64) -> Cell {
    Cell::new(html! { (count(n)) }, n.to_string())
}

/// A count that may be unknown.
pub fn maybe(n: Option<i64>) -> Cell {
    n.map_or_else(Cell::empty, number)
}

/// An instant.
pub fn time(clock: Clock, ns: Option<i64>) -> Cell {
    match ns {
        Some(ns) => {
            let exact = rfc3339(ns.into());
            Cell::new(html! { time datetime=(exact) title=(exact) { (clock.time(ns)) } }, exact)
        }
        None => Cell::empty(),
    }
}

/// A length of time from seconds.
pub fn length(seconds: Option<f64>) -> Cell {
    match seconds {
        Some(s) => Cell::new(html! { (duration(s)) }, s.to_string()),
        None => Cell::empty(),
    }
}

/// A ratio.
pub fn ratio(ratio: Option<f64>) -> Cell {
    match ratio {
        Some(r) => Cell::new(html! { (percent(r)) }, r.to_string()),
        None => Cell::new(html! { span.u { "—" } }, ""),
    }
}

/// A length of time with its bounds.
pub fn bounds(value: Option<f64>, low: Option<f64>, high: Option<f64>) -> Cell {
    match (value, low, high) {
        (Some(v), Some(a), Some(b)) => Cell::new(html! { (bounded(v, a, b)) }, v.to_string()),
        (Some(v), _, _) => length(Some(v)),
        (None, Some(a), _) => Cell::new(html! { "at least " (duration(a)) }, a.to_string()),
        (None, None, _) => Cell::empty(),
    }
}

/// A place in the inputs.
pub fn place(file: Option<&str>, line: Option<i64>) -> Cell {
    Cell::new(names::place(file, line), names::place_text(file, line))
}
