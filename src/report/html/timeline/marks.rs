//! Admissions as marks: what is bad stands up from the lane's line, what is not hangs below it.

use super::plan::rank;
use super::{BAR, DOWN, STRIP, UP};
use crate::report::html::charts::Admission;
use crate::report::html::{Whole, names, plot};
use maud::{Markup, html};

pub(super) fn draw(whole: &Whole<'_>, all: &[&Admission], number: &mut usize) -> Markup {
    let span = whole.span;
    let most = plot::float(all.iter().map(|m| m.n).max().unwrap_or(1).max(1)).sqrt();
    html! {
        @for m in all {
            @let i = *number;
            @let () = { *number += 1; };
            @let class = names::verdict_class(m.verdict.as_deref());
            @let up = rank(m.verdict.as_deref()) < 3;
            @let full = if up { UP } else { DOWN };
            @let high = (plot::float(full) * plot::float(m.n).sqrt() / most).max(3.0);
            @let base = plot::float(STRIP + BAR + 3 + UP);
            @let y = if up { base - high } else { base + 1.0 };
            @let width = if m.last_at > m.first_at { span.width(m.first_at, m.last_at) } else { "2".to_owned() };
            rect.{ "m " (class) } data-i=(i) x=(span.x(m.first_at)) y=(format!("{y:.1}")) width=(width) height=(format!("{high:.1}")) {}
        }
    }
}
