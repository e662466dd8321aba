//! The configuration: what the keys are, what they mean, their defaults.
//!
//! Knows no command line. `[client]`, `[agents]`, `[registries]`, `[extract]` and `[[mapping]]` act at
//! ingest, so their fingerprint stands in a store's commits; `[authorities]`, `[thresholds]` and
//! `[outcomes]` act when querying.

mod keys;
pub mod load;
pub mod mapping;
pub mod plan;

pub use keys::nearest;

use serde::Deserialize;
use std::collections::BTreeMap;

/// All settings.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How clients are named in HTTP recordings.
    pub client: Client,
    /// Identity of an agent = the names and URL prefixes it goes by.
    pub agents: BTreeMap<String, Vec<String>>,
    /// Name of a registry = its URL prefixes.
    pub registries: BTreeMap<String, Vec<String>>,
    /// Agent = the registry whose word is final.
    pub authorities: BTreeMap<String, String>,
    /// Numbers of the model in brackets.
    pub thresholds: Thresholds,
    /// Code, `http STATUS` or `grpc STATUS` = outcome.
    pub outcomes: BTreeMap<String, String>,
    /// Where values stand that no A2A version has a field for.
    pub extract: Extract,
    /// Shapes of JSON lines.
    pub mapping: mapping::Mappings,
}

/// How clients are named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Client {
    /// The request header that names the client.
    pub header: Option<String>,
}

/// The numbers in brackets of the model; seconds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Thresholds {
    /// An old contract that is gone again within this time is a flap (model §3).
    pub flap_s: i64,
    /// A gap of more than this starts a new cluster of rejections (model §7).
    pub storm_gap_s: i64,
    /// A cluster with at least so many replays is a storm.
    pub storm_min_replays: i64,
    /// The authority must have been watched this long after an artifact to call its agent
    /// nonconforming (model §6).
    pub conforming_grace_s: i64,
    /// Whether versions compare whole or by their major number.
    pub schema_compare: SchemaCompare,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            flap_s: 600,
            storm_gap_s: 300,
            storm_min_replays: 3,
            conforming_grace_s: 3600,
            schema_compare: SchemaCompare::Exact,
        }
    }
}

/// How schema versions compare.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SchemaCompare {
    /// Whole.
    #[default]
    Exact,
    /// By the major number only.
    Major,
}

/// Replacements of the lists of model §8; `None`: the default list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Extract {
    /// Pointers that start at the artifact (of a journal: at the record).
    pub artifact_schema: Option<Vec<String>>,
    /// Pointers that start at the card, or the tokens of model §8.
    pub card_schema: Option<Vec<String>>,
    /// Pointers that start at the message with its request's metadata.
    pub skill: Option<Vec<String>>,
    /// Pointers that start at the artifact.
    pub digest: Option<Vec<String>>,
}
