//! Media types, as output modes and parts state them.
//!
//! Modes are free text in A2A (`text` is in use), and recorders cut or pad what they write, so a
//! strict MIME parser would refuse values that the model compares. Hence this small tolerant reader:
//! it never fails but on nothing.

use std::borrow::Cow;

/// A media type taken apart for the rules of model §8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaType<'a> {
    /// Lower case, without parameters and without a `.vN` suffix:
    /// `application/vnd.acme.report+json`.
    pub base: Cow<'a, str>,
    /// What the `version` parameter says, else the `N` of `.vN`; as stated, without quotes.
    pub version: Option<Cow<'a, str>>,
}

impl<'a> MediaType<'a> {
    /// Takes a media type or any other mode apart; `None` for one without a base.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (essence, parameters) = text.split_once(';').unwrap_or((text, ""));
        let essence = lower(essence.trim());
        if essence.is_empty() {
            return None;
        }
        let stated = parameter(parameters, "version");
        let Some((start, end)) = version_suffix(&essence) else {
            return Some(Self { base: essence, version: stated });
        };
        let suffix = essence.get(start + 2..end).map(|digits| Cow::Owned(digits.to_owned()));
        let base = [essence.get(..start)?, essence.get(end..)?].concat();
        Some(Self { base: Cow::Owned(base), version: stated.or(suffix) })
    }
}

/// The base type of a media type ([`MediaType::base`]).
pub fn base(text: &str) -> Option<Cow<'_, str>> {
    MediaType::parse(text).map(|media| media.base)
}

/// The version that a media type states ([`MediaType::version`]).
pub fn version(text: &str) -> Option<Cow<'_, str>> {
    MediaType::parse(text)?.version
}

fn lower(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// Where `.vN` (or `.vN.M`) stands at the end of the subtype or before its `+suffix`.
fn version_suffix(essence: &str) -> Option<(usize, usize)> {
    let end = essence.rfind('+').unwrap_or(essence.len());
    let stem = essence.get(..end)?;
    let start = stem.rfind(".v")?;
    let digits = stem.get(start + 2..)?;
    digits
        .split('.')
        .all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()))
        .then_some((start, end))
}

/// The first parameter of that name that says something, its quotes and escapes resolved.
fn parameter<'a>(mut rest: &'a str, wanted: &str) -> Option<Cow<'a, str>> {
    while !rest.is_empty() {
        let (one, after) = split_outside_quotes(rest);
        rest = after;
        let Some((name, value)) = one.split_once('=') else { continue };
        if name.trim().eq_ignore_ascii_case(wanted) {
            let value = unquoted(value.trim());
            if !value.trim().is_empty() {
                return Some(value);
            }
        }
    }
    None
}

/// Splits at the first `;` that does not stand in a quoted string.
fn split_outside_quotes(text: &str) -> (&str, &str) {
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b';' if !quoted => {
                return (text.get(..at).unwrap_or(""), text.get(at + 1..).unwrap_or(""));
            }
            _ => {}
        }
    }
    (text, "")
}

fn unquoted(value: &str) -> Cow<'_, str> {
    let Some(inner) = value.strip_prefix('"') else { return Cow::Borrowed(value) };
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        out.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken_apart(text: &str) -> (String, Option<String>) {
        let media = MediaType::parse(text).unwrap();
        (media.base.into_owned(), media.version.map(Cow::into_owned))
    }

    fn expect(text: &str, base: &str, version: Option<&str>) {
        assert_eq!(taken_apart(text), (base.to_owned(), version.map(str::to_owned)), "{text}");
    }

    #[test]
    fn versions_in_parameters() {
        expect("application/vnd.x+json;version=3", "application/vnd.x+json", Some("3"));
        expect("Application/VND.x+JSON ; Version = \"3.1\"", "application/vnd.x+json", Some("3.1"));
        expect("a/b; charset=\"x;version=9\"; version=2;", "a/b", Some("2"));
        expect("a/b;version=\"\\3\"", "a/b", Some("3"));
        expect("a/b;version=", "a/b", None);
        expect("a/b;version", "a/b", None);
        expect("a/b;version=\"3", "a/b", Some("3"));
    }

    #[test]
    fn versions_in_suffixes() {
        expect(
            "application/vnd.acme.report.v2+json",
            "application/vnd.acme.report+json",
            Some("2"),
        );
        expect(
            "application/vnd.acme.report.V2.1+json",
            "application/vnd.acme.report+json",
            Some("2.1"),
        );
        expect("application/vnd.acme.report.v2", "application/vnd.acme.report", Some("2"));
        expect("application/vnd.acme.v2.report+json", "application/vnd.acme.v2.report+json", None);
        expect("application/vnd.acme.vendor+json", "application/vnd.acme.vendor+json", None);
    }

    #[test]
    fn a_parameter_comes_before_a_suffix() {
        expect("a/b.v2+json;version=3", "a/b+json", Some("3"));
        expect("a/b.v2+json;version=\"\"", "a/b+json", Some("2"));
    }

    #[test]
    fn what_is_no_media_type() {
        expect("text", "text", None);
        expect("*/*", "*/*", None);
        assert_eq!(MediaType::parse(" ;version=3"), None);
        assert_eq!(MediaType::parse(""), None);
    }
}
