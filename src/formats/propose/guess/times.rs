//! When an exchange began and ended.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::survey::{Survey, name};
use super::marks::is_header;
use super::{best, quoted};
use crate::config::mapping::TimeUnit;
use crate::formats::time;

/// The keys of a mapping that tell its times.
#[derive(Debug)]
pub(super) struct Times {
    /// Key and pointer or word, in the order in which they are written.
    pub(super) keys: Vec<(&'static str, String)>,
    /// The pointer and the unit of the first.
    pub(super) first: (String, &'static str),
}

/// A place that holds a time in every line of its own.
struct Time {
    pointer: String,
    unit: &'static str,
    /// How well it tells: worse without a zone, and without parts of a second.
    lack: u8,
    /// The earliest one, in nanoseconds.
    first: i64,
}

impl Times {
    /// Of these lines, which are all of exchanges. `whole`: a line may hold the end, too. `None`: no place
    /// has a time.
    pub(super) fn of(
        survey: &Survey,
        outside: &impl Fn(&str) -> bool,
        whole: bool,
    ) -> Option<Self> {
        let times = times(survey, outside);
        let pair = times.iter().filter(|_| whole).find_map(|begin| {
            let end = times.iter().find(|end| ends(survey, begin, end))?;
            Some((begin, end))
        });
        let mut keys = Vec::new();
        let first = match pair {
            Some((begin, end)) => {
                keys.push(("time", quoted(&begin.pointer)));
                keys.push(("end_time", quoted(&end.pointer)));
                begin
            }
            None => times.first()?,
        };
        let unit = |keys: &mut Vec<_>| {
            if first.unit != "rfc3339" {
                keys.push(("time_unit", quoted(first.unit)));
            }
        };
        if pair.is_some() {
            unit(&mut keys);
        } else {
            let duration = duration(survey, outside).filter(|_| whole);
            let written_at_the_end =
                duration.as_ref().is_some_and(|lasting| is_end(survey, first, lasting));
            keys.push((
                if written_at_the_end { "end_time" } else { "time" },
                quoted(&first.pointer),
            ));
            unit(&mut keys);
            if let Some((pointer, unit)) = duration {
                keys.push(("duration", quoted(&pointer)));
                keys.push(("duration_unit", quoted(unit)));
            }
        }
        Some(Self { first: (first.pointer.clone(), first.unit), keys })
    }
}

/// When a recorder took a line in, or stored it: not when what it tells of was.
const NOT_OF_THE_LINE: &[&str] =
    &["ingest", "receivetime", "receive_time", "observed", "index", "collected", "monotonic"];

/// Places that hold a time in every line of theirs, the best first; of equal ones the earliest.
fn times(survey: &Survey, outside: &impl Fn(&str) -> bool) -> Vec<Time> {
    let mut found = Vec::new();
    for (pointer, place) in &survey.places {
        let named = name(pointer);
        if !outside(pointer)
            || pointer.contains("/*")
            || is_header(pointer)
            || NOT_OF_THE_LINE.iter().any(|word| named.contains(word))
            || place.lines() * 2 < survey.lines
        {
            continue;
        }
        let Some(unit) = place.values.first().and_then(|(_, value)| unit(value)) else { continue };
        // A number in a text may be anything.
        let called = ["time", "date", "stamp", "ts", "at"].iter().any(|word| named.contains(word));
        if unit != "rfc3339" && !called && place.values.iter().any(|(_, value)| value.is_string()) {
            continue;
        }
        if !place.all(|value| self::unit(value) == Some(unit)) {
            continue;
        }
        let nanos = place.values.iter().filter_map(|(_, value)| nanos(value, unit));
        let Some(first) = nanos.clone().min() else { continue };
        let naive = place.values.iter().any(|(_, value)| is_naive(value));
        let coarse = nanos.clone().all(|nanos| nanos % 1_000_000_000 == 0);
        let lack = u8::from(naive) + 2 * u8::from(coarse);
        found.push(Time { pointer: pointer.clone(), unit, lack, first });
    }
    found.sort_by(|a, b| {
        let order = |time: &Time| (time.lack, rank(time.unit), time.first);
        order(a).cmp(&order(b)).then_with(|| a.pointer.cmp(&b.pointer))
    });
    found
}

/// The finer, the better; a number counts from a known zone.
fn rank(unit: &str) -> usize {
    ["us", "ns", "ms", "s"].iter().position(|word| *word == unit).unwrap_or(4)
}

/// A text without a zone.
fn is_naive(value: &Value) -> bool {
    value.as_str().is_some_and(|text| time::text(text, None, None).is_ok_and(|at| at.odd.naive))
}

/// Whether a time is the end of what the other one begins: never before it, and not always the same.
fn ends(survey: &Survey, begin: &Time, end: &Time) -> bool {
    let at = |time: &Time| survey.places.get(&time.pointer).map(|place| &place.values);
    let (Some(begins), Some(ends)) = (at(begin), at(end)) else { return false };
    let begins: BTreeMap<usize, &Value> =
        begins.iter().map(|(line, value)| (*line, value)).collect();
    let mut later = false;
    let all = begin.unit == end.unit
        && ends.iter().all(|(line, value)| {
            let Some(begun) = begins.get(line).and_then(|value| nanos(value, begin.unit)) else {
                return true;
            };
            let Some(ended) = nanos(value, end.unit) else { return false };
            later |= ended > begun;
            ended >= begun
        });
    all && later
}

/// Whether the only time of a line is that of its end, when it tells how long the exchange took: lines are
/// written in the order of their ends. Where that tells nothing, a logger stamps what is over.
fn is_end(survey: &Survey, time: &Time, (pointer, unit): &(String, &'static str)) -> bool {
    let Some(unit) = TimeUnit::parse(unit) else { return false };
    let lengths: BTreeMap<usize, i64> = survey
        .places
        .get(pointer)
        .into_iter()
        .flat_map(|place| &place.values)
        .filter_map(|(line, value)| Some((*line, time::length(&text(value)?, unit).ok()?)))
        .collect();
    let stamps: Vec<(i64, i64)> = survey
        .places
        .get(&time.pointer)
        .into_iter()
        .flat_map(|place| &place.values)
        .filter_map(|(line, value)| {
            let at = nanos(value, time.unit)?;
            Some((at, at.saturating_add(*lengths.get(line)?)))
        })
        .collect();
    let backwards = |of: fn(&(i64, i64)) -> i64| {
        stamps.iter().zip(stamps.iter().skip(1)).filter(|(a, b)| of(a) > of(b)).count()
    };
    let (as_end, as_start) = (backwards(|(at, _)| *at), backwards(|(_, end)| *end));
    let named = name(&time.pointer);
    let begins = ["start", "began", "begin", "sent", "open", "request"];
    if as_end != as_start {
        return as_end < as_start;
    }
    let levels = ["level", "lvl", "severity", "levelname", "@l", "@mt", "log.level", "priority"];
    let by_a_logger = survey.places.keys().any(|place| {
        let place = place.trim_start_matches('/').to_ascii_lowercase();
        levels.contains(&place.as_str())
    });
    by_a_logger && !begins.iter().any(|word| named.contains(word))
}

/// A number or a text as the text that it is.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// What a time counts: text of RFC 3339, or a number of the years 2001 to 2096, which a text may hold, too.
pub(super) fn unit(value: &Value) -> Option<&'static str> {
    let seconds = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) if text.len() >= 10 && text.parse::<f64>().is_ok() => {
            text.parse().ok()?
        }
        Value::String(text) => {
            return time::text(text, None, None).ok().map(|_| "rfc3339");
        }
        _ => return None,
    };
    [("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)]
        .into_iter()
        .find(|(_, scale)| (1e9 * scale..4e9 * scale).contains(&seconds))
        .map(|(unit, _)| unit)
}

fn nanos(value: &Value, unit: &str) -> Option<i64> {
    let text = text(value)?;
    match TimeUnit::parse(unit)? {
        TimeUnit::Rfc3339 => time::text(&text, None, None).ok().map(|at| at.nanos),
        unit => time::number(&text, unit).ok(),
    }
}

/// The times beside the pieces of a stream.
pub(super) fn of_pieces(survey: &Survey, frames: &str, unit: &str) -> Option<String> {
    let (parent, _) = frames.rsplit_once('/')?;
    let beside = |pointer: &str| pointer.rsplit_once('/').is_some_and(|(of, _)| of == parent);
    survey
        .places
        .iter()
        .find(|(pointer, place)| {
            beside(pointer) && place.all(|value| self::unit(value) == Some(unit))
        })
        .map(|(pointer, _)| pointer.clone())
}

/// How long it took: by its name, and by how long exchanges take when that does not tell the unit.
fn duration(survey: &Survey, outside: &impl Fn(&str) -> bool) -> Option<(String, &'static str)> {
    let words = [
        "duration",
        "took",
        "latency",
        "elapsed",
        "responsetime",
        "response_time",
        "request_time",
        "requesttime",
        "totaltime",
        "total_time",
        "time_taken",
        "timetaken",
    ];
    let pointer = best(survey, |pointer, place| {
        let named = words.iter().any(|word| name(pointer).contains(word))
            || name(pointer) == "ms" && !is_header(pointer);
        let told = |value: &Value| {
            text(value).is_some_and(|text| time::length(&text, TimeUnit::Millis).is_ok())
        };
        if outside(pointer) && named { place.count(told) } else { 0 }
    })?;
    let place = survey.places.get(&pointer)?;
    let unit = unit_of_name(&name(&pointer))
        .or_else(|| {
            (pointer.ends_with("/event/duration") || pointer.ends_with("/event.duration"))
                .then_some("ns")
        })
        .unwrap_or_else(|| unit_of_length(place.values.iter().map(|(_, value)| value)));
    Some((pointer, unit))
}

fn unit_of_name(name: &str) -> Option<&'static str> {
    let ends: &[(&str, &str)] = &[
        ("nanoseconds", "ns"),
        ("nanos", "ns"),
        ("_ns", "ns"),
        ("microseconds", "us"),
        ("micros", "us"),
        ("_us", "us"),
        ("milliseconds", "ms"),
        ("millis", "ms"),
        ("ms", "ms"),
        ("seconds", "s"),
        ("_secs", "s"),
        ("_sec", "s"),
        ("_s", "s"),
    ];
    ends.iter().find(|(end, _)| name.ends_with(end)).map(|(_, unit)| *unit)
}

/// Of what half of the exchanges take at most: from a millisecond to ten seconds, as far as can be.
fn unit_of_length<'v>(values: impl Iterator<Item = &'v Value>) -> &'static str {
    let mut lengths: Vec<f64> = values.filter_map(Value::as_f64).collect();
    lengths.sort_by(f64::total_cmp);
    match lengths.get(lengths.len() / 2) {
        Some(middle) if *middle < 1.0 => "s",
        Some(middle) if *middle >= 1e6 => "ns",
        Some(middle) if *middle >= 2e4 => "us",
        _ => "ms",
    }
}
