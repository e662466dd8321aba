//! Texts from data made harmless and measurable for a terminal or a Markdown document.
//!
//! Names in a recording are chosen by strangers: an agent's name may hold an escape sequence that
//! rewrites the screen, a link, or HTML.

use std::borrow::Cow;
use std::fmt::Write as _;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Whether a character could act on a terminal or hide what follows: controls, the marks and
/// overrides of bidirectional text, separators of lines, characters without width.
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// The text with everything that could act on a terminal spelled out, on one line.
pub fn terminal(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if acts(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The text as one inline piece of Markdown in which nothing is markup, also within a table.
///
/// Plain words stay as they are; anything else becomes a code span, in which links, mentions, HTML
/// and emphasis are inert.
pub fn markdown(text: &str) -> Cow<'_, str> {
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | ',' | ':' | '%' | '_' | '-');
    let edge = |c: char| c.is_alphanumeric() || c == '%' || c == '.';
    let quiet = text.chars().all(plain)
        && text.chars().next().is_none_or(char::is_alphanumeric)
        && text.chars().next_back().is_none_or(edge)
        && !text.contains("www.")
        && !text.contains("__");
    if quiet {
        return Cow::Borrowed(text);
    }
    Cow::Owned(markdown_code(text))
}

/// The text as a code span of Markdown, also within a table.
pub fn markdown_code(text: &str) -> String {
    // A pipe would end the cell even within a code span, unless it is escaped.
    let inner = terminal(text).replace('|', "\\|");
    let mut longest = 0;
    let mut run = 0;
    for c in inner.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let pad = if inner.starts_with(['`', ' ']) || inner.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{inner}{pad}{fence}")
}

/// How many columns of a terminal the text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text, cut to `columns` with an ellipsis when it is wider.
pub fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut taken = 0;
    for c in text.chars() {
        let w = c.width().unwrap_or(0);
        if taken + w + 1 > columns {
            break;
        }
        taken += w;
        out.push(c);
    }
    if columns > 0 {
        out.push('…');
    }
    Cow::Owned(out)
}

/// The text in lines of at most `columns`, broken at blanks, else after what parts a path, else
/// anywhere: nothing is lost.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    let mut rest = text;
    while width(rest) > columns {
        let mut taken = 0;
        let mut fits = 0;
        let mut good = None;
        for (at, c) in rest.char_indices() {
            taken += c.width().unwrap_or(0);
            let end = at + c.len_utf8();
            // A blank may hang over the edge: it goes.
            if c == ' ' && taken <= columns + 1 {
                good = Some(end);
            }
            if taken > columns {
                break;
            }
            if matches!(c, '/' | ',' | ':' | '-' | '_') && good.is_none_or(|g| end > g) {
                good = Some(end);
            }
            fits = end;
        }
        // A break that leaves most of the line empty is worse than one within a word.
        let far = good.filter(|g| width(rest.get(..*g).unwrap_or_default()) * 3 >= columns);
        let end = far.unwrap_or(fits);
        let end =
            if end == 0 { rest.chars().next().map_or(rest.len(), char::len_utf8) } else { end };
        let (line, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        lines.push(line.trim_end().to_owned());
        rest = after.trim_start();
    }
    if !rest.is_empty() || lines.is_empty() {
        lines.push(rest.to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_spelled_out() {
        assert_eq!(terminal("r1"), "r1");
        assert_eq!(terminal("a\u{1b}[2Jb\n\u{202e}c"), "a\\u{1b}[2Jb\\n\\u{202e}c");
        assert_eq!(terminal("\u{9b}31m"), "\\u{9b}31m");
    }

    #[test]
    fn markup_is_inert() {
        assert_eq!(markdown("split_brain 3.1 %"), "split_brain 3.1 %");
        assert_eq!(markdown("agent://vendor-b/x"), "`agent://vendor-b/x`");
        assert_eq!(markdown("a|b"), "`a\\|b`");
        assert_eq!(markdown("<img src=x>"), "`<img src=x>`");
        assert_eq!(markdown("`x`"), "`` `x` ``");
        assert_eq!(markdown("- item"), "`- item`");
        assert_eq!(markdown("www.example.com"), "`www.example.com`");
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(width("日本"), 4);
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("abcd", 4), "abcd");
    }

    #[test]
    fn long_texts_break_where_they_may() {
        assert_eq!(wrap("the card was old", 8), ["the card", "was old"]);
        assert_eq!(wrap("samples/har/a.har:12", 12), ["samples/har/", "a.har:12"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("日本語", 3), ["日", "本", "語"]);
        assert_eq!(wrap("日", 1), ["日"]);
        assert_eq!(wrap("", 5), [""]);
    }
}
