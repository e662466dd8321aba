//! From one exchange to events (model §1, §2, §7). Pure.

use super::Exchange;
use crate::config::Config;
use crate::event::Event;
use crate::problem::Problem;

/// What an exchange says.
#[derive(Debug, Clone, Default)]
pub struct Derived {
    /// In the order in which they happened in the exchange.
    pub events: Vec<Event<'static>>,
    /// What is wrong or assumed.
    pub problems: Vec<Problem>,
}

/// Makes the events of a whole exchange.
pub fn derive(_exchange: &Exchange<'_>, _config: &Config) -> Derived {
    Derived::default()
}
