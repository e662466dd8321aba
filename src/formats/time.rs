//! Times as recorders spell them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::config::mapping::TimeUnit;

/// A time read from a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant {
    /// UTC nanoseconds since 1970.
    pub nanos: i64,
    /// It had no zone and none was configured for it: it was read in the assumed zone.
    pub naive: bool,
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
    if let Some(utc) = text.strip_suffix(" UTC") {
        return Ok(Instant {
            naive: false,
            ..civil(utc.parse().map_err(|_| BadTime::Spelling)?, None, None)?
        });
    }
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Ok(Instant { nanos: nanos(timestamp)?, naive: false });
    }
    match (text.parse(), tidied(text)) {
        (Ok(time), _) => civil(time, zone, assumed),
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
    if let Ok(timestamp) = parts.to_timestamp() {
        return Ok(Instant { nanos: nanos(timestamp)?, naive: false });
    }
    civil(parts.to_datetime().map_err(|_| BadTime::Spelling)?, zone, assumed)
}

fn civil(
    time: DateTime,
    zone: Option<&TimeZone>,
    assumed: Option<&TimeZone>,
) -> Result<Instant, BadTime> {
    let utc = TimeZone::UTC;
    let timestamp = zone
        .or(assumed)
        .unwrap_or(&utc)
        .to_ambiguous_zoned(time)
        .compatible()
        .map_err(|_| BadTime::Range)?
        .timestamp();
    Ok(Instant { nanos: nanos(timestamp)?, naive: zone.is_none() })
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

    #[test]
    fn texts_with_and_without_a_zone() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let at = 1_796_038_285_904_000_000;
        assert_eq!(
            text("2026-11-30T11:31:25.904Z", None, None),
            Ok(Instant { nanos: at, naive: false })
        );
        for spelled in ["2026-11-30 12:31:25.904 +0100", "2026-11-30 11:31:25,904000000999Z"] {
            assert_eq!(text(spelled, None, None), Ok(Instant { nanos: at, naive: false }));
        }
        for no_time in ["2026-11-30 +0100", "a b -c", "1.2345678901é", "."] {
            assert_eq!(text(no_time, None, None), Err(BadTime::Spelling), "{no_time}");
        }
        assert_eq!(
            text("2026-11-30 12:31:25,904+01:00", None, None),
            Ok(Instant { nanos: at, naive: false })
        );
        assert_eq!(
            text("2026-11-30 11:31:25,904", None, None),
            Ok(Instant { nanos: at, naive: true })
        );
        assert_eq!(
            text("2026-11-30 12:31:25.904", Some(&berlin), None),
            Ok(Instant { nanos: at, naive: false })
        );
        assert_eq!(
            text("2026-11-30 12:31:25.904", None, Some(&berlin)),
            Ok(Instant { nanos: at, naive: true })
        );
        assert_eq!(text("yesterday", None, None), Err(BadTime::Spelling));
        assert_eq!(text("2400-01-01T00:00:00Z", None, None), Err(BadTime::Range));
    }

    #[test]
    fn strftime_spellings() {
        let at = 1_796_038_285_000_000_000;
        assert_eq!(
            spelled("30/Nov/2026:12:31:25 +0100", "%d/%b/%Y:%H:%M:%S %z", None, None),
            Ok(Instant { nanos: at, naive: false })
        );
        assert_eq!(
            spelled("30.11.2026 11:31:25", "%d.%m.%Y %H:%M:%S", None, None),
            Ok(Instant { nanos: at, naive: true })
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
