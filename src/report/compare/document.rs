//! The comparison for people.

use super::{Row, Value, Verdict};
use crate::report::bias;
use crate::report::document::{Document, Prose, Section, Table};
use crate::report::figures::{Clock, bounded, count, counted, duration, percent, ratio};
use crate::report::findings::Findings;

/// So many rows of a table, and names in a sentence.
const MOST: usize = 40;
const NAMED: usize = 4;

/// One side: what it was called and what was found.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// As given.
    pub name: &'a str,
    /// The first instant measured.
    pub from: Option<i64>,
    /// The last.
    pub to: Option<i64>,
    /// What was found.
    pub findings: &'a Findings,
}

/// The comparison of `a` (before) with `b` (after).
pub fn document(a: &Told<'_>, b: &Told<'_>, rows: &[Row]) -> Document {
    let worse = rows.iter().any(|row| row.verdict == Verdict::Worse);
    let mut opening = vec![in_short(rows)];
    let told = [
        (Verdict::Worse, "Worse"),
        (Verdict::Better, "Better"),
        (Verdict::New, "New"),
        (Verdict::Gone, "Gone"),
    ];
    for (verdict, word) in told {
        let found: Vec<&Row> = rows.iter().filter(|row| row.verdict == verdict).collect();
        if found.is_empty() {
            continue;
        }
        let left = found.len().saturating_sub(NAMED);
        let named = found.into_iter().take(NAMED).map(phrase);
        let mut sentence = Prose::new().strong(format!("{word}: ")).then(Prose::join(named, "; "));
        if left > 0 {
            sentence = sentence.say(format!("; and {left} more"));
        }
        opening.push(sentence.say("."));
    }
    let sections = [rates(rows), lags(rows), things(rows), sides(a, b), how()];
    Document {
        title: "What changed".to_owned(),
        opening,
        alarm: worse,
        sections: sections.into_iter().filter(|s| !s.is_empty()).collect(),
    }
}

fn in_short(rows: &[Row]) -> Prose {
    let of = |verdict| {
        let n = rows.iter().filter(|row| row.verdict == verdict).count();
        i64::try_from(n).unwrap_or(i64::MAX)
    };
    let measures = rows.iter().filter(|row| row.is_rate() || row.is_span()).count();
    Prose::from(format!(
        "Of {} compared {} got worse, {} got better, and {} cannot be told apart; {} new, {} gone, {} there as before.",
        counted(i64::try_from(measures).unwrap_or(i64::MAX), "measure", "measures"),
        count(of(Verdict::Worse)),
        count(of(Verdict::Better)),
        count(of(Verdict::Undecided)),
        counted(of(Verdict::New), "thing is", "things are"),
        count(of(Verdict::Gone)),
        count(of(Verdict::Still)),
    ))
}

/// What a row compares, in words.
fn title(what: &str) -> &'static str {
    match what {
        "split_brain_rate" => "split-brain rate",
        "window_split_brain_rate" => "split-brain rate in rotation windows",
        "after_split_brain_rate" => "split-brain rate after windows",
        "silent_rate" => "silent split-brains among verifiable tasks",
        "corrupt_rate" => "corrupt tasks",
        "unverifiable_rate" => "completed tasks that could not be checked",
        "rejection_rate" => "rejections among attempts",
        "replay_rate" => "replays among attempts",
        "transport_rate" => "transport failures among attempts",
        "longest_lag" => "longest registry lag",
        "cause" => "cause of split-brains",
        "action" => "work to do",
        "storms" => "retry storms",
        "replaying_client" => "replaying client",
        "loop" => "loop of refetching an identical card",
        "drift" => "rejections after which the card had changed",
        _ => "rotations",
    }
}

fn subject(row: &Row) -> Prose {
    let parts = row.subject.iter().map(|part| Prose::new().name(part));
    Prose::join(parts, " · ")
}

fn value(value: Value) -> Prose {
    match value {
        Value::Rate(hits, all) if all > 0 => {
            format!("{} of {} ({})", count(hits), count(all), percent(ratio(hits, all))).into()
        }
        Value::Rate(..) => "nothing to measure".into(),
        Value::Span(_, low, high) if high.is_infinite() => {
            format!("at least {}", duration(low)).into()
        }
        Value::Span(length, low, high) => bounded(length, low, high).into(),
        Value::Count(n) => count(n).into(),
        Value::Absent => Prose::new(),
    }
}

fn phrase(row: &Row) -> Prose {
    let mut prose = Prose::from(title(row.what));
    if !row.subject.is_empty() {
        prose = prose.say(" ").then(subject(row));
    }
    match (row.a, row.b) {
        (Value::Absent, now) => prose.say(" (").then(value(now)).say(")"),
        (before, Value::Absent) => prose.say(" (was ").then(value(before)).say(")"),
        (before, now) => {
            prose.say(", ").then(value(before)).say(" then, ").then(value(now)).say(" now")
        }
    }
}

fn rates(rows: &[Row]) -> Section {
    let mut section = Section::new("Rates");
    let mut found: Vec<&Row> = rows.iter().filter(|row| row.is_rate()).collect();
    let all = found.len();
    found.sort_by_key(|row| (!row.subject.is_empty(), row.verdict));
    let mut table = Table::new(&[
        "rate",
        "of",
        ">before",
        ">after",
        ">percentage points",
        "95 % interval",
        "verdict",
    ]);
    for row in found.into_iter().take(MOST) {
        table.row([
            title(row.what).into(),
            subject(row),
            value(row.a),
            value(row.b),
            row.difference.map_or_else(Prose::new, |d| signed(d.0).into()),
            row.difference.map_or_else(Prose::new, |(_, low, high)| {
                format!("{} to {}", signed(low), signed(high)).into()
            }),
            row.verdict.word().into(),
        ]);
    }
    left(&mut table, all);
    section.table(table);
    section
}

/// A difference of two rates in percentage points.
fn signed(difference: f64) -> String {
    let sign = if difference < 0.0 { "−" } else { "+" };
    if difference == 0.0 {
        "0".to_owned()
    } else {
        format!("{sign}{}", percent(difference.abs()).trim_end_matches(" %"))
    }
}

fn lags(rows: &[Row]) -> Section {
    let mut section = Section::new("Longest registry lag");
    let mut found: Vec<&Row> = rows.iter().filter(|row| row.is_span()).collect();
    let all = found.len();
    found.sort_by_key(|row| row.verdict);
    let mut table = Table::new(&["agent and registry", ">before", ">after", "verdict"]);
    for row in found.into_iter().take(MOST) {
        table.row([subject(row), value(row.a), value(row.b), row.verdict.word().into()]);
    }
    left(&mut table, all);
    section.table(table);
    section
}

fn things(rows: &[Row]) -> Section {
    let mut section = Section::new("New, still there, gone");
    let mut found: Vec<&Row> = rows.iter().filter(|row| !row.is_rate() && !row.is_span()).collect();
    let all = found.len();
    found.sort_by_key(|row| row.verdict);
    let mut table = Table::new(&["verdict", "what", "of", ">before", ">after"]);
    for row in found.into_iter().take(MOST) {
        table.row([
            row.verdict.word().into(),
            title(row.what).into(),
            subject(row),
            value(row.a),
            value(row.b),
        ]);
    }
    left(&mut table, all);
    section.table(table);
    section
}

fn left(table: &mut Table, all: usize) {
    let left = all.saturating_sub(table.rows.len());
    if left > 0 {
        table.more = Some(Prose::from(format!("… and {left} more: ")).code("--format ndjson"));
    }
}

fn sides(a: &Told<'_>, b: &Told<'_>) -> Section {
    let mut section = Section::new("What was compared");
    let mut table = Table::new(&[
        "side",
        "what",
        "from",
        "to",
        ">tasks",
        ">verifiable",
        ">attempts",
        ">rotations",
    ]);
    let clock = Clock::of(a.from.min(b.from), a.to.max(b.to));
    let time = |ns: Option<i64>| ns.map_or_else(Prose::new, |ns| clock.time(ns).into());
    for (side, told) in [("before", a), ("after", b)] {
        let s = &told.findings.summary;
        table.row([
            side.into(),
            Prose::new().name(told.name),
            time(told.from),
            time(told.to),
            count(s.tasks).into(),
            count(s.verifiable).into(),
            count(s.attempts).into(),
            count(s.rotations).into(),
        ]);
    }
    section.table(table);
    for (side, told) in [("before", a), ("after", b)] {
        for note in bias::warnings(&told.findings.notes) {
            section.item(Prose::from(format!("{side}: ")).told(&note.text));
        }
    }
    section
}

fn how() -> Section {
    let mut section = Section::new("How it was decided");
    section.item(
        "A rate is better or worse when the 95 % interval of the difference (Newcombe's, from both Wilson \
         intervals) excludes 0; else it is undecided, which is not the same as equal. Tasks and attempts \
         are taken as independent; those of one incident are not quite, so that intervals are narrower than \
         they should be.",
    );
    section.item(
        "A lag is better or worse when the bounds of both sides do not overlap. Nothing is corrected for how \
         many measures are compared: of twenty that are the same, one may look different.",
    );
    section
}
