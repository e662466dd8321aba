//! What is fuzzed, and what must hold of it beside that nothing panics.

use crate::a2a::artifact::{self, ArtifactRules};
use crate::a2a::card::{Card, default_rules, diff};
use crate::a2a::json::{Text, lossy};
use crate::a2a::object::{replies, requests};
use crate::a2a::{canonical, sse};
use crate::config::Config;
use crate::event::Event;
use crate::exchange::Exchange;
use crate::exchange::derive::{Rules, derive};
use crate::formats::{self, Context, Format, Sink};
use crate::ingest::open::{self, Block, Content, Limits, Message};
use crate::ingest::repair::Reading;
use crate::ingest::split::SourceReader;
use crate::problem::{At, Kind, Problem, Severity};
use crate::redact::{CleanTexts, Redactor};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Cursor;
use std::sync::OnceLock;
use std::sync::mpsc::sync_channel;

/// What one execution reads.
pub enum Target {
    /// A source of this format, from its bytes to its events.
    Reader(&'static dyn Format),
    /// A card against itself.
    Card,
    /// A body as a stream of server-sent events, and as A2A objects.
    Sse,
    /// Compression and archives.
    Open,
}

/// The target that the environment names.
pub fn chosen() -> &'static Target {
    static CHOSEN: OnceLock<Target> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        let name = std::env::var("TARGET").unwrap_or_default();
        let reader = || formats::ALL.iter().find(|format| format.name() == name);
        match name.as_str() {
            "card-model" => Target::Card,
            "sse-splitter" => Target::Sse,
            "open" => Target::Open,
            _ => Target::Reader(*reader().unwrap_or_else(|| {
                let all: Vec<_> = formats::ALL.iter().map(|format| format.name()).collect();
                panic!("TARGET is card-model, sse-splitter, open, or one of {}", all.join(", "))
            })),
        }
    })
}

impl Target {
    /// Reads the bytes; whether there was an event in them.
    pub fn run(&self, data: &[u8]) -> bool {
        match self {
            Self::Reader(format) => {
                // What costs more than reading is looked at for some of the inputs.
                let deep = data.len() % 8 == 3;
                let found = source(*format, data, 1 << 16, deep);
                if deep {
                    // Any size of blocks gives the same records.
                    let again = source(*format, data, 1 + data.len() / 3, deep);
                    assert_eq!(
                        found.hash.finish(),
                        again.hash.finish(),
                        "blocks decide what is read"
                    );
                }
                found.events > 0
            }
            Self::Card => card(data),
            Self::Sse => stream(data),
            Self::Open => opened(data),
        }
    }
}

/// The settings, and what is made of them once.
fn rules() -> &'static Rules {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(|| Rules::of(config(), None))
}

fn config() -> &'static Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    CONFIG.get_or_init(|| {
        // The tables of one of them, and the mappings of all.
        let mapped = include_str!("../../../samples/mapped/carddrift.toml");
        let proxy = include_str!("../../../samples/mapped/proxy.toml");
        let logs = include_str!("../../../samples/otlp/carddrift.toml");
        let logs = logs.find("[[mapping]]").and_then(|at| logs.get(at..)).unwrap_or_default();
        toml::from_str(&[mapped, proxy, logs].join("\n"))
            .expect("the samples' configuration is one")
    })
}

/// What a source gave.
struct Found {
    deep: bool,
    redactor: Redactor,
    clean: CleanTexts,
    events: u64,
    given: u64,
    lost: bool,
    unreadable: bool,
    problems: Vec<Problem>,
    hash: DefaultHasher,
}

impl Found {
    fn keep(&mut self, mut event: Event<'_>) {
        self.redactor.event(&mut event, &mut self.clean);
        if self.deep {
            let once = format!("{event:?}");
            self.redactor.event(&mut event, &mut self.clean);
            assert_eq!(once, format!("{event:?}"), "redacting twice changes something");
            once.hash(&mut self.hash);
        }
        self.events += 1;
        self.given += 1;
    }
}

impl Sink for Found {
    fn event(&mut self, _: At, event: Event<'_>) {
        self.keep(event);
    }

    fn exchange(&mut self, exchange: Exchange<'_>) {
        self.given += 1;
        let derived = derive(&exchange, rules());
        for event in derived.events {
            self.keep(event);
        }
        for problem in derived.problems {
            told(&problem);
        }
    }

    fn problem(&mut self, problem: Problem) {
        self.lost |= problem.kind.severity() >= Severity::DataLoss;
        self.unreadable |= problem.kind == Kind::NotJson;
        told(&problem);
        self.problems.push(problem);
    }
}

/// Values of records are not echoed: what is told is short.
fn told(problem: &Problem) {
    assert!(problem.detail.len() < 600, "{problem:?}");
}

/// Reads a source as an ingest does: cut, read, mended, counted.
fn source(format: &'static dyn Format, data: &[u8], block_bytes: usize, deep: bool) -> Found {
    let (sender, messages) = sync_channel(data.len() / block_bytes.max(1) + 2);
    for block in data.chunks(block_bytes.max(1)) {
        let mut bytes = vec![0; 64];
        let start = bytes.len();
        bytes.extend_from_slice(block);
        let _ = sender.send(Message::Block(Block { bytes, start }));
    }
    let end =
        Message::End { problems: Vec::new(), truncated: false, size_bytes: data.len() as u64 };
    let _ = sender.send(end);
    drop(sender);
    let limits = Limits { record_bytes: 1 << 20, block_bytes, ..Limits::default() };
    let content = Content { name: "f".to_owned(), compression: "none".to_owned(), messages };
    let mut reader = SourceReader::new(content, &limits);
    let context =
        Context { source: Some("cards/x.2026-01-30T134956.json"), ..Context::new(config()) };
    let _ = format.recognises(reader.head(), &context);
    let mut found = Found {
        deep,
        redactor: Redactor::default(),
        clean: CleanTexts::default(),
        events: 0,
        given: 0,
        lost: false,
        unreadable: false,
        problems: Vec::new(),
        hash: DefaultHasher::new(),
    };
    let (mut kept, mut rejected, mut blank) = (0_u64, 0_u64, 0_u64);
    let counts = reader.counts();
    for chunk in reader.chunks(format.framing()) {
        for record in chunk.records() {
            (found.given, found.lost, found.unreadable) = (0, false, false);
            if let Some(text) = record.text {
                format.parse(text.as_bytes(), record.at, &context, &mut found);
                let refused = found.lost && found.given == 0;
                if !(refused && found.unreadable) {
                    (kept, rejected) = (kept + u64::from(!refused), rejected + u64::from(refused));
                    continue;
                }
            }
            for piece in chunk.repair(&record) {
                piece.problems.iter().for_each(told);
                match piece.reading {
                    Reading::Blank => blank += 1,
                    Reading::Rejected => rejected += 1,
                    Reading::Readable(bytes) => {
                        (found.given, found.lost) = (0, false);
                        format.parse(&bytes, piece.at, &context, &mut found);
                        let refused = found.lost && found.given == 0;
                        (kept, rejected) =
                            (kept + u64::from(!refused), rejected + u64::from(refused));
                    }
                }
            }
        }
    }
    let facts = reader.finish();
    assert_eq!(facts.content_bytes, data.len() as u64);
    let blank_lines = counts.blank() - blank;
    assert_eq!(counts.records(), kept + rejected + blank + blank_lines, "a record has no fate");
    (kept, rejected).hash(&mut found.hash);
    found
}

fn card(data: &[u8]) -> bool {
    let rules = default_rules();
    let Ok(card) = Card::parse(data) else { return false };
    let found = diff(&card, &card, &rules);
    assert!(found.changed.is_empty() && !found.is_breaking(), "a card differs from itself");
    let _ = (card.schema_candidates(&rules), card.preferred_url());
    for skill in &card.skills {
        let _ = card.schema_for(Some(&skill.id), Some("application/json"), &rules);
    }
    let empty = Card::default();
    let changed = !diff(&empty, &card, &rules).changed.is_empty();
    assert_eq!(changed, empty.contract(&rules) != card.contract(&rules));
    let (body, _) = Redactor::default().card_body(data);
    let (again, changed) = Redactor::default().card_body(body.as_bytes());
    assert!(body == again && !changed, "redacting twice changes something");
    true
}

fn stream(data: &[u8]) -> bool {
    let body = lossy(data);
    let mut end = 0;
    let mut reached = false;
    for event in sse::events(&body) {
        assert!(event.offset >= end && event.offset < body.len());
        end = event.offset + 1;
        reached = true;
        let _ = (replies(&event.data), canonical::canonical(&event.data));
        let _ = artifact::read(&event.data, &Text::default(), &ArtifactRules::default());
    }
    let _ = (sse::looks_like_stream(&body), requests(&body));
    // What a cut stream has whole, the whole stream has too.
    let mut cut = body.len() / 2;
    while !body.is_char_boundary(cut) {
        cut -= 1;
    }
    let part = body.get(..cut).unwrap_or_default();
    let whole = sse::events(&body);
    let complete = sse::events(part).filter(|event| event.complete);
    assert!(complete.zip(whole).all(|(a, b)| a == b), "a cut changes what came before it");
    reached
}

fn opened(data: &[u8]) -> bool {
    let limits = Limits {
        record_bytes: 1 << 16,
        expansion: 100,
        expansion_floor_bytes: 1 << 16,
        source_bytes: 1 << 20,
        block_bytes: 1 << 12,
        ..Limits::default()
    };
    let mut content_bytes = 0;
    for content in open::open_reader("f", Cursor::new(data.to_vec()), &limits) {
        match content {
            Ok(reader) => content_bytes += reader.finish().content_bytes,
            Err(failed) => told(&failed.problem),
        }
    }
    assert!(content_bytes <= 200 * (limits.source_bytes + (1 << 16)), "a bomb went off");
    content_bytes > 0 && (data.starts_with(b"\x1f\x8b") || !data.is_ascii())
}
