//! Lines of a container's log as runtimes of the Container Runtime Interface (CRI) write them:
//! `2026-11-14T08:00:00.123456789Z stdout F {...}`. A line of the application that is longer than the
//! runtime's buffer (16 KiB, mostly) is cut: all pieces but the last are tagged `P` for partial, the last
//! is tagged `F` for full, and each has a time and a stream of its own.

use std::borrow::Cow;

/// A line of a container's log, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Time, stream and tag, with the blank after them.
    pub prefix: &'a [u8],
    /// `stdout` or `stderr`.
    pub stream: &'a [u8],
    /// What the application wrote, or a piece of it.
    pub content: &'a [u8],
    /// The next line of the stream goes on with it.
    pub is_partial: bool,
}

impl<'a> Line<'a> {
    /// Takes a line apart; `None`: no runtime wrote it.
    pub fn of(line: &'a [u8]) -> Option<Self> {
        // Most other lines end here: `2026-11-14T`.
        if line.get(10) != Some(&b'T') {
            return None;
        }
        let (time, rest) = word(line)?;
        let (stream, rest) = word(rest)?;
        let (tags, content) = word(rest)?;
        let is_time = time.len() >= "2026-11-14T08:00:00Z".len() && time.is_ascii();
        // More tags may follow the first.
        let tag = tags.split(|byte| *byte == b':').next()?;
        if !is_time || !matches!(stream, b"stdout" | b"stderr") || !matches!(tag, b"P" | b"F") {
            return None;
        }
        let prefix = line.get(..line.len() - content.len())?;
        Some(Self { prefix, stream, content, is_partial: tag == b"P" })
    }
}

/// Up to the first blank, and after it.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b' ', text.get(..text.len().min(64))?)?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

/// What a line that was cut has become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Run<'a> {
    /// It was not cut, or only its first piece is there.
    None,
    /// More text is needed to tell.
    Open,
    /// Its pieces up to the last, or up to where none goes on with them; and how long they are, without
    /// the end of the last line.
    Whole(Vec<Line<'a>>, usize),
}

impl<'a> Run<'a> {
    /// Of the line that begins here; `ends`: nothing follows the text.
    pub fn of(text: &'a [u8], ends: bool) -> Self {
        let mut pieces: Vec<Line<'a>> = Vec::new();
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let end = memchr::memchr(b'\n', rest);
            if end.is_none() && !ends {
                return Self::Open;
            }
            let len = end.unwrap_or(rest.len());
            let line = rest.get(..len).unwrap_or_default();
            let line = Line::of(line.strip_suffix(b"\r").unwrap_or(line));
            let of_first = |line: &Line<'_>| pieces.first().is_none_or(|p| p.stream == line.stream);
            // What goes on no further is one line all the same, whose end is lost: to look at each of its
            // pieces for what follows would take the square of their number.
            let Some(line) = line.filter(of_first) else { return Self::up_to(pieces, at) };
            let is_partial = line.is_partial;
            pieces.push(line);
            if !is_partial {
                return Self::up_to(pieces, at + len + 1);
            }
            at += len + 1;
        }
        if ends { Self::up_to(pieces, at) } else { Self::Open }
    }

    /// The pieces of a line, after which the next line begins at `next`.
    fn up_to(pieces: Vec<Line<'a>>, next: usize) -> Self {
        if pieces.len() > 1 { Self::Whole(pieces, next - 1) } else { Self::None }
    }
}

/// The text with each line of the application in one line again, after the prefix of its first piece.
/// A single piece that the next line does not go on with stays as it is.
pub fn joined(text: &[u8]) -> Cow<'_, [u8]> {
    let mut joined: Option<Vec<u8>> = None;
    let (mut done, mut at) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Run::Whole(pieces, len) = Run::of(rest, true) else {
            at += memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            continue;
        };
        let out = joined.get_or_insert_with(|| Vec::with_capacity(text.len()));
        out.extend_from_slice(text.get(done..at).unwrap_or_default());
        out.extend_from_slice(pieces.first().map_or(&[], |first| first.prefix));
        for piece in pieces {
            out.extend_from_slice(piece.content);
        }
        at += len;
        done = at;
    }
    let Some(mut joined) = joined else { return Cow::Borrowed(text) };
    joined.extend_from_slice(text.get(done..).unwrap_or_default());
    Cow::Owned(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: &str = "2026-11-14T08:00:00.123456789Z";

    fn told(text: &str) -> String {
        String::from_utf8(joined(text.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn pieces_become_one_line() {
        assert_eq!(
            told(&format!(
                "{T} stdout P {{\"a\":\n{T} stdout P  \"b\n{T} stdout F c\"}}\n{T} stderr F x\n"
            )),
            format!("{T} stdout P {{\"a\": \"bc\"}}\n{T} stderr F x\n")
        );
        assert_eq!(
            told(&format!("{T} stdout P a\n{T} stdout P b\nx\n{T} stdout P a\n{T} stdout P b")),
            format!("{T} stdout P ab\nx\n{T} stdout P ab"),
            "its end is lost"
        );
        assert_eq!(
            told(&format!("{T} stderr P:t a\r\n{T} stderr F:t b")),
            format!("{T} stderr P:t ab")
        );
    }

    #[test]
    fn what_does_not_belong_together_stays() {
        for text in [
            "2026-11-14 INFO {}\n".to_owned(),
            format!("{T} stdout F a\n{T} stdout F b\n"),
            format!("{T} stdout P a\n{T} stderr F b\n"),
            format!("{T} stdout P a\nb\n"),
            format!("{T} stdout P a\n"),
            format!("{T} stdout P a"),
            format!("{T} stdout X a\n{T} stdin P b\n"),
            String::new(),
        ] {
            assert_eq!(told(&text), text);
        }
    }

    #[test]
    fn a_line_taken_apart() {
        let line = format!("{T} stdout P:x {{}} ");
        let line = Line::of(line.as_bytes()).unwrap();
        assert_eq!(
            (line.stream, line.content, line.is_partial),
            (&b"stdout"[..], &b"{} "[..], true)
        );
        assert_eq!(line.prefix.len(), T.len() + " stdout P:x ".len());
    }
}
