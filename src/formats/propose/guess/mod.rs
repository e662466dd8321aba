//! What each place may be, and the mapping that follows.
//!
//! | module | what |
//! |---|---|
//! | [`marks`] | what a value may be, by itself |
//! | [`times`] | when an exchange began and ended |
//! | [`halves`] | requests and responses on lines of their own |

mod halves;
mod marks;
mod times;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use super::survey::{Place, Survey, name};
use halves::{Halves, Parted, condition};
use marks::{
    is_answer, is_card, is_error, is_hash, is_header, is_method_url, is_request, is_status,
    is_stream, is_url, is_verb,
};
use times::Times;

/// The mapping as TOML; `None`: nothing of A2A, or no time.
pub(super) fn mapping(survey: &Survey) -> Option<String> {
    let bodies = Bodies::of(survey)?;
    let outside = |pointer: &str| bodies.outside(pointer);
    let halves = halves::by_word(survey, &outside);
    if halves.is_none()
        && let Some(parted) = halves::by_contents(survey, &bodies, &outside)
    {
        let Parted { join, requests, answers } = &parted;
        let asked = table(survey, "proposed-requests", Role::Request(join), requests)?;
        let answered = table(survey, "proposed-answers", Role::Response(join), answers)?;
        return Some(format!("{asked}\n{answered}"));
    }
    match &halves {
        Some(halves) => table(survey, "proposed", Role::Halves(halves), &halves.lines(survey)),
        None => table(survey, "proposed", Role::Whole, &bodies.lines(survey, &outside)),
    }
}

/// What the lines of a mapping hold.
#[derive(Clone, Copy)]
enum Role<'r> {
    /// Whole exchanges, or bare objects.
    Whole,
    /// Both halves, told apart by a word.
    Halves(&'r Halves),
    /// Requests only, joined by a key.
    Request(&'r str),
    /// Answers only.
    Response(&'r str),
}

/// Where bodies of A2A stand.
struct Bodies {
    request: Option<String>,
    /// Answers and cards, the most frequent first.
    answers: Vec<String>,
    /// Unframed events of streams.
    sse_events: Option<String>,
    /// Framed pieces of streams.
    frames: Option<String>,
}

impl Bodies {
    /// `None`: there are none.
    fn of(survey: &Survey) -> Option<Self> {
        let found = Self::any(survey);
        let has = found.places().next().is_some();
        has.then_some(found)
    }

    fn any(survey: &Survey) -> Self {
        let request = best(survey, |_, place| place.count(is_request));
        let sse_events =
            best(
                survey,
                |pointer, place| {
                    if pointer.contains("/*") { place.count(is_answer) } else { 0 }
                },
            );
        let frames = best(survey, |_, place| place.count(is_stream));
        let streams: Vec<&str> =
            [&sse_events, &frames].into_iter().flatten().map(String::as_str).collect();
        let answers = ranked(survey, |pointer, place| {
            let inside =
                streams.iter().any(|stream| pointer.starts_with(stream.trim_end_matches("/*")));
            if pointer.contains("/*") || (inside && frames.as_deref() != Some(pointer)) {
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
        Self { request, answers, sse_events, frames }
    }

    /// The places of all of them.
    fn places(&self) -> impl Iterator<Item = &str> {
        let answers = self.answers.iter();
        self.request
            .iter()
            .chain(answers)
            .chain(&self.sse_events)
            .chain(&self.frames)
            .map(String::as_str)
    }

    /// Whether a place is none of theirs, nor within one.
    fn outside(&self, pointer: &str) -> bool {
        !self
            .places()
            .any(|body| pointer == body || is_within(pointer, body.trim_end_matches("/*")))
    }

    /// The lines with a body or a URL.
    fn lines(&self, survey: &Survey, outside: &impl Fn(&str) -> bool) -> Vec<usize> {
        let Line { method_url, url, .. } = Line::of(survey, outside);
        let places = self.places().chain(method_url.as_deref()).chain(url.as_deref());
        let lines = places.filter_map(|pointer| survey.places.get(pointer));
        let lines: BTreeSet<usize> = lines.flat_map(|place| place.lines_where(|_| true)).collect();
        lines.into_iter().collect()
    }

    /// The lines with a status, an answer, or an error.
    fn answered(&self, survey: &Survey, outside: &impl Fn(&str) -> bool) -> BTreeSet<usize> {
        let Line { status, error, .. } = Line::of(survey, outside);
        let lines = |pointer: &str, holds: &dyn Fn(&Value) -> bool| {
            let place = survey.places.get(pointer);
            place.map(|place| place.lines_where(holds)).unwrap_or_default()
        };
        let answer = |value: &Value| is_answer(value) || is_card(value) || is_stream(value);
        let bodies = self.answers.iter().chain(&self.sse_events).chain(&self.frames);
        let mut found: BTreeSet<usize> =
            bodies.flat_map(|pointer| lines(pointer, &answer)).collect();
        found.extend(status.iter().flat_map(|pointer| lines(pointer, &|_| true)));
        found.extend(error.iter().flat_map(|pointer| lines(pointer, &|_| true)));
        found
    }

    /// The lines with a method, a URL, or a request; and those with a request.
    fn asked(
        &self,
        survey: &Survey,
        outside: &impl Fn(&str) -> bool,
    ) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let Line { method_url, url, method, .. } = Line::of(survey, outside);
        let place = |pointer: &Option<String>| survey.places.get(pointer.as_deref()?);
        let carried: BTreeSet<usize> = place(&self.request)
            .map(|place| place.lines_where(is_request))
            .unwrap_or_default()
            .into_iter()
            .collect();
        let mut asked = carried.clone();
        for place in [&method_url, &url, &method].into_iter().filter_map(place) {
            asked.extend(place.lines_where(|_| true));
        }
        (asked, carried)
    }
}

/// What an exchange says beside its bodies and headers.
struct Line {
    method_url: Option<String>,
    url: Option<String>,
    method: Option<String>,
    status: Option<String>,
    error: Option<String>,
}

impl Line {
    fn of(survey: &Survey, outside: &impl Fn(&str) -> bool) -> Self {
        let counted = |holds: fn(&Value) -> bool, fits: &dyn Fn(&str) -> bool| {
            best(
                survey,
                |pointer, place| {
                    if outside(pointer) && fits(pointer) { place.count(holds) } else { 0 }
                },
            )
        };
        let method_url = counted(is_method_url, &|_| true);
        let url = match method_url {
            None => counted(is_url, &|pointer| !is_header(pointer)),
            Some(_) => None,
        };
        let method = match method_url {
            None => counted(is_verb, &|_| true),
            Some(_) => None,
        };
        let status = counted(is_status, &|pointer| {
            let named = name(pointer);
            (named.contains("status") || named.contains("code")) && !is_error(&parent(pointer))
        });
        let error = best(survey, |pointer, place| {
            let fits = outside(pointer) && !is_header(pointer);
            if !fits {
                0
            } else if is_error(pointer) {
                place.count(|value| value.as_str().is_some_and(|text| !text.is_empty()))
            } else if is_error(&parent(pointer))
                && ["message", "code", "msg"].contains(&name(pointer).as_str())
            {
                // Of an error that is an object: what it says.
                place.count(Value::is_string)
            } else {
                0
            }
        });
        Self { method_url, url, method, status, error }
    }
}

/// The pointer of what holds this one.
fn parent(pointer: &str) -> String {
    pointer.rsplit_once('/').map_or_else(String::new, |(parent, _)| parent.to_owned())
}

/// One table, of these lines.
fn table(survey: &Survey, called: &str, role: Role<'_>, lines: &[usize]) -> Option<String> {
    let own = survey.only(lines);
    let bodies = match role {
        Role::Request(_) => {
            Bodies { answers: vec![], sse_events: None, frames: None, ..Bodies::any(&own) }
        }
        Role::Response(_) => Bodies { request: None, ..Bodies::any(&own) },
        _ => Bodies::of(&own)?,
    };
    let outside = |pointer: &str| bodies.outside(pointer);
    let Line { method_url, url, method, status, error } = Line::of(&own, &outside);
    let times = Times::of(&own, &outside, matches!(role, Role::Whole))?;
    let mut out = format!("[[mapping]]\nname = {}\n", quoted(called));
    let mut put = |key: &str, value: String| {
        let _ = writeln!(out, "{key} = {value}");
    };
    let places: Vec<&str> = [&method_url, &url, &method, &status]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .chain(bodies.places())
        .chain(error.as_deref())
        .collect();
    put(
        "when",
        match role {
            Role::Halves(halves) => halves.condition(),
            Role::Request(join) | Role::Response(join) => {
                let only = matches!(role, Role::Request(_));
                let places: Vec<&str> = places
                    .iter()
                    .copied()
                    .filter(|at| !only || Some(*at) != status.as_deref())
                    .collect();
                let told = condition(survey, lines, &places, only);
                format!("[{{ pointer = {} }}, {told}]", quoted(join))
            }
            Role::Whole => condition(survey, lines, &places, false),
        },
    );
    let (time, unit) = &times.first;
    for (key, value) in &times.keys {
        put(key, value.clone());
    }
    if let Some(client) = client(&own, &outside) {
        put("client", quoted(&client));
    }
    match role {
        Role::Whole => {}
        Role::Halves(halves) => {
            put("join", quoted(&halves.join));
            put("side", halves.side());
        }
        Role::Request(join) | Role::Response(join) => {
            let half = if matches!(role, Role::Request(_)) { "request" } else { "response" };
            put("join", quoted(join));
            put(
                "side",
                format!(
                    "{{ pointer = \"{half}\", request = \"request\", response = \"response\" }}"
                ),
            );
        }
    }
    let (asks, answers) = (!matches!(role, Role::Response(_)), !matches!(role, Role::Request(_)));
    let request_headers = headers(&own, outside, REQUEST_HEADERS);
    let response_headers = headers(&own, outside, RESPONSE_HEADERS);
    let optional = [
        ("method_url", &method_url, asks),
        ("method", &method, asks),
        ("url", &url, asks),
        ("request_headers", &request_headers, asks),
        ("request_body", &bodies.request, asks),
        ("status", &status, answers),
        ("response_headers", &response_headers, answers),
    ];
    for (key, pointer, fits) in optional {
        if let Some(pointer) = pointer.as_ref().filter(|_| fits) {
            put(key, quoted(pointer));
        }
    }
    if answers {
        let bare = bodies.request.is_none()
            && url.is_none()
            && method_url.is_none()
            && matches!(role, Role::Whole);
        answer(&own, &bodies, status.as_deref(), bare, (time.as_str(), *unit), &mut put);
        if let Some(pointer) = best(&own, |pointer, place| {
            let fits = outside(pointer) && name(pointer).contains("sha256");
            if fits { place.count(is_hash) } else { 0 }
        }) {
            put("response_sha256", quoted(&pointer));
        }
        if let Some(error) = error {
            put("error", quoted(&error));
        }
    }
    Some(out)
}

/// The keys of an answer's body.
fn answer(
    survey: &Survey,
    bodies: &Bodies,
    status: Option<&str>,
    bare: bool,
    (time, unit): (&str, &str),
    put: &mut impl FnMut(&str, String),
) {
    let lines = |pointer: &str, holds: fn(&Value) -> bool| -> BTreeSet<usize> {
        let place = survey.places.get(pointer);
        place.map(|place| place.lines_where(holds)).unwrap_or_default().into_iter().collect()
    };
    let stated = status.map(|at| lines(at, |_| true)).unwrap_or_default();
    // An event of a stream on a line of its own, beside lines with the status.
    let is_piece = |pointer: &str, holds: fn(&Value) -> bool| {
        let found = lines(pointer, holds);
        !stated.is_empty() && !bare && !found.is_empty() && found.is_disjoint(&stated)
    };
    let (pieces, whole): (Vec<&String>, Vec<&String>) = bodies
        .answers
        .iter()
        .partition(|pointer| is_piece(pointer, |value| is_answer(value) && !is_card(value)));
    let mut whole: Vec<String> = whole.into_iter().map(|pointer| quoted(pointer)).collect();
    let framed = bodies.frames.as_deref().filter(|frames| !frames.contains("/*"));
    if let Some(frames) = framed.map(quoted).filter(|frames| !whole.contains(frames))
        && !framed.is_some_and(|frames| is_piece(frames, is_stream))
        && bodies.sse_events.is_none()
    {
        // A framed stream in one text is a body.
        whole.push(frames);
    }
    match whole.as_slice() {
        [] => {}
        [only] => put(if bare { "a2a" } else { "response_body" }, only.clone()),
        several => {
            let list = format!("[{}]", several.join(", "));
            put(if bare { "a2a" } else { "response_body" }, list);
        }
    }
    match (&bodies.frames, &bodies.sse_events, pieces.first()) {
        (Some(frames), ..) if frames.contains("/*") => {
            put("sse_chunks", quoted(frames));
            if let Some(times) = times::of_pieces(survey, frames, unit) {
                put("sse_times", quoted(&times));
            }
        }
        (_, Some(events), _) => {
            put("sse_events", quoted(events));
            if let Some(times) = times::of_pieces(survey, events, unit) {
                put("sse_times", quoted(&times));
            }
        }
        (Some(frames), ..) if is_piece(frames, is_stream) => {
            put("sse_chunks", quoted(frames));
            put("sse_times", quoted(time));
        }
        (.., Some(piece)) => {
            put("sse_events", quoted(piece));
            put("sse_times", quoted(time));
        }
        _ => {}
    }
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

/// A place of headers: an object, an array of pairs or of `{name, value}`.
fn headers(survey: &Survey, outside: impl Fn(&str) -> bool, wanted: &[&str]) -> Option<String> {
    let has = |value: &Value| {
        let named = |name: &str| wanted.contains(&name.to_ascii_lowercase().as_str());
        match value {
            Value::Object(map) => map.keys().any(|key| named(key)),
            // Names and values in turn.
            Value::Array(list) if list.iter().all(Value::is_string) => {
                list.iter().step_by(2).filter_map(Value::as_str).any(named)
            }
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
            Value::String(text) => text
                .lines()
                .any(|line| line.split_once(':').is_some_and(|(name, _)| named(name.trim()))),
            _ => false,
        }
    };
    best(
        survey,
        |pointer, place| if outside(pointer) && !pointer.is_empty() { place.count(has) } else { 0 },
    )
}

/// A short text that names the caller: by the names of its place and the one above.
fn client(survey: &Survey, outside: &impl Fn(&str) -> bool) -> Option<String> {
    let words = ["client", "caller", "actor", "peer", "instance", "planner", "delegator"];
    best(survey, |pointer, place| {
        let parts: Vec<&str> = pointer.rsplit('/').take(2).collect();
        let named = words
            .iter()
            .any(|word| parts.iter().any(|part| part.to_ascii_lowercase().contains(word)));
        // What names a call names no caller.
        let of_a_call = ["request", "trace", "span", "correlation", "call", "message", "event"]
            .iter()
            .any(|word| name(pointer).replace("caller", "").contains(word));
        let id = ["id", "name"].iter().any(|word| name(pointer).contains(word))
            || parts
                .first()
                .is_some_and(|part| words.contains(&part.to_ascii_lowercase().as_str()));
        // A place in a source text (`client.go:17`) is where the line was written.
        let source = |text: &str| {
            text.rsplit_once(':').is_some_and(|(file, line)| {
                file.contains('.') && line.bytes().all(|b| b.is_ascii_digit())
            })
        };
        let short = |value: &Value| {
            value.as_str().is_some_and(|text| (1..=64).contains(&text.len()) && !source(text))
        };
        if outside(pointer) && !pointer.contains("/*") && named && id && !of_a_call {
            place.count(short)
        } else {
            0
        }
    })
}
