//! The timeline as Timesketch reads it: one JSON object a line with `message`, `datetime` and
//! `timestamp_desc`, and beside them the fields of the row that the event comes from.
//!
//! *A kind of event*: one function that adds its lines, one line in [`write`].

use super::causes;
use super::figures::{bounded, counted, duration, seconds};
use super::findings::{Binding, Downstream, Findings, Incident, Lag, Rotation, Storm};
use super::safe;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// One line: when, and what it says.
struct Event {
    at: i64,
    kind: &'static str,
    message: String,
    fields: Value,
}

/// Writes all events by time.
///
/// # Errors
/// When the output cannot be written.
pub fn write(findings: &Findings, out: &mut dyn Write) -> io::Result<()> {
    let mut events = Vec::new();
    events.extend(findings.rotations.iter().map(rotation));
    events.extend(findings.lags.iter().filter_map(caught_up));
    events.extend(findings.split_brains.iter().filter_map(|b| artifact(b, "Split-brain artifact")));
    events.extend(findings.corrupt.iter().filter_map(|b| artifact(b, "Corrupt artifact")));
    events.extend(findings.storms.iter().map(storm));
    for incident in &findings.incidents {
        events.push(rejected(incident));
        events.extend(refetched(incident));
    }
    events.extend(findings.downstream.iter().map(later));
    let mut lines: Vec<(i64, String)> = events.into_iter().filter_map(line).collect();
    lines.sort_unstable();
    for (_, line) in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn line(event: Event) -> Option<(i64, String)> {
    // Microseconds, as Timesketch keeps them.
    let time = jiff::Timestamp::from_microsecond(event.at.div_euclid(1000)).ok()?;
    let mut object = Map::new();
    object.insert("message".to_owned(), json!(event.message));
    object.insert("datetime".to_owned(), json!(format!("{time:.6}").replace('Z', "+00:00")));
    object.insert("timestamp_desc".to_owned(), json!(event.kind));
    object.insert("data_type".to_owned(), json!("carddrift:event"));
    if let Value::Object(fields) = event.fields {
        object.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
    }
    Some((event.at, Value::Object(object).to_string()))
}

fn name(text: &str) -> String {
    safe::terminal(text).into_owned()
}

fn known(text: Option<&str>) -> String {
    text.map_or_else(|| "unknown".to_owned(), name)
}

fn rotation(r: &Rotation) -> Event {
    let schemas = match (&r.from_schema, &r.to_schema) {
        (Some(from), Some(to)) if from != to => {
            format!(", schema {} to {}", name(from), name(to))
        }
        _ => String::new(),
    };
    Event {
        at: r.rotated_at,
        kind: "Contract rotated",
        message: format!(
            "{} began to serve another contract of {}{schemas}",
            name(&r.authority),
            name(&r.agent)
        ),
        fields: json!({
            "agent": r.agent, "registry": r.authority, "rotation": r.rotation,
            "from_card": r.from_card, "to_card": r.to_card, "changed": r.changed,
        }),
    }
}

fn caught_up(l: &Lag) -> Option<Event> {
    let lag = match (l.lag_s, l.lag_min_s, l.lag_max_s) {
        (Some(lag), Some(low), Some(high)) => bounded(lag, low, high),
        (Some(lag), ..) => duration(lag),
        _ => return None,
    };
    Some(Event {
        at: l.caught_up_at?,
        kind: "Registry caught up",
        message: format!(
            "{} showed the contract of {} after rotation {}, {lag} behind",
            name(&l.registry),
            name(&l.agent),
            l.rotation
        ),
        fields: json!({
            "agent": l.agent, "registry": l.registry, "rotation": l.rotation,
            "lag_s": l.lag_s, "lag_min_s": l.lag_min_s, "lag_max_s": l.lag_max_s,
        }),
    })
}

fn artifact(b: &Binding, kind: &'static str) -> Option<Event> {
    let cause = b.cause.as_deref().and_then(causes::cause);
    let why = cause.map(|c| format!("; {}: {}", c.name, c.meaning)).unwrap_or_default();
    Some(Event {
        at: b.artifact_at?,
        kind,
        message: format!(
            "{kind} {} of task {} from {}: the card says schema {}, the artifact {}, digest {}{why}",
            name(&b.artifact_id),
            name(&b.task_id),
            known(b.agent.as_deref()),
            known(b.card_schema.as_deref()),
            known(b.artifact_schema.as_deref()),
            b.digest_status,
        ),
        fields: json!({
            "agent": b.agent, "client": b.client, "registry": b.registry, "task_id": b.task_id,
            "artifact_id": b.artifact_id, "card": b.card, "verdict": b.verdict, "silent": b.silent,
            "cause": b.cause, "action": b.action, "disposition": b.disposition,
            "source_file": b.source_file, "source_line": b.source_line,
        }),
    })
}

fn storm(s: &Storm) -> Event {
    Event {
        at: s.started_at,
        kind: "Retry storm began",
        message: format!(
            "Retry storm on {}: {} by {} in {}, at most {} a minute",
            name(&s.agent),
            counted(s.failed_attempts, "rejection", "rejections"),
            counted(s.clients, "client", "clients"),
            duration(seconds(s.started_at, s.ended_at)),
            s.peak_per_minute
        ),
        fields: json!({
            "agent": s.agent, "card": s.card, "clients": s.clients, "replays": s.replays,
            "failed_attempts": s.failed_attempts, "skills": s.skills, "errors": s.errors,
        }),
    }
}

fn rejected(i: &Incident) -> Event {
    Event {
        at: i.rejected_at,
        kind: "Attempt rejected",
        message: format!(
            "{} rejected an attempt of {} ({}); {} under this card",
            name(&i.agent),
            known(i.client.as_deref()),
            name(&i.outcome),
            counted(i.failed_attempts, "rejection", "rejections")
        ),
        fields: json!({
            "agent": i.agent, "client": i.client, "card": i.card, "skill_id": i.skill_id,
            "outcome": i.outcome, "result": i.result,
        }),
    }
}

fn refetched(i: &Incident) -> Option<Event> {
    Some(Event {
        at: i.refetched_at?,
        kind: "Card fetched after a rejection",
        message: format!(
            "{} fetched the card of {} after a rejection: {}",
            known(i.client.as_deref()),
            name(&i.agent),
            name(&i.result.replace('_', " "))
        ),
        fields: json!({
            "agent": i.agent, "client": i.client, "card": i.refetched_card, "result": i.result,
            "changed": i.changed, "skills_added": i.skills_added, "skills_removed": i.skills_removed,
        }),
    })
}

fn later(d: &Downstream) -> Event {
    Event {
        at: d.sent_at,
        kind: "Split-brain artifact used",
        message: format!(
            "Task {} builds on the split-brain task {} (by {})",
            name(&d.later_task_id),
            name(&d.task_id),
            name(&d.by)
        ),
        fields: json!({
            "client": d.client, "task_id": d.later_task_id, "split_brain_task_id": d.task_id,
            "by": d.by,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_in_order_and_have_what_timesketch_wants() {
        let findings = Findings {
            rotations: vec![Rotation {
                agent: "a\u{1b}[31m".to_owned(),
                authority: "r2".to_owned(),
                rotation: 1,
                rotated_at: 1_794_643_201_500_000_999,
                from_schema: Some("3".to_owned()),
                to_schema: Some("4".to_owned()),
                ..Rotation::default()
            }],
            storms: vec![Storm { agent: "a".to_owned(), started_at: 0, ..Storm::default() }],
            ..Findings::default()
        };
        let mut out = Vec::new();
        write(&findings, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(lines[0]["timestamp_desc"], "Retry storm began");
        assert_eq!(lines[0]["datetime"], "1970-01-01T00:00:00.000000+00:00");
        assert_eq!(lines[1]["datetime"], "2026-11-14T08:00:01.500000+00:00");
        assert_eq!(
            lines[1]["message"],
            "r2 began to serve another contract of a\\u{1b}[31m, schema 3 to 4"
        );
        assert_eq!(lines[1].get("from_card"), None);
    }
}
