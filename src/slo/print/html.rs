//! One page that needs nothing else: no script, no font, no request.
//!
//! Every text that is not ours is escaped; the page's policy forbids scripts should that ever fail.

use super::super::measure::{Level, Levels, Status};
use super::super::period::Bounds;
use super::junit::escape;
use super::{apart, exact, kept, number, percent, time, unit, verdict};
use std::fmt::Write as _;
use std::io::{self, Write};

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Service levels</title>
<style>
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #cf222e; --few: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #f85149; --few: #d29922; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; }
table { border-collapse: collapse; margin: .5rem 0 1rem; }
caption { text-align: left; font-weight: 600; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
code { font-size: .9em; overflow-wrap: anywhere; }
.met { color: var(--good); } .missed { color: var(--bad); } .insufficient { color: var(--few); }
svg { width: 100%; height: auto; max-width: 45rem; } svg text { font-size: 11px; fill: currentColor; }
.axis { stroke: currentColor; opacity: .4; } .zero { stroke: var(--bad); stroke-dasharray: 4 3; }
.left { fill: none; stroke: currentColor; stroke-width: 2; } .alert { stroke: var(--bad); opacity: .6; }
</style>
</head>
<body>
"#;

/// Writes it.
pub fn write(levels: &Levels, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    writeln!(out, "<h1>Service levels</h1>")?;
    match (levels.archive, levels.at) {
        (Some((first, last)), Some(at)) => writeln!(
            out,
            "<p>As of {}, over an archive from {} to {}.</p>",
            time(at),
            time(first),
            time(last)
        )?,
        _ => writeln!(out, "<p>The archive has no event.</p>")?,
    }
    if let Some(from) = levels.kept_from {
        writeln!(out, "<p>{}</p>", kept(from))?;
    }
    if let Some(commit) = levels.since {
        writeln!(
            out,
            "<p>Days and alerts are those that are new since commit {commit} of the store.</p>"
        )?;
    }
    summary(levels, out)?;
    for level in &levels.levels {
        one(level, levels.archive, out)?;
    }
    writeln!(out, "</body>\n</html>")
}

fn class(status: Status) -> &'static str {
    match status {
        Status::Met => "met",
        Status::Missed => "missed",
        Status::Insufficient => "insufficient",
    }
}

fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "unknown".to_owned(), percent)
}

fn good(value: Option<f64>, level: &Level) -> String {
    value.map_or_else(|| "unknown".to_owned(), |v| apart(v, level.objective.target.value()))
}

fn summary(levels: &Levels, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<table>\n<tr><th>objective</th><th>service</th><th>status</th><th class=\"n\">good</th>\
         <th class=\"n\">target</th><th class=\"n\">budget left</th><th class=\"n\">alerts</th></tr>"
    )?;
    for level in &levels.levels {
        let objective = &level.objective;
        let left = level.counts.consumed(level.allowed()).map(|consumed| 1.0 - consumed);
        writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td class=\"{}\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            escape(&objective.name()),
            escape(&objective.service),
            class(level.status),
            level.status.as_str(),
            good(level.counts.compliance(), level),
            exact(objective.target.value()),
            share(left),
            level.fired()
        )?;
    }
    writeln!(out, "</table>")
}

fn one(level: &Level, archive: Option<(i64, i64)>, out: &mut dyn Write) -> io::Result<()> {
    let objective = &level.objective;
    writeln!(out, "<h2>{}</h2>", escape(&objective.name()))?;
    if let Some(title) = &objective.slo_title {
        writeln!(out, "<p>{}</p>", escape(title))?;
    }
    writeln!(
        out,
        "<p><strong class=\"{}\">{}</strong>: {}.</p>",
        class(level.status),
        level.status.as_str(),
        escape(&verdict(level))
    )?;
    if let Some(bounds) = level.bounds.filter(|_| level.counts.total > 0) {
        // Before the archive begins nothing is known.
        let first =
            archive.map_or(bounds.first, |(first, _)| first.clamp(bounds.first, bounds.last));
        out.write_all(chart(level, Bounds { first, ..bounds }).as_bytes())?;
    }
    days(level, out)?;
    contributors(level, out)?;
    alerts(level, out)?;
    for note in &objective.notes {
        writeln!(out, "<p>Note: {}.</p>", escape(note))?;
    }
    Ok(())
}

fn days(level: &Level, out: &mut dyn Write) -> io::Result<()> {
    if !level.days.iter().any(|day| day.new) {
        return Ok(());
    }
    let zone = level.objective.window.zone();
    writeln!(
        out,
        "<table>\n<caption>Budget by day ({})</caption>\n<tr><th>day</th><th class=\"n\">bad</th>\
         <th class=\"n\">{}</th><th class=\"n\">unknown</th><th class=\"n\">good</th>\
         <th class=\"n\">budget left</th></tr>",
        escape(zone.iana_name().unwrap_or("UTC")),
        unit(level)
    )?;
    for day in level.days.iter().filter(|day| day.new) {
        writeln!(
            out,
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            day.day,
            number(day.counts.bad()),
            number(day.counts.total()),
            day.counts.unknown,
            good(day.counts.compliance(), level),
            share(day.left)
        )?;
    }
    writeln!(out, "</table>")
}

fn contributors(level: &Level, out: &mut dyn Write) -> io::Result<()> {
    if level.contributors.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<table>\n<caption>Who has the bad events</caption>\n<tr><th></th><th>name</th>\
         <th class=\"n\">bad</th><th class=\"n\">of</th></tr>"
    )?;
    for worst in &level.contributors {
        let name = match &worst.name {
            Some(name) => format!("<code>{}</code>", escape(name)),
            None => "unknown".to_owned(),
        };
        writeln!(
            out,
            "<tr><td>{}</td><td>{name}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            worst.dimension, worst.bad, worst.total
        )?;
    }
    writeln!(out, "</table>")
}

fn alerts(level: &Level, out: &mut dyn Write) -> io::Result<()> {
    if level.fired() == 0 {
        return writeln!(out, "<p>No alert would have fired.</p>");
    }
    writeln!(
        out,
        "<table>\n<caption>Alerts that would have fired</caption>\n<tr><th>rule</th><th>severity</th>\
         <th>first bad event</th><th>fired</th><th>cleared</th><th class=\"n\">highest burn rate</th></tr>"
    )?;
    for (rule, alerts) in &level.alerts {
        for alert in alerts {
            writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{:.2}</td></tr>",
                escape(&rule.name),
                escape(&rule.severity),
                alert.first_bad_at.map_or_else(|| "none".to_owned(), time),
                time(alert.fired_at),
                alert.cleared_at.map_or_else(|| "not yet".to_owned(), time),
                alert.peak_burn_rate
            )?;
        }
    }
    writeln!(out, "</table>")
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 170.0;
const EDGE: f64 = 44.0;

/// What is left of the budget over the period, falling at the end of each day.
#[expect(clippy::cast_precision_loss, reason = "places on a chart")]
fn chart(level: &Level, bounds: Bounds) -> String {
    let span = (bounds.last as f64 - bounds.first as f64).max(1.0);
    let x = |at: i64| EDGE + (at as f64 - bounds.first as f64) / span * (WIDTH - EDGE - 8.0);
    // A budget overdrawn a hundred times would leave no room for the rest.
    let lefts = || level.days.iter().filter_map(|day| day.left);
    let lowest = lefts().fold(0.0_f64, f64::min).max(-4.0);
    let y = |left: f64| 10.0 + (1.0 - left.max(lowest)) / (1.0 - lowest) * (HEIGHT - 40.0);
    let mut path = format!("M{:.1} {:.1}", x(bounds.first), y(1.0));
    for day in &level.days {
        let _ = write!(path, "H{:.1}", x(day.ends_at));
        if let Some(left) = day.left {
            let _ = write!(path, "V{:.1}", y(left));
        }
    }
    let _ = write!(path, "H{:.1}", x(bounds.last));
    let mut svg = String::new();
    let last = lefts().next_back().unwrap_or(1.0);
    let _ = writeln!(
        svg,
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Error budget: {} left\">",
        percent(last)
    );
    for (left, class) in [(1.0, "axis"), (0.0, "zero")] {
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{EDGE}\" x2=\"{WIDTH}\" y1=\"{0:.1}\" y2=\"{0:.1}\"/>\
             <text x=\"0\" y=\"{1:.1}\">{2}</text>",
            y(left),
            y(left) + 4.0,
            percent(left)
        );
    }
    for (rule, alerts) in &level.alerts {
        for alert in alerts.iter().filter(|a| (bounds.first..=bounds.last).contains(&a.fired_at)) {
            let _ = writeln!(
                svg,
                "<line class=\"alert\" x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"10\" y2=\"{1:.1}\">\
                 <title>{2} {3} fired {4}</title></line>",
                x(alert.fired_at),
                HEIGHT - 30.0,
                escape(&rule.severity),
                escape(&rule.name),
                time(alert.fired_at)
            );
        }
    }
    let _ = writeln!(svg, "<path class=\"left\" d=\"{path}\"/>");
    let date = |at: i64| super::super::period::day(at, &level.objective.window.zone());
    let _ = writeln!(
        svg,
        "<text x=\"{EDGE}\" y=\"{0}\">{1}</text><text x=\"{2}\" y=\"{0}\" text-anchor=\"end\">{3}</text>\n</svg>",
        HEIGHT - 8.0,
        date(bounds.first),
        WIDTH - 8.0,
        date(bounds.last)
    );
    svg
}
