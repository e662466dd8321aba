//! `carddrift inspect`: what an input holds and what it lets be measured.

use super::arguments::{From, Globals, LimitArgs, Reading, To};
use super::exit::{Exit, Failure};
use super::{output, reading};
use crate::config::Config;
use crate::formats::{self, Context, Format, Framing, Proposal, propose};
use crate::ingest::discover::{Origin, discover};
use crate::ingest::open::{Limits, open};
use crate::ingest::source::SourceReader;
use crate::redact::Redactor;
use crate::report::document::{markdown, text};
use crate::report::inspect::{Contents, Proposed, Shown, Unread};
use clap::{Args, ValueEnum, ValueHint};
use std::collections::{BTreeMap, BTreeSet};

/// Tell what an input holds: formats, events of each kind, what can be measured and why not
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift inspect samples/har
  carddrift inspect samples/mapped/rotation-py-1.3.0.jsonl
  carddrift inspect capture.log --format json")]
pub struct Inspect {
    /// Files, folders, globs, URLs, or `-` for standard input
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    inputs: Vec<String>,
    /// How to print it
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: InspectFormat,
    #[command(flatten)]
    to: To,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InspectFormat {
    /// For a terminal.
    Text,
    /// To paste into a document.
    Markdown,
    /// One object, `carddrift.inspect/1`.
    Json,
}

/// Why no reader knows these sources, and the mapping that would read each. What cannot be read a second
/// time (standard input, a pipe) is told without its reasons.
fn unread(inputs: &[String], names: &BTreeSet<&str>, config: &Config) -> Vec<Unread> {
    let mut heads: BTreeMap<String, (Vec<u8>, Vec<u8>)> = BTreeMap::new();
    for source in &discover(inputs).sources {
        // A member of an archive is named after it.
        let concerned = names.iter().any(|name| name.starts_with(source.name.as_str()));
        let again = matches!(&source.origin, Origin::File(path) if path.is_file());
        if !(concerned && again) {
            continue;
        }
        for mut reader in open(source, &Limits::default()).flatten() {
            if names.contains(reader.name()) {
                let head = reader.head().to_vec();
                heads.insert(reader.name().to_owned(), (head, beginning(&mut reader)));
            }
        }
    }
    let told = |name: &&str| {
        let head = heads.get(*name);
        let context = Context { source: Some(*name), ..Context::new(config) };
        let reasons = head.into_iter().flat_map(|(head, _)| {
            let reason = |format: &&dyn Format| {
                let why = format.recognises(head, &context).err()?;
                Some((format.name().to_owned(), why))
            };
            formats::ALL.iter().filter_map(reason).collect::<Vec<_>>()
        });
        Unread {
            source_file: (*name).to_owned(),
            reasons: reasons.collect(),
            proposal: head.and_then(|(_, lines)| propose(lines)).map(proposed),
        }
    };
    names.iter().map(told).collect()
}

/// So much of a source a mapping is proposed from: what failed may stand far from what did not.
const BEGINNING_BYTES: usize = 1 << 20;

/// The first lines of a source.
fn beginning(reader: &mut SourceReader) -> Vec<u8> {
    let mut lines = Vec::new();
    let mut line = 1;
    for chunk in reader.chunks(Framing::TextLines) {
        for record in chunk.records() {
            // Blank lines are no records.
            lines.extend((line..record.at.line).map(|_| b'\n'));
            line = record.at.line.max(line);
            if lines.len().saturating_add(record.bytes.len()) > BEGINNING_BYTES {
                return lines;
            }
            lines.extend_from_slice(record.bytes);
        }
    }
    lines
}

/// A proposal as it is shown: without secrets.
fn proposed(proposal: Proposal) -> Proposed {
    let redactor = Redactor::default();
    let name = |text: Option<String>| {
        text.map(|text| {
            let clean =
                if text.contains("://") { redactor.url(&text) } else { redactor.text(&text) };
            clean.into_owned()
        })
    };
    let shown = proposal.shown.into_iter().map(|told| Shown {
        line: told.line,
        kind: told.kind.to_owned(),
        time: told.time,
        client: name(told.client),
        agent: name(told.agent),
        what: redactor.text(&told.what).into_owned(),
    });
    Proposed {
        shown: shown.collect(),
        toml: proposal.toml,
        events: proposal.events.into_iter().map(|(kind, n)| (kind.to_owned(), n)).collect(),
        lines: proposal.lines,
    }
}

/// Runs it.
pub fn run(globals: &Globals, given: Inspect) -> Result<Exit, Failure> {
    let from = From { inputs: given.inputs, store: None, reading: given.reading };
    let config = reading::settings(globals)?.config;
    let read = reading::open_all(globals, &from, &LimitArgs::default())?;
    let mut contents = Contents::ask(&read.session)?;
    let unknown = contents.sources.iter().filter(|s| s.format == "unknown" && s.content_bytes > 0);
    let unknown: BTreeSet<&str> = unknown.map(|s| s.source_file.as_str()).collect();
    contents.unread = unread(&from.inputs, &unknown, &config);
    let path = given.to.output.as_deref();
    output::deliver(path, |out| {
        match given.format {
            InspectFormat::Json => contents.write_json(out)?,
            InspectFormat::Markdown => markdown::write(&contents.document(), out)?,
            InspectFormat::Text => {
                text::write(&contents.document(), output::style(globals, path), out)?;
            }
        }
        Ok(())
    })?;
    Ok(read.exit)
}
