//! carddrift: an offline log and trace analyzer for A2A delegation.
//!
//! ```text
//! inputs ─ open ─► records ─ formats ─► events ─ fold ─► tables (Parquet) ─ queries/*.sql ─► findings ─► report
//! ```

pub mod a2a;
pub mod cli;
pub mod config;
pub mod event;
pub mod exchange;
pub mod formats;
pub mod ingest;
pub mod problem;
pub mod query;
pub mod redact;
pub mod report;
pub mod slo;
pub mod store;
pub mod tables;
pub mod yaml;
