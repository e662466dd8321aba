//! OpenMetrics with timestamps, for `promtool tsdb create-blocks-from openmetrics`, and Prometheus'
//! text format without them, for the textfile collector of the `node_exporter`.

use super::number;
use super::series::{Family, Kind, Labels, Value, bucket_bounds};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes all samples with their times.
pub fn write(families: &[Family], out: &mut dyn Write) -> io::Result<()> {
    for family in families {
        let name = family.name;
        writeln!(out, "# TYPE {name} {}", kind(family.kind))?;
        if !family.unit.is_empty() {
            writeln!(out, "# UNIT {name} {}", family.unit)?;
        }
        writeln!(out, "# HELP {name} {}", escape(family.help))?;
        for (labels, samples) in &family.metrics {
            for (at, value) in samples {
                write_sample(family, labels, value, &format!(" {}", seconds(*at)), out)?;
            }
        }
    }
    writeln!(out, "# EOF")
}

/// Writes the last sample of each metric, without its time.
pub fn write_textfile(families: &[Family], out: &mut dyn Write) -> io::Result<()> {
    for family in families {
        let total = if family.kind == Kind::Counter { "_total" } else { "" };
        let name = format!("{}{total}", family.name);
        writeln!(out, "# HELP {name} {}", escape(family.help))?;
        writeln!(out, "# TYPE {name} {}", kind(family.kind))?;
        for (labels, samples) in &family.metrics {
            if let Some((_, value)) = samples.last() {
                write_sample(family, labels, value, "", out)?;
            }
        }
    }
    Ok(())
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Counter => "counter",
        Kind::Gauge => "gauge",
        Kind::Histogram => "histogram",
    }
}

fn write_sample(
    family: &Family,
    labels: &Labels,
    value: &Value,
    at: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = family.name;
    let total = if family.kind == Kind::Counter { "_total" } else { "" };
    match value {
        Value::Count(count) => writeln!(out, "{name}{total}{} {count}{at}", braces(labels, None)),
        Value::Number(value) => {
            writeln!(out, "{name}{total}{} {}{at}", braces(labels, None), number(*value))
        }
        Value::Buckets(counts, count, sum) => {
            for (bound, below) in bucket_bounds().zip(counts) {
                let le = format!("{bound:.1}");
                writeln!(out, "{name}_bucket{} {below}{at}", braces(labels, Some(&le)))?;
            }
            writeln!(out, "{name}_bucket{} {count}{at}", braces(labels, Some("+Inf")))?;
            writeln!(out, "{name}_count{} {count}{at}", braces(labels, None))?;
            writeln!(out, "{name}_sum{} {}{at}", braces(labels, None), number(*sum))
        }
    }
}

fn braces(labels: &Labels, le: Option<&str>) -> String {
    let mut text = String::new();
    let labels = labels.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in labels.chain(le.map(|le| ("le", le))) {
        let before = if text.is_empty() { "{" } else { "," };
        let _ = write!(text, "{before}{name}=\"{}\"", escape(value));
    }
    if !text.is_empty() {
        text.push('}');
    }
    text
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Seconds since 1970 with the digits of the nanoseconds, never an exponent.
fn seconds(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    let (whole, rest) = (ns.unsigned_abs() / 1_000_000_000, ns.unsigned_abs() % 1_000_000_000);
    if rest == 0 {
        return format!("{sign}{whole}");
    }
    let text = format!("{sign}{whole}.{rest:09}");
    text.trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_nanoseconds_and_have_no_exponent() {
        assert_eq!(seconds(1_794_787_200_000_000_000), "1794787200");
        assert_eq!(seconds(1_794_787_200_000_000_001), "1794787200.000000001");
        assert_eq!(seconds(-1_500_000_000), "-1.5");
    }

    #[test]
    fn values_of_labels_are_escaped() {
        let labels = vec![("agent", "a\\b\"c\nd".to_owned())];
        assert_eq!(braces(&labels, None), r#"{agent="a\\b\"c\nd"}"#);
        assert_eq!(braces(&Vec::new(), None), "");
    }
}
