use super::super::exact::Ratio;
use super::super::objective::*;
use super::super::period::TimeWindow;
use super::super::span::{HOUR, MINUTE, Span};
use super::*;

fn read_one(text: &str) -> Result<Vec<Objective>, Vec<Fault>> {
    read(&[("slo.yaml".to_owned(), text.to_owned())])
}

fn faults(text: &str) -> Vec<String> {
    read_one(text).unwrap_err().iter().map(ToString::to_string).collect()
}

/// A document that is right, for changing one thing in it.
const RIGHT: &str = "\
apiVersion: openslo/v1
kind: SLO
metadata:
  name: binding
  displayName: Bindings keep their contract
  labels:
    agent: agent://vendor-b/*
    registry: [r1, r2]
  annotations: {carddrift/min-events: \"25\"}
spec:
  service: delegation
  indicatorRef: split-brain
  timeWindow:
    - duration: 28d
      isRolling: true
  budgetingMethod: Occurrences
  objectives:
    - displayName: promised
      target: 0.999
    - targetPercent: 99.5
---
apiVersion: openslo/v1
kind: SLI
metadata: {name: split-brain}
spec:
  ratioMetric:
    counter: false
    bad:
      metricSource: {type: carddrift, spec: {query: task_selection, time: last_artifact_at, where: split_brain}}
    total:
      metricSource:
        metricSourceRef: recordings
        spec:
          query: task_selection
          params: {within_s: 60}
          where: verifiable
          unknown: completed AND NOT verifiable
---
apiVersion: openslo/v1
kind: DataSource
metadata: {name: recordings}
spec: {type: carddrift, connectionDetails: {}}
";

#[test]
fn a_document_is_read_whole() {
    let objectives = read_one(RIGHT).unwrap();
    let [first, second] = &objectives[..] else { panic!("{objectives:?}") };
    assert_eq!(first.name(), "binding: promised");
    assert_eq!(second.name(), "binding: objective 2");
    assert_eq!(first.target, Ratio::new(999, 1000).unwrap());
    assert_eq!(second.target, Ratio::new(995, 1000).unwrap());
    assert_eq!(first.window, TimeWindow::Rolling(Span::parse("28d").unwrap()));
    assert_eq!(first.scope.agents, ["agent://vendor-b/*"]);
    assert_eq!(first.scope.registries, ["r1", "r2"]);
    assert_eq!(first.min_events, Some(25));
    assert_eq!((first.line, second.line), (18, 20));
    assert_eq!(first.notes, Vec::<String>::new());
    let Metric::Bad { bad, total } = &first.indicator.metric else { panic!() };
    assert_eq!(bad.time.as_deref(), Some("last_artifact_at"));
    assert_eq!(total.relation, Relation::Query("task_selection".into()));
    assert_eq!(total.params, [("within_s".to_owned(), "60".to_owned())]);
    assert_eq!(total.unknown.as_deref(), Some("completed AND NOT verifiable"));
}

#[test]
fn each_wrong_thing_is_told_with_its_line_and_what_to_do() {
    let cases: &[(&str, &str, &str)] = &[
        ("target: 0.999", "target: 1", "slo.yaml:19: a target of 1 leaves no budget"),
        ("target: 0.999", "target: 1.0", "slo.yaml:19: a target of 1 leaves no budget"),
        ("targetPercent: 99.5", "targetPercent: 100", "slo.yaml:20: a target of 1"),
        ("target: 0.999", "target: 99.9", "slo.yaml:19: the target is more than 1"),
        ("target: 0.999", "target: -0.1", "slo.yaml:19: `objectives[].target` is no number"),
        ("target: 0.999", "target: most", "slo.yaml:19: `objectives[].target` is no number"),
        ("target: 0.999", "op: gt", "slo.yaml:18: the objective has no target"),
        ("target: 0.999", "target: 0.9\n      targetPercent: 90", "both `target` and"),
        ("duration: 28d", "duration: 28 days", "slo.yaml:14: `spec.timeWindow[0].duration`"),
        ("isRolling: true", "isRolling: false", "slo.yaml:14: the window is neither"),
        ("isRolling: true", "rolling: true", "help: did you mean `isRolling`?"),
        ("Occurrences", "Occurences", "no budgeting method is called `Occurences`"),
        ("Occurrences", "Timeslices", "lacks `timeSliceWindow`"),
        ("indicatorRef: split-brain", "indicatorRef: split", "no SLI is called `split`"),
        ("indicatorRef: split-brain", "", "the SLO has no indicator"),
        ("  service: delegation\n", "", "slo.yaml:11: `spec` lacks `service`"),
        ("openslo/v1\nkind: SLO", "openslo/v2alpha\nkind: SLO", "version `openslo/v2alpha`"),
        ("kind: SLI", "kind: SLl", "slo.yaml:23: OpenSLO has no kind `SLl`"),
        ("counter: false", "counter: no", "is no truth value"),
        ("bad:", "good:\n      metricSource: {}\n    bad:", "good and bad and total"),
        ("type: carddrift, spec", "type: Prometheus, spec", "type `Prometheus` cannot be read"),
        ("{type: carddrift, conn", "{type: Datadog, conn", "type `Datadog` cannot be read"),
        ("{name: recordings}", "{name: records}", "no DataSource is called `recordings`"),
        ("where: split_brain", "wher: split_brain", "help: did you mean `where`?"),
        ("where: split_brain", "unknown: x", "`unknown` is said beside the numerator"),
        ("          query: task_selection\n", "", "neither `query` nor `sql`"),
        ("\"25\"", "few", "is no whole number from 1"),
        ("    registry: [r1, r2]", "    registry: {a: b}", "neither a text nor a list"),
        ("- targetPercent", "- compositeWeight: 2\n      targetPercent", "weights"),
        ("  name: binding", "  name: {}", "slo.yaml:4: `metadata.name` is a mapping, not a text"),
        ("kind: DataSource", "kind: SLI", "`spec` has no key `type`"),
    ];
    assert!(read_one(RIGHT).is_ok());
    for (right, wrong, told) in cases {
        assert!(RIGHT.contains(right), "{right}");
        let found = faults(&RIGHT.replacen(right, wrong, 1));
        assert!(found.iter().any(|f| f.contains(told)), "{wrong}: {found:#?}");
        assert!(found.iter().all(|f| f.contains("help: ")), "{found:#?}");
    }
    let twice = format!("{RIGHT}---\n{}", RIGHT.split("---").nth(1).unwrap());
    assert!(faults(&twice)[0].contains("a second SLI is called `split-brain`"));
    assert!(faults("")[0].contains("no document is of `kind: SLO`"));
    assert!(faults("a: [")[0].starts_with("slo.yaml:"));
    assert!(faults("- 1")[0].contains("not a mapping"));
}

#[test]
fn windows_of_calendars_and_slices() {
    let text = RIGHT
        .replace("duration: 28d\n      isRolling: true", "duration: 1M\n      calendar: {startTime: 2026-01-21 12:30:00, timeZone: America/New_York}")
        .replace("Occurrences", "Timeslices")
        .replace("target: 0.999\n", "target: 0.999\n      timeSliceTarget: 0.95\n      timeSliceWindow: 5\n")
        .replace("targetPercent: 99.5", "targetPercent: 99.5\n      timeSliceTarget: 1\n      timeSliceWindow: 1h");
    let objectives = read_one(&text).unwrap();
    let TimeWindow::Calendar(calendar) = &objectives[0].window else { panic!() };
    assert_eq!(calendar.start.to_string(), "2026-01-21T12:30:00");
    assert_eq!(calendar.zone.iana_name(), Some("America/New_York"));
    let slices = |i: usize| objectives[i].budgeting;
    let target = Ratio::of(0.95).unwrap();
    assert_eq!(slices(0), Budgeting::Timeslices { length: 5 * MINUTE, target });
    let target = Ratio::of(1.0).unwrap();
    assert_eq!(slices(1), Budgeting::Timeslices { length: HOUR, target });
    let wrong = text.replace("New_York", "New_Yorck");
    assert!(faults(&wrong)[0].contains("did you mean `America/New_York`?"));
    let wrong = text.replace("12:30:00", "12:30:00Z");
    assert!(faults(&wrong)[0].contains("startTime"));
}

/// An SLO whose indicator and policy are written in place, as OpenSLO's own examples do.
const INLINE: &str = "\
apiVersion: openslo/v1
kind: SLO
metadata: {name: lag}
spec:
  service: registries
  indicator:
    metadata: {name: lag, displayName: How long mirrors lag}
    spec:
      thresholdMetric:
        metricSource: {type: carddrift, spec: {query: registry_lag, time: rotated_at, value: lag_s}}
  objectives:
    - {op: lte, value: 3600, target: 0.98}
  alertPolicies:
    - kind: AlertPolicy
      metadata: {name: AlertPolicy, displayName: Alert Policy}
      spec:
        description: Alert policy for lag, notifies on-call
        alertWhenBreaching: true
        alertWhenResolved: false
        conditions:
          - kind: AlertCondition
            metadata: {name: fast, displayName: Fast burn}
            spec:
              severity: page
              condition: {kind: burnrate, op: lte, threshold: 2, lookbackWindow: 1h, alertAfter: 5m}
        notificationTargets:
          - targetRef: on-call-devops-mail-notification
";

#[test]
fn what_is_written_in_place_is_read_and_what_was_assumed_is_told() {
    let objectives = read_one(INLINE).unwrap();
    let objective = &objectives[0];
    assert_eq!(objective.threshold.map(|t| t.value), Some(3600.0));
    let Alerts::Rules(rules) = &objective.alerts else { panic!() };
    assert_eq!((rules[0].windows.clone(), rules[0].after), (vec![HOUR], 5 * MINUTE));
    let notes = objective.notes.join("\n");
    for told in ["no timeWindow", "no budgetingMethod", "alerts while the burn rate is low"] {
        assert!(notes.contains(told), "{notes}");
    }
    let two = INLINE.replace("0.98}", "0.98}\n    - {op: lte, value: 60, target: 0.9}");
    assert!(faults(&two)[0].contains("exactly one objective"));
    let none = INLINE.replace("op: lte, value: 3600, ", "");
    assert!(faults(&none)[0].contains("needs `op` and `value`"));
    let other = INLINE.replace("lookbackWindow: 1h", "lookbackWindow: 1M");
    assert!(faults(&other)[0].contains("a month or longer"));
    let quiet = INLINE.replace("alertWhenBreaching: true", "alertWhenBreaching: false");
    assert_eq!(read_one(&quiet).unwrap()[0].alerts, Alerts::Rules(Vec::new()));
}

#[test]
fn documents_of_other_kinds_are_read_for_their_shape() {
    let all = format!(
        "{RIGHT}---
apiVersion: openslo/v1
kind: Service
metadata: {{name: delegation, displayName: Delegation}}
spec: {{description: who asks whom}}
---
apiVersion: openslo/v1
kind: AlertNotificationTarget
metadata: {{name: OnCallDevopsMailNotification}}
spec: {{description: mails the group, target: email}}
---
apiVersion: openslo/v1
kind: AlertPolicy
metadata: {{name: AlertPolicy}}
spec:
  alertWhenBreaching: true
  conditions: [{{conditionRef: cpu-usage-breach}}]
  notificationTargets: [{{targetRef: OnCallDevopsMailNotification}}]
---
apiVersion: openslo/v1
kind: AlertCondition
metadata: {{name: cpu-usage-breach}}
spec: {{severity: page, condition: {{op: gte, threshold: 2, lookbackWindow: 1h}}}}
"
    );
    assert_eq!(read_one(&all).unwrap().len(), 2);
    let wrong = all.replace("spec: {description: who", "spec: {descripton: who");
    assert!(faults(&wrong)[0].contains("did you mean `description`?"));
    let wrong = all.replace("[{conditionRef: cpu-usage-breach}]", "[]");
    assert!(faults(&wrong)[0].contains("0 conditions"));
}

/// The shapes of OpenSLO's own examples: their sources are left to the reader, `type: Any`.
#[test]
fn the_examples_of_openslo_lack_nothing_but_a_source() {
    let any = "metricSource: {type: Any, spec: {query: Any}}";
    let ratio = format!("ratioMetric: {{good: {{{any}}}, total: {{{any}}}}}");
    let calendar = |duration: &str, start: &str| {
        format!(
            "{{duration: {duration}, calendar: {{startTime: {start} 12:30:00, \
             timeZone: America/New_York}}, isRolling: false}}"
        )
    };
    let slices = "timeSliceTarget: 0.95, timeSliceWindow: 1m";
    let examples = [
        (
            format!("thresholdMetric: {{{any}}}"),
            "{duration: 2w, isRolling: true}".to_owned(),
            "Occurrences",
            "{displayName: Good, op: lt, value: 500, target: 0.99}".to_owned(),
        ),
        (
            ratio.clone(),
            "{duration: 2w, isRolling: true}".to_owned(),
            "RatioTimeslices",
            "{displayName: Good, op: gt, timeSliceWindow: 1m, target: 0.99}".to_owned(),
        ),
        (
            ratio.clone(),
            calendar("1M", "2022-01-01"),
            "Timeslices",
            format!("{{displayName: Internal, target: 0.995, {slices}}}"),
        ),
        (
            ratio,
            calendar("1w", "2020-01-21"),
            "Timeslices",
            format!("{{target: 0.9995, {slices}}}"),
        ),
    ];
    for (metric, window, method, objective) in examples {
        let text = format!(
            "apiVersion: openslo/v1
kind: SLO
metadata: {{name: example, displayName: An example}}
spec:
  description: as in the examples
  service: shop
  indicator: {{metadata: {{name: i, displayName: I}}, spec: {{{metric}}}}}
  timeWindow: [{window}]
  budgetingMethod: {method}
  objectives: [{objective}]
  alertPolicies:
"
        );
        let found = faults(&text);
        assert!(found.iter().all(|f| f.contains("type `Any` cannot be read")), "{found:#?}");
        let ours = "type: carddrift, spec: {query: registry_lag, time: rotated_at, value: lag_s}";
        let read = read_one(&text.replace("type: Any, spec: {query: Any}", ours)).unwrap();
        assert_eq!(read.len(), 1, "{text}");
    }
}
