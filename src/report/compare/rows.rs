//! The comparison for machines: one row for each thing compared.

use super::{Row, Told, Value};
use crate::report::findings::Findings;
use crate::report::json;
use crate::report::rows::{View, rfc3339};
use arrow::array::{
    ArrayRef, Float64Array, Int64Array, ListBuilder, RecordBatch, StringArray, StringBuilder,
};
use arrow::error::ArrowError;
use std::io::{self, Write};
use std::sync::Arc;

/// The rows: `verdict`, `what`, `subject`, `a_hits`, `a_all`, `b_hits`, `b_all` (of rates; of a number of
/// things only hits), `a`, `b` (ratio, seconds or number), `a_low`, `a_high`, `b_low`, `b_high` (bounds
/// of seconds), `difference`, `difference_low`, `difference_high`.
///
/// # Errors
/// When Arrow refuses them.
pub fn batch(rows: &[Row]) -> Result<RecordBatch, ArrowError> {
    let mut subjects = ListBuilder::new(StringBuilder::new());
    for row in rows {
        subjects.append_value(row.subject.iter().map(Some));
    }
    let ints = |of: &dyn Fn(&Row) -> Option<i64>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<Int64Array>())
    };
    let floats = |of: &dyn Fn(&Row) -> Option<f64>| -> ArrayRef {
        // An open lag has no upper bound: unknown.
        let finite = rows.iter().map(|row| of(row).filter(|v| v.is_finite()));
        Arc::new(finite.collect::<Float64Array>())
    };
    let texts = |of: &dyn Fn(&Row) -> &'static str| -> ArrayRef {
        Arc::new(rows.iter().map(|row| Some(of(row))).collect::<StringArray>())
    };
    RecordBatch::try_from_iter_with_nullable([
        ("verdict", texts(&|r| r.verdict.word()), false),
        ("what", texts(&|r| r.what), false),
        ("subject", Arc::new(subjects.finish()) as ArrayRef, false),
        ("a_hits", ints(&|r| hits(r.a)), true),
        ("a_all", ints(&|r| all(r.a)), true),
        ("b_hits", ints(&|r| hits(r.b)), true),
        ("b_all", ints(&|r| all(r.b)), true),
        ("a", floats(&|r| number(r.a)), true),
        ("a_low", floats(&|r| bounds(r.a).map(|b| b.0)), true),
        ("a_high", floats(&|r| bounds(r.a).map(|b| b.1)), true),
        ("b", floats(&|r| number(r.b)), true),
        ("b_low", floats(&|r| bounds(r.b).map(|b| b.0)), true),
        ("b_high", floats(&|r| bounds(r.b).map(|b| b.1)), true),
        ("difference", floats(&|r| r.difference.map(|d| d.0)), true),
        ("difference_low", floats(&|r| r.difference.map(|d| d.1)), true),
        ("difference_high", floats(&|r| r.difference.map(|d| d.2)), true),
    ])
}

fn hits(value: Value) -> Option<i64> {
    match value {
        Value::Rate(hits, _) | Value::Count(hits) => Some(hits),
        Value::Span(..) | Value::Absent => None,
    }
}

fn all(value: Value) -> Option<i64> {
    match value {
        Value::Rate(_, all) => Some(all),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn number(value: Value) -> Option<f64> {
    match value {
        Value::Rate(hits, all) if all > 0 => Some(hits as f64 / all as f64),
        Value::Span(length, ..) => Some(length),
        Value::Count(n) => Some(n as f64),
        Value::Rate(..) | Value::Absent => None,
    }
}

fn bounds(value: Value) -> Option<(f64, f64)> {
    match value {
        Value::Span(_, low, high) => Some((low, high)),
        Value::Rate(hits, all) => crate::report::figures::interval(hits, all),
        _ => None,
    }
}

/// The comparison as one object, `carddrift.compare/1`: `a`, `b` (what was compared), `rows`.
///
/// # Errors
/// When the output cannot be written.
pub fn write_json(
    a: &Told<'_>,
    b: &Told<'_>,
    rows: View<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut text = b"{\"schema\":\"carddrift.compare/1\",\n".to_vec();
    for (key, side) in [("a", a), ("b", b)] {
        write!(text, "\"{key}\":{{\"name\":")?;
        json::string(&mut text, side.name);
        let Findings { summary, .. } = side.findings;
        for (bound, ns) in [("from", side.from), ("to", side.to)] {
            match ns {
                Some(ns) => write!(text, ",\"{bound}\":\"{}\"", rfc3339(ns.into()))?,
                None => write!(text, ",\"{bound}\":null")?,
            }
        }
        writeln!(text, ",\"tasks\":{},\"attempts\":{}}},", summary.tasks, summary.attempts)?;
    }
    text.extend_from_slice(b"\"rows\":");
    out.write_all(&text)?;
    json::array(rows, "  ", out)?;
    out.write_all(b"}\n")
}
