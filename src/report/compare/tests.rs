use super::*;
use crate::report::document::text;
use crate::report::findings::{Binding, Lag, Summary, Window};

fn found(split_brain: i64, verifiable: i64) -> Findings {
    let summary = Summary {
        tasks: verifiable,
        completed: verifiable,
        verifiable,
        split_brain,
        attempts: 100,
        ..Summary::default()
    };
    Findings { summary, ..Findings::default() }
}

fn row<'r>(rows: &'r [Row], what: &str) -> &'r Row {
    rows.iter().find(|row| row.what == what).unwrap()
}

#[test]
fn a_rate_changed_only_when_the_evidence_decides() {
    // 25 of 806 and 2 of 800: the difference is -2.85 %, surely below 0.
    let rows = compare(&found(25, 806), &found(2, 800));
    assert_eq!(row(&rows, "split_brain_rate").verdict, Verdict::Better);
    let rows = compare(&found(2, 800), &found(25, 806));
    assert_eq!(row(&rows, "split_brain_rate").verdict, Verdict::Worse);
    // 3 of 50 is twice 3 of 100, and may be chance.
    let rows = compare(&found(3, 100), &found(3, 50));
    assert_eq!(row(&rows, "split_brain_rate").verdict, Verdict::Undecided);
    let rows = compare(&found(3, 100), &found(0, 0));
    assert_eq!(row(&rows, "split_brain_rate").verdict, Verdict::Unknown);
    // What neither side can measure is not compared.
    assert!(!rows.iter().any(|row| row.what == "corrupt_rate" && row.a == row.b));
}

fn lag(status: &str, lag_s: Option<f64>, low: f64, high: Option<f64>) -> Lag {
    Lag {
        agent: "a".to_owned(),
        registry: "r1".to_owned(),
        status: status.to_owned(),
        lag_s,
        lag_min_s: Some(low),
        lag_max_s: high,
        ..Lag::default()
    }
}

#[test]
fn lags_are_compared_by_their_bounds() {
    let with = |lags: Vec<Lag>| Findings { lags, ..found(0, 0) };
    let closed = |low: f64, length: f64, high: f64| lag("closed", Some(length), low, Some(high));
    let of = |a: Vec<Lag>, b: Vec<Lag>| row(&compare(&with(a), &with(b)), "longest_lag").verdict;
    assert_eq!(of(vec![closed(50., 60., 70.)], vec![closed(80., 90., 95.)]), Verdict::Worse);
    assert_eq!(of(vec![closed(50., 60., 70.)], vec![closed(65., 90., 95.)]), Verdict::Undecided);
    assert_eq!(
        of(vec![closed(50., 60., 70.), closed(1., 2., 3.)], vec![closed(1., 2., 3.)]),
        Verdict::Better
    );
    // An open one has no upper bound: it may be worse already, and can never be better.
    assert_eq!(of(vec![closed(50., 60., 70.)], vec![lag("open", None, 71., None)]), Verdict::Worse);
    assert_eq!(
        of(vec![closed(50., 60., 70.)], vec![lag("open", None, 10., None)]),
        Verdict::Undecided
    );
    assert_eq!(of(vec![lag("open", None, 10., None)], vec![closed(1., 2., 3.)]), Verdict::Better);
    assert_eq!(of(vec![], vec![closed(1., 2., 3.)]), Verdict::New);
}

#[test]
fn what_is_new_and_what_is_gone_is_named() {
    let split = |cause: &str| Binding {
        agent: Some("agent://b".to_owned()),
        cause: Some(cause.to_owned()),
        ..Binding::default()
    };
    let a = Findings {
        split_brains: vec![split("registry_lag"), split("client_cache")],
        ..found(2, 10)
    };
    let b =
        Findings { split_brains: vec![split("client_cache"), split("mid_flight")], ..found(2, 10) };
    let rows = compare(&a, &b);
    let causes: Vec<(&str, &str)> = rows
        .iter()
        .filter(|row| row.what == "cause")
        .map(|row| (row.subject[0].as_str(), row.verdict.word()))
        .collect();
    assert_eq!(
        causes,
        [("client_cache", "still"), ("mid_flight", "new"), ("registry_lag", "gone")]
    );
    let told = |findings| Told { name: "x", from: None, to: None, findings };
    let document = document(&told(&a), &told(&b), &rows);
    let opening: Vec<String> = document.opening.iter().map(text::plain).collect();
    assert!(opening[0].ends_with("1 thing is new, 1 gone, 1 there as before."), "{opening:?}");
    assert_eq!(opening[1], "New: cause of split-brains mid_flight · agent://b (1).");
    assert_eq!(opening[2], "Gone: cause of split-brains registry_lag · agent://b (was 1).");
    assert!(!document.alarm);
}

#[test]
fn mirrors_are_compared_one_by_one() {
    let window = |registry: &str, status: &str, split_brain: i64, verifiable: i64| Window {
        agent: "a".to_owned(),
        registry: registry.to_owned(),
        status: status.to_owned(),
        split_brain,
        verifiable,
        ..Window::default()
    };
    let a = Findings {
        windows: vec![
            window("r1", "closed", 1, 100),
            window("r1", "closed", 0, 100),
            window("r2", "authority", 0, 0),
        ],
        ..found(1, 200)
    };
    let b = Findings { windows: vec![window("r1", "open", 40, 100)], ..found(40, 100) };
    let rows = compare(&a, &b);
    let of_r1: Vec<&Row> =
        rows.iter().filter(|r| r.subject == ["a", "r1"] && r.is_rate()).collect();
    assert_eq!((of_r1[0].a, of_r1[0].verdict), (Value::Rate(1, 200), Verdict::Worse));
    assert!(!rows.iter().any(|row| row.subject.contains(&"r2".to_owned())));
}
