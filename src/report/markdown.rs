//! Rows as a Markdown table, in which no text of the data is markup.

use super::rows::{Value, View};
use super::{safe, table};
use std::io::{self, Write};

/// Writes the table.
pub fn write(view: View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<_> = view.names().map(safe::markdown).collect();
    writeln!(out, "| {} |", names.join(" | "))?;
    let rules: Vec<&str> = view
        .schema
        .fields()
        .iter()
        .map(|f| if f.data_type().is_numeric() { "---:" } else { "---" })
        .collect();
    writeln!(out, "| {} |", rules.join(" | "))?;
    view.for_each_row(|row| {
        let cells: Vec<String> = row.iter().map(cell).collect();
        writeln!(out, "| {} |", cells.join(" | "))
    })
}

/// One value as an inline piece of Markdown; unknown is empty.
pub fn cell(value: &Value<'_>) -> String {
    match value {
        Value::Null => String::new(),
        // A hash is whole here, so that it can be searched for.
        Value::Text(text) => safe::markdown(text).into_owned(),
        Value::List(items) if !items.is_empty() => {
            items.iter().map(cell).collect::<Vec<_>>().join(", ")
        }
        other => safe::markdown(&table::cell(other)).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::batch;
    use super::*;

    #[test]
    fn cells_are_inert() {
        let batch = batch();
        let batch = batch.project(&[0, 1, 3, 5, 11]).unwrap();
        let mut out = Vec::new();
        let view = View { schema: batch.schema_ref(), batches: std::slice::from_ref(&batch) };
        write(view, &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "| text | view | int | ratio | list |\n\
             | --- | --- | ---: | ---: | --- |\n\
             | `a \"b\"` | `=1+1` | `-3` | 0.1 | a, b,  |\n\
             |  |  |  |  |  |\n"
        );
    }
}
