//! How far the clock of a server may be ahead of that of who recorded an exchange with it.
//!
//! Never used to change a time: it only bounds how far two recorders' clocks may disagree. What the
//! server said of its time lies between the sending of the request and the arrival of the answer, and
//! that is all that is taken for granted; many exchanges together tell more.

use super::derive::facts::{path_of, response_header};
use super::{Exchange, Half, Side};
use jiff::fmt::rfc2822;

/// What the server's time was taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The `Date` header of its answer (RFC 9110 §6.6.1), in whole seconds.
    Date,
    /// The beginning of its own span of the exchange.
    Span,
}

impl Evidence {
    /// The word in the column `evidence`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::Span => "span",
        }
    }
}

/// Bounds that one exchange gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerClock {
    /// Scheme, host and port of the URL.
    pub server: String,
    /// What its time was taken from.
    pub evidence: Evidence,
    /// Its clock is at least this far ahead of the recorder's; nanoseconds, negative: behind.
    pub ahead_min: i64,
    /// And at most this far.
    pub ahead_max: i64,
}

/// A `Date` header stands for a second.
const SECOND: i64 = 1_000_000_000;

/// What the sightings of one exchange tell; the first is the one whose times count.
pub(super) fn of(sightings: &[Exchange<'_>]) -> Vec<ServerClock> {
    let mut found = Vec::new();
    let Some((recorder, others)) = sightings.split_first() else { return found };
    let Some(answer) = answer_of(recorder, others) else { return found };
    let url = recorder.url.as_deref().or(answer.url.as_deref()).unwrap_or_default();
    let start = recorder.started_at;
    let ended_at = match answer.half {
        // It bears the time at which it was written.
        Half::Response => answer.ended_at.or(Some(answer.started_at)),
        _ => answer.ended_at,
    };
    let Some(end) = ended_at.filter(|end| *end >= start) else { return found };
    let server = url.get(..url.len() - path_of(url).len()).unwrap_or_default();
    if server.is_empty() || recorder.from_cache || answer.from_cache {
        return found;
    }
    let mut push = |evidence, first: i64, last: i64| {
        // Within [first, last) of its clock the server saw what happened within [start, end] of ours.
        if let (Some(ahead_min), Some(ahead_max)) =
            (first.checked_sub(end), last.checked_sub(start))
        {
            found.push(ServerClock { server: server.to_owned(), evidence, ahead_min, ahead_max });
        }
    };
    if let Some(date) = date(answer) {
        push(Evidence::Date, date, date.saturating_add(SECOND));
    }
    for other in others.iter().filter(|other| other.side == Side::Server) {
        push(Evidence::Span, other.started_at, other.started_at);
    }
    found
}

/// Where the one that asked recorded its answer: with the request, or in a record of its own of the same log.
fn answer_of<'s, 'e>(
    recorder: &'s Exchange<'e>,
    others: &'s [Exchange<'e>],
) -> Option<&'s Exchange<'e>> {
    match recorder.half {
        _ if recorder.side == Side::Server => None,
        Half::Whole => Some(recorder),
        Half::Request => others.iter().find(|other| {
            other.half == Half::Response
                && other.side == recorder.side
                && other.key.is_some()
                && other.key == recorder.key
        }),
        Half::Response => None,
    }
}

/// When the server says that it answered; `None` when a cache may have kept the answer since.
fn date(exchange: &Exchange<'_>) -> Option<i64> {
    if response_header(exchange, "age").is_some_and(|age| age != "0") {
        return None;
    }
    let date = rfc2822::parse(response_header(exchange, "date")?).ok()?;
    i64::try_from(date.timestamp().as_nanosecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-14T08:00:00Z.
    const EIGHT: i64 = 1_794_643_200 * SECOND;

    fn exchange(headers: &[(&'static str, &'static str)]) -> Exchange<'static> {
        Exchange {
            started_at: EIGHT,
            ended_at: Some(EIGHT + 200_000_000),
            url: Some("https://r1.example:8443/agents/a.json".into()),
            response_headers: headers.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect(),
            ..Exchange::default()
        }
    }

    #[test]
    fn a_date_bounds_the_clock() {
        // The server's second 08:00:03 lies within our 08:00:00.0 to 08:00:00.2: it is ahead by at
        // least 3.0 − 0.2 and at most 4.0 − 0.0 seconds.
        let told = of(&[exchange(&[("Date", "Sat, 14 Nov 2026 08:00:03 GMT")])]);
        let [clock] = &told[..] else { panic!("{told:?}") };
        assert_eq!((&*clock.server, clock.evidence), ("https://r1.example:8443", Evidence::Date));
        assert_eq!((clock.ahead_min, clock.ahead_max), (2_800_000_000, 4_000_000_000));
    }

    #[test]
    fn halves_tell_what_the_whole_does() {
        let half = |half, key: &'static str, started_at| Exchange {
            half,
            key: Some(key.into()),
            started_at,
            ended_at: None,
            ..exchange(&[])
        };
        let request = half(Half::Request, "7", EIGHT);
        let date = vec![("date".into(), "Sat, 14 Nov 2026 08:00:03 GMT".into())];
        let response = |key| Exchange {
            url: None,
            response_headers: date.clone(),
            ..half(Half::Response, key, EIGHT + 200_000_000)
        };
        let told = of(&[request.clone(), response("7")]);
        let [clock] = &told[..] else { panic!("{told:?}") };
        assert_eq!((clock.ahead_min, clock.ahead_max), (2_800_000_000, 4_000_000_000));
        assert_eq!(of(&[request.clone(), response("8")]), [], "the answer of another exchange");
        assert_eq!(of(&[request]), []);
        assert_eq!(of(&[response("7")]), []);
    }

    #[test]
    fn what_a_cache_may_have_kept_tells_nothing() {
        let date = ("date", "Sat, 14 Nov 2026 08:00:03 GMT");
        assert_eq!(of(&[exchange(&[date, ("age", "7")])]), []);
        assert_eq!(of(&[exchange(&[date, ("Age", "0")])]).len(), 1);
        assert_eq!(of(&[Exchange { from_cache: true, ..exchange(&[date]) }]), []);
        assert_eq!(of(&[exchange(&[("date", "yesterday")])]), []);
        assert_eq!(of(&[]), []);
    }

    #[test]
    fn a_span_of_the_server_bounds_it_too() {
        let server =
            Exchange { side: Side::Server, started_at: EIGHT - 5 * SECOND, ..exchange(&[]) };
        let told = of(&[exchange(&[]), server.clone()]);
        let [clock] = &told[..] else { panic!("{told:?}") };
        assert_eq!(clock.evidence, Evidence::Span);
        assert_eq!((clock.ahead_min, clock.ahead_max), (-5_200_000_000, -5_000_000_000));
        assert_eq!(of(&[server]), []);
    }
}
