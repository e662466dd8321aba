//! Times of a journal: RFC 3339, or unix nanoseconds.

use crate::problem::Kind;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A time as read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant {
    /// UTC nanoseconds since 1970.
    pub nanos: i64,
    /// It had no zone.
    pub naive: bool,
    /// Its second is the 61st of a minute.
    pub leap: bool,
}

/// Reads RFC 3339 (`zone` is that of a time without one; `None`: UTC), or decimal nanoseconds.
pub fn parse(text: &str, zone: Option<&TimeZone>) -> Result<Instant, Kind> {
    if let Some(nanos) = plain(text.as_bytes()) {
        return Ok(Instant { nanos, naive: false, leap: false });
    }
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        let nanos = text.parse().map_err(|_| Kind::TimeOutOfRange)?;
        return Ok(Instant { nanos, naive: false, leap: false });
    }
    let text = without_excess(text);
    let leap = text.get(16..19) == Some(":60");
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Ok(Instant { nanos: nanos(timestamp)?, naive: false, leap });
    }
    let civil: DateTime = text.parse().map_err(|_| Kind::BadTime)?;
    if !text.contains(':') {
        // A bare date is no time.
        return Err(Kind::BadTime);
    }
    let utc = TimeZone::UTC;
    let zoned = zone.unwrap_or(&utc).to_ambiguous_zoned(civil).compatible();
    let timestamp = zoned.map_err(|_| Kind::TimeOutOfRange)?.timestamp();
    Ok(Instant { nanos: nanos(timestamp)?, naive: true, leap })
}

fn nanos(timestamp: Timestamp) -> Result<i64, Kind> {
    i64::try_from(timestamp.as_nanosecond()).map_err(|_| Kind::TimeOutOfRange)
}

/// The text without the digits of the fraction below the nanosecond.
fn without_excess(text: &str) -> String {
    let mut fraction = None;
    text.chars()
        .filter(|c| {
            fraction = match (fraction, c) {
                (_, '.' | ',') => Some(0_u32),
                (Some(digits), '0'..='9') => Some(digits + 1),
                _ => None,
            };
            fraction.is_none_or(|digits| digits <= 9)
        })
        .collect()
}

/// `YYYY-MM-DDTHH:MM:SS[.f{1,9}]` with `Z` or `±HH:MM`, years 1970 to 2261: nearly every time there is.
fn plain(text: &[u8]) -> Option<i64> {
    let (head, mut rest) = text.split_at_checked(19)?;
    let [
        y1,
        y2,
        y3,
        y4,
        b'-',
        m1,
        m2,
        b'-',
        d1,
        d2,
        b'T' | b't' | b' ',
        h1,
        h2,
        b':',
        n1,
        n2,
        b':',
        s1,
        s2,
    ] = *head
    else {
        return None;
    };
    let (year, month, day) = (two(y1, y2)? * 100 + two(y3, y4)?, two(m1, m2)?, two(d1, d2)?);
    let (hour, minute, second) = (two(h1, h2)?, two(n1, n2)?, two(s1, s2)?);
    if !(1970..2262).contains(&year) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    if !(1..=12).contains(&month) || day == 0 || day > days_in(year, month) {
        return None;
    }
    let mut fraction = 0;
    if let [b'.', digits @ ..] = rest {
        let mut scale = 1_000_000_000_i64;
        let mut used = 0;
        for digit in digits.iter().take_while(|b| b.is_ascii_digit()) {
            scale /= 10;
            fraction += i64::from(digit - b'0') * scale;
            used += 1;
        }
        if used == 0 || used > 9 {
            return None;
        }
        rest = digits.get(used..)?;
    }
    let offset = match *rest {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (two(h1, h2)?, two(m1, m2)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let seconds = hours * 3600 + minutes * 60;
            if sign == b'-' { -seconds } else { seconds }
        }
        _ => return None,
    };
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
    seconds.checked_mul(1_000_000_000)?.checked_add(fraction)
}

fn two(tens: u8, ones: u8) -> Option<i64> {
    let digit = |b: u8| b.is_ascii_digit().then(|| i64::from(b - b'0'));
    Some(digit(tens)? * 10 + digit(ones)?)
}

fn leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap(year)),
        _ => 31,
    }
}

/// Days from 1970-01-01, by the calendar that begins its years in March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = year / 400;
    let year_of_era = year - era * 400;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nanos(text: &str) -> Result<i64, Kind> {
        parse(text, None).map(|i| i.nanos)
    }

    #[test]
    fn spellings_of_one_instant() {
        for text in [
            "2026-11-14T08:01:00Z",
            "2026-11-14t08:01:00.000000000z",
            "2026-11-14 10:01:00+02:00",
            "2026-11-14T03:01:00.0-05:00",
            "2026-11-14T08:01:00.0000000009Z",
            "2026-11-14T08:01:00+0000",
            "1794643260000000000",
        ] {
            assert_eq!(nanos(text), Ok(1_794_643_260_000_000_000), "{text}");
        }
        assert_eq!(nanos("1969-12-31T23:59:59.5Z"), Ok(-500_000_000));
        assert_eq!(nanos("-1"), Ok(-1));
        let leap = parse("2016-12-31T23:59:60.5Z", None).unwrap();
        assert_eq!((Ok(leap.nanos), leap.leap), (nanos("2016-12-31T23:59:59.5Z"), true));
        assert!(!parse("2016-12-31T23:59:59.5+00:00", None).unwrap().leap);
    }

    #[test]
    fn times_without_a_zone() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let at = 1_794_643_260_000_000_000;
        let naive = Ok(Instant { nanos: at, naive: true, leap: false });
        assert_eq!(parse("2026-11-14T08:01:00", None), naive);
        assert_eq!(parse("2026-11-14T09:01:00", Some(&berlin)), naive);
    }

    #[test]
    fn what_is_no_time() {
        for text in
            ["", "yesterday", "2026-11-14", "2026-02-30T00:00:00Z", "2026-11-14T24:01:00Z", "1.5"]
        {
            assert_eq!(nanos(text), Err(Kind::BadTime), "{text}");
        }
        for text in ["2400-01-01T00:00:00Z", "9223372036854775808", "1600-01-01T00:00:00Z"] {
            assert_eq!(nanos(text), Err(Kind::TimeOutOfRange), "{text}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_calendar_library(nanos in 0_i64..9_000_000_000_000_000_000) {
            let text = Timestamp::from_nanosecond(i128::from(nanos)).unwrap().to_string();
            prop_assert_eq!(plain(text.as_bytes()), Some(nanos));
        }
    }
}
