//! One task's whole story: the card it was admitted under, what authority and mirror served then, its
//! states and artifacts, the verdict and the rule of the model that decided it.

mod facts;
mod tell;

pub use facts::{Meant, Story, find, quoted, stories};
pub use tell::{document, write_json};
