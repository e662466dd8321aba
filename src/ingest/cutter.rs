//! The thread that finds, opens and cuts sources, and hands their chunks to the others.

use super::IngestOptions;
use super::array::ArrayScanner;
use super::before::Before;
use super::chunk::Chunk;
use super::discover::{Origin, Source as Found, discover};
use super::open::{Failed, open};
use super::source::{Counts, SourceFacts, SourceReader};
use super::worker::Source;
use crate::formats::{self, Context, Format, Framing};
use crate::problem::{At, Kind, Problem};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

/// A chunk on its way to a thread.
pub struct Job {
    /// Its number among all chunks of all sources.
    pub ticket: u64,
    /// Where it is from.
    pub source: Arc<Source>,
    /// Who reads it.
    pub format: &'static dyn Format,
    /// Its records.
    pub chunk: Chunk,
}

/// A source that was read.
#[derive(Debug)]
pub struct ReadSource {
    /// Its name and number.
    pub source: Arc<Source>,
    /// Its reader's name.
    pub format: Option<&'static str>,
    /// What the reading told; its counts may be too low.
    pub facts: SourceFacts,
    /// What was counted when all chunks were looked through.
    pub counts: Arc<Counts>,
}

/// What is known when all is cut.
#[derive(Debug, Default)]
pub struct Cut {
    /// By their numbers.
    pub sources: Vec<ReadSource>,
    /// Sources that cannot be read at all.
    pub unreadable: Vec<(String, Problem)>,
    /// Other problems of whole sources.
    pub problems: Vec<(String, Problem)>,
    /// Sources that the store holds already, and the names they had.
    pub skipped: Vec<(String, String)>,
}

/// Finds, opens and cuts the sources.
pub struct Cutter<'c> {
    /// What sources may cost.
    pub options: &'c IngestOptions,
    /// What readers need to tell a format.
    pub context: &'c Context<'c>,
    /// The reader of every source, when it was named.
    pub forced: Option<&'static dyn Format>,
    /// What the store knew.
    pub before: &'c Before,
    /// What is known so far.
    pub cut: Cut,
}

/// Bytes of a source's file; 0 for a pipe, and for what cannot be looked at.
fn stored_bytes(source: &Found) -> u64 {
    match &source.origin {
        Origin::File(path) => std::fs::metadata(path).map_or(0, |metadata| metadata.len()),
        Origin::Stdin => 0,
    }
}

impl Cutter<'_> {
    /// Cuts all sources; returns early when nobody takes chunks any more.
    pub fn cut(&mut self, inputs: &[String], sender: &SyncSender<Job>) {
        let found = discover(inputs);
        self.cut.unreadable.extend(found.problems);
        let mut ticket = 0;
        let pace = self.options.limits.pace.clone();
        if let Some(pace) = &pace {
            pace.found(found.sources.len() as u64, found.sources.iter().map(stored_bytes).sum());
        }
        for source in &found.sources {
            if self.is_known(source) {
                if let Some(pace) = &pace {
                    pace.source_done();
                }
                continue;
            }
            for content in open(source, &self.options.limits) {
                match content {
                    Ok(reader) => self.source(reader, &mut ticket, sender),
                    Err(Failed { name, problem }) => self.cut.unreadable.push((name, problem)),
                }
            }
            if let Some(pace) = &pace {
                pace.source_done();
            }
        }
    }

    /// Whether the store holds all contents of a source; they are listed as skipped. A source is read
    /// for that only when one of its size is there.
    fn is_known(&mut self, source: &Found) -> bool {
        let Origin::File(path) = &source.origin else { return false };
        let size = std::fs::metadata(path).map(|metadata| metadata.len());
        if !size.is_ok_and(|size| size > 0 && self.before.sizes.contains(&size)) {
            return false;
        }
        let mut skipped = Vec::new();
        for content in open(source, &self.options.limits) {
            let Ok(reader) = content else { return false };
            let name = reader.name().to_owned();
            let Some(known_as) = self.before.sources.get(&reader.finish().sha256) else {
                return false;
            };
            skipped.push((name, known_as.clone()));
        }
        self.cut.skipped.extend(skipped);
        true
    }

    fn source(&mut self, mut reader: SourceReader, ticket: &mut u64, sender: &SyncSender<Job>) {
        let number = u32::try_from(self.cut.sources.len()).unwrap_or(u32::MAX);
        let source = Arc::new(Source { number, name: reader.name().to_owned() });
        let head = Head::of(reader.head());
        let format = match self.forced {
            Some(format) => Some(format),
            None => self.recognised(&source.name, &head),
        };
        let format = format.map(|format| (format, head.framing(format)));
        if let Some((format, framing)) = format {
            for chunk in reader.chunks(framing) {
                let job = Job { ticket: *ticket, source: Arc::clone(&source), format, chunk };
                if sender.send(job).is_err() {
                    break;
                }
                *ticket += 1;
            }
        }
        let (format, counts) = (format.map(|(format, _)| format.name()), reader.counts());
        self.cut.sources.push(ReadSource { source, format, facts: reader.finish(), counts });
    }

    /// The first reader that knows the source.
    fn recognised(&mut self, name: &str, head: &Head<'_>) -> Option<&'static dyn Format> {
        if head.bytes.is_empty() {
            return None;
        }
        if head.bytes.trim_ascii().is_empty() {
            // Blank lines are blank in every format.
            return Some(&formats::journal::Journal);
        }
        let mut why = Vec::new();
        let context = Context { source: (name != "-").then_some(name), ..*self.context };
        for format in formats::ALL {
            match format.recognises(head.seen_by(*format), &context) {
                Ok(()) => return Some(*format),
                Err(reason) => why.push(format!("{}: {reason}", format.name())),
            }
        }
        let problem = Problem::new(Kind::UnknownFormat, At::default(), why.join("; "));
        self.cut.problems.push((name.to_owned(), problem));
        None
    }
}

/// The beginning of a source. A JSON array of records is read like lines of them: programs that
/// export logs often write one.
struct Head<'h> {
    bytes: &'h [u8],
    /// Of an array of objects: the first of them as lines.
    elements: Option<Vec<u8>>,
}

impl<'h> Head<'h> {
    fn of(bytes: &'h [u8]) -> Self {
        let inside = bytes.trim_ascii_start().strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
        let of_objects = inside.is_some_and(|inside| inside.first() == Some(&b'{'));
        let elements = of_objects.then(|| {
            let mut scanner = ArrayScanner::new(&[], bytes.len(), 0, false);
            scanner.push(bytes);
            // What the end of the head cuts off may be all there is of the first element.
            scanner.finish();
            let (text, found) = scanner.take();
            let mut lines = Vec::with_capacity(text.len() + found.len());
            for element in found {
                let element = text.get(element.start..element.end).unwrap_or_default();
                lines.extend(element.iter().map(|b| if *b == b'\n' { b' ' } else { *b }));
                lines.push(b'\n');
            }
            lines
        });
        Self { bytes, elements }
    }

    fn seen_by(&self, format: &dyn Format) -> &[u8] {
        match &self.elements {
            Some(elements) if format.framing() == Framing::JsonLines => elements,
            _ => self.bytes,
        }
    }

    fn framing(&self, format: &dyn Format) -> Framing {
        match format.framing() {
            Framing::JsonLines if self.elements.is_some() => Framing::JsonArray(&[]),
            framing => framing,
        }
    }
}
