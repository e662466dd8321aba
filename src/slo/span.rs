//! Durations of OpenSLO: a whole number and one of `m h d w M Q Y`.

use std::fmt;

/// Nanoseconds of a second.
pub const SECOND: i64 = 1_000_000_000;
/// Nanoseconds of a minute.
pub const MINUTE: i64 = 60 * SECOND;
/// Nanoseconds of an hour.
pub const HOUR: i64 = 60 * MINUTE;
/// Nanoseconds of 24 hours.
pub const DAY: i64 = 24 * HOUR;

/// A unit of a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// `m`
    Minute,
    /// `h`
    Hour,
    /// `d`
    Day,
    /// `w`
    Week,
    /// `M`
    Month,
    /// `Q`
    Quarter,
    /// `Y`
    Year,
}

/// A duration as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// How many; at least 1.
    pub count: u32,
    /// Of what.
    pub unit: Unit,
}

impl Span {
    /// Reads `28d`, `1M`, `5m`; `None` when it is none, or 0, or longer than 100 years.
    pub fn parse(text: &str) -> Option<Self> {
        let (count, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let unit = match unit {
            "m" => Unit::Minute,
            "h" => Unit::Hour,
            "d" => Unit::Day,
            "w" => Unit::Week,
            "M" => Unit::Month,
            "Q" => Unit::Quarter,
            "Y" => Unit::Year,
            _ => return None,
        };
        if !count.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let span = Self { count: count.parse().ok().filter(|n| *n > 0)?, unit };
        (span.nominal() <= 36_500 * DAY).then_some(span)
    }

    /// Its length in nanoseconds, when every one of its kind has the same.
    pub fn fixed(self) -> Option<i64> {
        let unit = match self.unit {
            Unit::Minute => MINUTE,
            Unit::Hour => HOUR,
            Unit::Day => DAY,
            Unit::Week => 7 * DAY,
            Unit::Month | Unit::Quarter | Unit::Year => return None,
        };
        Some(unit.saturating_mul(self.count.into()))
    }

    /// Its length in nanoseconds, a month taken as 30 days, a quarter as 90, a year as 365.
    pub fn nominal(self) -> i64 {
        let unit = match self.unit {
            Unit::Month => 30 * DAY,
            Unit::Quarter => 90 * DAY,
            Unit::Year => 365 * DAY,
            _ => return self.fixed().unwrap_or(i64::MAX),
        };
        unit.saturating_mul(self.count.into())
    }

    /// The same for calendars: `times` of it; `None` when it does not fit.
    pub fn calendar(self, times: i64) -> Option<jiff::Span> {
        let n = times.checked_mul(self.count.into())?;
        let span = jiff::Span::new();
        match self.unit {
            Unit::Minute => span.try_minutes(n),
            Unit::Hour => span.try_hours(n),
            Unit::Day => span.try_days(n),
            Unit::Week => span.try_weeks(n),
            Unit::Month => span.try_months(n),
            Unit::Quarter => span.try_months(n.checked_mul(3)?),
            Unit::Year => span.try_years(n),
        }
        .ok()
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Minute => 'm',
            Unit::Hour => 'h',
            Unit::Day => 'd',
            Unit::Week => 'w',
            Unit::Month => 'M',
            Unit::Quarter => 'Q',
            Unit::Year => 'Y',
        };
        write!(f, "{}{unit}", self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_written() {
        assert_eq!(Span::parse("28d").unwrap().fixed(), Some(28 * DAY));
        assert_eq!(Span::parse("1M").unwrap().fixed(), None);
        assert_eq!(Span::parse("1m").unwrap().fixed(), Some(MINUTE));
        assert_eq!(Span::parse("2Q").unwrap().nominal(), 180 * DAY);
        for wrong in ["", "d", "0d", "-1d", "1.5h", "1s", "1 d", "+1d", "4294967295Y", "1é"] {
            assert_eq!(Span::parse(wrong), None, "{wrong}");
        }
    }
}
