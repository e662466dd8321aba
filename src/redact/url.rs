//! Secrets in URLs: user info, and parameters of the query or the fragment.

use super::{Redactor, is_redacted, names, text};
use std::borrow::Cow;
use std::ops::Range;

/// The URL without user info (which is dropped, so that the URL stays one) and with the values of
/// secret parameters replaced.
pub(super) fn redact<'t>(redactor: &Redactor, url: &'t str) -> Cow<'t, str> {
    if text::is_clean(url) {
        return Cow::Borrowed(url);
    }
    let bare = match url.find("://").and_then(|scheme| user_info(url, scheme + 3)) {
        Some(range) => {
            let before = url.get(..range.start).unwrap_or_default();
            // What follows the user info is its `@`.
            Cow::Owned(format!("{before}{}", url.get(range.end + 1..).unwrap_or_default()))
        }
        None => Cow::Borrowed(url),
    };
    let secrets = parameters(&bare);
    let bare = if secrets.is_empty() {
        bare
    } else {
        Cow::Owned(text::replaced(redactor, &bare, secrets))
    };
    match text::redact(redactor, &bare) {
        Cow::Owned(redacted) => Cow::Owned(redacted),
        Cow::Borrowed(_) => bare,
    }
}

/// The user info of the authority that begins at `start`, without its `@`.
pub(super) fn user_info(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let ends = |b: u8| {
        matches!(b, b'/' | b'?' | b'#' | b'"' | b'\\' | b'<' | b'>') || b.is_ascii_whitespace()
    };
    let len = rest.bytes().position(ends).unwrap_or(rest.len());
    let at = rest.get(..len)?.rfind('@')?;
    (at > 0 && !rest.get(..at).is_some_and(is_redacted)).then(|| start..start + at)
}

/// Values of secret parameters in the query and the fragment.
fn parameters(url: &str) -> Vec<Range<usize>> {
    let Some(begin) = url.find(['?', '#']) else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = begin + 1;
    for part in url.get(at..).unwrap_or_default().split(['&', ';', '#', '?']) {
        if let Some((name, value)) = part.split_once('=')
            && !value.is_empty()
            && !is_redacted(value)
            && names::is_secret_parameter(&decoded(name))
        {
            let start = at + name.len() + 1;
            found.push(start..start + value.len());
        }
        at += part.len() + 1;
    }
    found
}

/// A parameter's name with its percent signs resolved.
fn decoded(name: &str) -> Cow<'_, str> {
    if !name.contains('%') {
        return Cow::Borrowed(name);
    }
    let mut out = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let code = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(byte) = code.filter(u8::is_ascii) {
            out.push(char::from(byte));
            rest = after.get(2..).unwrap_or_default();
        } else {
            out.push('%');
            rest = after;
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_urls() {
        for (url, expected) in [
            ("https://h.example/a", "https://h.example/a"),
            ("https://me:pw@h.example:1/a", "https://h.example:1/a"),
            (
                "https://h/a?token=x&b=2&api%5Fkey=k#access_token=y",
                "https://h/a?token=[redacted]&b=2&api%5Fkey=[redacted]#access_token=[redacted]",
            ),
            ("https://h/a?sig=ab%2F&sv=1", "https://h/a?sig=[redacted]&sv=1"),
            ("https://h/cb/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "https://h/cb/[redacted]"),
            ("/v1/x?key=AB", "/v1/x?key=[redacted]"),
            (
                "https://h/acs?SAMLResponse=PHNh&RelayState=1",
                "https://h/acs?SAMLResponse=[redacted]&RelayState=1",
            ),
            ("agent://vendor-b/summarizer", "agent://vendor-b/summarizer"),
            ("https://h/mail?to=a@b.example", "https://h/mail?to=a@b.example"),
        ] {
            assert_eq!(Redactor::default().url(url), expected, "{url}");
            assert_eq!(Redactor::default().url(expected), expected, "twice");
        }
    }
}
