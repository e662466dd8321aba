//! A report as Markdown, to paste into an incident document.

use super::{Block, Document, Prose, Span, Table};
use crate::report::safe;
use std::io::{self, Write};

/// Writes the report.
pub fn write(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# {}\n", document.title)?;
    for sentence in &document.opening {
        writeln!(out, "{}\n", inline(sentence))?;
    }
    for section in &document.sections {
        writeln!(out, "## {}\n", section.title)?;
        let mut listed = false;
        for block in &section.blocks {
            if listed && !matches!(block, Block::Item(_)) {
                writeln!(out)?;
            }
            listed = matches!(block, Block::Item(_));
            match block {
                Block::Line(prose) => writeln!(out, "{}\n", inline(prose))?,
                Block::Item(prose) => writeln!(out, "- {}", inline(prose))?,
                Block::Table(table) => write_table(table, out)?,
                Block::Lines(text) => {
                    // Indented code: no fence that the text could close.
                    for line in text.lines() {
                        writeln!(out, "{}", format!("    {}", safe::terminal(line)).trim_end())?;
                    }
                    writeln!(out)?;
                }
            }
        }
        if listed {
            writeln!(out)?;
        }
    }
    Ok(())
}

fn write_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let titles: Vec<&str> = table.columns.iter().map(|c| c.title).collect();
    let rules: Vec<&str> =
        table.columns.iter().map(|c| if c.right { "---:" } else { "---" }).collect();
    writeln!(out, "| {} |\n| {} |", titles.join(" | "), rules.join(" | "))?;
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(inline).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    writeln!(out)?;
    match &table.more {
        Some(more) => writeln!(out, "{}\n", inline(more)),
        None => Ok(()),
    }
}

/// A sentence as Markdown.
pub fn inline(prose: &Prose) -> String {
    prose
        .0
        .iter()
        .map(|span| match span {
            Span::Say(words) => escape(words),
            Span::Strong(words) => strong(words),
            Span::Name(name) => safe::markdown(name).into_owned(),
            Span::Told(sentence) => told(sentence),
            Span::Code(code) => safe::markdown_code(code),
        })
        .collect()
}

/// Stars stand at words: beside a blank they would be printed.
fn strong(words: &str) -> String {
    let inner = words.trim();
    if inner.is_empty() {
        return words.to_owned();
    }
    let before = words.len() - words.trim_start().len();
    let after = words.trim_end().len();
    let (before, after) = (words.get(..before), words.get(after..));
    format!("{}**{}**{}", before.unwrap_or_default(), escape(inner), after.unwrap_or_default())
}

/// A sentence with names from the data: words that are not plain become code spans.
fn told(sentence: &str) -> String {
    let words = sentence.split(' ').map(|word| {
        let name = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
        let rest = word.get(name.len()..).unwrap_or_default();
        if name.is_empty() { rest.to_owned() } else { format!("{}{rest}", safe::markdown(name)) }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Our words hold no markup, but may hold its characters.
fn escape(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for c in words.chars() {
        if matches!(c, '|' | '*' | '`' | '<' | '>' | '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Section;
    use super::*;

    #[test]
    fn names_are_inert_and_tables_are_tables() {
        let mut section = Section::new("Lag");
        section.item(Prose::from("of ").name("<b>").say(" < 3"));
        let mut table = Table::new(&["registry", ">tasks"]);
        table.row([Prose::new().name("r|1"), "12".into()]);
        section.table(table);
        let document = Document {
            title: "Report".to_owned(),
            opening: vec![
                Prose::from("Lost ").strong("2").say("."),
                Prose::new().strong("Lost: ").say("two").strong(" of").say(" four"),
            ],
            alarm: true,
            sections: vec![section],
        };
        let mut out = Vec::new();
        write(&document, &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "# Report\n\nLost **2**.\n\n**Lost:** two **of** four\n\n## Lag\n\n- of `<b>` \\< 3\n\n\
             | registry | tasks |\n| --- | ---: |\n| `r\\|1` | 12 |\n\n"
        );
    }
}
