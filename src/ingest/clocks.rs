//! What exchanges told of the clocks of servers, put together for each recorder and server.

use crate::exchange::clock::{Evidence, ServerClock};
use crate::redact::Redactor;
use crate::tables::{ClockRow, Clocks};
use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use std::collections::BTreeMap;

/// Pairs of a recorder and a server that are kept; of more only these are told.
const MOST: usize = 100_000;

/// Recorder (a client in a source), server, and what the server's time was taken from.
type Pair = (u32, Option<String>, String, Evidence);

#[derive(Debug, Clone, Copy)]
struct Bounds {
    exchanges: i64,
    ahead_min: i64,
    ahead_max: i64,
}

/// What is known so far.
#[derive(Debug, Default)]
pub struct Sights {
    pairs: BTreeMap<Pair, Bounds>,
}

impl Sights {
    /// Adds what one exchange of a source told. The client's name holds no secrets any more.
    pub fn add(
        &mut self,
        source: u32,
        client: Option<&str>,
        clock: &ServerClock,
        redactor: &Redactor,
    ) {
        let server = redactor.url(&clock.server).into_owned();
        let pair = (source, client.map(str::to_owned), server, clock.evidence);
        let full = self.pairs.len() >= MOST;
        let (ahead_min, ahead_max) = (clock.ahead_min, clock.ahead_max);
        let bounds = match self.pairs.get_mut(&pair) {
            Some(bounds) => bounds,
            None if full => return,
            None => self.pairs.entry(pair).or_insert(Bounds { exchanges: 0, ahead_min, ahead_max }),
        };
        bounds.exchanges += 1;
        bounds.ahead_min = bounds.ahead_min.max(ahead_min);
        bounds.ahead_max = bounds.ahead_max.min(ahead_max);
    }

    /// The rows; `name` gives a source's name, if it is to be told of.
    pub fn rows<'n>(
        self,
        name: impl Fn(u32) -> Option<&'n str>,
    ) -> Result<RecordBatch, ArrowError> {
        let mut rows = Clocks::default();
        for ((source, client, server, evidence), bounds) in &self.pairs {
            let Some(source_file) = name(*source) else { continue };
            rows.push(&ClockRow {
                source_file,
                client: client.as_deref(),
                server,
                evidence: evidence.as_str(),
                exchanges: bounds.exchanges,
                ahead_min_ns: bounds.ahead_min,
                ahead_max_ns: bounds.ahead_max,
            });
        }
        rows.finish()
    }
}
