//! Why tasks were split-brain: one bar, and each cause in a sentence with its action.

use super::{Section, Whole, names, plot};
use crate::report::causes::{CAUSES, action};
use crate::report::figures::{count, counted, percent, ratio};
use crate::report::findings::Binding;
use crate::report::trouble::tally;
use maud::html;

pub fn section(whole: &Whole<'_>) -> Option<Section> {
    let all = &whole.findings.split_brains;
    if all.is_empty() {
        return None;
    }
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let of = |name: &str| {
        all.iter().filter(|b| b.cause.as_deref().unwrap_or("unknown") == name).collect::<Vec<_>>()
    };
    let mut found: Vec<_> =
        CAUSES.iter().map(|cause| (cause, of(cause.name))).filter(|(_, b)| !b.is_empty()).collect();
    found.sort_by_key(|(_, bindings)| std::cmp::Reverse(bindings.len()));
    let number = |bindings: &[&Binding]| i64::try_from(bindings.len()).unwrap_or(i64::MAX);
    let mut left = 0;
    let bars: Vec<_> = found
        .iter()
        .map(|(cause, bindings)| {
            let n = number(bindings);
            let at = left;
            left += n;
            (cause.name, n, ratio(at, total), ratio(n, total))
        })
        .collect();
    Some(Section {
        id: "causes",
        short: "Causes",
        title: "Causes",
        lead: Some(html! {
            "Why " (counted(total, "split-brain artifact", "split-brain artifacts"))
            " contradict the card of their admission. Every one of them is quarantined, whatever its cause."
        }),
        body: html! {
            svg.causes height="34" role="img" aria-label="Causes of split-brain artifacts" {
                @for (name, n, x, width) in bars {
                    rect.cause.{ "c-" (name) } x=(plot::per_cent(x)) y="0" width=(plot::per_cent(width)) height="34" {
                        title { (names::words(name)) ": " (plot::of(n, total)) }
                    }
                    // On a phone the picture has some 300 pixels; the list below has all names.
                    @if width >= 0.08 {
                        svg x=(plot::per_cent(x)) width=(plot::per_cent(width)) height="34" {
                            text.on x="8" y="22" { @if width >= 0.6 { (names::words(name)) " " } (count(n)) }
                        }
                    }
                }
            }
            ul.causes {
                @for (cause, bindings) in &found {
                    @let n = number(bindings);
                    @let uncertain = bindings.iter().filter(|b| b.cause_certain == Some(false)).count();
                    @let actions = tally(bindings.iter().map(|b| b.action.as_deref().unwrap_or("re_resolve")));
                    li data-cause=(cause.name) {
                        span.swatch.{ "c-" (cause.name) } {}
                        h3 {
                            (names::words(cause.name)) " "
                            span.count { span.n-count { (count(n)) } " (" (percent(ratio(n, total))) ")" }
                        }
                        p {
                            (sentence(cause.meaning))
                            @if cause.name != "unknown" && cause.name != "mid_flight" { " It is on " strong { (cause.side) "’s side" } "." }
                            @if uncertain > 0 {
                                " Of " (uncertain) " it is not certain: the admission or the artifact lies within the bounds of a rotation."
                            }
                        }
                        @for (name, times) in actions {
                            p.do { b { "Do" } @if times < n { " (" (count(times)) ")" } ": " (action(&name)) "." }
                        }
                    }
                }
            }
        },
    })
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
