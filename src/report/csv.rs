//! Rows as CSV (RFC 4180): unknown is empty, a list is its JSON.
//!
//! A text that a spreadsheet would run as a formula gets a leading `'`, unless the caller wants the
//! texts as they are; and what would act on a terminal is spelled out.

use super::rows::{Value, View, rfc3339};
use super::{WriteError, json, safe};
use std::borrow::Cow;
use std::io::Write;

/// Writes a header and one line for each row.
pub fn write(view: View<'_>, raw: bool, out: &mut dyn Write) -> Result<(), WriteError> {
    let mut csv = csv::WriterBuilder::new().from_writer(out);
    csv.write_record(view.names().map(|n| guard(Cow::Borrowed(n), raw).into_owned()))?;
    view.for_each_row(|row| -> Result<(), WriteError> {
        for value in row {
            csv.write_field(cell(value, raw)?.as_bytes())?;
        }
        csv.write_record(None::<&[u8]>)?;
        Ok(())
    })?;
    csv.flush()?;
    Ok(())
}

fn cell<'a>(value: &'a Value<'_>, raw: bool) -> Result<Cow<'a, str>, WriteError> {
    Ok(match value {
        Value::Null => Cow::Borrowed(""),
        Value::Text(v) => guard(Cow::Borrowed(v), raw),
        Value::Time(ns) => Cow::Owned(rfc3339(*ns)),
        other => {
            let mut bytes = Vec::new();
            json::value(&mut bytes, other)?;
            Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
        }
    })
}

fn guard(text: Cow<'_, str>, raw: bool) -> Cow<'_, str> {
    let acts = |c| safe::acts(c) && !matches!(c, '\n' | '\r' | '\t');
    let text = if !raw && text.contains(acts) {
        let mut spelled = String::with_capacity(text.len() + 8);
        for c in text.chars() {
            if acts(c) {
                spelled.push_str(&safe::terminal(c.encode_utf8(&mut [0; 4])));
            } else {
                spelled.push(c);
            }
        }
        Cow::Owned(spelled)
    } else {
        text
    };
    if !raw && text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
    {
        Cow::Owned(format!("'{text}"))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::batch;
    use super::*;

    #[test]
    fn formulas_are_texts() {
        let batch = batch();
        let view = View { schema: batch.schema_ref(), batches: std::slice::from_ref(&batch) };
        let mut out = Vec::new();
        write(view, false, &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "text,view,dict,int,uint,ratio,single,flag,at,ms,day,list,none\n\
             \"a \"\"b\"\"\",'=1+1,r1,-3,18446744073709551615,0.1,0.1,true,2026-11-14T08:00:01.5Z,\
             1969-12-31T23:59:59.999Z,2026-11-14,\"[\"\"a\"\",\"\"b\"\",null]\",\n\
             ,,,,,,,,,1970-01-01T00:00:00Z,,,\n"
        );
        assert_eq!(guard("\u{1b}[2J a\nb".into(), false), "\\u{1b}[2J a\nb");
        assert_eq!(guard("\u{1b}[2J".into(), true), "\u{1b}[2J");
        let mut out = Vec::new();
        write(view, true, &mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().contains(",=1+1,"));
    }
}
