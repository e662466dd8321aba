//! libFuzzer targets over the package's pure rooms; `TARGET` names one. See README.md.
//!
//! The rooms are compiled from the package's own files, so that nothing of Arrow and DataFusion is, and
//! so that they alone are instrumented.
#![no_main]
#![allow(dead_code, unused_imports, reason = "of the rooms only what reads is used")]

#[path = "../../../src/a2a/mod.rs"]
mod a2a;
#[path = "../../../src/config/mod.rs"]
mod config;
#[path = "../../../src/event.rs"]
mod event;
#[path = "../../../src/exchange/mod.rs"]
mod exchange;
#[path = "../../../src/formats/mod.rs"]
mod formats;
#[path = "../../../src/problem.rs"]
mod problem;
#[path = "../../../src/redact/mod.rs"]
mod redact;
#[path = "../../../src/yaml.rs"]
mod yaml;

/// The part of the room that cuts sources into records and mends them.
#[path = "../../../src/ingest"]
mod ingest {
    pub mod array;
    pub mod chunk;
    pub mod containers;
    pub mod decode;
    pub mod discover;
    pub mod lines;
    pub mod mend;
    pub mod open;
    pub mod pace;
    pub mod repair;
    pub mod scan;
    pub mod source;
    pub mod split;
    mod units;
    pub mod utf16;
}

mod mutate;
mod shape;
mod tally;
mod targets;
mod wire;

use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target};

fuzz_target!(|data: &[u8]| -> Corpus {
    let reached = targets::chosen().run(data);
    tally::count(reached)
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::mutate(data, size, max_size, seed)
});
