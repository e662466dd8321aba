//! OTLP: traces and logs as the OpenTelemetry Collector and SDKs write them to files.
//!
//! | module | what |
//! |---|---|
//! | [`json`] | JSON lines, whole files, and Jaeger's api_v3 (OTLP inside `result`) |
//! | [`proto`] | protobuf, whole files or frames of the Collector |

pub mod json;
pub mod proto;

pub use json::OtlpJson;
pub use proto::{OtlpFrames, OtlpProto};
