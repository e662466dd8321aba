use super::super::span::SECOND;
use super::super::stream::Moment;
use super::*;
use proptest::prelude::*;

fn stream(events: &[(i64, bool)]) -> Stream {
    let moments = events.iter().map(|&(at, bad)| Moment { at, bad: bad.into(), total: 1 });
    Stream::new(moments.collect(), 1)
}

fn rule(long: i64, short: i64, threshold: f64) -> Rule {
    Rule {
        name: String::new(),
        severity: "page".to_owned(),
        windows: vec![long, short],
        op: Op::Gt,
        threshold: Ratio::of(threshold).unwrap(),
        after: 0,
    }
}

#[test]
fn a_period_of_thirty_days_has_the_factors_of_the_model() {
    let factors = |days| -> Vec<f64> {
        pairs(days * DAY).iter().map(|rule| rule.threshold.value()).collect()
    };
    assert_eq!(factors(30), [14.4, 6.0, 3.0, 1.0]);
    assert_eq!(factors(28), [13.44, 5.6, 2.8]);
    assert_eq!(factors(1), Vec::<f64>::new());
}

#[test]
fn an_alert_fires_with_the_event_that_exceeds_and_clears_when_it_leaves() {
    // Allowed 0.1, factor 2: the share of bad must be more than 0.2 in 100 s and in 10 s.
    let allowed = Ratio::new(1, 10).unwrap();
    let mut events: Vec<(i64, bool)> = (0..8).map(|i| (i * SECOND, false)).collect();
    events.extend([(20 * SECOND, true), (21 * SECOND, true), (22 * SECOND, true)]);
    let rule = rule(100 * SECOND, 10 * SECOND, 2.0);
    let alerts = replay(&stream(&events), &rule, allowed, 10, 1000 * SECOND);
    // At 21 s two of ten are bad: exactly the limit. At 22 s three of eleven are.
    // The short window (22, 32] is empty at 32 s, when the last event leaves it.
    assert_eq!(
        alerts,
        [Alert {
            fired_at: 22 * SECOND,
            cleared_at: Some(32 * SECOND),
            first_bad_at: Some(20 * SECOND),
            peak_burn_rate: alerts[0].peak_burn_rate,
        }]
    );
    // As good events leave the long window nothing changes before 32 s.
    assert!((alerts[0].peak_burn_rate - 3.0 / 11.0 / 0.1).abs() < 1e-12);
    // Eleven events are below a floor of twelve.
    assert_eq!(replay(&stream(&events), &rule, allowed, 12, 1000 * SECOND), []);
    // What has not cleared when the archive ends has not cleared.
    let open = replay(&stream(&events), &rule, allowed, 10, 32 * SECOND - 1);
    assert_eq!(open[0].cleared_at, None);
    assert_eq!(replay(&stream(&events), &rule, allowed, 10, 22 * SECOND - 1), []);
}

#[test]
fn a_rule_may_have_to_hold_for_a_while() {
    let allowed = Ratio::new(1, 10).unwrap();
    let events = stream(&[(0, true), (5, true), (9, false)]);
    let once = Rule { windows: vec![10], after: 0, ..rule(10, 10, 1.0) };
    let end = 1000;
    let times = |after| -> Vec<(i64, Option<i64>)> {
        let rule = Rule { after, ..once.clone() };
        let alerts = replay(&events, &rule, allowed, 1, end);
        alerts.iter().map(|a| (a.fired_at, a.cleared_at)).collect()
    };
    // At 15 the last bad event has left: one good event is there.
    assert_eq!(times(0), [(0, Some(15))]);
    assert_eq!(times(14), [(14, Some(15))]);
    assert_eq!(times(15), []);
}

/// The same by looking at every instant at which anything could change, from scratch.
fn by_force(stream: &Stream, rule: &Rule, allowed: Ratio, floor: u64, end: i64) -> Vec<Alert> {
    let mut instants: Vec<i64> = Vec::new();
    for moment in &stream.moments {
        // Neighbours too: nothing may change there.
        for shift in [-1, 0, 1] {
            instants.push(moment.at + shift);
            instants.extend(rule.windows.iter().map(|w| moment.at + w + shift));
        }
    }
    instants.retain(|at| *at <= end);
    instants.sort_unstable();
    instants.dedup();
    let limit = rule.threshold.times(allowed).unwrap();
    let count = |at: i64, length: i64| {
        let inside = stream.moments.iter().filter(|m| m.at <= at && m.at > at - length);
        inside.fold((0_u128, 0_u128), |(b, t), m| (b + u128::from(m.bad), t + u128::from(m.total)))
    };
    let mut alerts: Vec<Alert> = Vec::new();
    let mut held: Option<Alert> = None;
    for at in instants {
        let holds = rule.windows.iter().enumerate().all(|(place, length)| {
            let (bad, total) = count(at, *length);
            total > 0
                && (place > 0 || total >= u128::from(floor) * u128::from(stream.unit))
                && rule.op.holds((bad * limit.below).cmp(&(total * limit.above)))
        });
        let (bad, total) = count(at, rule.windows[0]);
        match (holds, &mut held) {
            (true, None) => {
                let first = stream
                    .moments
                    .iter()
                    .find(|m| m.bad > 0 && m.at <= at && m.at > at - rule.windows[0]);
                held = Some(Alert {
                    fired_at: at + rule.after,
                    cleared_at: None,
                    first_bad_at: first.map(|m| m.at),
                    peak_burn_rate: share(bad, total) / allowed.value(),
                });
            }
            (true, Some(alert)) => {
                let burn_rate = share(bad, total) / allowed.value();
                alert.peak_burn_rate = alert.peak_burn_rate.max(burn_rate);
            }
            (false, Some(alert)) => {
                if at > alert.fired_at || rule.after == 0 {
                    alerts.push(Alert { cleared_at: Some(at), ..alert.clone() });
                }
                held = None;
            }
            (false, None) => {}
        }
    }
    alerts.extend(held.filter(|a| a.fired_at <= end));
    alerts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn alerts_equal_those_found_by_force(
        events in prop::collection::vec((0_i64..400, any::<bool>(), 1_u64..4), 0..60),
        long in 1_i64..120,
        short in 1_i64..120,
        threshold in 0_u32..40,
        target in 0_u32..10,
        floor in 1_u64..15,
        after in prop_oneof![Just(0_i64), 1_i64..60],
        op in prop_oneof![Just(Op::Gt), Just(Op::Gte), Just(Op::Lt), Just(Op::Lte)],
        end in 0_i64..600,
    ) {
        let moments = events.into_iter().map(|(at, bad, total)| Moment {
            at,
            bad: if bad { total } else { 0 },
            total,
        });
        let stream = Stream::new(moments.collect(), 1);
        let allowed = Ratio::of(f64::from(target) / 10.0).unwrap().complement().unwrap();
        let rule = Rule {
            windows: vec![long, short],
            threshold: Ratio::of(f64::from(threshold) / 10.0).unwrap(),
            op,
            after,
            ..rule(1, 1, 1.0)
        };
        let found = replay(&stream, &rule, allowed, floor, end);
        let wanted = by_force(&stream, &rule, allowed, floor, end);
        prop_assert_eq!(&found, &wanted);
        for alert in &found {
            // The rate at the instant of an alert, seen by the other way of counting.
            let (burn_rate, events) = rate(&stream, long, alert.fired_at, allowed);
            if after == 0 {
                prop_assert!(u64::try_from(events).unwrap() >= floor);
                prop_assert!(burn_rate.unwrap() <= alert.peak_burn_rate);
            }
        }
    }
}
