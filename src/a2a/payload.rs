//! The payload of an artifact, and whether a stated digest fits it (model §6).

use std::borrow::Cow;

use super::digest::{self, Digest, Sha};
use super::json::scalar;
use super::object::part::unwrapped;

/// What an artifact, or a chunk of one, carried.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payload<'a> {
    /// The text parts, joined.
    pub text: Option<Cow<'a, str>>,
    /// JSON text of the data part.
    pub data: Option<Cow<'a, str>>,
    /// Base64 of the file part.
    pub file: Option<Cow<'a, str>>,
    /// Number of data parts.
    pub data_parts: u32,
    /// Number of file parts with their bytes.
    pub file_parts: u32,
    /// A file was given by URL: its bytes were not recorded.
    pub by_url: bool,
}

/// What comparing a payload with a digest gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DigestCheck {
    /// A form of the payload has this digest.
    Match,
    /// None has.
    Mismatch,
    /// The algorithm or the payload is not known.
    Unchecked,
}

impl<'a> Payload<'a> {
    /// The payload of a record that is not in A2A form: a JSON value, or a string of text.
    pub fn of_json(json: &'a str) -> Self {
        if json.starts_with('"') {
            return Self { text: scalar(json), ..Self::default() };
        }
        Self { data: Some(Cow::Borrowed(json)), data_parts: 1, ..Self::default() }
    }

    /// The payload of a record that gives its bytes in base64.
    pub fn of_base64(base64: &'a str) -> Self {
        Self { file: Some(Cow::Borrowed(base64)), file_parts: 1, ..Self::default() }
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it cannot be told which bytes were digested: several data parts or files, or a file by
    /// URL.
    pub fn is_unknown(&self) -> bool {
        self.is_empty() || self.by_url || self.data_parts > 1 || self.file_parts > 1
    }

    /// Adds a text part.
    pub fn push_text(&mut self, text: Cow<'a, str>) {
        match &mut self.text {
            Some(joined) => joined.to_mut().push_str(&text),
            None => self.text = Some(text),
        }
    }

    /// Adds a data part.
    pub fn push_data(&mut self, json: &'a str) {
        self.data_parts = self.data_parts.saturating_add(1);
        self.data.get_or_insert(Cow::Borrowed(json));
    }

    /// Adds a file part with its bytes.
    pub fn push_file(&mut self, base64: Cow<'a, str>) {
        self.file_parts = self.file_parts.saturating_add(1);
        self.file.get_or_insert(base64);
    }

    /// Adds what a later chunk of the same artifact carried.
    pub fn append(&mut self, later: Payload<'a>) {
        if let Some(text) = later.text {
            self.push_text(text);
        }
        self.data = self.data.take().or(later.data);
        self.file = self.file.take().or(later.file);
        self.data_parts = self.data_parts.saturating_add(later.data_parts);
        self.file_parts = self.file_parts.saturating_add(later.file_parts);
        self.by_url |= later.by_url;
    }

    /// The same, owning its texts.
    pub fn into_owned(self) -> Payload<'static> {
        let owned = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        Payload {
            text: owned(self.text),
            data: owned(self.data),
            file: owned(self.file),
            data_parts: self.data_parts,
            file_parts: self.file_parts,
            by_url: self.by_url,
        }
    }

    /// The SHA-256 of each form in which the payload may have been digested: of JSON its RFC 8785
    /// form, of text its bytes (and its RFC 8785 form when it is JSON), of a file its bytes. Empty
    /// when the payload is unknown.
    pub fn sha256_forms(&self) -> Vec<Sha> {
        if self.is_unknown() {
            return Vec::new();
        }
        let mut forms = Vec::new();
        if let Some(text) = &self.text {
            forms.push(digest::sha256(text.as_bytes()));
            forms.extend(digest::canonical_sha256(text));
        }
        if let Some(json) = &self.data {
            forms.extend(digest::canonical_sha256(json));
            forms.extend(unwrapped(json).and_then(digest::canonical_sha256));
        }
        if let Some(base64) = &self.file {
            forms.extend(digest::from_base64(base64).map(|bytes| digest::sha256(&bytes)));
        }
        forms
    }

    /// Compares the whole payload with a stated digest; any form being equal is a match.
    pub fn check(&self, stated: &Digest) -> DigestCheck {
        let wanted = match stated {
            Digest::UnknownAlgorithm => return DigestCheck::Unchecked,
            Digest::Malformed => None,
            Digest::Sha256(sha) => Some(sha),
        };
        let forms = self.sha256_forms();
        match wanted {
            _ if forms.is_empty() => DigestCheck::Unchecked,
            Some(sha) if forms.contains(sha) => DigestCheck::Match,
            _ => DigestCheck::Mismatch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(payload: &Payload<'_>, digest: &str) -> DigestCheck {
        payload.check(&Digest::parse(digest).unwrap())
    }

    #[test]
    fn json_and_text_as_the_cases_have_them() {
        // The case `digest_more`, d to f.
        let object = Payload::of_json("{\"\u{fb33}\":1,\"😀\":1e+21,\"b\":1.0,\"a\":\"€\"}");
        let stated = "sha-256=:PY6aDiDkhwpMoc+U5hugaijRi/gr6Dk93WGES95lL7M=:";
        assert_eq!(check(&object, stated), DigestCheck::Match);
        let text = Payload::of_json(r#""{\"b\": 1.0, \"a\": 2}""#);
        let canonical = "sha256:d3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415c76af7a772";
        let bytes = "464c2bbc3adc6c6775af18987687c81240217d55d5726766f2132be5bd19a938";
        assert_eq!(check(&text, canonical), DigestCheck::Match);
        assert_eq!(check(&text, bytes), DigestCheck::Match);
        assert_eq!(check(&text, &"0".repeat(64)), DigestCheck::Mismatch);
        assert_eq!(check(&text, "sha512:00"), DigestCheck::Unchecked);
        assert_eq!(check(&text, "sha256:00"), DigestCheck::Mismatch);
    }

    #[test]
    fn chunks_of_text_are_joined() {
        let mut payload = Payload::of_json("\"hel\"");
        payload.append(Payload::of_json("\"lo\"").into_owned());
        let hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
        assert_eq!(check(&payload, hello), DigestCheck::Match);
        let file = Payload::of_base64("aGVsbG8=");
        assert_eq!(check(&file, hello), DigestCheck::Match);
    }

    #[test]
    fn what_cannot_be_told() {
        let mut twice = Payload::of_json("{}");
        twice.append(Payload::of_json("{}"));
        assert!(twice.is_unknown());
        let by_url = Payload { by_url: true, ..Payload::of_json("\"x\"") };
        assert_eq!(check(&by_url, &"0".repeat(64)), DigestCheck::Unchecked);
        assert!(Payload::default().is_unknown());
        assert_eq!(check(&Payload::of_base64("!"), &"0".repeat(64)), DigestCheck::Unchecked);
    }
}
