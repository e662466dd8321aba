//! Documents of `kind: SLO`.

use super::super::burn::Op;
use super::super::exact::Ratio;
use super::super::objective::{Alerts, Budgeting, Indicator, Metric, Objective, Scope, Threshold};
use super::super::period::TimeWindow;
use super::super::span::{MINUTE, Span};
use super::document::{Document, Kind, description, referred};
use super::fields::{Faults, Fields, scalar};
use super::{indicator, policy, window};
use crate::yaml::Node;
use std::cmp::Ordering;

/// The annotation that says how few events are too few.
const MIN_EVENTS: &str = "carddrift/min-events";

/// Reads all objectives of a document.
pub(super) fn read(
    document: &Document<'_>,
    documents: &[Document<'_>],
    objectives: &mut Vec<Objective>,
    faults: &mut Faults,
) {
    let known = [
        "description",
        "service",
        "indicator",
        "indicatorRef",
        "timeWindow",
        "budgetingMethod",
        "objectives",
        "alertPolicies",
    ];
    let Some(fields) = Fields::of(document.spec, "spec", &known, faults) else { return };
    description(&fields, faults);
    let mut notes = Vec::new();
    let service = fields.need_text("service", "name the service: `service: delegation`", faults);
    let shared = indicator_of(&fields, documents, faults);
    let window = if let Some(node) = fields.get("timeWindow") {
        window::read(fields.list("timeWindow", faults), node.line, faults)
    } else {
        notes.push("no timeWindow is given: the last 30 days are taken".to_owned());
        Span::parse("30d").map(TimeWindow::Rolling)
    };
    let method = fields.text("budgetingMethod", faults);
    if method.is_none() && fields.get("budgetingMethod").is_none() {
        notes.push("no budgetingMethod is given: Occurrences is taken".to_owned());
    }
    let policies = policy::read(fields.list("alertPolicies", faults), documents, faults);
    notes.extend(policies.iter().flat_map(|policy| policy.notes.iter().cloned()));
    let alerts = if policies.is_empty() {
        Alerts::Pairs
    } else {
        Alerts::Rules(policies.into_iter().filter_map(|policy| policy.rule).collect())
    };
    let scope = scope(document);
    let min_events = min_events(document, faults);
    let items = fields.list("objectives", faults);
    if items.is_empty() {
        let help = "write at least one: `objectives: [{target: 0.999}]`";
        faults.add(fields.line, "the SLO has no objective", help);
    }
    for (place, node) in items.iter().enumerate() {
        let Some(one) = objective(node, method, documents, faults) else { continue };
        let indicator = match (&shared, one.indicator.clone()) {
            (Err(Told), _) | (_, Err(Told)) => continue,
            (Ok(Some(_)), Ok(Some(_))) => {
                let help = "write the indicator once: for the SLO, or for each objective";
                faults.add(node.line, "both the SLO and its objective have an indicator", help);
                continue;
            }
            (Ok(Some(shared)), Ok(None)) => shared.clone(),
            (Ok(None), Ok(Some(own))) => own,
            (Ok(None), Ok(None)) => {
                let help = "write `indicatorRef: NAME` or `indicator:` below `spec`";
                faults.add(fields.line, "the SLO has no indicator", help);
                continue;
            }
        };
        let (Some(window), Some(service)) = (window.clone(), service) else { continue };
        check_metric(&indicator, &one, items.len(), node.line, faults, &mut notes);
        objectives.push(Objective {
            slo: document.metadata.name.to_owned(),
            slo_title: document.metadata.title.map(str::to_owned),
            service: service.to_owned(),
            title: one.title,
            place,
            of: items.len(),
            file: document.file.to_owned(),
            line: node.line,
            target: one.target,
            threshold: one.threshold.filter(|_| matches!(indicator.metric, Metric::Threshold(_))),
            indicator,
            budgeting: one.budgeting,
            window,
            scope: scope.clone(),
            alerts: alerts.clone(),
            min_events,
            notes: notes.clone(),
        });
    }
}

/// One item of `objectives`.
struct Item {
    title: Option<String>,
    target: Ratio,
    threshold: Option<Threshold>,
    budgeting: Budgeting,
    indicator: Result<Option<Indicator>, Told>,
}

/// There is one, with faults that were told.
#[derive(Debug, Clone, Copy)]
struct Told;

fn indicator_of(
    fields: &Fields<'_>,
    documents: &[Document<'_>],
    faults: &mut Faults,
) -> Result<Option<Indicator>, Told> {
    let found = match (fields.get("indicator"), fields.text("indicatorRef", faults)) {
        (None, None) => return Ok(None),
        (Some(node), None) => indicator::inline(node, documents, faults),
        (None, Some(name)) => referred(documents, Kind::Sli, name, fields.line, faults)
            .and_then(|document| indicator::of_document(document, documents, faults)),
        (Some(node), Some(_)) => {
            faults.add(node.line, "both `indicator` and `indicatorRef` are given", "keep one");
            None
        }
    };
    found.map(Some).ok_or(Told)
}

fn objective(
    node: &Node,
    method: Option<&str>,
    documents: &[Document<'_>],
    faults: &mut Faults,
) -> Option<Item> {
    let known = [
        "displayName",
        "op",
        "value",
        "target",
        "targetPercent",
        "timeSliceTarget",
        "timeSliceWindow",
        "indicator",
        "indicatorRef",
        "compositeWeight",
    ];
    let fields = Fields::of(node, "objectives[]", &known, faults)?;
    let weight = fields.number("compositeWeight", faults);
    if weight.is_some_and(|(_, weight)| weight.compared(1, 1).is_some_and(Ordering::is_ne)) {
        faults.add(
            fields.line,
            "composites with weights are not computed",
            "leave `compositeWeight` out: each objective is told on its own",
        );
    }
    let target = target(&fields, faults);
    let threshold = threshold(&fields, faults);
    let budgeting = budgeting(&fields, method, faults);
    let indicator = indicator_of(&fields, documents, faults);
    Some(Item {
        title: fields.text("displayName", faults).map(str::to_owned),
        target: target?,
        threshold,
        budgeting: budgeting?,
        indicator,
    })
}

fn target(fields: &Fields<'_>, faults: &mut Faults) -> Option<Ratio> {
    let percent = Ratio { above: 1, below: 100 };
    let (has, has_percent) = (fields.get("target"), fields.get("targetPercent"));
    let target = match (has.is_some(), has_percent.is_some()) {
        (true, false) => fields.number("target", faults)?.1,
        (false, true) => fields.number("targetPercent", faults)?.1.times(percent)?,
        (both, _) => {
            let what = if both { "both `target` and `targetPercent`" } else { "no target" };
            let help = "write one: `target: 0.999` or `targetPercent: 99.9`";
            faults.add(fields.line, format!("the objective has {what}"), help);
            return None;
        }
    };
    if target.compared(1, 1).is_some_and(Ordering::is_le) {
        let line = has.or(has_percent).map_or(fields.line, |node| node.line);
        let (what, help) = if target == (Ratio { above: 1, below: 1 }) {
            (
                "a target of 1 leaves no budget: every burn rate would be infinite",
                "write less than 1, for example 0.999; to let no single one pass use --fail-on",
            )
        } else {
            (
                "the target is more than 1",
                "write a share, `target: 0.999`, or `targetPercent: 99.9`",
            )
        };
        faults.add(line, what, help);
        return None;
    }
    Some(target)
}

fn threshold(fields: &Fields<'_>, faults: &mut Faults) -> Option<Threshold> {
    let op = fields.text("op", faults).and_then(|text| {
        let op = Op::parse(text);
        if op.is_none() {
            let what = format!("`objectives[].op` is `{text}`");
            faults.add(fields.line, what, "one of gt, gte, lt, lte");
        }
        op
    });
    let value = fields.get("value").and_then(|node| {
        let value = scalar(node).and_then(|t| t.parse::<f64>().ok()).filter(|v| v.is_finite());
        if value.is_none() {
            faults.add(node.line, "`objectives[].value` is no number", "for example `value: 3600`");
        }
        value
    });
    Some(Threshold { op: op?, value: value? })
}

fn budgeting(fields: &Fields<'_>, method: Option<&str>, faults: &mut Faults) -> Option<Budgeting> {
    let method = method.unwrap_or("Occurrences");
    if method == "Occurrences" {
        for key in ["timeSliceTarget", "timeSliceWindow"] {
            if fields.get(key).is_some() {
                let help = "leave it out, or write `budgetingMethod: Timeslices`";
                faults.add(fields.line, format!("`{key}` has no meaning with Occurrences"), help);
            }
        }
        return Some(Budgeting::Occurrences);
    }
    if !["Timeslices", "RatioTimeslices"].contains(&method) {
        let what = format!("no budgeting method is called `{method}`");
        faults.add(fields.line, what, "one of Occurrences, Timeslices, RatioTimeslices");
        return None;
    }
    let length = slice_window(fields, faults);
    if method == "RatioTimeslices" {
        return Some(Budgeting::RatioTimeslices { length: length? });
    }
    fields.need("timeSliceTarget", "Timeslices needs it: `timeSliceTarget: 0.95`", faults)?;
    let (_, target) = fields.number("timeSliceTarget", faults)?;
    let above_one = target.compared(1, 1).is_some_and(Ordering::is_lt);
    if target.above == 0 || above_one {
        let what = "`timeSliceTarget` is not more than 0 and at most 1";
        faults.add(fields.line, what, "for example `timeSliceTarget: 0.95`");
        return None;
    }
    Some(Budgeting::Timeslices { length: length?, target })
}

/// In nanoseconds; a number without a unit is minutes.
fn slice_window(fields: &Fields<'_>, faults: &mut Faults) -> Option<i64> {
    let help = "write it in m, h, d or w, for example `timeSliceWindow: 1m`";
    let node = fields.need("timeSliceWindow", help, faults)?;
    let minutes = scalar(node).and_then(|text| text.parse::<u32>().ok()).filter(|n| *n > 0);
    let length = match minutes {
        Some(minutes) => Some(i64::from(minutes) * MINUTE),
        None => fields.span("timeSliceWindow", faults)?.fixed(),
    };
    if length.is_none() {
        faults.add(node.line, "`timeSliceWindow` is a month or longer", help);
    }
    length
}

fn check_metric(
    indicator: &Indicator,
    one: &Item,
    objectives: usize,
    line: usize,
    faults: &mut Faults,
    notes: &mut Vec<String>,
) {
    let threshold = matches!(indicator.metric, Metric::Threshold(_));
    if threshold && one.threshold.is_none() {
        let help = "write both, for example `op: lte` and `value: 3600`";
        faults.add(line, "a thresholdMetric needs `op` and `value`", help);
    }
    if threshold && objectives > 1 {
        let help = "write one SLO for each objective";
        faults.add(line, "with a thresholdMetric there is exactly one objective", help);
    }
    if !threshold && one.threshold.is_some() {
        let note = "`op` and `value` have no meaning with a ratioMetric";
        if !notes.iter().any(|n| n == note) {
            notes.push(note.to_owned());
        }
    }
}

/// Which rows count, by the labels `agent`, `registry` and `client`.
fn scope(document: &Document<'_>) -> Scope {
    let of = |name: &str| {
        let labels = document.metadata.labels.iter().filter(|(key, ..)| *key == name);
        labels.flat_map(|(_, _, values)| values.iter().map(|v| (*v).to_owned())).collect()
    };
    Scope { agents: of("agent"), registries: of("registry"), clients: of("client") }
}

fn min_events(document: &Document<'_>, faults: &mut Faults) -> Option<u64> {
    let (_, line, value) =
        document.metadata.annotations.iter().find(|(key, ..)| *key == MIN_EVENTS)?;
    let count = value.parse::<u64>().ok().filter(|n| *n > 0);
    if count.is_none() {
        let what = format!("the annotation `{MIN_EVENTS}` is no whole number from 1");
        faults.add(*line, what, format!("for example `{MIN_EVENTS}: \"10\"`"));
    }
    count
}
