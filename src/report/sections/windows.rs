//! The split-brain rate in each rotation window, and after it.

use super::{MOST, View, mind, more, titled};
use crate::report::audit::Measure;
use crate::report::document::{Prose, Section, Table};
use crate::report::figures::{bar, count, duration, percent, range, seconds};
use crate::report::findings::Window;

pub(super) fn section(view: View<'_>) -> Section {
    let mut section = titled("Rotation windows");
    let mut windows: Vec<&Window> = view
        .findings
        .windows
        .iter()
        .filter(|w| w.status != "authority" || w.after_split_brain.unwrap_or(0) > 0)
        .collect();
    if windows.is_empty() {
        return section;
    }
    let all = windows.len();
    if all > MOST {
        // The worst, in their order.
        let mut worst = windows.clone();
        worst
            .sort_by_key(|w| std::cmp::Reverse((w.split_brain, w.after_split_brain, w.verifiable)));
        worst.truncate(MOST);
        windows.retain(|w| worst.iter().any(|x| std::ptr::eq(*x, *w)));
    }
    section.line(
        "From a rotation of the authority until the mirror showed it; times are UTC. Split-brain \
         tasks of the verifiable ones admitted through the mirror in the window, and after it.",
    );
    mind(view, Measure::Bindings, &mut section);
    let highest = windows.iter().filter_map(|w| w.rate).fold(0.0, f64::max);
    let mut table = Table::new(&[
        "agent",
        ">#",
        "registry",
        "opened",
        ">lasted",
        "status",
        ">split-brain",
        ">rate",
        "",
        "95 %",
        ">silent",
        ">unverifiable",
        ">after",
    ]);
    for w in windows {
        let lasted = match (w.closed_at, view.findings.last_time()) {
            (Some(end), _) => duration(seconds(w.opened_at, end)),
            (None, Some(end)) => format!("over {}", duration(seconds(w.opened_at, end))),
            (None, None) => String::new(),
        };
        let authority = w.status == "authority";
        let share = w.rate.filter(|_| highest > 0.0).map_or(0.0, |r| r / highest);
        let bounds = w.rate_low.zip(w.rate_high);
        let after = match (w.after_split_brain, w.after_verifiable) {
            (Some(hits), Some(all)) => format!("{} of {}", count(hits), count(all)).into(),
            _ => Prose::new(),
        };
        let unless = |n: i64| if n > 0 { count(n).into() } else { Prose::new() };
        table.row([
            view.agent(&w.agent),
            w.rotation.to_string().into(),
            Prose::new().name(&w.registry),
            view.time(Some(w.opened_at)),
            if authority { Prose::new() } else { lasted.into() },
            w.status.as_str().into(),
            if authority {
                Prose::new()
            } else {
                format!("{} of {}", count(w.split_brain), count(w.verifiable)).into()
            },
            match w.rate {
                Some(rate) => percent(rate).into(),
                None if authority => Prose::new(),
                None => "unknown".into(),
            },
            nonempty(bar(share, 8)),
            bounds.map_or_else(Prose::new, |b| range(b).into()),
            unless(w.silent),
            unless(w.unverifiable),
            after,
        ]);
    }
    more(&mut table, all, "split_brain_rate");
    section.table(table);
    section
}

fn nonempty(text: String) -> Prose {
    if text.is_empty() { Prose::new() } else { text.into() }
}
