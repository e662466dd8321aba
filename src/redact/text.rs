//! Secrets in free text: by their shape, or by the words before them.
//!
//! Most texts are identifiers without any; they cost a few vector instructions. When in doubt a value
//! is replaced, but never a word that people use (`token: expired` keeps its meaning).

use super::{Redactor, is_redacted, mark_len, names, url};
use memchr::memchr2_iter;
use std::borrow::Cow;
use std::ops::Range;

/// Shorter texts hold no secret that could be told.
const SHORTEST: usize = 8;

/// What secrets of well-known issuers begin with, and how many characters follow at least.
fn issuers(first: u8) -> &'static [(&'static str, usize)] {
    match first {
        b's' => &[("sk-", 16), ("sk_live_", 10), ("sk_test_", 10)],
        b'r' => &[("rk_live_", 10), ("rk_test_", 10)],
        b'g' => &[("ghp_", 20), ("gho_", 20), ("ghs_", 20), ("github_pat_", 20), ("glpat-", 16)],
        b'x' => &[("xoxb-", 10), ("xoxp-", 10), ("xapp-", 10)],
        b'A' => &[("AKIA", 16), ("ASIA", 16), ("AIza", 30)],
        b'y' => &[("ya29.", 16)],
        _ => &[],
    }
}

/// Bytes at which there is something to look for: [`secrets`] passes over the others.
const MARKS: [bool; 256] = {
    let mut marks = [false; 256];
    let bytes = b"=:%> y\"'/(&,\n\tB";
    let mut at = 0;
    while at < bytes.len() {
        #[expect(
            clippy::indexing_slicing,
            reason = "a constant: it is checked when it is compiled"
        )]
        {
            marks[bytes[at] as usize] = true;
        }
        at += 1;
    }
    marks
};

/// The text without its secrets.
pub(super) fn redact<'t>(redactor: &Redactor, text: &'t str) -> Cow<'t, str> {
    if text.len() < SHORTEST || is_clean(text) || is_redacted(text) {
        return Cow::Borrowed(text);
    }
    let found = secrets(text);
    if found.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(replaced(redactor, text, found)) }
}

/// Whether the text surely holds no secret. Identifiers and paths do not; they are what events are
/// made of.
#[expect(clippy::needless_bitwise_bool, reason = "no branch, so that it takes vectors of bytes")]
pub(super) fn is_clean(text: &str) -> bool {
    // Without a branch, so that it takes vectors of bytes. What is left are letters, digits, `-`, `.`,
    // `_`, `/`, `:` and the like, and no token of base64url can begin (`eyJ`, `eyA`) nor a key (`BEGIN`).
    let needs_a_look = text.bytes().fold(false, |found, b| {
        found
            | (b <= b',')
            | (b == b'=')
            | (b == b'<')
            | (b == b'?')
            | (b == b'@')
            | (b == b'A')
            | (b == b'B')
            | (b == b'J')
    });
    let mut found = Vec::new();
    if needs_a_look {
        return false;
    }
    issued(text, 0, &mut found);
    for place in memchr2_iter(b':', b'/', text.as_bytes()) {
        if text.as_bytes().get(place) == Some(&b':') {
            after_name(text, place, 1, &mut found);
        }
        issued(text, place + 1, &mut found);
    }
    found.is_empty()
}

/// The text with these parts replaced.
pub(super) fn replaced(redactor: &Redactor, text: &str, mut found: Vec<Range<usize>>) -> String {
    found.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for range in found {
        let start = range.start.max(done);
        let Some(secret) = text.get(start..range.end).filter(|secret| !secret.is_empty()) else {
            continue;
        };
        if is_redacted(secret) {
            continue;
        }
        out.push_str(text.get(done..start).unwrap_or_default());
        out.push_str(&redactor.mark(secret));
        done = range.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// Where the secrets are.
fn secrets(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    issued(text, 0, &mut found);
    let is_mark = |byte: &u8| MARKS.get(usize::from(*byte)).is_some_and(|mark| *mark);
    let marks = text.bytes().enumerate().filter(|(_, byte)| is_mark(byte));
    for (place, mark) in marks {
        match mark {
            b'y' => jwt(text, place, &mut found),
            b'B' => key(text, place, &mut found),
            b' ' => after_space(text, place, &mut found),
            b':' if text.get(place..).is_some_and(|rest| rest.starts_with("://")) => {
                found.extend(url::user_info(text, place + 3));
            }
            b':' | b'=' => after_name(text, place, 1, &mut found),
            // `=` in a URL within a URL.
            b'%' if text
                .get(place + 1..place + 3)
                .is_some_and(|code| code.eq_ignore_ascii_case("3d")) =>
            {
                after_name(text, place, 3, &mut found);
            }
            b'>' => found.extend(in_element(text, place)),
            b'/' => found.extend(relative_user_info(text, place)),
            _ => {}
        }
        if !mark.is_ascii_alphabetic() {
            issued(text, place + 1, &mut found);
        }
    }
    found
}

/// A secret of a well-known issuer at `start`.
fn issued(text: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let Some(first) = text.as_bytes().get(start) else { return };
    for (prefix, least) in issuers(*first) {
        if let Some(secret) = text.get(start..).and_then(|rest| rest.strip_prefix(prefix)) {
            let len = run(secret, |b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
            if len >= *least {
                found.push(start..start + prefix.len() + len);
            }
        }
    }
}

/// The user info of a URL without a scheme, `//user:password@host`, whose first slash is at `place`.
fn relative_user_info(text: &str, place: usize) -> Option<Range<usize>> {
    let before = place.checked_sub(1).and_then(|before| text.as_bytes().get(before));
    let begins = text.get(place..)?.starts_with("//") && !matches!(before, Some(b':' | b'/'));
    let range = url::user_info(text, place + 2).filter(|_| begins)?;
    text.get(range.clone())?.contains(':').then_some(range)
}

fn run(text: &str, belongs: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|b| belongs(*b)).count()
}

/// A JSON Web Token whose second letter is at `place`: base64url of `{"` (`eyJ`) or `{ ` (`eyA`), a
/// dot, and more of it. Two parts are enough: the second holds the claims.
fn jwt(text: &str, place: usize, found: &mut Vec<Range<usize>>) {
    let base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let Some(start) = place.checked_sub(1) else { return };
    let token = text.get(start..).unwrap_or_default();
    if !token.starts_with("eyJ") && !token.starts_with("eyA") {
        return;
    }
    let header = run(token, base64);
    let Some(claims) = token.get(header..).and_then(|rest| rest.strip_prefix('.')) else { return };
    if header >= 8 && run(claims, base64) >= 4 {
        let len = run(token, |b| base64(b) || b == b'.');
        found.push(start..start + len);
    }
}

/// A private key in PEM whose `BEGIN` is at `place`.
fn key(text: &str, place: usize, found: &mut Vec<Range<usize>>) {
    let Some(start) = place.checked_sub(5) else { return };
    let rest = text.get(start..).unwrap_or_default();
    let Some(title) = rest.strip_prefix("-----BEGIN ") else { return };
    if !title.split_once("-----").is_some_and(|(title, _)| title.contains("PRIVATE KEY")) {
        return;
    }
    let end = rest.find("-----END ").map_or(rest.len(), |end| {
        let after = rest.get(end + 9..).unwrap_or_default();
        end + 9 + after.find("-----").map_or(after.len(), |close| close + 5)
    });
    found.push(start..start + end);
}

/// `Bearer TOKEN` and the like: the space at `place` follows the scheme.
fn after_space(text: &str, place: usize, found: &mut Vec<Range<usize>>) {
    let before = text.get(..place).unwrap_or_default();
    let scheme =
        ["bearer", "basic", "apikey", "token", "digest", "negotiate"].into_iter().find(|scheme| {
            before.len() >= scheme.len()
                && before
                    .get(before.len() - scheme.len()..)
                    .is_some_and(|word| word.eq_ignore_ascii_case(scheme))
                && !before
                    .as_bytes()
                    .get(before.len().wrapping_sub(scheme.len() + 1))
                    .is_some_and(u8::is_ascii_alphanumeric)
        });
    if scheme.is_none() {
        return;
    }
    let rest = text.get(place + 1..).unwrap_or_default();
    let spaces = run(rest, |b| b == b' ');
    let token = rest.get(spaces..).unwrap_or_default();
    let len = run(token, |b| b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b));
    let start = place + 1 + spaces;
    let token = token.get(..len).unwrap_or_default().trim_end_matches('.');
    // `Token xyz` is also plain speech.
    let least = match scheme {
        Some("token" | "digest" | "negotiate") => 16,
        Some("basic") => 8,
        _ => 6,
    };
    if token.len() >= least && !is_word(token) {
        found.push(start..start + token.len());
    }
}

/// Whether it is a word that people use rather than a secret.
fn is_word(token: &str) -> bool {
    let lower = token.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(token);
    let letters = |text: &str| text.bytes().all(|b| b.is_ascii_lowercase());
    token.len() < 20
        && (letters(lower)
            || (token.contains(['-', '_', '/'])
                && token.split(['-', '_', '/']).all(|part| part.len() > 1 && letters(part))))
}

/// The text of an XML element, `<name>VALUE</name>`, whose start tag ends at `place`.
fn in_element(text: &str, place: usize) -> Option<Range<usize>> {
    // Not beyond the mark before this one, nor to the end for each: that would take the square of the text.
    let before = text.get(..place)?;
    let tag = before.get(before.rfind(['<', '>'])?..)?.strip_prefix('<')?;
    let name = tag.rsplit_once(':').map_or(tag, |(_, name)| name);
    names::is_secret_member(name).then_some(())?;
    let len = text.get(place + 1..)?.find('<')?;
    let value = text.get(place + 1..place + 1 + len)?;
    let is_secret = !value.trim().is_empty() && !is_redacted(value);
    is_secret.then_some(place + 1..place + 1 + len)
}

/// `name=VALUE`, `name: VALUE`, `"name":"VALUE"`: the mark at `place`, of that length, follows the name.
fn after_name(text: &str, place: usize, mark: usize, found: &mut Vec<Range<usize>>) {
    if text.get(place..).is_some_and(|rest| rest.starts_with("://")) {
        return;
    }
    let before = text.get(..place).unwrap_or_default();
    let before = before.trim_end_matches([' ', '"', '\'', '\\']);
    let name_len = before
        .bytes()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        .count();
    let name = before.get(before.len() - name_len..).unwrap_or_default();
    let is_parameter = text.as_bytes().get(place) != Some(&b':')
        && before.len() == place
        && matches!(
            before.as_bytes().get(before.len().wrapping_sub(name_len + 1)),
            Some(b'?' | b'&' | b';' | b'#')
        )
        && names::is_secret_parameter(name);
    if name.len() < 3 || !(is_parameter || names::is_secret_member(name)) {
        return;
    }
    let rest = text.get(place + mark..).unwrap_or_default();
    let opening = run(rest, |b| matches!(b, b' ' | b'"' | b'\'' | b'\\'));
    let value = rest.get(opening..).unwrap_or_default();
    let start = place + mark + opening;
    let header = name.to_ascii_lowercase();
    let whole_line = header.ends_with("cookie") || header.ends_with("authorization");
    if !whole_line && mark_len(value).is_some() {
        return;
    }
    // The parameters of this scheme are quoted each.
    let digest = value.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("digest "));
    let len = if whole_line && digest {
        value.bytes().position(|b| matches!(b, b'\r' | b'\n')).unwrap_or(value.len())
    } else if whole_line {
        value.bytes().position(|b| matches!(b, b'\r' | b'\n' | b'"' | b'\'')).unwrap_or(value.len())
    } else {
        let ends = |b: u8| {
            b.is_ascii_whitespace()
                || b"\"'\\,;&<>)]}".contains(&b)
                || (is_parameter && matches!(b, b'?' | b'#'))
        };
        value.bytes().position(ends).unwrap_or(value.len())
    };
    let value = value.get(..len).unwrap_or_default();
    let looks = if is_parameter { !value.is_empty() } else { value.len() >= 3 && !is_word(value) };
    if looks && !is_redacted(value) {
        found.push(start..start + value.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JWT: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9";

    fn told(text: &str) -> String {
        Redactor::default().text(text).into_owned()
    }

    #[test]
    fn secrets_are_replaced() {
        for (text, expected) in [
            (JWT.to_owned(), "[redacted]"),
            (format!("401 for {JWT}, again"), "401 for [redacted], again"),
            (format!("/cb/{JWT}?x=1"), "/cb/[redacted]?x=1"),
            ("Authorization: Bearer abc123def456".into(), "Authorization: [redacted]"),
            ("sent bearer Zm9vYmFy.0123 twice".into(), "sent bearer [redacted] twice"),
            ("Basic dXNlcjpwYXNzd29yZDEyMw== refused".into(), "Basic [redacted] refused"),
            ("x-api-key: k-1234567".into(), "x-api-key: [redacted]"),
            ("{\"token\":\"s3cr3t-push\",\"id\":1}".into(), "{\"token\":\"[redacted]\",\"id\":1}"),
            ("{\\\"token\\\":\\\"s3cr3t-push\\\"}".into(), "{\\\"token\\\":\\\"[redacted]\\\"}"),
            ("password=hunter2 user=x".into(), "password=[redacted] user=x"),
            (
                "GET https://me:pw@h.example/x?access_token=abc1&y=2".into(),
                "GET https://[redacted]@h.example/x?access_token=[redacted]&y=2",
            ),
            ("Set-Cookie: sid=1; Path=/\nnext".into(), "Set-Cookie: [redacted]\nnext"),
            ("key sk-abcdefghijklmnop1234 is wrong".into(), "key [redacted] is wrong"),
            ("ghp_abcdefghijklmnopqrst1".into(), "[redacted]"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- x".into(),
                "[redacted] x",
            ),
            ("clientSecret=ABCDEF".into(), "clientSecret=[redacted]"),
            (
                "Authorization: Digest username=\"u\", realm=\"r\", response=\"6629fae4\"".into(),
                "Authorization: [redacted]",
            ),
            (
                "GET https://h/?key=AB&page=2&X-Goog-Signature=0a1b&code=xyz failed".into(),
                "GET https://h/?key=[redacted]&page=2&X-Goog-Signature=[redacted]&code=[redacted] failed",
            ),
            ("see //u:pw@h.example/x".into(), "see //[redacted]@h.example/x"),
            (
                "/app;jsessionid=1A530637289A03B07199A44E8D531427?x=1".into(),
                "/app;jsessionid=[redacted]?x=1",
            ),
            ("x-functions-key: aB3dE6".into(), "x-functions-key: [redacted]"),
            ("next=%2Fx%3Ftoken%3DaB3dE6 given".into(), "next=%2Fx%3Ftoken%3D[redacted] given"),
            ("<a:token>aB3dE6</a:token>".into(), "<a:token>[redacted]</a:token>"),
            ("Basic dTpwdzEy refused".into(), "Basic [redacted] refused"),
        ] {
            assert_eq!(told(&text), expected, "{text}");
            assert_eq!(told(expected), expected, "twice");
        }
    }

    #[test]
    fn what_is_no_secret_stays_and_is_borrowed() {
        for text in [
            "agent://vendor-b/summarizer",
            "0123456789abcdef0123456789abcdef",
            "https://h.example:8443/a2a/v1?version=3",
            "token: expired",
            "Bearer authentication required",
            "invalid token: malformed",
            "task not found: t-1",
            "2026-11-14T08:00:00Z",
            "eyJ is how a token begins",
            "application/vnd.summarize+json;version=4",
            "Unexpected token < in JSON at position 0",
            "max_tokens=4096 exceeded",
            "pageToken=abc123",
            "error code=404, key=value",
            "Basic authentication",
            "<message>token is missing</message> <token></token> 100% of it",
            "https://h.example//a/b",
            "see //h.example/x and a@b.example",
            "",
        ] {
            assert!(
                matches!(Redactor::default().text(text), Cow::Borrowed(_)),
                "{text}: {}",
                told(text)
            );
        }
    }
}
