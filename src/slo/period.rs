//! The period that an objective is told for, and its days.
//!
//! A rolling window of length *D* at the instant *t* is (*t* − *D*, *t*]; a period of a calendar begins
//! with its first instant and ends before the next period's. The instant is the archive's end, never
//! the clock of the machine.

use super::span::Span;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// Over which time an objective is told.
#[derive(Debug, Clone, PartialEq)]
pub enum TimeWindow {
    /// The last so long.
    Rolling(Span),
    /// From one date of a calendar to the next.
    Calendar(Calendar),
}

/// Periods of one length, one after another.
#[derive(Debug, Clone, PartialEq)]
pub struct Calendar {
    /// Length of a period.
    pub duration: Span,
    /// When the first one begins, by the clocks of `zone`.
    pub start: DateTime,
    /// Where.
    pub zone: TimeZone,
}

/// A period up to the instant that it is told for. UTC nanoseconds, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Its first instant.
    pub first: i64,
    /// Its last instant: the one that it is told for.
    pub last: i64,
    /// When the period is over, not included; of a rolling window `last`.
    pub ends_at: i64,
}

impl TimeWindow {
    /// Its length as written.
    pub fn duration(&self) -> Span {
        match self {
            Self::Rolling(duration) => *duration,
            Self::Calendar(calendar) => calendar.duration,
        }
    }

    /// The zone whose days count.
    pub fn zone(&self) -> TimeZone {
        match self {
            Self::Rolling(_) => TimeZone::UTC,
            Self::Calendar(calendar) => calendar.zone.clone(),
        }
    }

    /// An instant at which a time slice begins.
    pub fn anchor(&self) -> i64 {
        match self {
            Self::Rolling(_) => 0,
            Self::Calendar(calendar) => calendar.begins(0).unwrap_or(0),
        }
    }

    /// The period that holds `at`; `None` when the calendar begins later, or time ends.
    pub fn bounds(&self, at: i64) -> Option<Bounds> {
        match self {
            Self::Rolling(duration) => {
                let before = if let Some(length) = duration.fixed() {
                    at.checked_sub(length)?
                } else {
                    let now = Timestamp::from_nanosecond(at.into()).ok()?;
                    let then = now.to_zoned(TimeZone::UTC).checked_sub(duration.calendar(1)?);
                    nanoseconds(then.ok()?.timestamp())?
                };
                Some(Bounds { first: before.checked_add(1)?, last: at, ends_at: at })
            }
            Self::Calendar(calendar) => {
                let (first, ends_at) = calendar.around(at)?;
                Some(Bounds { first, last: at, ends_at })
            }
        }
    }
}

impl Calendar {
    /// When the period of this number begins.
    fn begins(&self, number: i64) -> Option<i64> {
        let start = |time: DateTime| {
            let zoned = self.zone.to_ambiguous_zoned(time).compatible().ok()?;
            nanoseconds(zoned.timestamp())
        };
        match self.duration.fixed().filter(|length| *length < super::span::DAY) {
            // Hours are hours, whatever the clocks do.
            Some(length) => start(self.start)?.checked_add(length.checked_mul(number)?),
            None => start(self.start.checked_add(self.duration.calendar(number)?).ok()?),
        }
    }

    /// Where the period that holds `at` begins, and the next one.
    fn around(&self, at: i64) -> Option<(i64, i64)> {
        let start = self.begins(0)?;
        let mut number = at.checked_sub(start)?.div_euclid(self.duration.nominal());
        if at < start {
            return None;
        }
        while self.begins(number)? > at {
            number -= 1;
        }
        while self.begins(number + 1)? <= at {
            number += 1;
        }
        Some((self.begins(number)?, self.begins(number + 1)?))
    }
}

/// The day of an instant in a zone.
pub fn day(at: i64, zone: &TimeZone) -> Date {
    let time = Timestamp::from_nanosecond(at.into()).unwrap_or_default();
    zone.to_datetime(time).date()
}

/// When a day of a zone is over; `None` when that cannot be told.
pub fn day_ends(day: Date, zone: &TimeZone) -> Option<i64> {
    let next = day.checked_add(1.day()).ok()?;
    let start = zone.to_ambiguous_zoned(next.to_datetime(jiff::civil::Time::midnight()));
    nanoseconds(start.compatible().ok()?.timestamp())
}

fn nanoseconds(time: Timestamp) -> Option<i64> {
    i64::try_from(time.as_nanosecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::super::span::DAY;
    use super::*;

    fn at(text: &str) -> i64 {
        nanoseconds(text.parse().unwrap()).unwrap()
    }

    fn calendar(duration: &str, start: &str, zone: &str) -> TimeWindow {
        TimeWindow::Calendar(Calendar {
            duration: Span::parse(duration).unwrap(),
            start: start.parse().unwrap(),
            zone: jiff::tz::TimeZoneDatabase::bundled().get(zone).unwrap(),
        })
    }

    #[test]
    fn a_rolling_window_leaves_its_first_instant_out() {
        let rolling = |text| TimeWindow::Rolling(Span::parse(text).unwrap());
        let end = at("2026-03-31T12:00:00Z");
        let bounds = rolling("30d").bounds(end).unwrap();
        assert_eq!((bounds.first, bounds.last), (end - 30 * DAY + 1, end));
        // A month before the 31st of March is the last of February.
        let bounds = rolling("1M").bounds(end).unwrap();
        assert_eq!(bounds.first, at("2026-02-28T12:00:00Z") + 1);
    }

    #[test]
    fn a_calendar_follows_the_clocks_of_its_zone() {
        let days = calendar("1d", "2026-01-01T00:00:00", "America/New_York");
        // The night in which clocks go forward has 23 hours.
        let bounds = days.bounds(at("2026-03-08T12:00:00Z")).unwrap();
        assert_eq!(bounds.first, at("2026-03-08T05:00:00Z"));
        assert_eq!(bounds.ends_at, at("2026-03-09T04:00:00Z"));
        // The first instant belongs to the period, that of the next one does not.
        assert_eq!(days.bounds(bounds.ends_at).unwrap().first, bounds.ends_at);
        assert_eq!(days.bounds(bounds.ends_at - 1).unwrap().first, bounds.first);
        let months = calendar("1M", "2026-01-31T00:00:00", "UTC");
        let begins = |text| months.bounds(at(text)).unwrap().first;
        assert_eq!(begins("2026-03-30T00:00:00Z"), at("2026-02-28T00:00:00Z"));
        assert_eq!(begins("2026-03-31T00:00:00Z"), at("2026-03-31T00:00:00Z"));
        assert_eq!(begins("2126-03-31T00:00:00Z"), at("2126-03-31T00:00:00Z"));
        assert_eq!(months.bounds(at("2025-12-31T00:00:00Z")), None);
        let hours = calendar("1h", "2026-01-01T00:30:00", "America/New_York");
        assert_eq!(
            hours.bounds(at("2026-07-01T10:15:00Z")).unwrap().first,
            at("2026-07-01T09:30:00Z")
        );
    }

    #[test]
    fn days_are_those_of_the_zone() {
        let zone = jiff::tz::TimeZoneDatabase::bundled().get("America/New_York").unwrap();
        let date = day(at("2026-03-08T04:59:59Z"), &zone);
        assert_eq!(date.to_string(), "2026-03-07");
        assert_eq!(day_ends(date, &zone), Some(at("2026-03-08T05:00:00Z")));
    }
}
