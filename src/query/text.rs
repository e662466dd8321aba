//! SQL text: which relations it reads, and parameters put into it.

/// The words of `sql` outside strings, quoted names and comments, with their places.
fn words(sql: &str) -> Vec<(usize, &str)> {
    let bytes = sql.as_bytes();
    let mut found = Vec::new();
    let mut i = 0;
    while let Some(&byte) = bytes.get(i) {
        let next = bytes.get(i + 1).copied();
        match byte {
            b'\'' | b'"' => i = skip_quoted(bytes, i),
            b'-' if next == Some(b'-') => i = skip_to(bytes, i, b"\n"),
            b'/' if next == Some(b'*') => i = skip_to(bytes, i + 2, b"*/"),
            b'$' | b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                let end = (i + 1..bytes.len())
                    .find(|&j| {
                        !bytes.get(j).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
                    })
                    .unwrap_or(bytes.len());
                if let Some(word) = sql.get(i..end) {
                    found.push((i, word));
                }
                i = end;
            }
            _ => i += 1,
        }
    }
    found
}

fn skip_quoted(bytes: &[u8], start: usize) -> usize {
    let quote = bytes.get(start).copied();
    let mut i = start + 1;
    while let Some(&byte) = bytes.get(i) {
        if Some(byte) == quote {
            if bytes.get(i + 1).copied() == quote {
                i += 2;
                continue;
            }
            return i + 1;
        }
        i += 1;
    }
    bytes.len()
}

fn skip_to(bytes: &[u8], start: usize, end: &[u8]) -> usize {
    bytes
        .get(start..)
        .and_then(|rest| rest.windows(end.len()).position(|w| w == end))
        .map_or(bytes.len(), |at| start + at + end.len())
}

/// The words of `sql` that follow `FROM` or `JOIN`, without doubles, in the order of their first use.
pub(super) fn relations(sql: &str) -> Vec<&str> {
    let mut seen = Vec::new();
    let mut before = "";
    for (_, word) in words(sql) {
        let reads = before.eq_ignore_ascii_case("from") || before.eq_ignore_ascii_case("join");
        if reads && !seen.contains(&word) {
            seen.push(word);
        }
        before = word;
    }
    seen
}

/// All words of `sql` that could name a relation: of text whose style is not ours.
pub(super) fn names(sql: &str) -> Vec<&str> {
    let mut seen = Vec::new();
    for (_, word) in words(sql) {
        if !word.starts_with('$') && !seen.contains(&word) {
            seen.push(word);
        }
    }
    seen
}

/// The names of the parameters in `sql`, without doubles.
pub(super) fn parameters(sql: &str) -> Vec<&str> {
    let mut seen = Vec::new();
    for (_, word) in words(sql) {
        if let Some(name) = word.strip_prefix('$').filter(|name| !seen.contains(name)) {
            seen.push(name);
        }
    }
    seen
}

/// Puts the literal of each `$name` in its place.
///
/// # Errors
/// The name of a parameter that `literal` does not know.
pub(super) fn bind(
    sql: &str,
    mut literal: impl FnMut(&str) -> Option<String>,
) -> Result<String, String> {
    let mut bound = String::with_capacity(sql.len());
    let mut copied = 0;
    for (at, word) in words(sql) {
        let Some(name) = word.strip_prefix('$') else { continue };
        let value = literal(name).ok_or_else(|| name.to_owned())?;
        bound.push_str(sql.get(copied..at).unwrap_or_default());
        bound.push_str(&value);
        copied = at + word.len();
    }
    bound.push_str(sql.get(copied..).unwrap_or_default());
    Ok(bound)
}

/// A text as a SQL literal.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_bound_outside_strings_and_comments_only() {
        let bound = bind("SELECT '$a', $a -- $a\n, \"$a\" /* $a */", |_| Some("1".to_owned()));
        assert_eq!(bound.unwrap(), "SELECT '$a', 1 -- $a\n, \"$a\" /* $a */");
        assert_eq!(bind("SELECT $b", |_| None), Err("b".to_owned()));
    }

    #[test]
    fn a_quote_in_a_text_ends_nothing() {
        assert_eq!(quoted("o'x"), "'o''x'");
        assert_eq!(names("SELECT 'it''s FROM x' FROM y"), ["SELECT", "FROM", "y"]);
    }
}
