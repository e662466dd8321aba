//! Requests and responses on lines of their own.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::survey::{Survey, text};
use super::{Bodies, best, quoted};

/// Told apart by two words at one place.
pub(super) struct Halves {
    /// The key that joins them.
    pub(super) join: String,
    /// The place that tells them apart, and its two words.
    side: String,
    request: String,
    response: String,
}

impl Halves {
    /// Halves may be without a body.
    pub(super) fn condition(&self) -> String {
        let Self { join, side, request, response } = self;
        let (request, response) = (quoted(request), quoted(response));
        format!(
            "[{{ pointer = {} }}, {{ pointer = {}, equals = [{request}, {response}] }}]",
            quoted(join),
            quoted(side)
        )
    }

    /// The value of `side`.
    pub(super) fn side(&self) -> String {
        let (side, request, response) =
            (quoted(&self.side), quoted(&self.request), quoted(&self.response));
        format!("{{ pointer = {side}, request = {request}, response = {response} }}")
    }

    /// The lines that are halves.
    pub(super) fn lines(&self, survey: &Survey) -> Vec<usize> {
        let word = |value: &Value| {
            value.as_str().is_some_and(|text| text == self.request || text == self.response)
        };
        survey.places.get(&self.side).map(|place| place.lines_where(word)).unwrap_or_default()
    }
}

/// Halves told apart by a word.
pub(super) fn by_word(survey: &Survey, outside: &impl Fn(&str) -> bool) -> Option<Halves> {
    let words = [
        ("request", "response"),
        ("req", "res"),
        ("req", "resp"),
        ("out", "in"),
        ("outbound", "inbound"),
        ("outgoing", "incoming"),
        ("send", "recv"),
        ("send", "receive"),
        ("sent", "received"),
    ];
    let (side, request, response) = survey.places.iter().find_map(|(pointer, place)| {
        let mut spelled: BTreeMap<String, String> = BTreeMap::new();
        for (_, value) in &place.values {
            let word = value.as_str().filter(|word| word.len() < 16)?;
            spelled.insert(word.to_ascii_lowercase(), word.to_owned());
        }
        // With a third word there are lines of another kind.
        let (request, response) = words.iter().find_map(|(request, response)| {
            Some((spelled.get(*request)?.clone(), spelled.get(*response)?.clone()))
        })?;
        (outside(pointer) && spelled.len() == 2).then_some((pointer.clone(), request, response))
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

/// Halves told apart by what stands in them.
pub(super) struct Parted {
    /// The key that joins them.
    pub(super) join: String,
    /// The lines of requests, ascending.
    pub(super) requests: Vec<usize>,
    /// The lines of answers, ascending; several may answer one request.
    pub(super) answers: Vec<usize>,
}

/// Halves told apart by what stands in them: a request's line has no status and no answer.
pub(super) fn by_contents(
    survey: &Survey,
    bodies: &Bodies,
    outside: &impl Fn(&str) -> bool,
) -> Option<Parted> {
    let answered = bodies.answered(survey, outside);
    let (asked, carried) = bodies.asked(survey, outside);
    let whole = carried.intersection(&answered).count();
    let requests: Vec<usize> = asked.difference(&answered).copied().collect();
    // One in ten may be odd.
    if requests.is_empty() || answered.is_empty() || whole * 10 > carried.len() {
        return None;
    }
    let sides: BTreeMap<usize, bool> = requests
        .iter()
        .map(|line| (*line, true))
        .chain(answered.iter().map(|line| (*line, false)))
        .collect();
    // A client that waits for each answer would pair as well as a key does.
    let client = super::client(survey, outside);
    let mut keys: Vec<(usize, usize, &String)> = Vec::new();
    for (pointer, place) in &survey.places {
        if !outside(pointer) || pointer.contains("/*") || Some(pointer) == client.as_ref() {
            continue;
        }
        // Of each value, on which sides it stands, line by line.
        let mut courses: BTreeMap<String, Vec<bool>> = BTreeMap::new();
        for (line, value) in &place.values {
            if let Some(side) = sides.get(line).filter(|_| value.is_string() || value.is_i64()) {
                courses.entry(text(value)).or_default().push(*side);
            }
        }
        let pairs: usize = courses.values().map(|course| answered_of(course)).sum();
        // The head may end before the last answers. What hardly ever differs tells nothing.
        if pairs * 10 >= requests.len() * 8 && courses.len() * 20 >= requests.len() {
            keys.push((courses.len(), pairs, pointer));
        }
    }
    let (.., join) = keys.into_iter().max_by(|a, b| {
        (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| (b.2.len(), b.2).cmp(&(a.2.len(), a.2)))
    })?;
    Some(Parted { join: join.clone(), requests, answers: answered.into_iter().collect() })
}

/// How many requests are answered when each answer is that of one that waits.
fn answered_of(course: &[bool]) -> usize {
    let (mut waiting, mut answered) = (0_usize, 0);
    for is_request in course {
        if *is_request {
            waiting += 1;
        } else if waiting > 0 {
            (waiting, answered) = (waiting - 1, answered + 1);
        }
    }
    answered
}

/// The condition that holds for these lines, of places that may tell them: the first few that together
/// stand in all of them and in none of the others; else a place whose words tell them apart.
pub(super) fn condition(survey: &Survey, lines: &[usize], places: &[&str], only: bool) -> String {
    let wanted: BTreeSet<usize> = lines.iter().copied().collect();
    let mut left = wanted.clone();
    let mut chosen: Vec<String> = Vec::new();
    while !left.is_empty() {
        let stands = |pointer: &str| -> BTreeSet<usize> {
            let place = survey.places.get(pointer);
            place.into_iter().flat_map(|place| place.lines_where(|_| true)).collect()
        };
        let gain = |pointer: &str| {
            let stands = stands(pointer);
            if only && !stands.is_subset(&wanted) { 0 } else { stands.intersection(&left).count() }
        };
        let Some(next) = places.iter().rev().max_by_key(|pointer| gain(pointer)) else { break };
        if gain(next) == 0 {
            break;
        }
        left.retain(|line| !stands(next).contains(line));
        chosen.push(quoted(next));
    }
    if let Some(words) = left.first().and_then(|_| words(survey, &wanted)).filter(|_| only) {
        return words;
    }
    match chosen.as_slice() {
        [one] => format!("{{ pointer = {one} }}"),
        several => format!("{{ pointer = [{}] }}", several.join(", ")),
    }
}

/// A place with a few words that these lines have and no other line has.
fn words(survey: &Survey, wanted: &BTreeSet<usize>) -> Option<String> {
    survey.places.iter().find_map(|(pointer, place)| {
        let mut mine = BTreeSet::new();
        let mut others = BTreeSet::new();
        for (line, value) in &place.values {
            let word = value.as_str()?;
            if wanted.contains(line) {
                mine.insert(word)
            } else {
                others.insert(word)
            };
        }
        let lines: BTreeSet<usize> = place.lines_where(|_| true).into_iter().collect();
        let told = lines.is_superset(wanted) && mine.is_disjoint(&others) && mine.len() <= 3;
        told.then(|| {
            let words: Vec<String> = mine.iter().map(|word| quoted(word)).collect();
            format!("{{ pointer = {}, equals = [{}] }}", quoted(pointer), words.join(", "))
        })
    })
}
