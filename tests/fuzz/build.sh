#!/bin/sh
# Builds the fuzz targets on stable Rust: coverage counters go into the rooms only, not into their
# dependencies. `cargo fuzz` needs a nightly toolchain for the sanitizers; these targets need none, as
# nothing here is unsafe. Comparisons are not traced: that was half of the time, and what they would teach
# the engine (words of the formats) the mutator knows. CARGO may name a wrapper.
set -eu
cd "$(dirname "$0")"
exec ${CARGO:-cargo} rustc --release --locked --bin fuzz -- \
    -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=3 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Ccodegen-units=1
