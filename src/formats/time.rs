//! Times as recorders spell them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::config::mapping::TimeUnit;
use crate::problem::{At, Kind, Problem};

use super::Sink;

/// A time read from a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant {
    /// UTC nanoseconds since 1970.
    pub nanos: i64,
    /// What is to be told of it.
    pub odd: Odd,
}

/// What is to be told of times as they are spelled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Odd {
    /// It had no zone and none was configured for it: it was read in the assumed zone.
    pub naive: bool,
    /// Its second is the 61st of a minute: it was read as the one before.
    pub leap: bool,
}

impl Odd {
    /// What is odd of either.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { naive: self.naive || other.naive, leap: self.leap || other.leap }
    }

    /// The kinds of problem that tell it.
    pub fn kinds(self) -> impl Iterator<Item = Kind> {
        let all = [(self.naive, Kind::NaiveTime), (self.leap, Kind::LeapSecond)];
        all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, kind)| kind)
    }

    /// Tells it of the time at a pointer of a record.
    pub fn tell(self, at: At, pointer: &str, sink: &mut dyn Sink) {
        for kind in self.kinds() {
            sink.problem(Problem::new(kind, at, "").pointing(pointer));
        }
    }
}

/// Whether a time of day ends with the 61st second of a minute: `23:59:60`.
pub fn is_leap(text: &str) -> bool {
    text.match_indices(":60").any(|(at, found)| {
        let clock = text.get(..at).is_some_and(|before| {
            before.ends_with(|c: char| c.is_ascii_digit()) && before.contains(':')
        });
        let after = text.get(at + found.len()..).unwrap_or_default();
        clock && !after.starts_with(|c: char| c.is_ascii_digit() || c == ':')
    })
}

impl Instant {
    /// A count of nanoseconds: nothing is odd of it.
    pub fn of(nanos: i64) -> Self {
        Self { nanos, odd: Odd::default() }
    }
}

/// Why a time cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadTime {
    /// Not a time in the spelling expected.
    Spelling,
    /// A time before 1678 or after 2261.
    Range,
}

/// Reads text: RFC 3339 or close to it (a space for `T`, a comma in the fraction, no zone).
pub fn text(
    text: &str,
    zone: Option<&TimeZone>,
    assumed: Option<&TimeZone>,
) -> Result<Instant, BadTime> {
    let text = text.trim();
    let leap = is_leap(text);
    if let Some(utc) = text.strip_suffix(" UTC") {
        let utc = utc.parse().map_err(|_| BadTime::Spelling)?;
        return Ok(Instant { odd: Odd { naive: false, leap }, ..civil(utc, None, None, leap)? });
    }
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Ok(Instant { nanos: nanos(timestamp)?, odd: Odd { naive: false, leap } });
    }
    match (text.parse(), tidied(text)) {
        (Ok(time), _) => civil(time, zone, assumed, leap),
        (Err(_), Some(tidied)) => self::text(&tidied, zone, assumed),
        (Err(_), None) => Err(BadTime::Spelling),
    }
}

/// Without a space before the offset, and with no more digits than nanoseconds have; `None`: it is so
/// already.
fn tidied(text: &str) -> Option<String> {
    if let Some((time, offset)) = text.rsplit_once(' ')
        && offset.starts_with(['+', '-'])
    {
        return Some(format!("{time}{offset}"));
    }
    let (seconds, rest) = text.split_once(['.', ','])?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (fraction, after) = (rest.get(..9)?, rest.get(digits..)?);
    (digits > 9).then(|| format!("{seconds}.{fraction}{after}"))
}

/// Reads text in a strftime spelling.
pub fn spelled(
    text: &str,
    format: &str,
    zone: Option<&TimeZone>,
    assumed: Option<&TimeZone>,
) -> Result<Instant, BadTime> {
    let parts = jiff::fmt::strtime::parse(format, text.trim()).map_err(|_| BadTime::Spelling)?;
    let leap = is_leap(text);
    if let Ok(timestamp) = parts.to_timestamp() {
        return Ok(Instant { nanos: nanos(timestamp)?, odd: Odd { naive: false, leap } });
    }
    civil(parts.to_datetime().map_err(|_| BadTime::Spelling)?, zone, assumed, leap)
}

fn civil(
    time: DateTime,
    zone: Option<&TimeZone>,
    assumed: Option<&TimeZone>,
    leap: bool,
) -> Result<Instant, BadTime> {
    let utc = TimeZone::UTC;
    let timestamp = zone
        .or(assumed)
        .unwrap_or(&utc)
        .to_ambiguous_zoned(time)
        .compatible()
        .map_err(|_| BadTime::Range)?
        .timestamp();
    Ok(Instant { nanos: nanos(timestamp)?, odd: Odd { naive: zone.is_none(), leap } })
}

fn nanos(timestamp: Timestamp) -> Result<i64, BadTime> {
    i64::try_from(timestamp.as_nanosecond()).map_err(|_| BadTime::Range)
}

/// Reads a decimal number of units, exactly: `1796039852.533` seconds are 1796039852533000000 ns.
/// What lies below the nanosecond is cut off.
pub fn number(text: &str, unit: TimeUnit) -> Result<i64, BadTime> {
    let text = text.trim();
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            (mantissa, exponent.parse::<i32>().map_err(|_| BadTime::Spelling)?)
        }
        None => (text, 0),
    };
    let (negative, digits) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return Err(BadTime::Spelling);
    }
    // value = all digits × 10^(exponent − digits of the fraction) × 10^(digits of the unit)
    let mut value: i128 = 0;
    for digit in whole.bytes().chain(fraction.bytes()) {
        if !digit.is_ascii_digit() {
            return Err(BadTime::Spelling);
        }
        value = value
            .checked_mul(10)
            .and_then(|v| v.checked_add(i128::from(digit - b'0')))
            .ok_or(BadTime::Range)?;
    }
    let fraction = i32::try_from(fraction.len()).map_err(|_| BadTime::Range)?;
    let unit = unit.nanos().ilog10().cast_signed();
    let shift = exponent
        .checked_add(unit)
        .and_then(|sum| sum.checked_sub(fraction))
        .ok_or(BadTime::Range)?;
    let scale = 10_i128.checked_pow(shift.unsigned_abs());
    let value = if shift >= 0 {
        if value == 0 {
            0
        } else {
            scale.and_then(|scale| value.checked_mul(scale)).ok_or(BadTime::Range)?
        }
    } else {
        scale.map_or(0, |scale| value / scale)
    };
    i64::try_from(if negative { -value } else { value }).map_err(|_| BadTime::Range)
}

/// Reads a length of time: a number of units, or a number with its unit (`2ms`, `1.5s`).
pub fn length(text: &str, unit: TimeUnit) -> Result<i64, BadTime> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')))
        .unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    match suffix.trim() {
        "" => number(digits, unit),
        word => match TimeUnit::parse(word) {
            Some(unit) => number(digits, unit),
            None => number(text, unit),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        assert_eq!(number("1796039852.533", TimeUnit::Seconds), Ok(1_796_039_852_533_000_000));
        assert_eq!(number("1796039487508833", TimeUnit::Micros), Ok(1_796_039_487_508_833_000));
        assert_eq!(number("1.796039852533e9", TimeUnit::Seconds), Ok(1_796_039_852_533_000_000));
        assert_eq!(
            number("1796039852533.9999999", TimeUnit::Millis),
            Ok(1_796_039_852_533_999_999)
        );
        assert_eq!(number("-1.5", TimeUnit::Seconds), Ok(-1_500_000_000));
        assert_eq!(number("18446744073709551000", TimeUnit::Nanos), Err(BadTime::Range));
        assert_eq!(number("9e99", TimeUnit::Seconds), Err(BadTime::Range));
        assert_eq!(number("1e-400", TimeUnit::Seconds), Ok(0));
        assert_eq!(number("", TimeUnit::Seconds), Err(BadTime::Spelling));
        assert_eq!(number("12a", TimeUnit::Seconds), Err(BadTime::Spelling));
    }

    const NAIVE: Odd = Odd { naive: true, leap: false };

    #[test]
    fn leap_seconds_are_the_second_before_and_told() {
        let before = text("2016-12-31T23:59:59.5Z", None, None).unwrap().nanos;
        for (spelled, naive) in [
            ("2016-12-31T23:59:60.5Z", false),
            ("2016-12-31 23:59:60,5", true),
            ("2016-12-31 23:59:60.5 UTC", false),
            ("2017-01-01T00:59:60.5+01:00", false),
            ("2016-12-31T23:59:60.500000000001Z", false),
        ] {
            let read = text(spelled, None, None);
            assert_eq!(
                read,
                Ok(Instant { nanos: before, odd: Odd { naive, leap: true } }),
                "{spelled}"
            );
        }
        let spelled = spelled("31/Dec/2016:23:59:60 +0000", "%d/%b/%Y:%H:%M:%S %z", None, None);
        let odd = Odd { naive: false, leap: true };
        assert_eq!(spelled, Ok(Instant { nanos: before - 500_000_000, odd }));
        for no_leap in ["2016-12-31T23:60", "10.0.0.1:6000", "2026-11-30T11:31:25Z", ":60"] {
            assert!(!is_leap(no_leap), "{no_leap}");
        }
    }

    #[test]
    fn texts_with_and_without_a_zone() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let at = 1_796_038_285_904_000_000;
        assert_eq!(text("2026-11-30T11:31:25.904Z", None, None), Ok(Instant::of(at)));
        for spelled in ["2026-11-30 12:31:25.904 +0100", "2026-11-30 11:31:25,904000000999Z"] {
            assert_eq!(text(spelled, None, None), Ok(Instant::of(at)));
        }
        for no_time in ["2026-11-30 +0100", "a b -c", "1.2345678901é", "."] {
            assert_eq!(text(no_time, None, None), Err(BadTime::Spelling), "{no_time}");
        }
        assert_eq!(text("2026-11-30 12:31:25,904+01:00", None, None), Ok(Instant::of(at)));
        assert_eq!(
            text("2026-11-30 11:31:25,904", None, None),
            Ok(Instant { nanos: at, odd: NAIVE })
        );
        assert_eq!(text("2026-11-30 12:31:25.904", Some(&berlin), None), Ok(Instant::of(at)));
        assert_eq!(
            text("2026-11-30 12:31:25.904", None, Some(&berlin)),
            Ok(Instant { nanos: at, odd: NAIVE })
        );
        assert_eq!(text("yesterday", None, None), Err(BadTime::Spelling));
        assert_eq!(text("2400-01-01T00:00:00Z", None, None), Err(BadTime::Range));
    }

    #[test]
    fn strftime_spellings() {
        let at = 1_796_038_285_000_000_000;
        assert_eq!(
            spelled("30/Nov/2026:12:31:25 +0100", "%d/%b/%Y:%H:%M:%S %z", None, None),
            Ok(Instant::of(at))
        );
        assert_eq!(
            spelled("30.11.2026 11:31:25", "%d.%m.%Y %H:%M:%S", None, None),
            Ok(Instant { nanos: at, odd: NAIVE })
        );
    }

    #[test]
    fn lengths_with_their_unit() {
        assert_eq!(length("2ms", TimeUnit::Seconds), Ok(2_000_000));
        assert_eq!(length("0.014", TimeUnit::Seconds), Ok(14_000_000));
        assert_eq!(length("14.346", TimeUnit::Millis), Ok(14_346_000));
        assert_eq!(length("1.5s", TimeUnit::Millis), Ok(1_500_000_000));
    }
}
