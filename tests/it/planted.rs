//! Secrets planted into every field of a sample of every format, one field at a time, are looked for in
//! every table; and in all that the program writes.

use crate::binary::{Place, bytes_below, told};
use carddrift::config::Config;
use carddrift::ingest::{IngestOptions, ingest};
use carddrift::query::{Session, Settings};
use carddrift::report::{self, rows::View};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Read;

const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbDRudGVkIn0.c2lnbmVkLXBsNG50ZWQ";

/// What must not come out: two parts of the token, and what stands after words and in URLs.
const SECRETS: [&str; 5] = [
    "eyJzdWIiOiJwbDRudGVkIn0",
    "c2lnbmVkLXBsNG50ZWQ",
    "pl4nted-b34rer-Zz9",
    "pl4nted-p4ssw0rd-Zz9",
    "pl4nted-t0ken-Zz9",
];

fn text() -> String {
    let [_, _, bearer, password, token] = SECRETS;
    format!(
        "Authorization: Bearer {bearer} {JWT} https://u:{password}@h.example/x?access_token={token}"
    )
}

/// How a field is changed.
#[derive(Debug, Clone, Copy)]
enum Style {
    /// The secret follows what was there.
    Appended,
    /// The secret stands alone.
    Alone,
}

fn planted(old: &str, style: Style) -> String {
    match style {
        Style::Appended => format!("{old} {}", text()),
        Style::Alone => JWT.to_owned(),
    }
}

/// Objects and arrays that a text holds: bodies are often recorded as texts.
fn inner(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(|v: &Value| v.is_object() || v.is_array())
}

/// The fields of a value that are texts; elements of arrays are one field.
fn fields(value: &Value, at: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                fields(value, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(elements) => {
            for value in elements {
                fields(value, &format!("{at}/*"), found);
            }
        }
        Value::String(text) => {
            found.insert(at.to_owned());
            if let Some(inner) = inner(text) {
                fields(&inner, &format!("{at}>"), found);
            }
        }
        _ => {}
    }
}

fn plant(value: &mut Value, at: &str, field: &str, style: Style) {
    match value {
        _ if !field.starts_with(at) => {}
        Value::Object(members) => {
            for (key, value) in members {
                plant(value, &format!("{at}/{key}"), field, style);
            }
        }
        Value::Array(elements) => {
            for value in elements {
                plant(value, &format!("{at}/*"), field, style);
            }
        }
        Value::String(text) if at == field => *text = planted(text, style),
        Value::String(text) => {
            if let Some(mut inner) = inner(text) {
                plant(&mut inner, &format!("{at}>"), field, style);
                *text = inner.to_string();
            }
        }
        _ => {}
    }
}

fn sample(name: &str) -> Vec<u8> {
    let bytes = std::fs::read(format!("samples/{name}")).unwrap();
    if !bytes.starts_with(b"\x1f\x8b") {
        return bytes;
    }
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
    plain
}

/// Every way to plant into a sample of JSON: one document, or the first lines.
fn of_json(name: &str) -> Vec<(String, String)> {
    let bytes = sample(name);
    let whole: Option<Value> = serde_json::from_slice(&bytes).ok();
    let values: Vec<Value> = match whole {
        Some(whole) => vec![whole],
        None => serde_json::Deserializer::from_slice(&bytes)
            .into_iter()
            .map_while(Result::ok)
            .take(60)
            .collect(),
    };
    let mut found = BTreeSet::new();
    for value in &values {
        fields(value, "", &mut found);
    }
    assert!(found.len() > 3, "{name}");
    let mut ways = Vec::new();
    for field in found {
        // Alone it often takes the place of what the record needs.
        let styles: &[Style] = match ways.len() % 3 {
            0 => &[Style::Appended, Style::Alone],
            _ => &[Style::Appended],
        };
        for style in styles.iter().copied() {
            let mut values = values.clone();
            for value in &mut values {
                plant(value, "", &field, style);
            }
            let lines: Vec<_> = values.iter().map(Value::to_string).collect();
            ways.push((format!("{name} {field} {style:?}"), lines.join("\n") + "\n"));
        }
    }
    ways
}

/// Ways to plant into a sample of text: after the words and the texts in quotes of its lines.
fn of_text(name: &str) -> Vec<(String, String)> {
    let text = String::from_utf8(sample(name)).unwrap();
    let lines: Vec<&str> = text.lines().take(200).collect();
    let ends = |line: &str| line.match_indices([' ', '"']).map(|(at, _)| at).collect::<Vec<_>>();
    if name.starts_with("vcr/") {
        // One wrong place would make the whole document unreadable: one at a time.
        let places: Vec<(usize, usize)> = lines
            .iter()
            .enumerate()
            .flat_map(|(n, line)| line.match_indices(' ').map(move |(at, _)| (n, at)))
            .collect();
        let way = |(n, at): (usize, usize)| {
            let mut lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
            lines[n].insert_str(at, JWT);
            (format!("{name} line {} byte {at}", n + 1), lines.concat())
        };
        return places.iter().copied().step_by(1 + places.len() / 200).map(way).collect();
    }
    let most = lines.iter().map(|line| ends(line).len()).max().unwrap();
    let way = |place: usize| {
        let planted = |line: &&str| match ends(line).get(place) {
            Some(at) => {
                let (before, after) = line.split_at(*at);
                format!("{before}{JWT}{after}\n")
            }
            None => format!("{line}\n"),
        };
        (format!("{name} place {place}"), lines.iter().map(planted).collect())
    };
    (0..most).step_by(1 + most / 60).map(way).collect()
}

/// Every row of every table.
fn rows(text: &str, file: &str, config: &Config) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file.rsplit('/').next().unwrap().trim_end_matches(".gz"));
    std::fs::write(&path, text).unwrap();
    let options = IngestOptions { keep_payloads: true, threads: 1, ..IngestOptions::default() };
    let ingested = ingest(&[path.to_str().unwrap().to_owned()], config, &options).unwrap();
    let session =
        Session::open(ingested.tables, &Settings { threads: 1, ..Settings::of(config) }).unwrap();
    let mut out = String::new();
    for table in carddrift::tables::all() {
        let rows = session.sql(&format!("SELECT * FROM {}", table.name), &[]).unwrap();
        let mut text = Vec::new();
        let view = View { schema: &rows.schema, batches: &rows.batches };
        report::write_rows(view, report::Format::Ndjson, &mut text).unwrap();
        out.push_str(&format!("{}: {}\n", table.name, String::from_utf8(text).unwrap()));
    }
    out
}

fn leaks(out: &str) -> Vec<&str> {
    out.lines().filter(|line| SECRETS.iter().any(|secret| line.contains(secret))).collect()
}

fn check(ways: &[(String, String)], config: &Config) {
    let name = ways[0].0.split(' ').next().unwrap().to_owned();
    let looked: Vec<(bool, Option<String>)> = ways
        .par_iter()
        .map(|(way, text)| {
            let out = rows(text, &name, config);
            let leaks = leaks(&out);
            let told = format!("{way}:\n  {}", leaks.join("\n  "));
            (
                out.contains("[redacted]") || out.contains("CD223"),
                (!leaks.is_empty()).then_some(told),
            )
        })
        .collect();
    let held = looked.iter().any(|(held, _)| *held);
    let found: Vec<String> = looked.into_iter().filter_map(|(_, leak)| leak).collect();
    assert!(found.is_empty(), "{} of {}:\n{}", found.len(), ways.len(), found.join("\n"));
    assert!(held, "{name}: nothing was planted where it is looked at");
}

fn config(path: &str) -> Config {
    toml::from_str(&String::from_utf8(sample(path)).unwrap()).unwrap()
}

#[test]
fn in_every_field_of_json() {
    for name in [
        "incident-1-renamed-skill/recording.ndjson",
        "har/a2a-sdk-python-1.3.0.har",
        "jaeger/trace.json",
        "otlp/conventions.json",
        "otel-console/spans.txt",
        "agentgateway/request.json.log",
        "envoy/gateway.json.log",
        "ai-catalog/catalog.json",
        "card/a2abench/a2abench.01.2026-01-30T134956.cbbecb71.json",
        "mapped/adk.jsonl",
        "mapped/crewai.jsonl",
        "mapped/http-exchanges.jsonl",
        "mapped/kong.jsonl",
        "mapped/webhooks.jsonl",
    ] {
        check(&of_json(name), &Config::default());
    }
    check(&of_json("mapped/proxy.jsonl"), &config("mapped/proxy.toml"));
}

#[test]
fn in_every_word_of_text() {
    for name in [
        "agentgateway/request.log",
        "envoy/access.log",
        "envoy/istio.log",
        "python-log/a2a-sdk-python-0.3.26.app.log.gz",
        "sse/stream.sse",
        // Not a git history: it tells the length of each file before it.
        "vcr/crewai-streaming.yaml",
    ] {
        check(&of_text(name), &Config::default());
    }
}

/// All that the program writes: the store's files, what it prints, what it leaves in the temporary
/// folder.
#[test]
fn in_nothing_that_the_program_writes() {
    let place = Place::new();
    for name in ["har/a2a-sdk-python-1.3.0.har", "incident-1-renamed-skill/recording.ndjson"] {
        for (number, (_, text)) in of_json(name).into_iter().enumerate().step_by(9) {
            let file = name.rsplit('/').next().unwrap();
            place.write(&format!("in/{number}-{file}"), text);
        }
    }
    place.write(
        "in/broken.ndjson",
        format!("{{\"event\":\"attempt\",\"error\":\"{}\n{}", text(), text()),
    );
    place.write("in/unknown.log", format!("{}\n", text()));
    let mut out = String::new();
    let mut run = |arguments: &[&str]| {
        let output = place.run(arguments);
        out.push_str(&told(&output));
        out.push_str(&String::from_utf8_lossy(&output.stdout));
    };
    run(&["ingest", "in", "--store", "store", "--keep-payloads"]);
    for format in ["text", "json", "markdown", "html"] {
        run(&["report", "--store", "store", "--format", format]);
    }
    run(&["inspect", "in"]);
    run(&["query", "--store", "store", "-e", "SELECT * FROM problems", "--format", "csv"]);
    run(&["query", "--store", "store", "-e", "SELECT body FROM cards", "--format", "csv"]);
    run(&["query", "--store", "store", "-e", "SELECT error FROM attempts", "--format", "csv"]);
    assert_eq!(leaks(&out), Vec::<&str>::new());
    // A store has a key, so equal secrets leave equal hashes.
    assert!(out.contains("[redacted:"), "{out}");
    for (path, bytes) in bytes_below(place.folder.path()) {
        let kept = !path.starts_with(place.path("in"));
        let leak = |secret: &&str| bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
        assert!(!kept || !SECRETS.iter().any(leak), "{}", path.display());
    }
    let key = std::fs::read(place.path("store/key")).unwrap();
    assert!(bytes_below(&place.path("store")).iter().all(|(path, bytes)| {
        path.ends_with("key") || !bytes.windows(key.len()).any(|w| w == key)
    }));
    assert_eq!(std::fs::read_dir(place.path("tmp")).unwrap().count(), 0);
}
