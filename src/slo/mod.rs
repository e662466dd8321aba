//! Service levels (model §9).
pub mod burn;
pub mod exact;
pub mod span;
pub mod stream;
