//! Server-sent events: a recorded stream taken apart (WHATWG HTML §9.2).

use std::borrow::Cow;

use super::json::without_bom;

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// Where its first line begins in the body, in bytes.
    pub offset: usize,
    /// The `event:` name, when stated.
    pub name: Option<&'a str>,
    /// The `id:`, when stated.
    pub id: Option<&'a str>,
    /// The `data:` lines, joined with line feeds.
    pub data: Cow<'a, str>,
    /// A blank line ended it. A browser drops an event without one; in a recording it is the last
    /// thing that arrived before the stream broke, and worth keeping.
    pub complete: bool,
}

/// The events of a body that have data, in order. Comments and `retry:` are skipped; lines end in
/// CR, LF or CRLF.
pub fn events(body: &str) -> Events<'_> {
    let rest = without_bom(body);
    Events { rest, offset: body.len() - rest.len() }
}

/// Whether a body looks like an event stream: its first line that says something is a field.
pub fn looks_like_stream(body: &str) -> bool {
    let first = without_bom(body).trim_start_matches(['\r', '\n']);
    ["data:", "event:", "id:", "retry:", ":"].iter().any(|field| first.starts_with(field))
}

/// The iterator behind [`events`].
#[derive(Debug, Clone)]
pub struct Events<'a> {
    rest: &'a str,
    offset: usize,
}

impl<'a> Events<'a> {
    /// Takes the next line, without its end.
    fn line(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.find(['\r', '\n']).unwrap_or(self.rest.len());
        let (line, tail) = self.rest.split_at_checked(end)?;
        let after = tail
            .strip_prefix("\r\n")
            .or_else(|| tail.strip_prefix(['\r', '\n']))
            .unwrap_or_default();
        self.offset += self.rest.len() - after.len();
        self.rest = after;
        Some(line)
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = SseEvent<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let (mut offset, mut name, mut id) = (None, None, None);
        let mut data: Option<Cow<'a, str>> = None;
        let mut complete = false;
        loop {
            let start = self.offset;
            let Some(line) = self.line() else { break };
            if line.is_empty() {
                if data.is_some() {
                    complete = true;
                    break;
                }
                (offset, name, id) = (None, None, None);
                continue;
            }
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "data" => match &mut data {
                    Some(joined) => {
                        joined.to_mut().push('\n');
                        joined.to_mut().push_str(value);
                    }
                    None => data = Some(Cow::Borrowed(value)),
                },
                "event" => name = Some(value),
                "id" => id = Some(value),
                _ => continue,
            }
            offset.get_or_insert(start);
        }
        Some(SseEvent { offset: offset?, name, id, data: data?, complete })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(body: &str) -> Vec<(String, bool)> {
        events(body).map(|event| (event.data.into_owned(), event.complete)).collect()
    }

    fn expect(body: &str, expected: &[(&str, bool)]) {
        let expected: Vec<_> = expected.iter().map(|(d, c)| ((*d).to_owned(), *c)).collect();
        assert_eq!(data(body), expected, "{body:?}");
    }

    #[test]
    fn line_ends_of_every_kind() {
        for end in ["\n", "\r", "\r\n"] {
            let body = ["data: a", "", "data:b", "", ""].join(end);
            expect(&body, &[("a", true), ("b", true)]);
        }
    }

    #[test]
    fn fields_comments_and_offsets() {
        let body = "\u{feff}: keep-alive\n\nid: 7\nevent: error\ndata: {\ndata:  }\nretry: 3\n\n\ndata\n\n";
        let found: Vec<_> = events(body).collect();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].id, found[0].name), (Some("7"), Some("error")));
        assert_eq!(found[0].data, "{\n }");
        assert!(body.split_at(found[0].offset).1.starts_with("id: 7"));
        assert_eq!(found[1].data, "");
        assert!(body.split_at(found[1].offset).1.starts_with("data\n"));
    }

    #[test]
    fn an_unfinished_event_is_kept_and_marked() {
        expect("data: a\n\ndata: {\"x", &[("a", true), ("{\"x", false)]);
        expect("data: a\n", &[("a", false)]);
        expect("event: ping\n\n", &[]);
        expect("", &[]);
        expect(": only\n", &[]);
    }

    #[test]
    fn an_event_without_data_leaves_nothing_behind() {
        let found: Vec<_> = events("event: ping\nid: 1\n\ndata: x\n\n").collect();
        assert_eq!((found[0].name, found[0].id), (None, None));
    }

    #[test]
    fn what_looks_like_a_stream() {
        assert!(looks_like_stream("\r\ndata: {}"));
        assert!(looks_like_stream(": ping\n"));
        assert!(!looks_like_stream("{\"data\":1}"));
        assert!(!looks_like_stream(""));
    }
}
