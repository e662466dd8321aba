//! What is there on one side only: causes, work, storms, replaying clients, loops, changed agents.

use super::{Row, Value, Verdict};
use crate::report::findings::Findings;
use std::collections::BTreeMap;

type Counted = BTreeMap<(&'static str, Vec<String>), i64>;

pub(super) fn rows(a: &Findings, b: &Findings) -> Vec<Row> {
    let (before, after) = (counted(a), counted(b));
    let mut keys: Vec<_> = before.keys().chain(after.keys()).cloned().collect();
    keys.sort();
    keys.dedup();
    keys.into_iter()
        .map(|key| {
            let value = |side: &Counted| side.get(&key).map_or(Value::Absent, |n| Value::Count(*n));
            let (a, b) = (value(&before), value(&after));
            let verdict = match (a, b) {
                (Value::Absent, _) => Verdict::New,
                (_, Value::Absent) => Verdict::Gone,
                _ => Verdict::Still,
            };
            Row { what: key.0, subject: key.1, a, b, difference: None, verdict }
        })
        .collect()
}

fn counted(f: &Findings) -> Counted {
    let mut counts = Counted::new();
    let mut add = |what: &'static str, subject: Vec<String>, n: i64| {
        *counts.entry((what, subject)).or_default() += n;
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
    for b in &f.split_brains {
        add("cause", vec![text(&b.cause), text(&b.agent)], 1);
    }
    for a in f.actions.iter().filter(|a| a.action != "quarantine_artifact") {
        add("action", vec![a.action.clone(), text(&a.target), text(&a.agent)], a.tasks);
    }
    for s in &f.storms {
        add("storms", vec![s.agent.clone()], 1);
    }
    for r in &f.replays {
        add("replaying_client", vec![text(&r.client), r.agent.clone()], r.replays);
    }
    for i in &f.incidents {
        if i.r#loop.is_some_and(|place| place > 1) {
            add("loop", vec![text(&i.client), i.agent.clone()], 1);
        }
        if i.result == "changed" {
            add("drift", vec![i.agent.clone()], 1);
        }
    }
    for r in &f.rotations {
        add("rotations", vec![r.agent.clone()], 1);
    }
    counts
}
