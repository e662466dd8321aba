//! What was read, with what, and how to make this page again.

use super::cell;
use super::table::{Table, number, text};
use super::{Section, Whole};
use crate::report::figures::counted;
use maud::html;

#[expect(
    clippy::unnecessary_wraps,
    reason = "a section may have nothing to say; this one always has"
)]
pub fn section(whole: &Whole<'_>) -> Option<Section> {
    let sources = &whole.findings.sources;
    let mut table = Table::new(
        "sources",
        "What was read",
        &[
            text("source_file", "source"),
            text("sha256", "SHA-256 of the content"),
            text("format", "format"),
            text("compression", "compression"),
            number("size_bytes", "bytes"),
            number("content_bytes", "bytes of content"),
            number("records", "records"),
            number("accepted", "accepted"),
            number("repaired", "repaired"),
            number("rejected", "left out"),
            number("duplicate", "duplicate"),
            number("blank", "blank"),
            number("events", "events"),
            number("without_events", "without events"),
            text("first_time", "first event"),
            text("last_time", "last event"),
            text("truncated", "ended early"),
        ],
        whole.caps.rows,
    )
    .rest("carddrift query -e 'SELECT * FROM sources'");
    for s in sources {
        table.row(|| {
            vec![
                cell::name(Some(&s.source_file)),
                cell::Cell::new(html! { code.sha { (s.sha256) } }, s.sha256.clone()),
                cell::name(Some(&s.format)),
                cell::name(Some(&s.compression)),
                cell::number(s.size_bytes),
                cell::number(s.content_bytes),
                cell::number(s.records),
                cell::number(s.accepted),
                cell::number(s.repaired),
                cell::number(s.rejected),
                cell::number(s.duplicate),
                cell::number(s.blank),
                cell::number(s.events),
                cell::number(s.without_events),
                cell::time(whole.clock, s.first_time),
                cell::time(whole.clock, s.last_time),
                if s.truncated { cell::words("yes") } else { cell::Cell::empty() },
            ]
        });
    }
    Some(Section {
        id: "inputs",
        short: "Inputs",
        title: "Inputs, version, command",
        lead: None,
        body: html! {
            p {
                (counted(i64::try_from(sources.len()).unwrap_or(i64::MAX), "source", "sources"))
                ", read by carddrift " (env!("CARGO_PKG_VERSION")) ". This page is made again, byte for byte, by:"
            }
            pre { code { (crate::report::safe::terminal(whole.command)) } }
            (table.render())
        },
    })
}
