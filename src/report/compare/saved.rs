//! A report that was kept as JSON, `carddrift.report/1`, as findings again.

use crate::query::Note;
use crate::report::answers::SCHEMA;
use crate::report::findings::{Findings, Summary};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Whether a file begins like a saved report.
pub fn is_report(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let words: String = text.chars().filter(|c| !c.is_whitespace()).take(80).collect();
    words.starts_with(&format!("{{\"schema\":\"{SCHEMA}\""))
}

/// Reads it.
///
/// # Errors
/// What is wrong with it, without its values.
pub fn read(text: &str) -> Result<Findings, String> {
    let mut report: Value =
        serde_json::from_str(text).map_err(|e| format!("not JSON: line {}", e.line()))?;
    if report.get("schema").and_then(Value::as_str) != Some(SCHEMA) {
        return Err(format!("its schema is not {SCHEMA}"));
    }
    instants(&mut report);
    let summary: Summary = part(&report, "summary")?;
    let notes: Vec<Value> = part(&report, "notes")?;
    let notes = notes.iter().map(|note| {
        let text = |key: &str| note.get(key).and_then(Value::as_str).map(str::to_owned);
        Note {
            kind: text("kind").unwrap_or_default(),
            subject: text("subject"),
            count: note.get("count").and_then(Value::as_i64).unwrap_or_default(),
            text: text("text").unwrap_or_default(),
        }
    });
    Ok(Findings {
        summary,
        split_brains: part(&report, "split_brains")?,
        rotations: part(&report, "rotations")?,
        lags: part(&report, "registry_lag")?,
        windows: part(&report, "split_brain_rate")?,
        replays: part(&report, "replays")?,
        storms: part(&report, "retry_storms")?,
        incidents: part(&report, "drift_incidents")?,
        actions: part(&report, "actions")?,
        sources: report
            .get("inputs")
            .map_or_else(|| Err("it has no `inputs`".to_owned()), |i| part(i, "sources"))?,
        notes: notes.collect(),
        ..Findings::default()
    })
}

fn part<T: DeserializeOwned>(report: &Value, key: &str) -> Result<T, String> {
    let value = report.get(key).ok_or_else(|| format!("it has no `{key}`"))?;
    T::deserialize(value)
        .map_err(|_| format!("`{key}` has not the shape of this version's reports"))
}

/// Times as nanoseconds, as findings have them.
fn instants(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(instants),
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                let time = key.ends_with("_at") || key.ends_with("_time") || key == "rotated_after";
                match value {
                    Value::String(text) if time => {
                        let ns = text.parse::<jiff::Timestamp>().ok();
                        let ns = ns.and_then(|t| i64::try_from(t.as_nanosecond()).ok());
                        if let Some(ns) = ns {
                            *value = ns.into();
                        }
                    }
                    other => instants(other),
                }
            }
        }
        _ => {}
    }
}
