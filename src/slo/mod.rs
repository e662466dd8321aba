//! Service levels (model §9).
pub mod burn;
pub mod exact;
pub mod objective;
pub mod openslo;
pub mod period;
pub mod span;
pub mod stream;
