//! The cases under `tests/cases/model`: small journals with the rows that the model gives, each with
//! its derivation by hand (`why`). `CASE=substring` runs some of them.

use carddrift::config::Config;
use carddrift::ingest::{IngestOptions, ingest};
use carddrift::query::{Session, Settings};
use carddrift::report::{self, rows::View};
use rayon::prelude::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The rows of one query as JSON objects.
pub(crate) fn rows(session: &Session, query: &str) -> Vec<Value> {
    let rows = session.built_in(query).unwrap_or_else(|e| panic!("{query}: {e}"));
    let view = View { schema: &rows.schema, batches: &rows.batches };
    let mut out = Vec::new();
    report::write_rows(view, report::Format::Ndjson, &mut out).unwrap();
    out.split(|b| *b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

/// A session over what a file holds, with the default settings.
pub(crate) fn session(path: &Path) -> Session {
    let config = Config::default();
    let options = IngestOptions { threads: 1, ..IngestOptions::default() };
    let input = path.to_str().unwrap().to_owned();
    let ingested = ingest(&[input], &config, &options).unwrap();
    let settings = Settings { threads: 1, ..Settings::of(&config) };
    Session::open(ingested.tables, &settings).unwrap()
}

fn equal(name: &str, got: &Value, want: &Value) -> bool {
    match (got, want) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
        }
        (Value::String(a), Value::String(b)) if a != b && name.ends_with("_at") => {
            match (a.parse::<jiff::Timestamp>(), b.parse::<jiff::Timestamp>()) {
                (Ok(a), Ok(b)) => a == b,
                _ => false,
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            let sorted = |list: &[Value]| {
                let mut texts: Vec<String> = list.iter().map(Value::to_string).collect();
                texts.sort();
                texts
            };
            sorted(a) == sorted(b)
        }
        _ => got == want,
    }
}

fn differences(session: &Session, expected: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (query, want) in expected.as_object().unwrap() {
        if query == "why" {
            continue;
        }
        let (got, want) = (rows(session, query), want.as_array().unwrap());
        if got.len() != want.len() {
            found.push(format!("{query}: {} rows, want {}: {got:?}", got.len(), want.len()));
            continue;
        }
        for (index, (got, want)) in got.iter().zip(want).enumerate() {
            for (column, want) in want.as_object().unwrap() {
                match got.get(column) {
                    Some(got) if equal(column, got, want) => {}
                    got => found.push(format!("{query}[{index}].{column}: {got:?}, want {want}")),
                }
            }
        }
    }
    found
}

#[test]
fn every_case_gives_its_rows() {
    let folder = PathBuf::from("tests/cases/model");
    let wanted = std::env::var("CASE").unwrap_or_default();
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".expected.json").map(str::to_owned))
        .filter(|name| name.contains(&wanted))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "no case is called *{wanted}*");
    let failed: Vec<String> = names
        .par_iter()
        .filter_map(|name| {
            let expected: Value = serde_json::from_slice(
                &std::fs::read(folder.join(format!("{name}.expected.json"))).unwrap(),
            )
            .unwrap();
            let journal = match name.as_str() {
                "seed_paper" => {
                    PathBuf::from("samples/incident-2-schema-rotation/recording.ndjson.gz")
                }
                _ => folder.join(format!("{name}.ndjson")),
            };
            let session = session(&journal);
            let differences = differences(&session, &expected);
            (!differences.is_empty()).then(|| {
                format!("{name}\n  {}\n  why: {}", differences.join("\n  "), expected["why"])
            })
        })
        .collect();
    assert!(failed.is_empty(), "{} of {} cases:\n{}", failed.len(), names.len(), failed.join("\n"));
}
