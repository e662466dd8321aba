//! Rows as JSON: an array of objects, or one object a line.
//!
//! Times are RFC 3339 with `Z`, unknown is `null`, numbers have their full precision, the keys stand
//! in the order of the columns.

use super::rows::{Value, View, rfc3339};
use super::safe;
use std::io::{self, Write};

/// Writes one object for each row, each on its own line.
pub fn ndjson(view: View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let keys = keys(view);
    let mut line = Vec::new();
    view.for_each_row(|row| {
        line.clear();
        object(&mut line, &keys, row)?;
        line.push(b'\n');
        out.write_all(&line)
    })
}

/// Writes an array with one object a line; `indent` begins each of these lines.
pub fn array(view: View<'_>, indent: &str, out: &mut dyn Write) -> io::Result<()> {
    let keys = keys(view);
    let mut line = Vec::new();
    let mut first = true;
    out.write_all(b"[")?;
    view.for_each_row(|row| {
        line.clear();
        line.extend_from_slice(if first { b"\n" } else { b",\n" });
        line.extend_from_slice(indent.as_bytes());
        first = false;
        object(&mut line, &keys, row)?;
        out.write_all(&line)
    })?;
    if !first {
        out.write_all(b"\n")?;
        out.write_all(indent.strip_suffix("  ").unwrap_or(indent).as_bytes())?;
    }
    out.write_all(b"]")
}

/// The names of the columns as JSON strings with their colons.
pub fn keys(view: View<'_>) -> Vec<Vec<u8>> {
    view.names()
        .map(|name| {
            let mut key = Vec::new();
            string(&mut key, name);
            key.push(b':');
            key
        })
        .collect()
}

/// Appends one row as an object.
pub fn object(out: &mut Vec<u8>, keys: &[Vec<u8>], row: &[Value<'_>]) -> io::Result<()> {
    out.push(b'{');
    for (i, (key, item)) in keys.iter().zip(row).enumerate() {
        if i > 0 {
            out.push(b',');
        }
        out.extend_from_slice(key);
        value(out, item)?;
    }
    out.push(b'}');
    Ok(())
}

/// Appends one value.
pub fn value(out: &mut Vec<u8>, item: &Value<'_>) -> io::Result<()> {
    match item {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(v) => out.extend_from_slice(if *v { b"true" } else { b"false" }),
        Value::Int(v) => write!(out, "{v}")?,
        Value::UInt(v) => write!(out, "{v}")?,
        Value::Float(v) => serde_json::to_writer(out, v)?,
        Value::Decimal(digits) => out.extend_from_slice(digits.as_bytes()),
        Value::Time(ns) => string(out, &rfc3339(*ns)),
        Value::Text(v) => string(out, v),
        Value::List(items) => {
            out.push(b'[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                value(out, item)?;
            }
            out.push(b']');
        }
        Value::Object(fields) => {
            out.push(b'{');
            for (i, (name, item)) in fields.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                string(out, name);
                out.push(b':');
                value(out, item)?;
            }
            out.push(b'}');
        }
    }
    Ok(())
}

/// Appends a JSON string. What acts on a terminal is escaped, also where JSON would not ask for it.
pub fn string(out: &mut Vec<u8>, text: &str) {
    let begin = out.len();
    // Writing into memory cannot fail, and a text is always a JSON string.
    let _ = serde_json::to_writer(&mut *out, text);
    // Every character that acts begins with such a byte in UTF-8; most texts have none.
    let written = out.get(begin..).unwrap_or_default();
    if !written.iter().any(|byte| matches!(byte, 0x7F | 0xC2 | 0xD8 | 0xE1 | 0xE2 | 0xEF | 0xF3)) {
        return;
    }
    let Ok(written) = String::from_utf8(out.split_off(begin)) else { return };
    for c in written.chars() {
        if safe::acts(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::batch;
    use super::*;

    fn text(write: impl Fn(View<'_>, &mut dyn Write) -> io::Result<()>) -> String {
        let batch = batch();
        let schema = batch.schema();
        let mut out = Vec::new();
        write(View { schema: &schema, batches: &[batch] }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    const FIRST: &str = r#"{"text":"a \"b\"","view":"=1+1","dict":"r1","int":-3,"uint":18446744073709551615,"ratio":0.1,"single":0.1,"flag":true,"at":"2026-11-14T08:00:01.5Z","ms":"1969-12-31T23:59:59.999Z","day":"2026-11-14","list":["a","b",null],"none":null}"#;
    const SECOND: &str = r#"{"text":null,"view":null,"dict":null,"int":null,"uint":null,"ratio":null,"single":null,"flag":null,"at":null,"ms":"1970-01-01T00:00:00Z","day":null,"list":null,"none":null}"#;

    #[test]
    fn one_object_a_line() {
        assert_eq!(text(ndjson), format!("{FIRST}\n{SECOND}\n"));
    }

    #[test]
    fn nothing_acts_on_a_terminal() {
        for text in
            ["\u{9b}31m", "a\u{202e}b", "\u{1b}[2J\u{7f}", "\u{e0041}", "é€\u{10000}", "\u{feff}"]
        {
            let mut out = Vec::new();
            string(&mut out, text);
            let written = String::from_utf8(out).unwrap();
            assert!(!written.contains(safe::acts), "{written}");
            assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
        }
    }

    #[test]
    fn an_array_of_objects() {
        let expected = format!("[\n  {FIRST},\n  {SECOND}\n]");
        assert_eq!(text(|view, out| array(view, "  ", out)), expected);
        let batch = batch();
        let mut out = Vec::new();
        array(View { schema: batch.schema_ref(), batches: &[] }, "  ", &mut out).unwrap();
        assert_eq!(out, b"[]");
    }
}
