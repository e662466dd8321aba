//! The readers: bytes of a record in, events or exchanges out.
//!
//! Pure: no file, no thread, no Arrow. Dependencies: `event`, `exchange`, `a2a`, `problem`, `config`.
//!
//! *A format*: one file here, one row in [`ALL`], a folder in `samples/` with a good file and a broken one.

pub mod applog;
pub mod cassette;
pub mod console;
pub mod container;
pub mod gateway;
pub mod har;
pub mod jaeger;
pub mod journal;
mod keys;
pub mod mapping;
pub mod otlp;
pub mod propose;
pub mod snapshot;
pub mod sse_dump;
pub mod telemetry;
pub mod time;

pub use propose::{Proposal, propose};

use crate::config::Config;
use crate::event::Event;
use crate::exchange::Exchange;
use crate::problem::{At, Problem};

/// What a reader needs beside the bytes.
#[derive(Debug, Clone, Copy)]
pub struct Context<'c> {
    /// The settings that act at ingest.
    pub config: &'c Config,
    /// The zone for times without one; `None`: UTC. Such times are flagged.
    pub assume_zone: Option<&'c jiff::tz::TimeZone>,
    /// The source's name as given, its folders parted by `/`; `None`: standard input.
    pub source: Option<&'c str>,
}

impl<'c> Context<'c> {
    /// For a source without a name, whose times without a zone are UTC.
    pub fn new(config: &'c Config) -> Self {
        Self { config, assume_zone: None, source: None }
    }
}

/// How a source falls into records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// JSON values, normally one a line (repaired when several stand on one or one spans several).
    JsonLines,
    /// JSON values, one after the other, that may take any number of lines.
    JsonValues,
    /// Lines of text.
    TextLines,
    /// Elements of the array at this path of one JSON document, streamed, the rest being the head
    /// (for HAR `log.entries`, for Jaeger `data`).
    JsonArray(&'static [&'static str]),
    /// 4-byte big-endian length, then that many bytes (the OpenTelemetry Collector's file exporter).
    LengthPrefixed,
    /// The whole source is one record.
    Whole,
}

/// Where a reader puts what it finds in a record. A record may give any number of both.
pub trait Sink {
    /// An event that stands in the record as such.
    fn event(&mut self, at: At, event: Event<'_>);
    /// An exchange, or one side of it: joined before events are made of it.
    fn exchange(&mut self, exchange: Exchange<'_>);
    /// Something wrong or assumed. A record that gave neither event nor exchange, but a problem of
    /// severity `data_loss`, was rejected; when the kind is [`NotJson`](crate::problem::Kind::NotJson),
    /// it is mended, if that can be done, and read again.
    fn problem(&mut self, problem: Problem);
    /// A span, whether or not it tells of an exchange: how traces were sampled can only be told from
    /// all of them. Passed over by default.
    fn span(&mut self, _span: &telemetry::sampling::SpanSeen<'_>) {}
}

/// A reader of one format.
pub trait Format: Sync {
    /// The name for `--input-format` and the table `sources`.
    fn name(&self) -> &'static str;
    /// What it is and what it carries, in a line.
    fn summary(&self) -> &'static str;
    /// How its sources fall into records.
    fn framing(&self) -> Framing;
    /// Whether the beginning of a source (decompressed, up to 64 KiB) is of this format; the reason
    /// if not.
    fn recognises(&self, head: &[u8], context: &Context<'_>) -> Result<(), String>;
    /// Reads one record. `at` is the record's position.
    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink);
}

/// Every reader, in the order in which they are asked whether they know a source.
///
/// Those of binary formats come first: bodies of JSON and lines of a log may lie within protobuf.
pub const ALL: &[&dyn Format] = &[
    &otlp::OtlpFrames,
    &otlp::OtlpProto,
    &journal::Journal,
    &har::Har,
    &otlp::OtlpJson,
    &jaeger::Jaeger,
    &console::Console,
    &gateway::agentgateway::AgentGatewayJson,
    &gateway::envoy::EnvoyJson,
    &mapping::Mapped,
    &mapping::text::MappedText,
    &gateway::agentgateway::AgentGateway,
    &gateway::envoy::EnvoyText,
    &applog::AppLog,
    &sse_dump::SseDump,
    &snapshot::Catalog,
    &snapshot::History,
    &snapshot::CardFile,
    &cassette::Cassette,
];
