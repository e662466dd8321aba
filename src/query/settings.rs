//! What a session needs to know beside the tables.

use super::own::OwnQuery;
use crate::config::{Config, SchemaCompare, Thresholds};
use std::collections::BTreeMap;

/// Limits on what is measured (model §10): they select rows, never events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// From this instant on; UTC nanoseconds.
    pub from: Option<i64>,
    /// Before this instant; UTC nanoseconds.
    pub to: Option<i64>,
    /// Globs; empty: all.
    pub agents: Vec<String>,
    /// Globs; empty: all.
    pub registries: Vec<String>,
    /// Globs; empty: all.
    pub clients: Vec<String>,
}

impl Limits {
    /// Whether there is any limit.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// Settings of a session.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Limits on what is measured.
    pub limits: Limits,
    /// Agent = the registry whose word is final.
    pub authorities: BTreeMap<String, String>,
    /// The numbers in brackets of the model.
    pub thresholds: Thresholds,
    /// Code, `http STATUS` or `grpc STATUS` = outcome.
    pub outcomes: BTreeMap<String, String>,
    /// The user's own queries, before the built-in ones of the same name.
    pub queries: Vec<OwnQuery>,
    /// How many threads to use.
    pub threads: usize,
    /// How many bytes queries may hold; `None`: no limit.
    pub memory_limit: Option<usize>,
}

impl Settings {
    /// The settings that a configuration gives; no limits, all cores.
    pub fn of(config: &Config) -> Self {
        Self {
            limits: Limits::default(),
            authorities: config.authorities.clone(),
            thresholds: config.thresholds.clone(),
            outcomes: config.outcomes.clone(),
            queries: Vec::new(),
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            memory_limit: None,
        }
    }

    /// The literal of a parameter that the shared views use.
    pub(super) fn literal(&self, name: &str) -> Option<String> {
        let time = |bound: Option<i64>| {
            bound.map_or_else(|| "CAST(NULL AS BIGINT)".to_owned(), |ns| ns.to_string())
        };
        Some(match name {
            "flap_s" => self.thresholds.flap_s.to_string(),
            "storm_gap_s" => self.thresholds.storm_gap_s.to_string(),
            "storm_min_replays" => self.thresholds.storm_min_replays.to_string(),
            "conforming_grace_s" => self.thresholds.conforming_grace_s.to_string(),
            "schema_major" => (self.thresholds.schema_compare == SchemaCompare::Major).to_string(),
            "from" => time(self.limits.from),
            "to" => time(self.limits.to),
            _ => return None,
        })
    }
}
