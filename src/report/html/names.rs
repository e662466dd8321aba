//! Words and names from the recording, as text of the page.

use crate::report::causes;
use crate::report::document::{Prose, Span};
use crate::report::safe;
use maud::{Markup, html};
use std::fmt::Write as _;

/// Names are cut to so many columns: a recording may hold one of a megabyte.
const LONGEST: usize = 160;

/// A name with what hides or moves text spelled out, cut when it is long.
pub fn shown(name: &str) -> String {
    if name.is_empty() {
        return "(empty)".to_owned();
    }
    // The cut comes first: spelling out a megabyte would be wasted.
    let head: String = name.chars().take(LONGEST + 1).collect();
    let text = safe::terminal(&head);
    let cut = safe::cut(&text, LONGEST);
    match name.len().saturating_sub(head.len()) {
        0 => cut.into_owned(),
        more => format!("{cut} ({more} more bytes)"),
    }
}

/// A name.
pub fn name(name: &str) -> Markup {
    html! { span.n { (shown(name)) } }
}

/// A name that may be unknown.
pub fn known(text: Option<&str>) -> Markup {
    match text {
        Some(text) => name(text),
        None => unknown(),
    }
}

/// What is not known.
pub fn unknown() -> Markup {
    html! { span.u { "unknown" } }
}

/// The first digits of a hash.
pub fn hash(hash: Option<&str>) -> Markup {
    match hash {
        Some(hash) => html! { code title=(shown(hash)) { (short(hash)) } },
        None => unknown(),
    }
}

/// The first digits of a hash, as text.
pub fn short(hash: &str) -> String {
    shown(&hash.chars().take(10).collect::<String>())
}

/// Names with commas between them; nothing for none.
pub fn list(names: Option<&[String]>) -> Markup {
    html! {
        @if let Some(names) = names {
            @for (i, one) in names.iter().take(12).enumerate() {
                @if i > 0 { " " }
                // A comma stays with the name before it.
                @if i + 1 < names.len().min(12) { span.keep { (name(one)) "," } } @else { (name(one)) }
            }
            @if names.len() > 12 { " and " (names.len() - 12) " more" }
        } @else { (unknown()) }
    }
}

/// Where a record stands: `file:line`.
pub fn place(file: Option<&str>, line: Option<i64>) -> Markup {
    let text = place_text(file, line);
    html! { @if !text.is_empty() { span.at { (text) } } }
}

/// Where a record stands, as text; empty when it is not known.
pub fn place_text(file: Option<&str>, line: Option<i64>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{}:{line}", shown(file)),
        _ => String::new(),
    }
}

/// Prose of the report.
pub fn prose(prose: &Prose) -> Markup {
    html! {
        @for span in &prose.0 {
            @match span {
                Span::Say(words) => (words),
                Span::Strong(words) => strong { (words) },
                Span::Name(text) => (name(text)),
                Span::Told(text) => (safe::terminal(text)),
                Span::Code(text) => code { (shown(text)) },
            }
        }
    }
}

/// Prose as plain text.
pub fn plain(prose: &Prose) -> String {
    prose.0.iter().fold(String::new(), |mut text, span| {
        match span {
            Span::Say(words) | Span::Strong(words) => text.push_str(words),
            Span::Name(name) | Span::Code(name) => text.push_str(&shown(name)),
            Span::Told(sentence) => text.push_str(&safe::terminal(sentence)),
        }
        text
    })
}

/// A verdict, cause or outcome as words.
pub fn words(word: &str) -> String {
    // To resolve again is not two words.
    shown(&word.replace("re_resolve", "re-resolve").replace('_', " "))
}

/// Class of a verdict's mark.
pub fn verdict_class(verdict: Option<&str>) -> &'static str {
    match verdict {
        Some("split_brain") => "split",
        Some("corrupt") => "corrupt",
        Some("mismatch_incomplete") => "incomplete",
        Some("no_digest") => "undigested",
        Some("consistent") => "fine",
        Some("unverifiable") => "unsure",
        _ => "none",
    }
}

/// A verdict in words.
pub fn verdict_words(verdict: Option<&str>) -> &'static str {
    match verdict {
        Some("split_brain") => "split-brain",
        Some("corrupt") => "corrupt (digest differs)",
        Some("mismatch_incomplete") => "schema differs, not completed",
        Some("no_digest") => "consistent schema, no digest",
        Some("consistent") => "consistent",
        Some("unverifiable") => "could not be checked",
        _ => "no artifact on record",
    }
}

/// A cause with its class.
pub fn cause(cause: Option<&str>) -> Markup {
    let word = cause.unwrap_or("unknown");
    html! { span.cause.{ "c-" (cause_class(word)) } { (words(word)) } }
}

/// A cause as a word that is safe as a class.
pub fn cause_class(cause: &str) -> &'static str {
    causes::cause(cause).map_or("unknown", |c| c.name)
}

/// A text for the embedded JSON's place in a script element: nothing can end the element.
pub fn escape_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}
