//! Secrets are replaced before anything is written.
//!
//! Knows events, but no file and no table. What is replaced becomes `[redacted]`; with a key (a store
//! has one) a short keyed hash stays, so that equal secrets can be told to be equal and nothing else:
//! `[redacted:9f86d081884c7d65]`.
//!
//! What counts as a secret: values of the headers in [`names`], credentials that their own shape or
//! the words before them give away ([`text`](self::text)), user info and token parameters of URLs, and
//! members of JSON objects with such names. Hashes, contracts and digests are computed from the
//! original bytes before they come here.

mod clean;
mod event;
mod json;
pub mod names;
mod text;
mod url;

pub use clean::CleanTexts;

use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt;

/// Replaces secrets.
#[derive(Clone, Default)]
pub struct Redactor {
    key: Option<[u8; 32]>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").field("keyed", &self.key.is_some()).finish()
    }
}

impl Redactor {
    /// Leaves a hash under this key in place of each secret.
    pub fn with_key(key: [u8; 32]) -> Self {
        Self { key: Some(key) }
    }

    /// Text for people, or an identifier, without secrets; borrowed when there were none.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        text::redact(self, text)
    }

    /// A URL without user info, and without the values of parameters that are secrets.
    pub fn url<'t>(&self, url: &'t str) -> Cow<'t, str> {
        url::redact(self, url)
    }

    /// The value of a header: whole when its name says that it is a secret.
    pub fn header<'t>(&self, name: &str, value: &'t str) -> Cow<'t, str> {
        if names::is_secret_header(name) && !value.is_empty() && !is_redacted(value) {
            return Cow::Owned(self.mark(value));
        }
        self.text(value)
    }

    /// JSON text without secrets: members whose names give them away, and strings that hold some.
    /// What is no JSON is taken as text. Nothing else changes, not even white space.
    pub fn json<'t>(&self, json: &'t str) -> Cow<'t, str> {
        json::redact(self, json)
    }

    /// The body of a card as it may be stored, and whether something in it was replaced.
    pub fn card_body(&self, body: &[u8]) -> (String, bool) {
        let text = String::from_utf8_lossy(body);
        match self.json(&text) {
            Cow::Borrowed(_) => (text.into_owned(), false),
            Cow::Owned(redacted) => (redacted, true),
        }
    }

    /// What stands in place of a secret.
    fn mark(&self, secret: &str) -> String {
        let Some(key) = &self.key else { return "[redacted]".to_owned() };
        let hash = hmac_sha256(key, secret.as_bytes());
        let mut mark = "[redacted:".to_owned();
        for byte in hash.iter().take(8) {
            for nibble in [byte >> 4, byte & 0xF] {
                mark.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
            }
        }
        mark.push(']');
        mark
    }
}

/// RFC 2104 with SHA-256.
fn hmac_sha256(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    // A key shorter than a block is padded with zeros.
    let keyed = |pad: u8| {
        let mut block = [pad; 64];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        Sha256::new().chain_update(block)
    };
    let inner = keyed(0x36).chain_update(message).finalize();
    keyed(0x5C).chain_update(inner).finalize().into()
}

/// Whether a value is such a mark already: redacting twice changes nothing.
fn is_redacted(value: &str) -> bool {
    mark_len(value) == Some(value.len())
}

/// How long the mark is that the text begins with.
fn mark_len(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("[redacted")?;
    let hash = rest.strip_prefix(':').map_or(0, |hash| {
        hash.bytes().take_while(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')).count() + 1
    });
    let closed = rest.get(hash..).is_some_and(|rest| rest.starts_with(']'));
    (closed && matches!(hash, 0 | 17)).then_some("[redacted]".len() + hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_tells_equal_secrets_only_under_one_key() {
        let (a, b) = (Redactor::with_key([1; 32]), Redactor::with_key([2; 32]));
        let mark =
            |redactor: &Redactor, secret: &str| redactor.header("Cookie", secret).into_owned();
        assert_eq!(mark(&a, "x=1"), mark(&a, "x=1"));
        assert_ne!(mark(&a, "x=1"), mark(&a, "x=2"));
        assert_ne!(mark(&a, "x=1"), mark(&b, "x=1"));
        assert_eq!(mark(&a, "x=1").len(), "[redacted:0123456789abcdef]".len());
        assert_eq!(mark(&Redactor::default(), "x=1"), "[redacted]");
        assert_eq!(mark(&a, &mark(&a, "x=1")), mark(&a, "x=1"));
    }

    #[test]
    fn the_hash_is_hmac_sha_256() {
        // RFC 4231, test case 1, under a key of 20 bytes padded with zeros, as HMAC itself pads it.
        let mut key = [0; 32];
        key[..20].fill(0x0B);
        assert_eq!(Redactor::with_key(key).mark("Hi There"), "[redacted:b0344c61d8db3853]");
    }
}
