//! `carddrift slo` from inputs to output.

use crate::cases::session;
use crate::command::run;
use carddrift::slo::measure::{Ask, FLOOR, Levels, Status};
use carddrift::slo::print::{github, html, json, junit, openmetrics, series};
use carddrift::slo::{built_in, openslo};
use serde_json::Value;
use std::path::Path;

const INCIDENT: &str = "samples/incident-2-schema-rotation/recording.ndjson.gz";

fn levels() -> (carddrift::query::Session, Levels) {
    let session = session(Path::new(INCIDENT));
    let ask = Ask { at: None, floor: FLOOR };
    let levels = Levels::measure(&session, &built_in(), ask).unwrap();
    (session, levels)
}

fn printed(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_incident_breaks_the_promise_of_bindings() {
    let (_, levels) = levels();
    let told: Vec<_> = levels
        .levels
        .iter()
        .map(|l| (l.objective.slo.as_str(), l.status, l.counts.bad, l.counts.total))
        .collect();
    // 25 of 1847 tasks are split-brain; of four rotations the mirror followed one within an hour.
    assert_eq!(
        told,
        [
            ("binding", Status::Missed, 25, 1847),
            ("integrity", Status::Met, 0, 1845),
            ("freshness", Status::Insufficient, 3, 4),
            ("replays", Status::Met, 0, 1847),
        ]
    );
    let object: Value = serde_json::from_str(&printed(|out| json::write(&levels, out))).unwrap();
    assert_eq!(object["schema"], "carddrift.slo/1");
    assert_eq!(object["missed"], 1);
    let binding = &object["objectives"][0];
    assert_eq!(binding["compliance"].as_f64(), Some(1822.0 / 1847.0));
    let days = binding["days"].as_array().unwrap();
    let bad: Vec<Option<f64>> = days.iter().map(|d| d["bad"].as_f64()).collect();
    assert_eq!(bad, [Some(16.0), Some(9.0)]);
    assert_eq!(days.last().unwrap()["budget_left"], binding["error_budget"]["left"]);
}

#[test]
fn openmetrics_is_what_it_was() {
    let (session, levels) = levels();
    let families = series::read(&session, &levels).unwrap();
    let text = printed(|out| openmetrics::write(&families, out));
    let golden = Path::new("tests/golden/slo.openmetrics");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(golden.parent().unwrap()).unwrap();
        std::fs::write(golden, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(golden).unwrap());
    assert!(text.ends_with("\n# EOF\n"));
    // Of one metric times only ascend, and its samples stand together.
    let textfile = printed(|out| openmetrics::write_textfile(&families, out));
    assert!(!textfile.contains("EOF"));
    for line in textfile.lines().filter(|line| !line.starts_with('#')) {
        assert_eq!(line.rsplit_once("} ").unwrap().1.split(' ').count(), 1, "{line}");
    }
}

/// Elements open and close in order, and nothing stands there unescaped.
fn well_formed(text: &str) {
    let mut open = Vec::new();
    for piece in text.split('<').skip(1) {
        let (tag, after) = piece.split_once('>').expect(piece);
        assert!(!after.contains('>'), "{after}");
        let name = tag.split_whitespace().next().unwrap();
        let void = ["meta", "!doctype"].contains(&name);
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{piece}");
        } else if !tag.ends_with('/') && !tag.starts_with('?') && !void {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn names_from_strangers_are_harmless_in_every_format() {
    let (session, _) = levels();
    let evil = "<script>alert(1)</script>\"'&\n::error::x";
    let yaml = serde_json::to_string(evil).unwrap();
    let text = format!(
        "apiVersion: openslo/v1
kind: SLO
metadata: {{name: x, displayName: {yaml}}}
spec:
  service: {yaml}
  indicator:
    metadata: {{name: i}}
    spec:
      ratioMetric:
        good: {{metricSource: {{type: carddrift, spec: {{query: binding_events}}}}}}
        total: {{metricSource: {{type: carddrift, spec: {{query: binding_events}}}}}}
  objectives:
    - {{displayName: {yaml}, target: 0.999}}
    - {{displayName: other, target: 0.9999}}
"
    );
    let objectives = openslo::read(&[("a:b,c\n.yaml".to_owned(), text)]).unwrap();
    let ask = Ask { at: None, floor: FLOOR };
    let levels = Levels::measure(&session, &objectives, ask).unwrap();
    for page in
        [printed(|out| html::write(&levels, out)), printed(|out| junit::write(&levels, out))]
    {
        assert!(!page.contains("<script>"));
        // Of the page's own style only.
        well_formed(&page.replace("default-src 'none'", "").replace(" > ", ""));
    }
    let commands = printed(|out| github::write(&levels, out));
    assert_eq!(commands.lines().count(), 2, "{commands}");
    assert!(
        commands.starts_with("::error file=a%3Ab%2Cc%0A.yaml,line=13,title=x%3A <script>"),
        "{commands}"
    );
    let families = series::read(&session, &levels).unwrap();
    let text = printed(|out| openmetrics::write(&families, out));
    assert!(text.lines().all(|line| line.starts_with('#') || line.contains('}')), "{text}");
}

#[test]
fn the_exit_status_tells_what_came_of_it() {
    let slo = |more: &[&str]| {
        run(&[&["slo", "--input", "samples/incident-2-schema-rotation"], more].concat())
    };
    let missed = slo(&[]);
    assert_eq!((missed.status, missed.stderr.as_str()), (1, ""));
    assert!(missed.stdout.starts_with("1 of 4 objectives is missed"), "{}", missed.stdout);
    // Before the first contradiction nothing was missed.
    assert_eq!(slo(&["--at", "2026-11-14T10:00:00Z"]).status, 0);
    assert_eq!(slo(&["--min-events", "10000"]).status, 0);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("slo.yaml");
    let file = file.to_str().unwrap();
    let show = run(&["slo", "--show-objectives", "--output", file]);
    assert_eq!((show.status, show.stdout.as_str()), (0, ""));
    assert_eq!(slo(&["--objectives", file]).stdout, missed.stdout);
    let text = std::fs::read_to_string(file).unwrap().replace("target: 0.999\n", "target: 1\n");
    std::fs::write(file, text).unwrap();
    let wrong = slo(&["--objectives", file]);
    assert_eq!((wrong.status, wrong.stdout.as_str()), (2, ""));
    assert!(wrong.stderr.contains("slo.yaml:"), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("a target of 1 leaves no budget"), "{}", wrong.stderr);
    let service = slo(&["--service", "delegaton"]);
    assert_eq!(service.status, 2);
    assert!(service.stderr.contains("did you mean `delegation`?"), "{}", service.stderr);
}
