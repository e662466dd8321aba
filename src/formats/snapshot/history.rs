//! The stream that `git fast-export` writes of a repository of cards:
//!
//! ```text
//! git fast-export --no-data=false main -- agents/ > history.fast-export
//! ```
//!
//! Each version of each file that is a card is an observation at the time of its commit. Commit times
//! are those of editing, not of serving.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::a2a::card::Card;
use crate::config::mapping::TimeUnit;
use crate::event::CardSeen;
use crate::formats::{Context, Format, Framing, Sink, time};
use crate::problem::{At, Kind, Problem};

use super::{file_name, observe, registry_of};

/// The reader.
#[derive(Debug)]
pub struct History;

impl Format for History {
    fn name(&self) -> &'static str {
        "git-history"
    }

    fn summary(&self) -> &'static str {
        "the stream of `git fast-export`: each version of each card in a repository, at the time of its commit"
    }

    fn framing(&self) -> Framing {
        Framing::Whole
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        let begins =
            [b"blob\nmark :".as_slice(), b"reset refs/", b"feature done\n", b"commit refs/"];
        if begins.iter().any(|begin| head.starts_with(begin)) {
            Ok(())
        } else {
            Err("does not begin like the stream of git fast-export".to_owned())
        }
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let mut stream = Stream { rest: record, line: 0 };
        let mut blobs: BTreeMap<&[u8], &[u8]> = BTreeMap::new();
        let mut commit: Option<Result<i64, ()>> = None;
        let mut mark: Option<&[u8]> = None;
        let mut in_blob = false;
        let registry = registry_of(context.source);
        while let Some(line) = stream.line() {
            let here = At { line: stream.line, byte: at.byte };
            if line == b"blob" {
                in_blob = true;
                mark = None;
            } else if line.starts_with(b"commit ") {
                in_blob = false;
                commit = None;
            } else if let Some(name) = line.strip_prefix(b"mark ") {
                mark = Some(name);
            } else if let Some(length) = line.strip_prefix(b"data ") {
                let Some(data) = stream.data(length) else {
                    return sink.problem(Problem::new(
                        Kind::TruncatedRecord,
                        here,
                        "the stream is cut",
                    ));
                };
                if let Some(mark) = mark.filter(|_| in_blob) {
                    blobs.insert(mark, data);
                }
            } else if let Some(who) = line.strip_prefix(b"committer ") {
                commit = Some(committed(who).ok_or(()));
                if commit == Some(Err(())) {
                    sink.problem(
                        Problem::new(Kind::BadTime, here, "the committer's time")
                            .pointing("committer"),
                    );
                }
            } else if let Some(change) = line.strip_prefix(b"M ") {
                let Some((blob, path)) = changed(change) else { continue };
                let (Some(Ok(time)), Some(card)) = (commit, blobs.get(blob)) else { continue };
                let is_json = file_name(&path).to_ascii_lowercase().ends_with(".json");
                if !is_json {
                    continue;
                }
                if Card::parse(card).is_ok() {
                    observe(
                        time,
                        Cow::Borrowed(registry),
                        None,
                        CardSeen::Body(Cow::Borrowed(card)),
                        here,
                        sink,
                    );
                } else {
                    sink.problem(Problem::new(Kind::NotACard, here, "a version of a JSON file"));
                }
            }
        }
    }
}

/// What is left of the stream.
struct Stream<'a> {
    rest: &'a [u8],
    line: u64,
}

impl<'a> Stream<'a> {
    fn line(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest.get(1..).unwrap_or_default();
        self.line += 1;
        Some(line)
    }

    /// So many bytes; `None`: there are fewer.
    fn data(&mut self, length: &[u8]) -> Option<&'a [u8]> {
        let length: usize = std::str::from_utf8(length).ok()?.trim().parse().ok()?;
        let (data, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        self.line += memchr::memchr_iter(b'\n', data).count() as u64;
        Some(data)
    }
}

/// `Name <mail> 1700000000 +0000`
fn committed(who: &[u8]) -> Option<i64> {
    let text = String::from_utf8_lossy(who);
    let mut words = text.rsplit(' ');
    let (_zone, seconds) = (words.next()?, words.next()?);
    time::number(seconds, TimeUnit::Seconds).ok()
}

/// `100644 :12 agents/summarizer.json`: the blob's mark and the path.
fn changed(change: &[u8]) -> Option<(&[u8], String)> {
    let mut words = change.splitn(3, |b| *b == b' ');
    let (_mode, blob, path) = (words.next()?, words.next()?, words.next()?);
    let path = String::from_utf8_lossy(path);
    Some((blob, path.trim_matches('"').to_owned()))
}
