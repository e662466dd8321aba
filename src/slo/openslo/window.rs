//! Time windows, rolling and aligned to a calendar.

use super::super::period::{Calendar, TimeWindow};
use super::fields::{Faults, Fields};
use crate::yaml::Node;
use jiff::civil::DateTime;
use jiff::tz::TimeZoneDatabase;

/// The only item of `spec.timeWindow`.
pub(super) fn read(nodes: &[Node], line: usize, faults: &mut Faults) -> Option<TimeWindow> {
    let [node] = nodes else {
        let what = format!("`spec.timeWindow` has {} items", nodes.len());
        faults.add(
            line,
            what,
            "write exactly one, for example `- {duration: 28d, isRolling: true}`",
        );
        return None;
    };
    let known = ["duration", "isRolling", "calendar"];
    let fields = Fields::of(node, "spec.timeWindow[0]", &known, faults)?;
    fields.need("duration", "for example `duration: 28d`", faults)?;
    let duration = fields.span("duration", faults)?;
    let rolling = fields.flag("isRolling", faults);
    match (fields.get("calendar"), rolling) {
        (None, Some(true)) => Some(TimeWindow::Rolling(duration)),
        (Some(_), Some(true)) => {
            let help = "leave `calendar` out, or write `isRolling: false`";
            faults.add(fields.line, "a rolling window has no calendar", help);
            None
        }
        (None, _) => {
            let help = "write `isRolling: true`, or a `calendar` with startTime and timeZone";
            faults.add(fields.line, "the window is neither rolling nor has it a calendar", help);
            None
        }
        (Some(node), _) => {
            let fields = Fields::of(node, "calendar", &["startTime", "timeZone"], faults)?;
            let start = start_time(&fields, faults);
            let zone = zone(&fields, faults);
            Some(TimeWindow::Calendar(Calendar { duration, start: start?, zone: zone? }))
        }
    }
}

fn start_time(fields: &Fields<'_>, faults: &mut Faults) -> Option<DateTime> {
    let help = "write for example `startTime: 2026-01-01 00:00:00`";
    let text = fields.need_text("startTime", help, faults)?;
    // Without a zone: the zone stands beside it.
    let time = text.parse::<DateTime>().ok().filter(|_| text.parse::<jiff::Timestamp>().is_err());
    let year = time.map(DateTime::year);
    if year.is_none_or(|year| !(1700..=2200).contains(&year)) {
        faults.add(fields.line, "`calendar.startTime` is no date with a time, without zone", help);
        return None;
    }
    time
}

fn zone(fields: &Fields<'_>, faults: &mut Faults) -> Option<jiff::tz::TimeZone> {
    let help = "write a name of the IANA database, for example `timeZone: America/New_York`";
    let name = fields.need_text("timeZone", help, faults)?;
    // The same zones on every machine: those that are compiled in.
    let database = TimeZoneDatabase::bundled();
    if let Ok(zone) = database.get(name) {
        return Some(zone);
    }
    let names: Vec<String> = database.available().map(|name| name.to_string()).collect();
    let help = match crate::config::nearest(name, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => help.to_owned(),
    };
    faults.add(fields.line, format!("no time zone is called `{name}`"), help);
    None
}
