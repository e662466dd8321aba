//! What was read: every record and its fate, and what was wrong with the input.

use super::{View, titled};
use crate::problem::Kind;
use crate::report::document::{Prose, Section, Table};
use crate::report::figures::{count, counted, percent, ratio};
use crate::report::findings::{Findings, ProblemExample};

/// Sources named one by one, when there are no more than this.
const SOURCES: usize = 5;

pub(super) fn section(view: View<'_>) -> Section {
    let mut section = titled("What was read");
    section.line(accounting(view.findings));
    let sources = &view.findings.sources;
    if sources.len() <= SOURCES {
        let mut table =
            Table::new(&["source", "format", "compression", ">records", ">rejected", "SHA-256"]);
        for s in sources {
            let head: String = s.sha256.chars().take(12).collect();
            table.row([
                Prose::new().name(&s.source_file),
                Prose::new().name(&s.format),
                if s.compression == "none" { Prose::new() } else { s.compression.as_str().into() },
                count(s.records).into(),
                if s.rejected > 0 { count(s.rejected).into() } else { Prose::new() },
                head.into(),
            ]);
        }
        section.table(table);
    }
    for examples in view.findings.problems.chunk_by(|a, b| a.code == b.code) {
        problems(examples, &mut section);
    }
    section
}

/// The problems alone.
pub(in crate::report) fn problems_section(findings: &Findings) -> Section {
    let mut section = titled("Problems");
    for examples in findings.problems.chunk_by(|a, b| a.code == b.code) {
        problems(examples, &mut section);
    }
    section
}

/// `Read 1,000 records = 990 accepted + …`; the parts that are nothing are left out.
pub(in crate::report) fn accounting(findings: &Findings) -> Prose {
    let records = findings.total(|s| s.records);
    let fates = [
        ("accepted", findings.total(|s| s.accepted)),
        ("repaired", findings.total(|s| s.repaired)),
        ("rejected", findings.total(|s| s.rejected)),
        ("duplicate", findings.total(|s| s.duplicate)),
        ("blank", findings.total(|s| s.blank)),
    ];
    let parts: Vec<String> = fates
        .iter()
        .filter(|(name, n)| *n > 0 || *name == "accepted" || *name == "rejected")
        .map(|(name, n)| format!("{} {name}", count(*n)))
        .collect();
    let sources = i64::try_from(findings.sources.len()).unwrap_or(i64::MAX);
    let mut text = format!(
        "Read {} in {} = {}; {}",
        counted(records, "record", "records"),
        counted(sources, "source", "sources"),
        parts.join(" + "),
        counted(findings.total(|s| s.events), "event", "events"),
    );
    let without = findings.total(|s| s.without_events);
    if without > 0 {
        text.push_str(", ");
        text.push_str(&counted(without, "record", "records"));
        text.push_str(" without anything of A2A");
    }
    let rejected = findings.total(|s| s.rejected);
    if rejected > 0 {
        let share = percent(ratio(rejected, records));
        text.extend([". ", &share, " of the records was lost"]);
    }
    text.push('.');
    text.into()
}

/// The first problems of a kind, and how many more there are.
fn problems(examples: &[ProblemExample], section: &mut Section) {
    let Some(first) = examples.first() else { return };
    section.item(
        Prose::from(format!("{} {}", first.code, first.severity.replace('_', " ")))
            .say(": ")
            .say(first.kind.clone())
            .say(format!(" ({})", count(first.of_kind))),
    );
    let mut table = Table::new(&["where", "what"]);
    for p in examples {
        let place = format!("{}:{} (byte {})", p.source_file, p.source_line, p.source_byte);
        let mut what = Prose::new();
        if !p.pointer.is_empty() {
            what = what.name(&p.pointer).say(": ");
        }
        table.row([Prose::new().name(place), what.name(&p.detail)]);
    }
    let shown = i64::try_from(examples.len()).unwrap_or(i64::MAX);
    let help = Kind::ALL.iter().find(|k| k.code() == first.code).map_or("", |k| k.help());
    let mut more = Prose::new();
    if first.of_kind > shown {
        let left = count(first.of_kind - shown);
        let sources = counted(first.sources_of_kind, "source", "sources");
        more = more.say(format!("… and {left} more in {sources} (table problems). "));
    }
    if !help.is_empty() {
        more = more.say(format!("What to do: {help}."));
    }
    if !more.is_empty() {
        table.more = Some(more);
    }
    section.table(table);
}
