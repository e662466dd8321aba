//! What the script reads: JSON in which nothing can end its element.

use super::{Whole, names, timeline};
use crate::report::rows::rfc3339;
use crate::report::trouble::tally;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The JSON, escaped for a script element.
pub fn json(whole: &Whole<'_>) -> String {
    let f = whole.findings;
    let span = whole.span;
    let mut causes: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for b in &f.split_brains {
        for i in whole.windows.at(b.agent.as_deref(), b.registry.as_deref(), b.admitted_at) {
            causes.entry(i).or_default().push(b.cause.as_deref().unwrap_or("unknown"));
        }
    }
    let windows: Vec<Value> = f
        .windows
        .iter()
        .take(whole.caps.rows * 4)
        .enumerate()
        .map(|(i, w)| {
            let words = timeline::window_words(whole, w, timeline::lag_of(f, w));
            let causes = causes.remove(&i).unwrap_or_default();
            let causes: BTreeMap<String, i64> =
                tally(causes).into_iter().map(|(cause, n)| (names::shown(&cause), n)).collect();
            json!({
                "agent": names::shown(&w.agent),
                "registry": names::shown(&w.registry),
                "rotation": w.rotation,
                "words": words,
                "verifiable": w.verifiable,
                "split_brain": w.split_brain,
                "rate": w.rate,
                "causes": causes,
            })
        })
        .collect();
    let marks: Vec<Value> = whole
        .plan
        .marks()
        .map(|m| {
            json!([
                number(&span.ms(m.first_at)),
                number(&span.ms(m.last_at)),
                m.n,
                names::shown(&m.task_id),
                names::verdict_words(m.verdict.as_deref()),
                names::place_text(m.source_file.as_deref(), m.source_line),
            ])
        })
        .collect();
    let data = json!({
        "schema": "carddrift.page/1",
        "from_ms": number(&from_ms(span.from)),
        "from": rfc3339(span.from.into()),
        "to": rfc3339(span.to.into()),
        "span_ms": number(&span.ms(span.to)),
        "summary": f.summary,
        "windows": windows,
        "marks": marks,
    });
    names::escape_json(&data.to_string())
}

/// An instant as the script's clock counts: milliseconds since 1970, with their fraction.
fn from_ms(ns: i64) -> String {
    let us = ns.div_euclid(1000);
    format!("{}.{:03}", us.div_euclid(1000), us.rem_euclid(1000))
}

fn number(text: &str) -> Value {
    text.parse().map_or(Value::Null, |n: f64| json!(n))
}
