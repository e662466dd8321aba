//! Alert policies and conditions.
//!
//! A condition is replayed as it is written: with `op: lte` a burn rate *below* the threshold alerts.
//! OpenSLO's own examples are written so; it is followed, and noted.

use super::super::burn::{Op, Rule};
use super::super::objective::Policy;
use super::document::{Document, Kind, Metadata, description, referred};
use super::fields::{Faults, Fields};
use crate::yaml::Node;

/// The policies of an SLO.
pub(super) fn read(nodes: &[Node], documents: &[Document<'_>], faults: &mut Faults) -> Vec<Policy> {
    nodes.iter().filter_map(|node| one(node, documents, faults)).collect()
}

fn one(node: &Node, documents: &[Document<'_>], faults: &mut Faults) -> Option<Policy> {
    let path = "alertPolicies[]";
    let fields = Fields::of(
        node,
        path,
        &["alertPolicyRef", "apiVersion", "kind", "metadata", "spec"],
        faults,
    )?;
    if let Some(name) = fields.text("alertPolicyRef", faults) {
        let document = referred(documents, Kind::AlertPolicy, name, fields.line, faults)?;
        return of_document(document, documents, faults);
    }
    let help = "write `alertPolicyRef: NAME`, or the policy itself";
    let metadata = Metadata::read(fields.need("metadata", help, faults)?, faults)?;
    of_spec(metadata.name, fields.need("spec", help, faults)?, documents, faults)
}

/// The policy of a document.
pub(super) fn of_document(
    document: &Document<'_>,
    documents: &[Document<'_>],
    faults: &mut Faults,
) -> Option<Policy> {
    let before = std::mem::replace(&mut faults.file, document.file.to_owned());
    let found = of_spec(document.metadata.name, document.spec, documents, faults);
    faults.file = before;
    found
}

fn of_spec(
    name: &str,
    node: &Node,
    documents: &[Document<'_>],
    faults: &mut Faults,
) -> Option<Policy> {
    let known = [
        "description",
        "alertWhenNoData",
        "alertWhenResolved",
        "alertWhenBreaching",
        "conditions",
        "notificationTargets",
    ];
    let fields = Fields::of(node, "spec", &known, faults)?;
    description(&fields, faults);
    let mut notes = Vec::new();
    let breaching = fields.flag("alertWhenBreaching", faults).unwrap_or(false);
    if !breaching {
        notes.push(format!(
            "policy `{name}` does not alert when breaching: its alerts are left out"
        ));
    }
    if fields.flag("alertWhenNoData", faults).unwrap_or(false) {
        notes.push(format!(
            "policy `{name}`: alertWhenNoData is not replayed, a rate of nothing fires nothing"
        ));
    }
    fields.flag("alertWhenResolved", faults);
    for target in fields.list("notificationTargets", faults) {
        let known = ["targetRef", "apiVersion", "kind", "metadata", "spec"];
        let Some(target) = Fields::of(target, "notificationTargets[]", &known, faults) else {
            continue;
        };
        // Nobody is notified of the past: a name without its document is no fault.
        target.text("targetRef", faults);
    }
    let conditions = fields.list("conditions", faults);
    let [condition] = conditions else {
        let what = format!("the policy has {} conditions", conditions.len());
        faults.add(fields.line, what, "OpenSLO asks for exactly one");
        return None;
    };
    let known = ["conditionRef", "apiVersion", "kind", "metadata", "spec"];
    let fields = Fields::of(condition, "conditions[0]", &known, faults)?;
    let rule = if let Some(name) = fields.text("conditionRef", faults) {
        let document = referred(documents, Kind::AlertCondition, name, fields.line, faults)?;
        condition_of(document, faults)?
    } else {
        let help = "write `conditionRef: NAME`, or the condition itself";
        let metadata = Metadata::read(fields.need("metadata", help, faults)?, faults)?;
        of_condition(metadata.name, fields.need("spec", help, faults)?, faults)?
    };
    if matches!(rule.op, Op::Lt | Op::Lte) {
        notes.push(format!(
            "condition `{}` alerts while the burn rate is low: its `op` says so; burning too fast is `gt` or `gte`",
            rule.name
        ));
    }
    Some(Policy { rule: breaching.then_some(rule), notes })
}

/// The condition of a document.
pub(super) fn condition_of(document: &Document<'_>, faults: &mut Faults) -> Option<Rule> {
    let before = std::mem::replace(&mut faults.file, document.file.to_owned());
    let found = of_condition(document.metadata.name, document.spec, faults);
    faults.file = before;
    found
}

fn of_condition(name: &str, node: &Node, faults: &mut Faults) -> Option<Rule> {
    let fields = Fields::of(node, "spec", &["description", "severity", "condition"], faults)?;
    description(&fields, faults);
    let severity = fields.need_text("severity", "for example `severity: page`", faults);
    let help = "write `condition: {kind: burnrate, op: gt, threshold: 14.4, lookbackWindow: 1h}`";
    let known = ["kind", "op", "threshold", "lookbackWindow", "alertAfter"];
    let fields = Fields::of(fields.need("condition", help, faults)?, "condition", &known, faults)?;
    let kind = fields.text("kind", faults).unwrap_or("burnrate");
    if kind != "burnrate" {
        faults.add(fields.line, format!("conditions of kind `{kind}` are not known"), help);
        return None;
    }
    let op = fields.need_text("op", "one of gt, gte, lt, lte", faults).and_then(|text| {
        let op = Op::parse(text);
        if op.is_none() {
            let what = format!("`condition.op` is `{text}`");
            faults.add(fields.line, what, "one of gt, gte, lt, lte");
        }
        op
    });
    fields.need("threshold", "for example `threshold: 14.4`", faults);
    let threshold = fields.number("threshold", faults);
    fields.need("lookbackWindow", "for example `lookbackWindow: 1h`", faults);
    let mut fixed = |key: &str| {
        let span = fields.span(key, faults)?;
        let length = span.fixed();
        if length.is_none() {
            let what = format!("`condition.{key}` is a month or longer");
            faults.add(fields.line, what, "write it in m, h, d or w");
        }
        length
    };
    let (window, after) = (fixed("lookbackWindow"), fixed("alertAfter"));
    Some(Rule {
        name: name.to_owned(),
        severity: severity?.to_owned(),
        windows: vec![window?],
        op: op?,
        threshold: threshold?.1,
        after: after.unwrap_or(0),
    })
}
