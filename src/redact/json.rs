//! Secrets in JSON: strings under names that give them away, and in any other string.

use super::{Redactor, is_redacted, names};
use crate::ingest::scan::{End, Escapes, Visitor, scan};
use std::borrow::Cow;
use std::ops::Range;

/// The JSON text without its secrets; the rest byte for byte as it was.
pub(super) fn redact<'t>(redactor: &Redactor, json: &'t str) -> Cow<'t, str> {
    let mut search =
        Search { redactor, json, secret_depth: None, depth: 0, key: None, found: Vec::new() };
    let ended = scan(json.as_bytes(), 0, &mut search);
    let whole = matches!(ended, End::Complete(end) if json.get(end..).is_some_and(|rest| rest.trim().is_empty()));
    if !whole {
        return redactor.text(json);
    }
    if search.found.is_empty() {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let mut done = 0;
    for (range, replacement) in search.found {
        out.push_str(json.get(done..range.start).unwrap_or_default());
        out.push_str(&replacement);
        done = range.end;
    }
    out.push_str(json.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

struct Search<'s, 't> {
    redactor: &'s Redactor,
    json: &'t str,
    /// Brackets that are open.
    depth: u32,
    /// All strings below this depth are secrets: they stand in an object or array with such a name.
    secret_depth: Option<u32>,
    /// Whether the key that was just read names a secret.
    key: Option<bool>,
    found: Vec<(Range<usize>, String)>,
}

impl Visitor for Search<'_, '_> {
    fn open(&mut self, _at: usize, object: bool) {
        // An array of secrets is secret; an object of that name describes (`securitySchemes`).
        if self.key.take() == Some(true) && !object && self.secret_depth.is_none() {
            self.secret_depth = Some(self.depth);
        }
        self.depth += 1;
    }

    fn close(&mut self, _end: usize) {
        self.depth -= 1;
        if self.secret_depth == Some(self.depth) {
            self.secret_depth = None;
        }
    }

    fn string(&mut self, start: usize, end: usize, key: bool, _: Escapes) {
        let quoted = self.json.get(start..end).unwrap_or_default();
        let Ok(value) = serde_json::from_str::<Cow<'_, str>>(quoted) else { return };
        if key {
            self.key = Some(names::is_secret_member(&value));
            if let Cow::Owned(clean) = self.redactor.text(&value) {
                self.replace(start..end, &clean);
            }
            return;
        }
        let secret = self.key.take() == Some(true) || self.secret_depth.is_some();
        let clean = if secret && !value.is_empty() && !is_redacted(&value) {
            Cow::Owned(self.redactor.mark(&value))
        } else if value.contains("://") {
            self.redactor.url(&value)
        } else {
            self.redactor.text(&value)
        };
        if clean != value {
            self.replace(start..end, &clean);
        }
    }

    fn scalar(&mut self, start: usize, end: usize) {
        let secret = self.key.take() == Some(true) || self.secret_depth.is_some();
        let token = self.json.get(start..end).unwrap_or_default();
        // A PIN may be a number.
        if secret && token.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            let mark = self.redactor.mark(token);
            self.replace(start..end, &mark);
        }
    }
}

impl Search<'_, '_> {
    fn replace(&mut self, range: Range<usize>, clean: &str) {
        self.found.push((range, serde_json::Value::from(clean).to_string()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_strings() {
        for (json, expected) in [
            (r#"{"token": "abc", "x" : [1, "y"]}"#, r#"{"token": "[redacted]", "x" : [1, "y"]}"#),
            (
                r#"{"a":{"credentials":"p"},"authentication":{"schemes":["Bearer"]}}"#,
                r#"{"a":{"credentials":"[redacted]"},"authentication":{"schemes":["Bearer"]}}"#,
            ),
            (r#"{"\u0074oken":"abc"}"#, r#"{"\u0074oken":"[redacted]"}"#),
            (
                r#"{"cookies":["a=1",{"v":"b"}],"c":"d"}"#,
                r#"{"cookies":["[redacted]",{"v":"[redacted]"}],"c":"d"}"#,
            ),
            (r#"{"password":1234}"#, r#"{"password":"[redacted]"}"#),
            (r#"{"d":"use Bearer\u0020abc123def456"}"#, r#"{"d":"use Bearer [redacted]"}"#),
            (r#"{"url":"https://u:p@h/?key=1"}"#, r#"{"url":"https://h/?key=[redacted]"}"#),
            ("not json password=hunter2", "not json password=[redacted]"),
        ] {
            assert_eq!(Redactor::default().json(json), expected, "{json}");
            assert_eq!(Redactor::default().json(expected), expected, "twice");
        }
    }

    #[test]
    fn an_ordinary_card_stays_as_it_is() {
        let card = r#"{"name":"Summarizer","securitySchemes":{"token":{"type":"http","scheme":"bearer","bearerFormat":"JWT"},
            "apiKey":{"type":"apiKey","in":"header","name":"X-API-Key"},"oauth":{"flows":{"clientCredentials":
            {"tokenUrl":"https://h.example/token","scopes":{"read":"Read"}}}}},
            "signatures":[{"protected":"eyJhbGciOiJFUzI1NiJ9","signature":"abc"}],"security":[{"token":[]}]}"#;
        assert!(matches!(Redactor::default().json(card), Cow::Borrowed(_)));
        assert_eq!(Redactor::default().card_body(card.as_bytes()), (card.to_owned(), false));
    }
}
