//! `JUnit` XML: a suite for each service, a case for each objective. A missed objective is a failure, one
//! with too few events is skipped.

use super::super::measure::{Level, Levels, Status};
use super::{time, verdict};
use std::borrow::Cow;
use std::io::{self, Write};

/// Writes it.
pub fn write(levels: &Levels, out: &mut dyn Write) -> io::Result<()> {
    let mut services: Vec<&str> = Vec::new();
    for level in &levels.levels {
        if !services.contains(&level.objective.service.as_str()) {
            services.push(&level.objective.service);
        }
    }
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    let all: Vec<&Level> = levels.levels.iter().collect();
    writeln!(out, "<testsuites name=\"carddrift slo\" {}>", sums(&all))?;
    for service in services {
        let of: Vec<&Level> =
            levels.levels.iter().filter(|l| l.objective.service == service).collect();
        writeln!(out, "  <testsuite name=\"{}\" {}>", escape(service), sums(&of))?;
        for level in of {
            case(level, out)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn sums(levels: &[&Level]) -> String {
    let count = |status| levels.iter().filter(|level| level.status == status).count();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"0\"",
        levels.len(),
        count(Status::Missed),
        count(Status::Insufficient)
    )
}

fn case(level: &Level, out: &mut dyn Write) -> io::Result<()> {
    let objective = &level.objective;
    writeln!(
        out,
        "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" line=\"{}\" time=\"0\">",
        escape(&objective.name()),
        escape(&format!("{}.{}", objective.service, objective.slo)),
        escape(&objective.file),
        objective.line
    )?;
    let told = verdict(level);
    match level.status {
        Status::Met => {}
        Status::Insufficient => writeln!(out, "      <skipped message=\"{}\"/>", escape(&told))?,
        Status::Missed => {
            writeln!(out, "      <failure message=\"{}\" type=\"missed\">", escape(&told))?;
            for line in details(level) {
                writeln!(out, "{}", escape(&line))?;
            }
            writeln!(out, "      </failure>")?;
        }
    }
    writeln!(out, "    </testcase>")
}

/// What helps to find the cause.
fn details(level: &Level) -> Vec<String> {
    let mut lines = Vec::new();
    for worst in &level.contributors {
        let name = worst.name.as_deref().unwrap_or("unknown");
        lines.push(format!("{} {name}: {} of {} bad", worst.dimension, worst.bad, worst.total));
    }
    for (rule, alerts) in &level.alerts {
        for alert in alerts {
            let cleared = alert
                .cleared_at
                .map_or("not cleared".to_owned(), |at| format!("cleared {}", time(at)));
            lines.push(format!(
                "{} alert {} fired {}, {cleared}",
                rule.severity,
                rule.name,
                time(alert.fired_at)
            ));
        }
    }
    lines
}

/// A text for XML 1.0: what that cannot hold becomes U+FFFD.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    let plain = |c: char| {
        !matches!(c, '<' | '>' | '&' | '"' | '\'' | '\u{fffe}' | '\u{ffff}') && !c.is_control()
    };
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            c if plain(c) => out.push(c),
            _ => out.push('\u{fffd}'),
        }
    }
    Cow::Owned(out)
}
