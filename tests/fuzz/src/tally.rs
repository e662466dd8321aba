//! How many executions reached an event, and which inputs are worth keeping.

use libfuzzer_sys::Corpus;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static RUN: AtomicU64 = AtomicU64::new(0);
static REACHED: AtomicU64 = AtomicU64::new(0);

/// How often the tally is told.
const EVERY: u64 = 20_000;

/// Counts an execution. Inputs that reach nothing are kept only while most executions reach something:
/// else damage is heaped upon damage, and what lies behind the parsers is never seen.
pub fn count(reached: bool) -> Corpus {
    let reached_so_far = REACHED.fetch_add(u64::from(reached), Relaxed) + u64::from(reached);
    let run = RUN.fetch_add(1, Relaxed) + 1;
    if run.is_multiple_of(EVERY) {
        eprintln!("tally: {run} executions, {reached_so_far} of them reached an event");
    }
    if reached || reached_so_far * 10 > run * 6 { Corpus::Keep } else { Corpus::Reject }
}
