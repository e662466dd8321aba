//! A2A objects in JSON text: requests, answers, and what they carry.
//!
//! Views of the text, nothing is copied. One shape for all versions; which version wrote an object
//! is told by the keys it has, message by message, because one server may write several
//! ([`answer`]).

pub mod answer;
mod body;
pub mod error;
pub mod part;
pub mod request;
pub mod task;

pub use answer::{Item, Reply, replies, result_text};
pub use error::ErrorFacts;
pub use part::{Metadata, Part};
pub use request::{Message, Params, Request, params, requests};
pub use task::{ArtifactUpdate, Status, StatusUpdate, Task};
