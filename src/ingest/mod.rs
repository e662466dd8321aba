//! From inputs to records with exact positions (and from there to rows).
//!
//! `discover` names the sources, `open` gives their content in blocks, `split` cuts it into chunks of
//! whole records, `repair` mends what a strict parser refuses.

pub mod array;
pub mod containers;
pub mod decode;
pub mod discover;
pub mod lines;
pub mod open;
pub mod repair;
pub mod scan;
pub mod split;
pub mod utf16;
