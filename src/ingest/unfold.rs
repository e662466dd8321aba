//! JSON values that do not stand one on a line each: the elements of an array, or values printed over
//! several lines. Readers of JSON lines read them all the same.
//!
//! Knows no format; looks at the beginning of a source only.

use super::scan::{Blind, End, scan};
use crate::formats::Framing;

/// The beginning of a source whose values do not stand one on a line each.
#[derive(Debug, PartialEq, Eq)]
pub struct Unfolded {
    /// Its values, each on a line; the last one may be cut.
    pub lines: Vec<u8>,
    /// How the source falls into records.
    pub framing: Framing,
}

/// Looks at the beginning. `None`: it begins with neither an array of objects nor an object over
/// several lines.
pub fn lines(head: &[u8]) -> Option<Unfolded> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let (framing, mut rest) = match head.split_first()? {
        (b'[', elements) => (Framing::JsonArray(&[]), elements.trim_ascii_start()),
        (b'{', rest) => {
            let line = rest.iter().position(|byte| *byte == b'\n').and_then(|at| rest.get(..at))?;
            if !line.trim_ascii().is_empty() {
                return None;
            }
            (Framing::JsonValues, head)
        }
        _ => return None,
    };
    let mut lines = Vec::new();
    while rest.first() == Some(&b'{') {
        let len = match scan(rest, 0, &mut Blind) {
            End::Complete(len) => len,
            End::Cut => rest.len(),
            End::Broken(_) | End::TooDeep(_) => break,
        };
        let (value, after) = rest.split_at_checked(len)?;
        // Line feeds stand between the tokens of JSON only.
        lines.extend(
            value.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }),
        );
        lines.push(b'\n');
        let after = after.trim_ascii_start();
        rest = after.strip_prefix(b",").unwrap_or(after).trim_ascii_start();
    }
    (!lines.is_empty()).then_some(Unfolded { lines, framing })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &str) -> Option<(String, Framing)> {
        let unfolded = lines(head.as_bytes())?;
        Some((String::from_utf8(unfolded.lines).unwrap(), unfolded.framing))
    }

    #[test]
    fn arrays_and_values_over_several_lines() {
        let array = Framing::JsonArray(&[]);
        for (head, wanted, framing) in [
            ("[{\"a\":1},{\"b\":2}]", "{\"a\":1}\n{\"b\":2}\n", array),
            (" [\n {\"a\":\n1},\n{\"b\":[", "{\"a\": 1}\n{\"b\":[\n", array),
            ("{\n\"a\":1\n}\n{\n\"b\":2}\n", "{ \"a\":1 }\n{ \"b\":2}\n", Framing::JsonValues),
            ("\u{feff}{\r\n\"a\":\"b", "{  \"a\":\"b\n", Framing::JsonValues),
        ] {
            assert_eq!(of(head), Some((wanted.to_owned(), framing)), "{head}");
        }
    }

    #[test]
    fn all_else_is_left_alone() {
        for head in [
            "",
            "{\"a\":1}\n{\"b\":2}\n",
            "{\"a\":\n1}",
            "[2026-11-14T08:00:00.000Z] \"GET / HTTP/1.1\" 200",
            "[1,2]",
            "[]",
            "{",
            "text",
        ] {
            assert_eq!(of(head), None, "{head}");
        }
    }
}
