//! Why the artifacts contradict their cards.

use super::{View, titled};
use crate::report::causes;
use crate::report::document::{Prose, Section, Table};
use crate::report::figures::{bar, count, ratio};

pub(super) fn section(view: View<'_>) -> Section {
    let mut section = titled("Causes");
    let all = &view.findings.split_brains;
    if all.is_empty() {
        return section;
    }
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let mut table = Table::new(&["cause", ">artifacts", "", "on whose side", "certain", "meaning"]);
    for cause in causes::CAUSES {
        let of_cause = || all.iter().filter(|b| b.cause.as_deref() == Some(cause.name));
        let n = i64::try_from(of_cause().count()).unwrap_or(i64::MAX);
        if n == 0 {
            continue;
        }
        let certain = of_cause().filter(|b| b.cause_certain == Some(true)).count();
        let certain = match i64::try_from(certain).unwrap_or(i64::MAX) {
            _ if cause.name == "unknown" => Prose::new(),
            c if c == n => "all".into(),
            c => format!("{} of {}", count(c), count(n)).into(),
        };
        table.row([
            cause.name.into(),
            count(n).into(),
            bar(ratio(n, total), 8).into(),
            cause.side.into(),
            certain,
            cause.meaning.into(),
        ]);
    }
    section.table(table);
    section
}
