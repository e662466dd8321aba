//! What to do, as lists: tasks to quarantine, cards to resolve again, registries and agents to escalate.

use super::cell::{self, Cell};
use super::table::{Table, number, sentence, text};
use super::{Section, Whole, names};
use crate::report::causes;
use crate::report::findings::{Action, Binding};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

pub fn section(whole: &Whole<'_>) -> Option<Section> {
    let f = whole.findings;
    if f.split_brains.is_empty() && f.actions.is_empty() {
        return None;
    }
    Some(Section {
        id: "work",
        short: "What to do",
        title: "What to do",
        lead: Some(html! {
            "Neither fail nor retry the tasks: they completed, and a retry is admitted under the same card. Machines read these lists from "
            code { "carddrift actions" } "."
        }),
        body: html! {
            (quarantine(whole))
            (again(whole))
            (escalate(whole))
        },
    })
}

fn quarantine(whole: &Whole<'_>) -> Markup {
    let mut table = Table::new(
        "quarantine",
        "Artifacts to quarantine, latest admission first",
        &[
            text("task_id", "task"),
            text("artifact_id", "artifact"),
            text("agent", "agent"),
            text("client", "client"),
            text("registry", "registry"),
            text("admitted_at", "admitted"),
            text("card_schema", "card says"),
            text("artifact_schema", "artifact is"),
            text("digest_status", "digest"),
            text("cause", "cause"),
            text("action", "action"),
            text("disposition", "the client"),
            text("card", "card"),
            text("evidence", "record"),
        ],
        whole.caps.rows,
    )
    .rest("carddrift actions");
    let mut order: Vec<&Binding> = whole.findings.split_brains.iter().collect();
    order.sort_by_key(|b| std::cmp::Reverse(b.admitted_at));
    for b in order {
        let windows = whole.windows.at(b.agent.as_deref(), b.registry.as_deref(), b.admitted_at);
        table.row_in(&windows, || {
            vec![
                cell::name(Some(&b.task_id)),
                cell::name(Some(&b.artifact_id)),
                cell::name(b.agent.as_deref()),
                cell::name(b.client.as_deref()),
                cell::name(b.registry.as_deref()),
                cell::time(whole.clock, b.admitted_at),
                cell::name(b.card_schema.as_deref()),
                cell::name(b.artifact_schema.as_deref()),
                Cell::new(
                    html! { span.keep { (b.digest_status) @if b.silent == Some(true) { span.silent { " silent" } } } },
                    b.digest_status.clone(),
                ),
                Cell::new(
                    html! {
                        (names::cause(b.cause.as_deref()))
                        @if b.cause_certain == Some(false) { " (not certain)" }
                    },
                    names::shown(b.cause.as_deref().unwrap_or("unknown")),
                ),
                cell::word(b.action.as_deref().unwrap_or("")),
                match &b.disposition {
                    Some(fate) => cell::name(Some(fate)),
                    None => Cell::new(html! { span.u { "fate unknown" } }, ""),
                },
                cell::hash(b.card.as_deref()),
                cell::place(b.source_file.as_deref(), b.source_line),
            ]
        });
    }
    html! { @if !table.is_empty() { h3 #quarantine { "Quarantine these artifacts" } (table.render()) } }
}

/// What stands behind an action: a record, and the windows of its tasks.
#[derive(Debug, Default)]
struct Behind<'a> {
    place: Option<(&'a str, i64)>,
    windows: BTreeSet<usize>,
}

type Key<'a> = (&'a str, Option<&'a str>, Option<&'a str>, Option<&'a str>, &'a str);

/// For each action and target, what stands behind it.
fn behind<'a>(whole: &Whole<'a>) -> BTreeMap<Key<'a>, Behind<'a>> {
    let mut all: BTreeMap<Key<'a>, Behind<'a>> = BTreeMap::new();
    for b in &whole.findings.split_brains {
        let Some(action) = b.action.as_deref() else { continue };
        let resolves = action.starts_with("re_resolve");
        let target = if resolves { b.registry.as_deref() } else { b.agent.as_deref() };
        let etag = if resolves { b.card_etag.as_deref() } else { None };
        let cause = b.cause.as_deref().unwrap_or("unknown");
        let one = all.entry((action, b.agent.as_deref(), target, etag, cause)).or_default();
        if one.place.is_none() {
            one.place = b.source_file.as_deref().zip(b.source_line);
        }
        one.windows.extend(whole.windows.at(
            b.agent.as_deref(),
            b.registry.as_deref(),
            b.admitted_at,
        ));
    }
    all
}

fn again(whole: &Whole<'_>) -> Markup {
    actions(
        whole,
        "re_resolve",
        "Cards to resolve again, past every cache",
        "Resolve these cards again",
        &|a| a.action.starts_with("re_resolve"),
    )
}

fn escalate(whole: &Whole<'_>) -> Markup {
    actions(
        whole,
        "escalate",
        "Registries and agents whose operators must hear of it",
        "Escalate",
        &|a| {
            matches!(
                a.action.as_str(),
                "re_resolve_and_escalate_registry" | "escalate_agent" | "quarantine_agent"
            )
        },
    )
}

fn actions(
    whole: &Whole<'_>,
    name: &'static str,
    caption: &'static str,
    title: &str,
    wanted: &dyn Fn(&Action) -> bool,
) -> Markup {
    let behind = behind(whole);
    let mut order: Vec<&Action> = whole.findings.actions.iter().filter(|a| wanted(a)).collect();
    order.sort_by_key(|a| std::cmp::Reverse(a.tasks));
    let mut table = Table::new(
        name,
        caption,
        &[
            text("target", "target"),
            text("agent", "agent"),
            text("action", "action"),
            text("card_etag", "stale ETag"),
            text("reason", "cause"),
            number("tasks", "tasks"),
            text("first_at", "first admission"),
            text("last_at", "last admission"),
            sentence("in_words", "in words"),
            text("evidence", "a record"),
        ],
        whole.caps.rows,
    )
    .rest("carddrift actions");
    for a in order {
        let key = (
            &*a.action,
            a.agent.as_deref(),
            a.target.as_deref(),
            a.card_etag.as_deref(),
            &*a.reason,
        );
        let found = behind.get(&key);
        let windows: Vec<usize> =
            found.map(|b| b.windows.iter().copied().collect()).unwrap_or_default();
        table.row_in(&windows, || {
            vec![
                cell::name(a.target.as_deref()),
                cell::name(a.agent.as_deref()),
                cell::word(&a.action),
                match &a.card_etag {
                    Some(etag) => cell::name(Some(etag)),
                    None => Cell::empty(),
                },
                Cell::new(names::cause(Some(&a.reason)), names::shown(&a.reason)),
                cell::number(a.tasks),
                cell::time(whole.clock, a.first_at),
                cell::time(whole.clock, a.last_at),
                cell::words(causes::action(&a.action)),
                match found.and_then(|b| b.place) {
                    Some((file, line)) => cell::place(Some(file), Some(line)),
                    None => Cell::empty(),
                },
            ]
        });
    }
    html! { @if !table.is_empty() { h3 { (title) } (table.render()) } }
}
