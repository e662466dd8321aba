//! The cases under `tests/cases/hostile`: damaged and hostile files, each with its exact account.
//!
//! A case is a recipe: `content` (texts and bytes; `$1` to `$9` stand for good records of 100 bytes),
//! then `steps` on the bytes. `problems` are `line:byte code`. `CASE=substring` runs some of them.

use carddrift::config::Config;
use carddrift::ingest::{IngestOptions, ingest};
use carddrift::query::{Session, Settings};
use carddrift::report::{self, rows::View};
use serde::Deserialize;
use std::io::Write;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    why: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    steps: Vec<String>,
    record_bytes: Option<usize>,
    expansion: Option<u64>,
    expansion_floor_bytes: Option<u64>,
    /// The format is to be told from the bytes; else it is read as a journal whatever it is.
    #[serde(default)]
    recognised: bool,
    content: Vec<Piece>,
    expected: Account,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Piece {
    text: Option<String>,
    times: Option<usize>,
    hex: Option<String>,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Account {
    accepted: u64,
    repaired: u64,
    rejected: u64,
    duplicate: u64,
    blank: u64,
    truncated: bool,
    problems: Vec<String>,
}

fn good(number: u8) -> String {
    let record = format!(
        "{{\"time\":\"2026-11-14T08:00:0{number}Z\",\"event\":\"task_status\",\
         \"agent\":\"ag\",\"task_id\":\"t-{number}\",\"state\":\"working\"}}"
    );
    assert_eq!(record.len(), 100);
    record
}

fn from_hex(text: &str) -> Vec<u8> {
    text.split_ascii_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

fn content(case: &Case) -> Vec<u8> {
    let mut bytes = Vec::new();
    for piece in &case.content {
        let mut text = piece.text.clone().unwrap_or_default();
        for number in 1..=9 {
            text = text.replace(&format!("${number}"), &good(number));
        }
        for _ in 0..piece.times.unwrap_or(1) {
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes.extend(from_hex(piece.hex.as_deref().unwrap_or_default()));
    }
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn step(mut bytes: Vec<u8>, step: &str) -> Vec<u8> {
    let (name, argument) = step.split_once(' ').unwrap_or((step, ""));
    match name {
        "gzip" if argument.is_empty() => gzip(&bytes),
        "gzip" => bytes.chunks(argument.parse().unwrap()).flat_map(gzip).collect(),
        "zstd" => zstd(&bytes),
        "frames" => bytes
            .split(|b| *b == b'\n')
            .filter(|line| !line.is_empty())
            .flat_map(|line| {
                let block = zstd(line);
                [&u32::try_from(block.len()).unwrap().to_be_bytes()[..], &block].concat()
            })
            .collect(),
        "utf16le" | "utf16be" => std::str::from_utf8(&bytes)
            .unwrap()
            .encode_utf16()
            .flat_map(
                |unit| if name == "utf16le" { unit.to_le_bytes() } else { unit.to_be_bytes() },
            )
            .collect(),
        "cut" => {
            bytes.truncate(bytes.len() - argument.parse::<usize>().unwrap());
            bytes
        }
        "append" => {
            bytes.extend(from_hex(argument));
            bytes
        }
        "flip" => {
            let from_end = argument.strip_prefix('-').unwrap().parse::<usize>().unwrap();
            let at = bytes.len() - from_end;
            bytes[at] ^= 1;
            bytes
        }
        _ => panic!("no such step: {step}"),
    }
}

fn account(case: &Case) -> Account {
    let bytes = case.steps.iter().fold(content(case), |bytes, name| step(bytes, name));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(case.name.as_deref().unwrap_or("input"));
    std::fs::write(&path, bytes).unwrap();
    let mut options = IngestOptions { threads: 2, ..IngestOptions::default() };
    options.input_format = (!case.recognised).then(|| "journal".to_owned());
    options.limits.record_bytes = case.record_bytes.unwrap_or(options.limits.record_bytes);
    options.limits.expansion = case.expansion.unwrap_or(options.limits.expansion);
    options.limits.expansion_floor_bytes =
        case.expansion_floor_bytes.unwrap_or(options.limits.expansion_floor_bytes);
    let config = Config::default();
    let ingested = ingest(&[path.to_str().unwrap().to_owned()], &config, &options).unwrap();
    let [of_source] = &ingested.accounts[..] else {
        panic!("one source: {:?}", ingested.unreadable)
    };
    assert!(of_source.adds_up(), "{of_source:?}");
    let (fates, facts) = (of_source.fates, of_source.facts.clone());
    let session =
        Session::open(ingested.tables, &Settings { threads: 1, ..Settings::of(&config) }).unwrap();
    let rows = session
        .sql(
            "SELECT source_line || ':' || source_byte || ' ' || code AS p FROM problems \
             ORDER BY source_line, source_byte, code",
            &[],
        )
        .unwrap();
    let mut text = Vec::new();
    let view = View { schema: &rows.schema, batches: &rows.batches };
    report::write_rows(view, report::Format::Ndjson, &mut text).unwrap();
    let problems = String::from_utf8(text)
        .unwrap()
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["p"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    Account {
        accepted: fates.accepted,
        repaired: fates.repaired,
        rejected: fates.rejected,
        duplicate: fates.duplicate,
        blank: facts.blank,
        truncated: facts.truncated,
        problems,
    }
}

#[test]
fn every_hostile_file_has_its_exact_account() {
    let wanted = std::env::var("CASE").unwrap_or_default();
    let mut paths: Vec<_> = std::fs::read_dir("tests/cases/hostile")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let mut wrong = Vec::new();
    let mut ran = 0;
    for path in paths.iter().filter(|path| path.to_string_lossy().contains(&wanted)) {
        let case: Case = toml::from_str(&std::fs::read_to_string(path).unwrap())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(!case.why.is_empty());
        let got = account(&case);
        if got != case.expected {
            wrong.push(format!("{}\n  got  {got:?}\n  want {:?}", path.display(), case.expected));
        }
        ran += 1;
    }
    assert!(ran > 0 && wrong.is_empty(), "{}", wrong.join("\n"));
}
