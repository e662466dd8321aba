//! Makes the first inputs of each target out of `samples/`: small pieces, for they are read a million
//! times. `corpus SAMPLES FOLDER` writes `FOLDER/TARGET/…`.

#[path = "wire.rs"]
mod wire;

use flate2::read::MultiGzDecoder;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use wire::{Field, Held};

/// The largest input.
const LARGEST: usize = 4 << 10;

/// The most pieces of one file.
const PIECES: usize = 40;

/// How many records, or lines, a piece has.
const RECORDS: usize = 2;
const LINES: usize = 6;

/// Which targets read the samples of a folder.
const READ_BY: &[(&str, &[&str])] = &[
    ("agentgateway", &["agentgateway", "agentgateway-json"]),
    ("ai-catalog", &["ai-catalog"]),
    ("card", &["card", "card-model"]),
    ("envoy", &["envoy", "envoy-json"]),
    ("git-history", &["git-history"]),
    ("har", &["har"]),
    ("incident-1-renamed-skill", &["journal"]),
    ("incident-2-schema-rotation", &["journal"]),
    ("jaeger", &["jaeger"]),
    ("mapped", &["mapped"]),
    ("otel-console", &["otel-console"]),
    ("otlp", &["otlp-json"]),
    ("python-log", &["python-log"]),
    ("sse", &["sse", "sse-splitter"]),
    ("vcr", &["vcr"]),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(samples), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("corpus SAMPLES FOLDER".into());
    };
    let mut seeds: BTreeMap<&str, Vec<Vec<u8>>> = BTreeMap::new();
    for (from, targets) in READ_BY {
        for path in below(&samples.join(from))? {
            let stored = fs::read(&path)?;
            let bytes = content(&stored)?;
            for target in *targets {
                seeds.entry(target).or_default().extend(pieces(&bytes));
            }
            seeds
                .entry("open")
                .or_default()
                .extend([stored].into_iter().filter(|s| s.len() <= LARGEST));
        }
    }
    // The Collector's frames, and the messages in them.
    for path in below(&samples.join("otlp"))? {
        if path.to_string_lossy().contains(".lp") {
            let (frames, messages) = frames(&content(&fs::read(&path)?)?);
            seeds.entry("otlp-frames").or_default().extend(frames);
            seeds.entry("otlp-proto").or_default().extend(messages);
        } else if path.extension().is_some_and(|extension| extension == "pb") {
            seeds.entry("otlp-proto").or_default().push(fs::read(&path)?);
        }
    }
    // Cards and streams stand in other samples, too.
    let journal = seeds.get("journal").cloned().unwrap_or_default();
    for line in journal.iter().flat_map(|piece| piece.split(|b| *b == b'\n')) {
        let Ok(record) = serde_json::from_slice::<Value>(line) else { continue };
        if let Some(card) = record.get("card").and_then(Value::as_str) {
            seeds.entry("card-model").or_default().push(card.as_bytes().to_vec());
        }
        let event = format!("id: 1\ndata: {record}\n\n");
        seeds.entry("sse-splitter").or_default().push(event.into_bytes());
    }
    // Lines of a container's log, which its runtime may have cut.
    let mapped = seeds.get("mapped").cloned().unwrap_or_default();
    for line in mapped.iter().flat_map(|piece| piece.split(|b| *b == b'\n')) {
        let piece = |tag: &str, content: &[u8]| {
            let prefix = format!("2026-11-14T08:00:00.123456789Z stdout {tag} ");
            [prefix.as_bytes(), content, b"\n"].concat()
        };
        let (first, last) = line.split_at(line.len() / 2);
        let cut = [piece("P", first), piece("F", last)].concat();
        seeds.entry("mapped-text").or_default().extend([piece("F", line), cut]);
    }
    for (target, mut seeds) in seeds {
        seeds.sort();
        seeds.dedup();
        let folder = folder.join(target);
        fs::create_dir_all(&folder)?;
        for (number, seed) in seeds.into_iter().enumerate() {
            fs::write(folder.join(format!("sample-{number:04}")), seed)?;
        }
    }
    Ok(())
}

fn below(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(below(&path)?);
        } else if path.extension().is_none_or(|extension| extension != "toml") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn content(stored: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    if !stored.starts_with(b"\x1f\x8b") {
        return Ok(stored.to_vec());
    }
    let mut plain = Vec::new();
    MultiGzDecoder::new(stored).read_to_end(&mut plain)?;
    Ok(plain)
}

/// The file itself when it is small, and pieces of it that are files of the same format.
fn pieces(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let values = serde_json::Deserializer::from_slice(bytes).into_iter::<Box<RawValue>>();
    let values: Vec<Box<RawValue>> = values.map_while(Result::ok).collect();
    if let Ok(document) = serde_json::from_slice::<Value>(bytes) {
        found.extend(parts(&document));
    } else if values.iter().any(|value| value.get().contains('\n')) {
        // Values that take any number of lines.
        for few in [1, RECORDS] {
            let chunks = values.chunks(few).step_by((values.len() / few / PIECES).max(1));
            found.extend(chunks.map(|some| {
                some.iter().flat_map(|value| [value.get(), "\n"]).collect::<String>().into_bytes()
            }));
        }
    } else if bytes.starts_with(b"blob\n") {
        let mut stream = wire::pieces(bytes);
        for (_, carried) in stream.iter_mut().filter(|(is_carried, _)| *is_carried) {
            if let Ok(mut document) = serde_json::from_slice(carried) {
                shorten(&mut document);
                *carried = document.to_string().into_bytes();
            }
        }
        found.push(wire::joined(&stream));
    } else {
        let lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
        let of_json = lines.first().is_some_and(|line| line.first() == Some(&b'{'));
        let size = if of_json { RECORDS } else { LINES };
        let step = (lines.len() / size / PIECES).max(1);
        found.extend(lines.chunks(size).step_by(step).map(<[&[u8]]>::concat));
    }
    found.push(bytes.to_vec());
    found.retain(|piece| piece.len() <= LARGEST);
    found
}

/// Leaves of texts and lists only the beginning.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => *text = text.chars().take(60).collect(),
        Value::Array(elements) => {
            elements.truncate(RECORDS);
            elements.iter_mut().for_each(shorten);
        }
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}

/// Documents like this one with fewer elements in its first large array.
fn parts(document: &Value) -> Vec<Vec<u8>> {
    for pointer in ["/log/entries", "/data", "/resourceSpans", "/resourceLogs"] {
        let Some(Value::Array(elements)) = document.pointer(pointer) else { continue };
        let step = (elements.len() / RECORDS / PIECES).max(1);
        return elements
            .chunks(RECORDS)
            .step_by(step)
            .filter_map(|some| {
                let mut part = document.clone();
                *part.pointer_mut(pointer)? = json!(some);
                serde_json::to_vec(&part).ok()
            })
            .collect();
    }
    vec![]
}

/// Frames of 4 bytes of length and a message, which may be compressed; frames of a few spans or log
/// records each, and their messages.
fn frames(bytes: &[u8]) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let mut messages: Vec<Vec<u8>> = Vec::new();
    let mut rest = bytes;
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let len = u32::from_be_bytes(*length) as usize;
        let Some((message, next)) = after.split_at_checked(len) else { break };
        let plain = zstd::decode_all(message).unwrap_or_else(|_| message.to_vec());
        match wire::message(&plain, 0) {
            Some(request) if plain.first() != Some(&b'{') => {
                let mut leaves = request.into_iter().flat_map(|field| one_each(&field, 0));
                messages.extend(leaves.by_ref().map(|field| wire::written(&[field])));
            }
            _ => messages.push(plain),
        }
        rest = next;
    }
    messages.retain(|message| message.len() <= LARGEST && message.first() != Some(&b'{'));
    let step = (messages.len() / PIECES).max(1);
    let messages: Vec<Vec<u8>> = messages.into_iter().step_by(step).collect();
    let framed = |message: &Vec<u8>| {
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes();
        [&length[..], message].concat()
    };
    (messages.iter().map(framed).collect(), messages)
}

/// A request's resources, and the scopes in them, with one span or log record each: beside what is told of
/// all of them (field 1), they are fields 2.
fn one_each(field: &Field, depth: usize) -> Vec<Field> {
    let Field(name, Held::Message(inner)) = field else { return vec![field.clone()] };
    if depth == 2 {
        return vec![field.clone()];
    }
    let (each, of_all): (Vec<_>, Vec<_>) = inner.iter().partition(|Field(name, _)| *name == 2);
    let each = each.into_iter().flat_map(|field| one_each(field, depth + 1));
    each.map(|one| {
        let all: Vec<Field> = of_all.iter().copied().cloned().chain([one]).collect();
        Field(*name, Held::Message(all))
    })
    .collect()
}
