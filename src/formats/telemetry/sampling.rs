//! What a span tells of how its trace was chosen to be kept.
//!
//! Marks that recorders leave: the `ot` member of the W3C tracestate (`th`, a rejection threshold of 56
//! bits; `p`, a negative power of two, in older SDKs), Jaeger's `sampler.type` and `sampler.param` on the
//! span that began a trace, and what the Collector's tail sampler writes into scopes.

use super::value::Attributes;
use super::{Span, SpanKind};
use crate::event::Text;

/// A span as far as sampling goes: given for every span, also for one that tells of no exchange.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpanSeen<'a> {
    /// Hex.
    pub trace_id: Option<&'a str>,
    /// Hex.
    pub span_id: Option<&'a str>,
    /// Hex; only when the parent is a span of the same process, whose absence shows a gap. The parent
    /// of a SERVER or CONSUMER span is the caller's, who may not be recorded at all.
    pub local_parent_id: Option<&'a str>,
    /// How it was chosen.
    pub kept: Kept,
}

/// How a trace was chosen to be kept, as far as a span of it tells.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Kept {
    /// Nothing says that another trace was left out.
    #[default]
    Untold,
    /// By chance when it began (head sampling), with this probability below 1 if it is told.
    ByChance(Option<f64>),
    /// By what came of it (tail sampling).
    ByOutcome,
}

/// What a span tells.
pub fn seen<'a>(span: &'a Span<'_>) -> SpanSeen<'a> {
    let local = !matches!(span.kind, SpanKind::Server | SpanKind::Consumer);
    let parent = span.parent_span_id.as_deref().filter(|id| id.bytes().any(|b| b != b'0'));
    SpanSeen {
        trace_id: span.trace_id.as_deref(),
        span_id: span.span_id.as_deref(),
        local_parent_id: parent.filter(|_| local),
        kept: kept(span),
    }
}

/// Whether the attributes of a scope bear the mark of the Collector's tail sampler.
pub fn tail_sampled(scope: &Attributes<'_>) -> bool {
    scope.0.iter().any(|(name, _)| name.starts_with("tailsampling."))
}

fn kept(span: &Span<'_>) -> Kept {
    if span.tail_sampled {
        return Kept::ByOutcome;
    }
    if let Some(chance) = span.trace_state.as_deref().and_then(chance) {
        return if chance < 1.0 { Kept::ByChance(Some(chance)) } else { Kept::Untold };
    }
    let attribute = |name| span.attributes.text(name);
    let parameter = || attribute("sampler.param")?.parse::<f64>().ok();
    match attribute("sampler.type").as_deref() {
        Some("probabilistic") => match parameter() {
            Some(chance) if (0.0..1.0).contains(&chance) => Kept::ByChance(Some(chance)),
            Some(_) => Kept::Untold,
            None => Kept::ByChance(None),
        },
        Some("ratelimiting" | "lowerbound") => Kept::ByChance(None),
        _ => Kept::Untold,
    }
}

/// The probability with which a trace of this tracestate was kept.
fn chance(trace_state: &str) -> Option<f64> {
    // As in the header, or as Python prints it: `['{key=ot, value=th:c}']`.
    let rest = match trace_state.split(',').find_map(|member| member.trim().strip_prefix("ot=")) {
        Some(rest) => rest,
        None => trace_state.split_once("key=ot, value=").map(|(_, rest)| rest)?,
    };
    let rest = rest.split([',', '}']).next().unwrap_or(rest);
    let field = |name| rest.split(';').find_map(|field| field.trim().strip_prefix(name));
    if let Some(threshold) = field("th:") {
        return threshold_chance(threshold);
    }
    let power: u8 = field("p:")?.parse().ok()?;
    match power {
        0..=62 => Some(0.5_f64.powi(i32::from(power))),
        _ => None,
    }
}

/// A threshold of 1 to 14 hex digits, zeros at its end left out: that share of all traces is rejected.
fn threshold_chance(digits: &str) -> Option<f64> {
    if digits.is_empty() || digits.len() > 14 {
        return None;
    }
    let mut rejected = 0.0;
    for digit in digits.chars().rev() {
        rejected = (rejected + f64::from(digit.to_digit(16)?)) / 16.0;
    }
    Some(1.0 - rejected)
}

/// The tracestate of a span whose reader keeps it among the attributes.
pub(in crate::formats) fn trace_state<'a>(attributes: &Attributes<'a>) -> Option<Text<'a>> {
    attributes.text("w3c.tracestate")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::telemetry::value::Value;

    #[test]
    fn the_tracestate_tells_the_chance() {
        let near = |state: &str, want: Option<f64>| {
            let got = chance(state);
            assert!(
                got.zip(want).map_or(got == want, |(a, b)| (a - b).abs() < 1e-12),
                "{state}: {got:?}"
            );
        };
        near("ot=th:c", Some(0.25));
        near("vendor=x, ot=rv:1234;th:8", Some(0.5));
        near("ot=th:0", Some(1.0));
        near("ot=th:fd70a4", Some(1.0 - 16_609_444.0 / 16_777_216.0));
        near("ot=p:3;r:5", Some(0.125));
        near("ot=p:63", None);
        near("ot=th:xyz", None);
        near("ot=th:000000000000000", None);
        near("rojo=00f067aa0ba902b7", None);
        near("['{key=ot, value=th:c;rv:1}']", Some(0.25));
        near("[]", None);
    }

    #[test]
    fn a_span_tells_how_it_was_kept() {
        let attributes = |pairs: &[(&'static str, &'static str)]| {
            Attributes(pairs.iter().map(|(k, v)| ((*k).into(), Value::Text((*v).into()))).collect())
        };
        let of = |pairs: &[(&'static str, &'static str)]| {
            seen(&Span { attributes: attributes(pairs), ..Span::default() }).kept
        };
        assert_eq!(of(&[("sampler.type", "const"), ("sampler.param", "true")]), Kept::Untold);
        let probabilistic = [("sampler.type", "probabilistic"), ("sampler.param", "0.01")];
        assert_eq!(of(&probabilistic), Kept::ByChance(Some(0.01)));
        assert_eq!(of(&[("sampler.type", "probabilistic"), ("sampler.param", "1")]), Kept::Untold);
        assert_eq!(of(&[("sampler.type", "ratelimiting")]), Kept::ByChance(None));
        let all = Span { trace_state: Some("ot=th:0".into()), ..Span::default() };
        assert_eq!(seen(&all).kept, Kept::Untold);
        assert!(tail_sampled(&attributes(&[("tailsampling.policy", "errors")])));
        let tail = Span { tail_sampled: true, ..all };
        assert_eq!(seen(&tail).kept, Kept::ByOutcome);
    }

    #[test]
    fn only_the_parent_in_the_same_process_is_missed() {
        let span = |kind| Span { kind, parent_span_id: Some("00f1".into()), ..Span::default() };
        assert_eq!(seen(&span(SpanKind::Client)).local_parent_id, Some("00f1"));
        assert_eq!(seen(&span(SpanKind::Server)).local_parent_id, None);
        let root = Span { parent_span_id: Some("0000000000000000".into()), ..Span::default() };
        assert_eq!(seen(&root).local_parent_id, None);
    }
}
