//! The thread that finds, opens and cuts sources, and hands their chunks to the others.

use super::IngestOptions;
use super::before::Before;
use super::chunk::Chunk;
use super::discover::{Origin, Source as Found, discover};
use super::open::{Failed, open};
use super::source::{Counts, SourceFacts, SourceReader};
use super::unfold::{self, Unfolded};
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

/// Whether a reader takes JSON values wherever they stand.
fn reads_values(format: &dyn Format) -> bool {
    matches!(format.framing(), Framing::JsonLines | Framing::JsonValues)
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
        let unfolded = unfold::lines(reader.head());
        let format = match self.forced {
            Some(format) => Some(format),
            None => self.recognised(&source.name, reader.head(), unfolded.as_ref()),
        };
        if let Some(format) = format {
            let framing = match &unfolded {
                Some(unfolded) if reads_values(format) => unfolded.framing,
                _ => format.framing(),
            };
            for chunk in reader.chunks(framing) {
                let job = Job { ticket: *ticket, source: Arc::clone(&source), format, chunk };
                if sender.send(job).is_err() {
                    break;
                }
                *ticket += 1;
            }
        }
        let (format, counts) = (format.map(Format::name), reader.counts());
        self.cut.sources.push(ReadSource { source, format, facts: reader.finish(), counts });
    }

    /// The first reader that knows the source. A reader of JSON lines is shown each value on a line.
    fn recognised(
        &mut self,
        name: &str,
        head: &[u8],
        unfolded: Option<&Unfolded>,
    ) -> Option<&'static dyn Format> {
        if head.is_empty() {
            return None;
        }
        if head.trim_ascii().is_empty() {
            // Blank lines are blank in every format.
            return Some(&formats::journal::Journal);
        }
        let mut why = Vec::new();
        let context = Context { source: (name != "-").then_some(name), ..*self.context };
        for format in formats::ALL {
            let seen = match unfolded {
                Some(unfolded) if reads_values(*format) => &unfolded.lines,
                _ => head,
            };
            match format.recognises(seen, &context) {
                Ok(()) => return Some(*format),
                Err(reason) => why.push(format!("{}: {reason}", format.name())),
            }
        }
        let problem = Problem::new(Kind::UnknownFormat, At::default(), why.join("; "));
        self.cut.problems.push((name.to_owned(), problem));
        None
    }
}
