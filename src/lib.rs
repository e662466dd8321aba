//! carddrift: an offline log and trace analyzer for A2A delegation.
//!
//! ```text
//! inputs ─ open ─► records ─ formats ─► events ─ fold ─► tables (Parquet) ─ queries/*.sql ─► findings ─► report
//! ```
//!
//! Data goes one way. Each room's own page says what it does not know and how to add to it.
//!
//! # The rooms, in reading order
//!
//! | room | what it does | what always holds |
//! |---|---|---|
//! | [`problem`] | the one list of what can be wrong with an input, and places in it | a bad record is data, never a crash |
//! | [`event`] | the one shape that all formats become | borrowed from the record; says nothing about later records |
//! | [`a2a`] | what the protocol says, in all its versions | pure: text in, facts out |
//! | [`config`] | the keys of `carddrift.toml` and their meaning | an unknown key is an error |
//! | [`formats`] | a record's bytes to events, or to sides of HTTP exchanges | pure; each record has a fate: read, repaired, or rejected with its reason |
//! | [`exchange`] | sightings of one HTTP exchange joined, then turned into events | joined only where it is one to one |
//! | [`redact`] | secrets out of events | before anything is written, temporary files included |
//! | [`ingest`] | finds, opens, cuts, reads in parallel, folds events to rows, drops duplicates | records read = accepted + repaired + rejected + duplicate + blank; any order, chunking and number of threads gives the same tables |
//! | [`tables`] | each table declared once; Parquet out and in | one row of a fact table is one event; nothing that later data could change |
//! | [`store`] | segments and the log of commits that names them | a reader sees whole commits or nothing |
//! | [`query`] | runs `queries/*.sql` over tables; the only room that knows the engine | what is measured stands in SQL, not in Rust |
//! | [`slo`] | objectives held against an archive | counts stay whole; unknown is never good |
//! | [`report`] | rows into text, Markdown, JSON, HTML, CSV | computes no measure; the same rows give the same bytes |
//! | [`simulate`] | recordings with known truth | the truth is kept while the world is played, not found in what was written |
//! | [`cli`] | arguments, one file for each command | no logic |
//!
//! Over all of them: nothing asks a clock, a hash's order or the locale, so the same inputs give the same
//! bytes; values of records are not echoed in messages; unknown is an answer and stays null.
//! `tests/it/rooms.rs` holds the directions between the rooms.
//!
//! # Words
//!
//! *Card*: an Agent Card's bytes, named by their SHA-256. *Contract*: a hash of what a delegation depends
//! on in a card. *Observation*: a card seen at a registry at a time. *Epoch*: how long a registry showed one
//! contract. *Rotation*: an authority's next epoch. *Mirror*: a registry that is not the agent's authority.
//! *Admission*: the card that a client held when its task was accepted. *Binding*: an artifact beside the
//! card its task was admitted under; *split-brain* when they contradict. *Replay*: a rejection under a card
//! that had been refused before, without a fetch in between. All of them are defined in
//! `queries/README.md`, measure by measure.

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
pub mod simulate;
pub mod slo;
pub mod store;
pub mod tables;
pub mod yaml;
