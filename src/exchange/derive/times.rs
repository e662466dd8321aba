//! The times that protocol objects carry.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A time that an object states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stated {
    /// UTC nanoseconds.
    pub(super) nanos: i64,
    /// It had no zone.
    pub(super) naive: bool,
    /// Its second is the 61st of a minute.
    pub(super) leap: bool,
}

/// Reads a `status.timestamp`: RFC 3339, or without a zone as older versions write it. `None`: no
/// time, or none that fits.
pub(super) fn read(text: &str, assumed: Option<&TimeZone>) -> Option<Stated> {
    let leap = text.get(16..19) == Some(":60");
    if let Ok(timestamp) = text.parse() {
        return Some(Stated { nanos: nanos(timestamp)?, naive: false, leap });
    }
    let civil: DateTime = text.parse().ok()?;
    let zone = assumed.cloned().unwrap_or(TimeZone::UTC);
    let timestamp = zone.to_ambiguous_zoned(civil).compatible().ok()?.timestamp();
    Some(Stated { nanos: nanos(timestamp)?, naive: true, leap })
}

fn nanos(timestamp: Timestamp) -> Option<i64> {
    i64::try_from(timestamp.as_nanosecond()).ok()
}
