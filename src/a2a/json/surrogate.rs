//! Escapes that JSON allows and Rust strings cannot hold.

use std::borrow::Cow;

/// Replaces `\uD800`-like escapes that have no partner, which JSON allows and Rust strings cannot
/// hold.
pub fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let length = match (surrogate(escape), surrogate(escape.get(6..).unwrap_or(""))) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(_), _) => {
                out.push_str("\\ufffd");
                rest = escape.get(6..).unwrap_or("");
                continue;
            }
            // A backslash and what it escapes, so that `\\u` is not taken for an escape.
            (None, _) => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        out.push_str(escape.get(..length).unwrap_or(escape));
        rest = escape.get(length..).unwrap_or("");
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The code unit of a `\uXXXX` at the start, when it is a surrogate.
fn surrogate(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let unit = u32::from_str_radix(digits, 16).ok()?;
    (0xd800..=0xdfff).contains(&unit).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_ones_are_replaced() {
        for (text, expected) in [
            (r#""a""#, r#""a""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\uDE00\uD83D""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ud83d\n€\u00e9""#, r#""\ufffd\n€\u00e9""#),
            (r#""\ud8"#, r#""\ud8"#),
            ("\\ud83d\\", "\\ufffd\\"),
        ] {
            assert_eq!(without_lone_surrogates(text), expected, "{text}");
        }
    }
}
