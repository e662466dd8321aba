//! What each place may be, and the mapping that follows.

use std::fmt::Write as _;

use serde_json::Value;

use crate::a2a::card::Card;
use crate::a2a::object::{replies, requests};
use crate::a2a::sse;

use super::survey::{Place, Survey, name, text};

/// The mapping as TOML; `None`: nothing of A2A, or no time.
pub(super) fn mapping(survey: &Survey) -> Option<String> {
    let request = best(survey, |_, place| place.count(is_request));
    let sse_events = best(
        survey,
        |pointer, place| if pointer.contains("/*") { place.count(is_answer) } else { 0 },
    );
    let frames = best(survey, |_, place| place.count(is_stream));
    let streams: Vec<&str> =
        [&sse_events, &frames].into_iter().flatten().map(String::as_str).collect();
    let answers = ranked(survey, |pointer, place| {
        let inside =
            streams.iter().any(|stream| pointer.starts_with(stream.trim_end_matches("/*")));
        if pointer.contains("/*") || inside {
            0
        } else {
            place.count(|value| is_answer(value) || is_card(value))
        }
    });
    // A value within another that already is one: the outermost counts.
    let answers: Vec<String> = answers
        .iter()
        .filter(|inner| !answers.iter().any(|outer| is_within(inner, outer)))
        .take(3)
        .cloned()
        .collect();
    if request.is_none() && answers.is_empty() && streams.is_empty() {
        return None;
    }
    let bodies: Vec<&str> = request
        .iter()
        .map(String::as_str)
        .chain(answers.iter().map(String::as_str))
        .chain(streams.iter().copied())
        .collect();
    let outside = |pointer: &str| {
        !bodies
            .iter()
            .any(|body| pointer == *body || is_within(pointer, body.trim_end_matches("/*")))
    };

    let method_url = best(
        survey,
        |pointer, place| if outside(pointer) { place.count(is_method_url) } else { 0 },
    );
    let url = method_url
        .is_none()
        .then(|| {
            best(survey, |pointer, place| {
                if outside(pointer) && !is_header(pointer) { place.count(is_url) } else { 0 }
            })
        })
        .flatten();
    let method =
        best(survey, |pointer, place| if outside(pointer) { place.count(is_verb) } else { 0 });
    let status = best(survey, |pointer, place| {
        let named = name(pointer).contains("status") || name(pointer).contains("code");
        if outside(pointer) && named { place.count(is_status) } else { 0 }
    });
    let halves = halves(survey, &outside);
    let core: Vec<usize> = bodies
        .iter()
        .chain(method_url.as_deref().iter())
        .chain(url.as_deref().iter())
        .filter_map(|pointer| survey.places.get(*pointer))
        .flat_map(|place| place.lines_where(|_| true))
        .collect();
    let times = times(survey, &outside);
    let time = times.first()?;

    let mut out = String::from("[[mapping]]\nname = \"proposed\"\n");
    let mut put = |key: &str, value: String| {
        let _ = writeln!(out, "{key} = {value}");
    };
    let when = if let Some(halves) = &halves {
        halves.condition()
    } else {
        let urls = [&method_url, &url].into_iter().flatten().map(String::as_str);
        let places: Vec<&str> = bodies.iter().copied().chain(urls).collect();
        condition(survey, &core, &places)
    };
    put("when", when);
    put("time", quoted(&time.pointer));
    let end = times.iter().skip(1).find(|end| halves.is_none() && ends(survey, time, end));
    if let Some(end) = end {
        put("end_time", quoted(&end.pointer));
    }
    if time.unit != "rfc3339" {
        put("time_unit", quoted(time.unit));
    }
    if let Some((pointer, unit)) =
        duration(survey, &outside).filter(|_| end.is_none() && halves.is_none())
    {
        put("duration", quoted(&pointer));
        put("duration_unit", quoted(unit));
    }
    if let Some(client) = client(survey, &outside) {
        put("client", quoted(&client));
    }
    if let Some(Halves { join, side, request, response }) = &halves {
        let (side, request, response) = (quoted(side), quoted(request), quoted(response));
        put("join", quoted(join));
        put("side", format!("{{ pointer = {side}, request = {request}, response = {response} }}"));
    }
    let optional = [
        ("method_url", method_url.clone()),
        ("method", method.filter(|_| method_url.is_none())),
        ("url", url.clone()),
        ("request_headers", headers(survey, outside, REQUEST_HEADERS)),
        ("request_body", request.clone()),
        ("status", status),
        ("response_headers", headers(survey, outside, RESPONSE_HEADERS)),
    ];
    for (key, pointer) in optional {
        if let Some(pointer) = pointer {
            put(key, quoted(&pointer));
        }
    }
    let bare = request.is_none() && url.is_none() && method_url.is_none();
    match answers.as_slice() {
        [] => {}
        [only] => put(if bare { "a2a" } else { "response_body" }, quoted(only)),
        several => {
            let list: Vec<_> = several.iter().map(|pointer| quoted(pointer)).collect();
            put(if bare { "a2a" } else { "response_body" }, format!("[{}]", list.join(", ")));
        }
    }
    if let Some(pointer) = best(survey, |pointer, place| {
        if outside(pointer) && name(pointer).contains("sha256") { place.count(is_hash) } else { 0 }
    }) {
        put("response_sha256", quoted(&pointer));
    }
    match (&frames, &sse_events) {
        (Some(frames), _) if frames.contains("/*") => {
            put("sse_chunks", quoted(frames));
            if let Some(times) = piece_times(survey, frames, time.unit) {
                put("sse_times", quoted(&times));
            }
        }
        // A framed stream in one text is a body.
        (Some(frames), _) if answers.is_empty() => put("response_body", quoted(frames)),
        (_, Some(events)) => put("sse_events", quoted(events)),
        _ => {}
    }
    if let Some(error) = best(survey, |pointer, place| {
        if outside(pointer) && is_error(pointer) { place.count(Value::is_string) } else { 0 }
    }) {
        put("error", quoted(&error));
    }
    Some(out)
}

const REQUEST_HEADERS: &[&str] =
    &["accept", "user-agent", "host", "if-none-match", "authorization", "a2a-version"];
const RESPONSE_HEADERS: &[&str] =
    &["etag", "server", "date", "cache-control", "age", "last-modified"];

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn is_within(inner: &str, outer: &str) -> bool {
    inner.len() > outer.len()
        && inner.starts_with(outer)
        && inner.as_bytes().get(outer.len()) == Some(&b'/')
}

/// The place with the most lines; of several the shortest, then the first by name.
fn best(survey: &Survey, lines: impl Fn(&str, &Place) -> usize) -> Option<String> {
    ranked(survey, lines).into_iter().next()
}

fn ranked(survey: &Survey, lines: impl Fn(&str, &Place) -> usize) -> Vec<String> {
    let mut found: Vec<(usize, &String)> = survey
        .places
        .iter()
        .map(|(pointer, place)| (lines(pointer, place), pointer))
        .filter(|(count, _)| *count > 0)
        .collect();
    found.sort_by_key(|(count, pointer)| (std::cmp::Reverse(*count), pointer.len(), *pointer));
    found.into_iter().map(|(_, pointer)| pointer.clone()).collect()
}

fn body(value: &Value) -> Option<String> {
    let text = text(value);
    text.trim_start().starts_with(['{', '[']).then_some(text)
}

fn is_request(value: &Value) -> bool {
    use crate::a2a::method::Operation;
    body(value).is_some_and(|text| {
        requests(&text)
            .is_ok_and(|list| list.iter().any(|request| request.operation() != Operation::Unknown))
    })
}

fn is_answer(value: &Value) -> bool {
    use crate::a2a::object::Item;
    body(value).is_some_and(|text| {
        replies(&text).is_ok_and(|list| {
            list.iter().flat_map(|reply| &reply.items).any(|item| match item {
                Item::Task(task) => task.id.get().is_some(),
                Item::Status(update) => update.task_id.get().is_some(),
                Item::Artifact(update) => update.task_id.get().is_some(),
                Item::Message(_) | Item::Error(_) => text.contains("\"jsonrpc\""),
            })
        })
    })
}

fn is_card(value: &Value) -> bool {
    body(value).is_some_and(|text| {
        let marks = ["\"skills\"", "\"capabilities\"", "\"supportedInterfaces\"", "\"url\""];
        let wanted = marks.iter().filter(|mark| text.contains(**mark)).count() >= 2;
        wanted
            && Card::parse(text.as_bytes())
                .is_ok_and(|card| !card.skills.is_empty() || card.preferred_url().is_some())
    })
}

/// A piece of a framed stream.
fn is_stream(value: &Value) -> bool {
    value.as_str().is_some_and(|text| sse::looks_like_stream(text) && text.contains("data:"))
}

fn is_url(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with("http://") || text.starts_with("https://"))
}

fn is_verb(value: &Value) -> bool {
    value.as_str().is_some_and(|text| ["GET", "POST", "PUT", "DELETE", "HEAD"].contains(&text))
}

fn is_method_url(value: &Value) -> bool {
    let parts = value.as_str().and_then(|text| text.split_once(' '));
    parts.is_some_and(|(verb, url)| is_verb(&Value::from(verb)) && is_url(&Value::from(url)))
}

fn is_status(value: &Value) -> bool {
    let number = value.as_i64().or_else(|| value.as_str()?.parse().ok());
    number.is_some_and(|number| number == 0 || (100..600).contains(&number))
}

fn is_hash(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_header(pointer: &str) -> bool {
    pointer.contains("header") || pointer.contains("hdr")
}

fn is_error(pointer: &str) -> bool {
    let name = name(pointer);
    ["error", "failure", "exception", "fault"].iter().any(|word| name.contains(word))
        || ["err", "exc"].contains(&name.as_str())
}

/// A place of headers: an object, an array of pairs or of `{name, value}`.
fn headers(survey: &Survey, outside: impl Fn(&str) -> bool, wanted: &[&str]) -> Option<String> {
    let has = |value: &Value| {
        let named = |name: &str| wanted.contains(&name.to_ascii_lowercase().as_str());
        match value {
            Value::Object(map) => map.keys().any(|key| named(key)),
            Value::Array(list) => list.iter().any(|item| match item {
                Value::Array(pair) => pair.first().and_then(Value::as_str).is_some_and(named),
                Value::Object(pair) => pair.get("name").and_then(Value::as_str).is_some_and(named),
                _ => false,
            }),
            // An object as JSON in a text.
            Value::String(text) if text.starts_with('{') => {
                serde_json::from_str::<serde_json::Map<String, Value>>(text)
                    .is_ok_and(|map| map.keys().any(|key| named(key)))
            }
            _ => false,
        }
    };
    best(
        survey,
        |pointer, place| if outside(pointer) && !pointer.is_empty() { place.count(has) } else { 0 },
    )
}

/// A place of times.
struct Time {
    pointer: String,
    unit: &'static str,
    first: i64,
}

/// Places that hold a time in every line of theirs, the earliest first; of equal ones that with the
/// better name.
fn times(survey: &Survey, outside: &impl Fn(&str) -> bool) -> Vec<Time> {
    let mut found = Vec::new();
    for (pointer, place) in &survey.places {
        if !outside(pointer)
            || pointer.contains("/*")
            || is_header(pointer)
            || place.lines() * 2 < survey.lines
        {
            continue;
        }
        let Some(unit) = place.values.first().and_then(|(_, value)| unit(value)) else { continue };
        if !place.all(|value| self::unit(value) == Some(unit)) {
            continue;
        }
        let Some(first) = place.values.first().and_then(|(_, value)| nanos(value, unit)) else {
            continue;
        };
        found.push(Time { pointer: pointer.clone(), unit, first });
    }
    // A number counts from a known zone; a text may not.
    found.sort_by_key(|time| (time.unit == "rfc3339", time.unit, time.first, time.pointer.clone()));
    found
}

/// Whether a time is the end of what the other one begins: never before it, and not always the same.
fn ends(survey: &Survey, begin: &Time, end: &Time) -> bool {
    let at = |time: &Time| survey.places.get(&time.pointer).map(|place| &place.values);
    let (Some(begins), Some(ends)) = (at(begin), at(end)) else { return false };
    let begins: std::collections::BTreeMap<usize, &Value> =
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

fn unit(value: &Value) -> Option<&'static str> {
    let seconds = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => {
            return crate::formats::time::text(text, None, None).ok().map(|_| "rfc3339");
        }
        _ => return None,
    };
    // The years 2001 to 2096.
    [("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)]
        .into_iter()
        .find(|(_, scale)| (1e9 * scale..4e9 * scale).contains(&seconds))
        .map(|(unit, _)| unit)
}

fn nanos(value: &Value, unit: &str) -> Option<i64> {
    match value {
        Value::String(text) => crate::formats::time::text(text, None, None).ok().map(|at| at.nanos),
        other => {
            let unit = crate::config::mapping::TimeUnit::parse(unit)?;
            crate::formats::time::number(&other.to_string(), unit).ok()
        }
    }
}

/// The times beside the pieces of a stream.
fn piece_times(survey: &Survey, frames: &str, unit: &str) -> Option<String> {
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

fn duration(survey: &Survey, outside: &impl Fn(&str) -> bool) -> Option<(String, &'static str)> {
    let words = ["duration", "took", "latency", "elapsed"];
    let pointer = best(survey, |pointer, place| {
        let named = words.iter().any(|word| name(pointer).contains(word));
        if outside(pointer) && named { place.count(Value::is_number) } else { 0 }
    })?;
    let name = name(&pointer);
    let unit = [("_ns", "ns"), ("_us", "us"), ("_s", "s"), ("_sec", "s"), ("seconds", "s")];
    let unit = unit.into_iter().find(|(end, _)| name.ends_with(end)).map_or("ms", |(_, unit)| unit);
    Some((pointer, unit))
}

/// A short text that names the caller: by the names of its place and the one above.
fn client(survey: &Survey, outside: &impl Fn(&str) -> bool) -> Option<String> {
    let words = ["client", "caller", "actor", "peer", "instance", "planner", "delegator"];
    best(survey, |pointer, place| {
        let parts: Vec<&str> = pointer.rsplit('/').take(2).collect();
        let named = words
            .iter()
            .any(|word| parts.iter().any(|part| part.to_ascii_lowercase().contains(word)));
        let id = ["id", "name"].iter().any(|word| name(pointer).contains(word))
            || parts
                .first()
                .is_some_and(|part| words.contains(&part.to_ascii_lowercase().as_str()));
        let short =
            |value: &Value| value.as_str().is_some_and(|text| (1..=64).contains(&text.len()));
        if outside(pointer) && !pointer.contains("/*") && named && id {
            place.count(short)
        } else {
            0
        }
    })
}

/// Requests and responses on lines of their own.
struct Halves {
    /// The key that joins them.
    join: String,
    /// The place that tells them apart, and its two words.
    side: String,
    request: String,
    response: String,
}

impl Halves {
    /// Halves may be without a body.
    fn condition(&self) -> String {
        let Self { join, side, request, response } = self;
        let (request, response) = (quoted(request), quoted(response));
        format!(
            "[{{ pointer = {} }}, {{ pointer = {}, equals = [{request}, {response}] }}]",
            quoted(join),
            quoted(side)
        )
    }
}

fn halves(survey: &Survey, outside: &impl Fn(&str) -> bool) -> Option<Halves> {
    let words = [
        ("request", "response"),
        ("req", "res"),
        ("req", "resp"),
        ("out", "in"),
        ("send", "recv"),
        ("sent", "received"),
    ];
    let (side, request, response) = survey.places.iter().find_map(|(pointer, place)| {
        let has = |word: &str| {
            place.count(|value| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case(word)))
                > 0
        };
        let (request, response) =
            words.iter().find(|(request, response)| has(request) && has(response))?;
        let spelled = |word: &str| {
            let values = place.values.iter().filter_map(|(_, value)| value.as_str());
            values.into_iter().find(|text| text.eq_ignore_ascii_case(word)).map(str::to_owned)
        };
        outside(pointer).then_some((pointer.clone(), spelled(request)?, spelled(response)?))
    })?;
    // The key: each of its values stands in about two lines.
    let join = best(survey, |pointer, place| {
        if !outside(pointer)
            || pointer.contains("/*")
            || pointer == side
            || place.lines() * 2 < survey.lines
        {
            return 0;
        }
        let mut values: Vec<String> = place
            .values
            .iter()
            .filter(|(_, value)| value.is_string() || value.is_i64())
            .map(|(_, value)| text(value))
            .collect();
        let all = values.len();
        values.sort();
        values.dedup();
        let pairs = all >= 2 && values.len() * 2 >= all && values.len() * 2 <= all + 2;
        if pairs { all } else { 0 }
    })?;
    Some(Halves { join, side, request, response })
}

/// What tells these lines from others: a text that all of them and only they have, else that a body
/// is there.
fn condition(survey: &Survey, core: &[usize], of_exchanges: &[&str]) -> String {
    let mut core = core.to_vec();
    core.sort_unstable();
    core.dedup();
    // The less deep, the more likely it is what the writer tells lines apart by.
    let mut places: Vec<_> =
        survey.places.iter().filter(|(pointer, _)| !is_header(pointer)).collect();
    places.sort_by_key(|(pointer, _)| (pointer.matches('/').count(), *pointer));
    let constant = places.into_iter().find_map(|(pointer, place)| {
        let first = core.first().and_then(|line| place.values.iter().find(|(at, _)| at == line))?;
        let word =
            first.1.as_str().filter(|text| (1..=64).contains(&text.len()) && !is_level(text))?;
        let lines = place.lines_where(|value| value.as_str() == Some(word));
        (lines == core && !pointer.contains("/*")).then(|| (pointer.clone(), word.to_owned()))
    });
    if let Some((pointer, word)) = constant {
        return format!("{{ pointer = {}, equals = {} }}", quoted(&pointer), quoted(&word));
    }
    let mut list: Vec<_> = of_exchanges.iter().map(|pointer| quoted(pointer)).collect();
    let mut known = std::collections::BTreeSet::new();
    list.retain(|pointer| known.insert(pointer.clone()));
    format!("{{ pointer = [{}] }}", list.join(", "))
}

/// How grave a log line is tells nothing of what it holds.
fn is_level(text: &str) -> bool {
    ["trace", "debug", "info", "notice", "warn", "warning", "error"]
        .iter()
        .any(|level| text.eq_ignore_ascii_case(level))
}
