//! Reads recordings with the readers and joins what they saw, so that tests can look at the events.

use carddrift::config::Config;
use carddrift::event::Event;
use carddrift::exchange::Exchange;
use carddrift::exchange::join::Joiner;
use carddrift::formats::{Context, Format, Sink};
use carddrift::problem::{At, Problem};
use std::io::Read as _;
use std::path::Path;

/// Events and problems of some sources.
#[derive(Debug, Default)]
pub struct Recorded {
    pub events: Vec<Event<'static>>,
    pub problems: Vec<Problem>,
    /// What the readers saw, before it was joined.
    pub sightings: usize,
}

struct Collect<'j> {
    source: &'j str,
    joiner: &'j Joiner,
    problems: Vec<Problem>,
    /// Events of journals and bare cards, as text: they do not live long enough to be kept.
    events: Vec<String>,
}

impl Sink for Collect<'_> {
    fn event(&mut self, _: At, event: Event<'_>) {
        self.events.push(format!("{event:?}"));
    }

    fn exchange(&mut self, exchange: Exchange<'_>) {
        self.joiner.add(self.source, &exchange).unwrap();
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}

/// A file of the package.
pub fn file(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// A gzip file of the package.
pub fn gunzipped(path: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(file(path).as_slice()).read_to_end(&mut bytes).unwrap();
    bytes
}

/// The frames of the Collector, decompressed.
pub fn frames(path: &str) -> Vec<Vec<u8>> {
    cut(&file(path)).iter().map(|frame| zstd::decode_all(frame.as_slice()).unwrap()).collect()
}

/// Frames after their length.
pub fn cut(mut rest: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let (frame, tail) = after.split_at(u32::from_be_bytes(*length) as usize);
        frames.push(frame.to_vec());
        rest = tail;
    }
    frames
}

/// Lines that are not empty.
pub fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
}

/// Reads records of several sources under a configuration, and joins them.
pub fn read(sources: &[(&str, &dyn Format, Vec<Vec<u8>>)], config: &str) -> Recorded {
    let config: Config = toml::from_str(config).unwrap();
    let context = Context::new(&config);
    let joiner = Joiner::new(&config, None);
    let mut problems = Vec::new();
    for (source, format, records) in sources {
        let mut sink =
            Collect { source, joiner: &joiner, problems: Vec::new(), events: Vec::new() };
        for (line, record) in (1..).zip(records) {
            format.parse(record, At { line, byte: 0 }, &context, &mut sink);
        }
        assert_eq!(sink.events, Vec::<String>::new());
        problems.extend(sink.problems);
    }
    let sightings = joiner.len();
    let mut events = Vec::new();
    for joined in joiner.finish() {
        let joined = joined.unwrap();
        events.extend(joined.events);
        problems.extend(joined.problems);
    }
    Recorded { events, problems, sightings }
}
