//! What is to be done, for machines: one item of work a row, with an id that stays the same when the
//! archive grows. Nothing is sent anywhere.

use super::answers::{ReportError, view};
use super::findings::{self, Action, Binding};
use crate::a2a::digest::{hex, sha256};
use crate::query::Session;
use arrow::array::{
    ArrayRef, Int64Array, ListBuilder, RecordBatch, StringArray, StringBuilder,
    TimestampNanosecondArray,
};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Each item names at most so many places of evidence.
const EVIDENCE: usize = 5;

const SPLIT: &str = "SELECT * FROM bindings WHERE verdict = 'split_brain'
    ORDER BY task_id, artifact_id, agent NULLS LAST";

/// Where each registry was last asked for each agent.
const URLS: &str = "
SELECT agent, registry, url FROM (
  SELECT agent, registry, url,
    row_number() OVER (PARTITION BY agent, registry ORDER BY t DESC, url) AS place
  FROM fetches WHERE url IS NOT NULL
) WHERE place = 1 ORDER BY agent, registry";

#[derive(Deserialize)]
struct Place {
    agent: String,
    registry: Option<String>,
    url: String,
}

/// The items: `id`, `action`, `agent`, `task_id`, `artifact_id` (of a quarantine), `registry`, `url`
/// (where to resolve again), `card_etag` (the stale one), `cause`, `tasks`, `first_at`, `last_at`,
/// `evidence` (`file:line` of the artifacts, the first five).
///
/// # Errors
/// When the archive cannot be asked.
pub fn items(session: &Session) -> Result<RecordBatch, ReportError> {
    let shape = |e: serde::de::value::Error| ReportError::Shape(e.to_string());
    let actions: Vec<Action> =
        findings::read("actions", view(&session.built_in("actions")?)).map_err(shape)?;
    let bindings: Vec<Binding> =
        findings::read("bindings", view(&session.sql(SPLIT, &[])?)).map_err(shape)?;
    let urls: Vec<Place> = findings::read("urls", view(&session.sql(URLS, &[])?)).map_err(shape)?;
    let urls: BTreeMap<(&str, &str), &str> = urls
        .iter()
        .filter_map(|u| Some(((u.agent.as_str(), u.registry.as_deref()?), u.url.as_str())))
        .collect();
    let behind = behind(&bindings);
    let items: Vec<Item<'_>> =
        actions.iter().map(|action| Item::of(action, &behind, &urls)).collect();
    batch(&items).map_err(|e| ReportError::Shape(e.to_string()))
}

/// The split-brain artifacts behind each action, by what names it in the answer.
type Behind<'a> = BTreeMap<Key<'a>, Vec<&'a Binding>>;

/// Action, agent, target, `card_etag`, cause.
type Key<'a> = (&'a str, Option<&'a str>, Option<Cow<'a, str>>, Option<&'a str>, &'a str);

fn behind(bindings: &[Binding]) -> Behind<'_> {
    let mut behind = Behind::new();
    for b in bindings {
        let (Some(action), Some(cause)) = (b.action.as_deref(), b.cause.as_deref()) else {
            continue;
        };
        let agent = b.agent.as_deref();
        let artifact = Cow::Owned(format!("{}/{}", b.task_id, b.artifact_id));
        behind.entry((QUARANTINE, agent, Some(artifact), None, cause)).or_default().push(b);
        let key = if resolves(action) {
            (action, agent, b.registry.as_deref().map(Cow::Borrowed), b.card_etag.as_deref(), cause)
        } else {
            (action, agent, agent.map(Cow::Borrowed), None, cause)
        };
        behind.entry(key).or_default().push(b);
    }
    behind
}

const QUARANTINE: &str = "quarantine_artifact";

fn resolves(action: &str) -> bool {
    action.starts_with("re_resolve")
}

struct Item<'a> {
    id: String,
    action: &'a Action,
    artifact: Option<&'a Binding>,
    registry: Option<&'a str>,
    url: Option<&'a str>,
    evidence: Vec<String>,
}

impl<'a> Item<'a> {
    fn of(action: &'a Action, behind: &Behind<'a>, urls: &BTreeMap<(&str, &str), &'a str>) -> Self {
        let target = action.target.as_deref();
        let registry = target.filter(|_| resolves(&action.action));
        let key = (
            action.action.as_str(),
            action.agent.as_deref(),
            target.map(Cow::Borrowed),
            action.card_etag.as_deref(),
            action.reason.as_str(),
        );
        let concerned = behind.get(&key).map(Vec::as_slice).unwrap_or_default();
        let evidence = concerned
            .iter()
            .filter_map(|b| Some(format!("{}:{}", b.source_file.as_deref()?, b.source_line?)));
        let agent = action.agent.as_deref().unwrap_or_default();
        let named = [
            action.action.as_str(),
            agent,
            target.unwrap_or_default(),
            action.card_etag.as_deref().unwrap_or_default(),
            action.reason.as_str(),
        ];
        // A list of texts is always JSON.
        let name = serde_json::to_vec(&named).unwrap_or_default();
        Self {
            id: hex(&sha256(&name)).chars().take(16).collect(),
            action,
            artifact: concerned.first().copied().filter(|_| action.action == QUARANTINE),
            registry,
            url: registry.and_then(|r| urls.get(&(agent, r)).copied()),
            evidence: evidence.take(EVIDENCE).collect(),
        }
    }
}

fn batch(items: &[Item<'_>]) -> Result<RecordBatch, arrow::error::ArrowError> {
    fn texts<'t>(texts: impl Iterator<Item = Option<&'t str>>) -> ArrayRef {
        Arc::new(texts.collect::<StringArray>())
    }
    let times = |of: fn(&Action) -> Option<i64>| -> ArrayRef {
        let times: TimestampNanosecondArray = items.iter().map(|i| of(i.action)).collect();
        Arc::new(times.with_timezone("UTC"))
    };
    let mut evidence = ListBuilder::new(StringBuilder::new());
    for item in items {
        evidence.append_value(item.evidence.iter().map(Some));
    }
    let a = || items.iter().map(|i| i.action);
    RecordBatch::try_from_iter_with_nullable([
        ("id", texts(items.iter().map(|i| Some(i.id.as_str()))), false),
        ("action", texts(a().map(|a| Some(a.action.as_str()))), false),
        ("agent", texts(a().map(|a| a.agent.as_deref())), true),
        ("task_id", texts(items.iter().map(|i| i.artifact.map(|b| b.task_id.as_str()))), true),
        (
            "artifact_id",
            texts(items.iter().map(|i| i.artifact.map(|b| b.artifact_id.as_str()))),
            true,
        ),
        ("registry", texts(items.iter().map(|i| i.registry)), true),
        ("url", texts(items.iter().map(|i| i.url)), true),
        ("card_etag", texts(a().map(|a| a.card_etag.as_deref())), true),
        ("cause", texts(a().map(|a| Some(a.reason.as_str()))), false),
        ("tasks", Arc::new(a().map(|a| Some(a.tasks)).collect::<Int64Array>()) as ArrayRef, false),
        ("first_at", times(|a| a.first_at), true),
        ("last_at", times(|a| a.last_at), true),
        ("evidence", Arc::new(evidence.finish()) as ArrayRef, false),
    ])
}
