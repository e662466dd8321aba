//! Simulated recordings against their truth, which is kept while they are made.

use crate::cases::{rows, session};
use carddrift::simulate::{Options, Truth, simulate};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write as _;

fn recording(options: &Options) -> (tempfile::NamedTempFile, Truth) {
    let mut file = tempfile::Builder::new().suffix(".ndjson").tempfile().unwrap();
    let mut bytes = Vec::new();
    let truth = simulate(options, &mut bytes).unwrap();
    file.write_all(&bytes).unwrap();
    (file, truth)
}

fn holds(options: &Options) {
    let (file, truth) = recording(options);
    let session = session(file.path());
    let summary = rows(&session, "summary").remove(0);
    for (column, want) in [
        ("tasks", truth.tasks),
        ("completed", truth.completed),
        ("verifiable", truth.completed),
        ("split_brain", truth.split_brain),
        ("silent", truth.silent),
        ("corrupt", truth.corrupt),
        ("consistent", truth.consistent),
        ("attempts", truth.attempts),
        ("accepted", truth.accepted),
        ("rejections", truth.rejections),
        ("replays", truth.replays),
        ("storms", truth.storms),
        ("card_fetches", truth.card_fetches),
        ("cards", truth.cards),
        ("rotations", truth.rotations),
    ] {
        assert_eq!(summary[column], want, "{column} of {options:?}");
    }
    let lags: Vec<_> = rows(&session, "registry_lag")
        .iter()
        .map(|row| {
            let text = |name: &str| row[name].as_str().unwrap().to_owned();
            let number = row["rotation"].as_u64().unwrap();
            (text("agent"), text("registry"), number, text("status"), row["lag_s"].as_f64())
        })
        .collect();
    let wanted: Vec<_> = truth
        .lags
        .iter()
        .map(|lag| {
            let seconds = lag.lag_s.map(|s| i32::try_from(s).unwrap().into());
            let number = u64::try_from(lag.rotation).unwrap();
            (lag.agent.clone(), lag.registry.clone(), number, lag.status.to_owned(), seconds)
        })
        .collect();
    assert_eq!(lags, wanted);
    let causes: BTreeMap<String, Value> = rows(&session, "bindings")
        .into_iter()
        .filter(|row| row["verdict"] == "split_brain")
        .map(|row| (row["task_id"].as_str().unwrap().to_owned(), row["cause"].clone()))
        .collect();
    assert_eq!(causes.len(), truth.splits.len());
    for split in &truth.splits {
        assert_eq!(causes[&split.task_id], split.cause, "{} of {options:?}", split.task_id);
    }
}

#[test]
fn what_is_measured_is_what_happened() {
    let small =
        Options { tasks: 600, days: 2.0, corrupt: 0.02, replayed: 0.03, ..Options::default() };
    holds(&small);
    // Caches that outlive rotations, three mirrors, lags that outlive the recording.
    holds(&Options {
        seed: 2,
        registries: 4,
        clients: 12,
        cache_ttl_s: 6 * 3600,
        lag_min_s: 3600,
        lag_max_s: 40 * 3600,
        storms: 3,
        ..small.clone()
    });
    // One registry, no rotation, no storm.
    holds(&Options { seed: 3, registries: 1, rotations: 0, storms: 0, tasks: 200, ..small });
}

#[test]
fn damage_and_duplicates_change_no_number() {
    let options =
        Options { tasks: 800, days: 1.0, damaged: 0.02, duplicated: 0.02, ..Options::default() };
    let (_, truth) = recording(&options);
    assert!(truth.damaged > 20 && truth.duplicates > 20, "{truth:?}");
    holds(&options);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let bytes = |seed| {
        let mut bytes = Vec::new();
        simulate(&Options { seed, tasks: 50, ..Options::default() }, &mut bytes).unwrap();
        bytes
    };
    assert!(bytes(1) == bytes(1));
    assert!(bytes(1) != bytes(2));
}
