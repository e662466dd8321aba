//! Indicators: ratio and threshold metrics over `carddrift` metric sources.

use super::super::objective::{Indicator, Metric, Relation, Source};
use super::document::{Document, Kind, Metadata, description, referred};
use super::fields::{Faults, Fields, scalar};
use crate::yaml::Node;

const SPEC_KEYS: [&str; 8] =
    ["query", "sql", "params", "time", "where", "unknown", "count", "value"];

/// The indicator of a document of `kind: SLI`.
pub(super) fn of_document(
    document: &Document<'_>,
    documents: &[Document<'_>],
    faults: &mut Faults,
) -> Option<Indicator> {
    let before = std::mem::replace(&mut faults.file, document.file.to_owned());
    let found = of_spec(document.metadata.name, document.spec, documents, faults);
    faults.file = before;
    found
}

/// An indicator written where it is used.
pub(super) fn inline(
    node: &Node,
    documents: &[Document<'_>],
    faults: &mut Faults,
) -> Option<Indicator> {
    let fields = Fields::of(node, "indicator", &["metadata", "spec"], faults)?;
    let metadata = fields.need("metadata", "write `metadata: {name: ...}`", faults);
    let metadata = metadata.and_then(|node| Metadata::read(node, faults));
    let spec = fields.need("spec", "write a ratioMetric or thresholdMetric below it", faults)?;
    of_spec(metadata?.name, spec, documents, faults)
}

fn of_spec(
    name: &str,
    node: &Node,
    documents: &[Document<'_>],
    faults: &mut Faults,
) -> Option<Indicator> {
    let known = ["description", "thresholdMetric", "ratioMetric"];
    let fields = Fields::of(node, "spec", &known, faults)?;
    description(&fields, faults);
    let metric = match (fields.get("thresholdMetric"), fields.get("ratioMetric")) {
        (Some(node), None) => threshold(node, documents, faults)?,
        (None, Some(node)) => ratio(node, documents, faults)?,
        (both, _) => {
            let what = match both {
                Some(_) => "the indicator has both a thresholdMetric and a ratioMetric",
                None => "the indicator has neither a thresholdMetric nor a ratioMetric",
            };
            faults.add(node.line, what, "write exactly one of them");
            return None;
        }
    };
    Some(Indicator { name: name.to_owned(), metric })
}

fn threshold(node: &Node, documents: &[Document<'_>], faults: &mut Faults) -> Option<Metric> {
    let fields = Fields::of(node, "thresholdMetric", &["metricSource"], faults)?;
    let source = source(&fields, "thresholdMetric", documents, faults)?;
    needs_value(&source, fields.line, "thresholdMetric", faults)?;
    Some(Metric::Threshold(source))
}

fn ratio(node: &Node, documents: &[Document<'_>], faults: &mut Faults) -> Option<Metric> {
    let known = ["counter", "good", "bad", "total", "rawType", "raw"];
    let fields = Fields::of(node, "ratioMetric", &known, faults)?;
    fields.flag("counter", faults);
    let has = |key: &str| fields.get(key).is_some();
    let [good, bad, total, raw, raw_type] = ["good", "bad", "total", "raw", "rawType"].map(has);
    match (good, bad, total, raw) {
        (true, false, true, false) | (false, true, true, false) => {}
        (false, false, false, true) => {
            let kind = fields.need_text("rawType", "write success or failure", faults)?;
            let success = match kind {
                "success" => true,
                "failure" => false,
                _ => {
                    let what = format!("`ratioMetric.rawType` is `{kind}`");
                    faults.add(fields.line, what, "write success or failure");
                    return None;
                }
            };
            let source = part(&fields, "raw", documents, faults)?;
            needs_value(&source, fields.line, "raw", faults)?;
            return Some(Metric::Raw { source, success });
        }
        _ => {
            let given: Vec<&str> = [("good", good), ("bad", bad), ("total", total), ("raw", raw)]
                .into_iter()
                .filter_map(|(name, there)| there.then_some(name))
                .collect();
            let given = if given.is_empty() { "nothing".to_owned() } else { given.join(" and ") };
            let help = "write good and total, or bad and total, or raw with rawType";
            faults.add(fields.line, format!("the ratioMetric has {given}"), help);
            return None;
        }
    }
    if raw_type {
        faults.add(fields.line, "`rawType` belongs to `raw` only", "leave it out");
    }
    let side = part(&fields, if good { "good" } else { "bad" }, documents, faults);
    let total = part(&fields, "total", documents, faults);
    let (side, total) = (side?, total?);
    if side.unknown.is_some() {
        let help = "move it to `total`: what is unknown is neither good nor bad";
        faults.add(side.line, "`unknown` is said beside the numerator", help);
    }
    Some(if good { Metric::Good { good: side, total } } else { Metric::Bad { bad: side, total } })
}

fn needs_value(source: &Source, line: usize, path: &str, faults: &mut Faults) -> Option<()> {
    if source.value.is_none() {
        let help = "name the column that holds it: `value: lag_s`";
        faults.add(line, format!("the metric source of `{path}` lacks `value`"), help);
    }
    source.value.as_ref().map(|_| ())
}

fn part(
    fields: &Fields<'_>,
    key: &'static str,
    documents: &[Document<'_>],
    faults: &mut Faults,
) -> Option<Source> {
    let fields = Fields::of(fields.get(key)?, key, &["metricSource"], faults)?;
    source(&fields, key, documents, faults)
}

fn source(
    fields: &Fields<'_>,
    path: &str,
    documents: &[Document<'_>],
    faults: &mut Faults,
) -> Option<Source> {
    let node = fields.need("metricSource", &format!("say where `{path}` comes from"), faults)?;
    let fields = Fields::of(node, "metricSource", &["metricSourceRef", "type", "spec"], faults)?;
    let reference = fields.text("metricSourceRef", faults);
    let from_reference = match reference {
        None => None,
        // A type that is written here counts, whether or not the document can be seen.
        Some(_) if fields.get("type").is_some() => None,
        Some(name) => {
            let document = referred(documents, Kind::DataSource, name, fields.line, faults)?;
            Fields::open(document.spec, "spec", faults)?.text("type", faults)
        }
    };
    let Some(kind) = fields.text("type", faults).or(from_reference) else {
        if reference.is_none() {
            faults.add(fields.line, "the metric source has no type", "write `type: carddrift`");
        }
        return None;
    };
    if kind != "carddrift" {
        faults.add(
            fields.line,
            format!("metric sources of type `{kind}` cannot be read: only recordings can"),
            "write `type: carddrift` with `spec: {query: NAME}`, or leave the document out",
        );
        return None;
    }
    let help = "name a query: `spec: {query: binding_events}`";
    let spec = fields.need("spec", help, faults)?;
    let spec = Fields::of(spec, "metricSource.spec", &SPEC_KEYS, faults)?;
    let relation = match (spec.text("query", faults), spec.text("sql", faults)) {
        (Some(name), None) => Relation::Query(name.to_owned()),
        (None, Some(sql)) => Relation::Sql(sql.to_owned()),
        (query, _) => {
            let what = match query {
                Some(_) => "the metric source has both `query` and `sql`",
                None => "the metric source has neither `query` nor `sql`",
            };
            faults.add(spec.line, what, help);
            return None;
        }
    };
    let mut params = Vec::new();
    if let Some(node) = spec.get("params") {
        for (key, node) in Fields::open(node, "params", faults)?.entries() {
            if let Some(value) = scalar(node) {
                params.push((key.name.clone(), value.to_owned()));
            } else {
                let what = format!("the parameter `{}` is {}", key.name, node.kind());
                faults.add(key.line, what, "write `name: value`");
            }
        }
    }
    let mut text = |key| spec.text(key, faults).map(str::to_owned);
    Some(Source {
        line: spec.line,
        relation,
        params,
        time: text("time"),
        filter: text("where"),
        unknown: text("unknown"),
        count: text("count"),
        value: text("value"),
    })
}
