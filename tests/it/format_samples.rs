//! Samples of every format, and a broken one of each: what they give, record by record.
//!
//! `tests/cases/formats/*.events.jsonl` have one line for each record that gave something: its
//! position, why that is right, its events in the words of the journal, and its problems. They were
//! checked by hand against the samples; `CARDDRIFT_BLESS=1` writes them anew and keeps the whys, so
//! that a change shows up in review.

use crate::journal_form;
use crate::recorded::{cut, file, gunzipped, lines};
use carddrift::config::Config;
use carddrift::event::Event;
use carddrift::exchange::Exchange;
use carddrift::exchange::join::Joiner;
use carddrift::formats::{ALL, Context, Format, Framing, Sink};
use carddrift::problem::{At, Problem};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What records gave, by their position.
#[derive(Default)]
struct Found(BTreeMap<u64, (Vec<Value>, Vec<Value>)>);

impl Found {
    fn event(&mut self, at: At, event: &Event<'_>) {
        self.0.entry(at.line).or_default().0.push(journal_form::of(event));
    }

    fn problem(&mut self, problem: &Problem) {
        let told = json!([problem.kind.code(), problem.pointer, problem.detail]);
        self.0.entry(problem.at.line).or_default().1.push(told);
    }
}

struct Collect<'j> {
    joiner: &'j Joiner,
    found: Found,
}

impl Sink for Collect<'_> {
    fn event(&mut self, at: At, event: Event<'_>) {
        self.found.event(at, &event);
    }

    fn exchange(&mut self, exchange: Exchange<'_>) {
        self.joiner.add("sample", &exchange).unwrap();
    }

    fn problem(&mut self, problem: Problem) {
        self.found.problem(&problem);
    }
}

/// Cuts a sample as its format says.
fn records(bytes: &[u8], framing: Framing) -> Vec<Vec<u8>> {
    match framing {
        Framing::Whole => vec![bytes.to_vec()],
        Framing::TextLines => lines(bytes),
        Framing::LengthPrefixed => cut(bytes),
        Framing::JsonArray(path) => {
            let mut raw: Box<RawValue> = serde_json::from_slice(bytes).unwrap();
            for key in path {
                let mut object: BTreeMap<String, Box<RawValue>> =
                    serde_json::from_str(raw.get()).unwrap();
                raw = object.remove(*key).unwrap();
            }
            let elements: Vec<Box<RawValue>> = serde_json::from_str(raw.get()).unwrap();
            elements.iter().map(|element| element.get().as_bytes().to_vec()).collect()
        }
        Framing::JsonLines | Framing::JsonValues => {
            let whole = serde_json::Deserializer::from_slice(bytes)
                .into_iter::<Box<RawValue>>()
                .collect::<Result<Vec<_>, _>>();
            match whole {
                Ok(values) => values.iter().map(|value| value.get().as_bytes().to_vec()).collect(),
                Err(_) => lines(bytes),
            }
        }
    }
}

fn read(bytes: &[u8], format: &dyn Format, context: &Context<'_>) -> Found {
    let joiner = Joiner::new(context.config, None);
    let mut sink = Collect { joiner: &joiner, found: Found::default() };
    for (line, record) in (1..).zip(records(bytes, format.framing())) {
        format.parse(&record, At { line, byte: 0 }, context, &mut sink);
    }
    let mut found = sink.found;
    for joined in joiner.finish() {
        let joined = joined.unwrap();
        for event in &joined.events {
            found.event(joined.place.at, event);
        }
        for problem in &joined.problems {
            found.problem(problem);
        }
    }
    found
}

/// Reads a sample with the first reader that knows it, which must be the one named, and compares.
fn check(format: &str, sample: &str, config: &str) {
    let bytes = match Path::new(sample).extension() {
        Some(ending) if ending == "gz" => gunzipped(&format!("samples/{sample}")),
        _ => file(&format!("samples/{sample}")),
    };
    let config: Config = toml::from_str(config).unwrap();
    let context = Context { source: Some(sample), ..Context::new(&config) };
    let head = bytes.get(..64 << 10).unwrap_or(&bytes);
    let knows: Vec<_> =
        ALL.iter().filter(|reader| reader.recognises(head, &context).is_ok()).collect();
    assert_eq!(knows.first().map(|reader| reader.name()), Some(format), "{sample}");
    let found = read(&bytes, **knows.first().unwrap(), &context);
    let name = sample.replace('/', ".");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(format!("tests/cases/formats/{name}.events.jsonl"));
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let golden: BTreeMap<u64, Value> = golden
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|value| (value["record"].as_u64().unwrap(), value))
        .collect();
    let mut text = String::new();
    let bless = std::env::var_os("CARDDRIFT_BLESS").is_some();
    for (record, (events, problems)) in &found.0 {
        let why = golden.get(record).map_or(&Value::Null, |value| &value["why"]);
        let line = json!({ "record": record, "why": why.as_str().unwrap_or_default(), "problems": problems, "events": events });
        writeln!(text, "{line}").unwrap();
        if !bless {
            let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
            let expected = golden.get(record).unwrap_or(&Value::Null);
            assert_eq!(pretty(&line), pretty(expected), "record {record} of {sample}");
            assert!(
                why.as_str().is_some_and(|why| !why.is_empty()),
                "record {record} of {sample} has no why"
            );
        }
    }
    if bless {
        std::fs::write(path, text).unwrap();
    } else {
        assert_eq!(
            found.0.keys().collect::<Vec<_>>(),
            golden.keys().collect::<Vec<_>>(),
            "{sample}"
        );
    }
}

#[test]
fn agentgateway() {
    check("agentgateway", "agentgateway/request.log", "");
    check("agentgateway", "agentgateway/broken.log", "");
    check("agentgateway-json", "agentgateway/request.json.log", "");
    check("agentgateway-json", "agentgateway/broken.json.log", "");
}

#[test]
fn envoy() {
    check("envoy", "envoy/access.log", "");
    check("envoy", "envoy/istio.log", "");
    check("envoy-json", "envoy/gateway.json.log", "");
    check("envoy", "envoy/broken.log", "");
    check("envoy-json", "envoy/broken.json.log", "");
}

#[test]
fn mapped_presets() {
    check("mapped", "mapped/http-exchanges.jsonl", "");
    check("mapped", "mapped/kong.jsonl", "");
    check("mapped", "mapped/adk.jsonl", "");
    check("mapped", "mapped/crewai.jsonl", "");
    check("mapped", "mapped/broken.jsonl", "");
}

#[test]
fn snapshots() {
    check("card", "card/a2abench/a2abench.01.2026-01-30T134956.cbbecb71.json", "");
    check("card", "card/chess/chess-agent.03.2025-10-03T112530.e7096150.json", "");
    check("ai-catalog", "ai-catalog/catalog.json", "");
    check("git-history", "git-history/agents.fast-export", "");
    check("git-history", "git-history/broken.fast-export", "");
    check("ai-catalog", "ai-catalog/broken.json", "");
}

#[test]
fn streams_and_webhooks() {
    check("sse", "sse/stream.sse", "");
    check("sse", "sse/broken.sse", "");
    check("mapped", "mapped/webhooks.jsonl", "");
}

#[test]
fn mapped_by_the_configuration() {
    let config = String::from_utf8(file("samples/mapped/proxy.toml")).unwrap();
    check("mapped", "mapped/proxy.jsonl", &config);
    check("mapped-text", "mapped/prefixed.log", &config);
    check("mapped-text", "mapped/prefixed.broken.log", &config);
}

#[test]
fn otlp() {
    check("otlp-json", "otlp/conventions.json", "");
    check("otlp-json", "otlp/broken.jsonl", "");
    check("otlp-json", "otlp/api_v3.json", "");
    check("otlp-proto", "otlp/conventions.pb", "");
    check("otlp-proto", "otlp/broken.pb", "");
    check("otlp-frames", "otlp/broken.pb.lp", "");
}

#[test]
fn jaeger() {
    check("jaeger", "jaeger/trace.json", "");
    check("jaeger", "jaeger/broken.json", "");
}

#[test]
fn console_exporter() {
    check("otel-console", "otel-console/spans.txt", "");
    check("otel-console", "otel-console/broken.txt", "");
}

#[test]
fn vcr() {
    check("vcr", "vcr/crewai-streaming.yaml", "");
    check("vcr", "vcr/broken.yaml", "");
}

#[test]
fn python_log() {
    check("python-log", "python-log/a2a-sdk-python-0.3.26.app.log.gz", "");
    check("python-log", "python-log/broken.log", "");
}

/// Swallows everything.
struct Nothing;

impl Sink for Nothing {
    fn event(&mut self, _: At, _: Event<'_>) {}
    fn exchange(&mut self, _: Exchange<'_>) {}
    fn problem(&mut self, problem: Problem) {
        assert!(problem.detail.len() < 400, "a value of the record in {problem:?}?");
    }
}

#[test]
fn damaged_samples_are_no_reason_to_panic() {
    let mut config = String::from_utf8(file("samples/mapped/proxy.toml")).unwrap();
    config += &String::from_utf8(file("samples/otlp/carddrift.toml")).unwrap();
    let config: Config = toml::from_str(&config).unwrap();
    let context =
        Context { source: Some("cards/x.2026-01-30T134956.json"), ..Context::new(&config) };
    let mut seed: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below.max(1) as u64).unwrap()
    };
    let samples = [
        "agentgateway/request.log",
        "agentgateway/request.json.log",
        "envoy/access.log",
        "envoy/istio.log",
        "envoy/gateway.json.log",
        "mapped/http-exchanges.jsonl",
        "mapped/kong.jsonl",
        "mapped/adk.jsonl",
        "mapped/crewai.jsonl",
        "mapped/webhooks.jsonl",
        "mapped/proxy.jsonl",
        "otlp/conventions.json",
        "otlp/conventions.pb",
        "jaeger/trace.json",
        "otel-console/spans.txt",
        "vcr/crewai-streaming.yaml",
        "python-log/broken.log",
        "card/chess/chess-agent.03.2025-10-03T112530.e7096150.json",
        "ai-catalog/catalog.json",
        "git-history/agents.fast-export",
        "sse/stream.sse",
    ];
    for sample in samples {
        let whole = file(&format!("samples/{sample}"));
        for format in ALL {
            let records = match format.framing() {
                Framing::TextLines | Framing::JsonLines => lines(&whole),
                _ => vec![whole.clone()],
            };
            for record in records.iter().take(8) {
                for _ in 0..4 {
                    let mut damaged = record.clone();
                    damaged.truncate(record.len() - random(record.len() / 2));
                    for _ in 0..random(6) {
                        let at = random(damaged.len());
                        if let Some(byte) = damaged.get_mut(at) {
                            *byte = b"\"\\{}[]:,0\n\x00\xff"[random(12)];
                        }
                    }
                    let _ = format.recognises(&damaged, &context);
                    format.parse(&damaged, At { line: 1, byte: 0 }, &context, &mut Nothing);
                }
            }
        }
        let _ = carddrift::formats::propose(&whole);
    }
}
