//! What the A2A protocol says, for every version (0.1, 0.2, 0.3, 1.0).
//!
//! This room does not know files, threads, tables or configuration files: it is given text and
//! answers with facts. Everything is read leniently: both casings (`taskId`, `task_id`), a field of
//! the wrong type is an absent field, an empty string is absent, an unknown field is skipped.
//!
//! | module | what |
//! |---|---|
//! | [`card`] | Agent Cards: one model for all versions, contract, facets, schema rules, differences |
//! | [`object`] | requests, answers, tasks, updates, errors, as borrowed views of JSON text |
//! | [`artifact`], [`payload`], [`skill`] | the extraction rules of model §8 |
//! | [`digest`], [`canonical`] | spellings of digests, SHA-256, RFC 8785 |
//! | [`method`], [`rest`], [`protocol`] | operations and the protocol era that a name implies |
//! | [`state`], [`outcome`], [`error_name`] | task states, outcomes of attempts, names of A2A errors |
//! | [`version`], [`media`] | schema versions and media types, as they are compared |
//! | [`pointer`], [`json`], [`sse`] | how to look into JSON text and event streams |

pub mod artifact;
pub mod canonical;
pub mod card;
pub mod digest;
pub mod error_name;
pub mod json;
pub mod media;
pub mod method;
pub mod object;
pub mod outcome;
pub mod payload;
pub mod pointer;
pub mod protocol;
pub mod rest;
pub mod skill;
pub mod sse;
pub mod state;
pub mod version;

#[cfg(test)]
mod hostile;
