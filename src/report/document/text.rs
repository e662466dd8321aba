//! A report as text for a terminal or a file.

use super::{Block, Document, Prose, Section, Span, Table};
use crate::report::{safe, table};
use std::io::{self, Write};

/// How the text is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal; `None`: lines are as long as they are.
    pub columns: Option<usize>,
    /// Whether the terminal shows colours.
    pub colour: bool,
}

const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const CYAN: &str = "\u{1b}[36m";
const PLAIN: &str = "\u{1b}[0m";

/// Writes the report.
pub fn write(document: &Document, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let first = if document.alarm { RED } else { GREEN };
    for (i, sentence) in document.opening.iter().enumerate() {
        let lead = if i == 0 { first } else { "" };
        paragraph(sentence, "", "  ", lead, style, out)?;
    }
    for section in &document.sections {
        write_section(section, style, out)?;
    }
    Ok(())
}

fn write_section(section: &Section, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let title = section.title.to_uppercase();
    writeln!(out)?;
    if style.colour {
        writeln!(out, "{BOLD}{title}{PLAIN}")?;
    } else {
        writeln!(out, "{title}")?;
    }
    for block in &section.blocks {
        match block {
            Block::Line(prose) => paragraph(prose, "  ", "  ", "", style, out)?,
            Block::Item(prose) => paragraph(prose, "  - ", "    ", "", style, out)?,
            Block::Table(table) => write_table(table, style, out)?,
            Block::Lines(text) => {
                for line in text.lines() {
                    writeln!(out, "{}", format!("    {}", safe::terminal(line)).trim_end())?;
                }
            }
        }
    }
    Ok(())
}

fn write_table(content: &Table, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let names = content.columns.iter().map(|c| c.title.to_owned()).collect();
    let right = content.columns.iter().map(|c| c.right).collect();
    let mut grid = table::Grid::new(names, right);
    for row in &content.rows {
        grid.push(row.iter().map(plain).collect());
    }
    grid.write("  ", style.columns, out)?;
    match &content.more {
        Some(more) => paragraph(more, "  ", "  ", "", style, out),
        None => Ok(()),
    }
}

/// The words without colour.
pub fn plain(prose: &Prose) -> String {
    prose
        .0
        .iter()
        .map(|span| match span {
            Span::Say(words) | Span::Strong(words) => words.clone(),
            Span::Name(text) | Span::Told(text) => safe::terminal(text).into_owned(),
            Span::Code(code) => format!("`{}`", safe::terminal(code)),
        })
        .collect()
}

/// Writes a paragraph, broken at blanks when the terminal is narrower.
fn paragraph(
    prose: &Prose,
    first: &str,
    rest: &str,
    lead: &str,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let lead = if style.colour { lead } else { "" };
    let mut line = Line { text: first.to_owned(), width: safe::width(first), bare: true };
    let limit = style.columns.unwrap_or(usize::MAX).max(20);
    line.text.push_str(lead);
    let words = words(prose, style);
    for (i, (word, colour, glued)) in words.iter().enumerate() {
        // A line breaks before a blank only: what is glued to a word goes where it goes.
        let glued = *glued;
        let after = words.iter().skip(i + 1).take_while(|(.., glued)| *glued);
        let width = safe::width(word) + after.map(|(word, ..)| safe::width(word)).sum::<usize>();
        let gap = usize::from(!line.bare && !glued);
        if !line.bare && !glued && line.width + gap + width > limit {
            line.end(lead, out)?;
            line = Line { text: rest.to_owned(), width: safe::width(rest), bare: true };
            line.text.push_str(lead);
        } else if gap == 1 {
            line.text.push(' ');
            line.width += 1;
        }
        line.push(word, colour, lead);
    }
    line.end(lead, out)
}

struct Line {
    text: String,
    width: usize,
    bare: bool,
}

impl Line {
    fn push(&mut self, word: &str, colour: &str, lead: &str) {
        if colour.is_empty() {
            self.text.push_str(word);
        } else {
            self.text.extend([colour, word, PLAIN, lead]);
        }
        self.width += safe::width(word);
        self.bare = false;
    }

    fn end(self, lead: &str, out: &mut dyn Write) -> io::Result<()> {
        let end = if lead.is_empty() { "" } else { PLAIN };
        writeln!(out, "{}{end}", self.text)
    }
}

/// The words with their colours; a glued one follows its predecessor without a blank.
fn words(prose: &Prose, style: Style) -> Vec<(String, &'static str, bool)> {
    let mut all = Vec::new();
    let mut glued = true;
    for span in &prose.0 {
        let (text, colour) = match span {
            Span::Say(t) => (t.clone(), ""),
            Span::Strong(t) => (t.clone(), BOLD),
            Span::Name(t) => (safe::terminal(t).into_owned(), CYAN),
            Span::Told(t) => (safe::terminal(t).into_owned(), ""),
            Span::Code(t) => (format!("`{}`", safe::terminal(t)), BOLD),
        };
        let colour = if style.colour { colour } else { "" };
        glued &= !text.starts_with(' ');
        for word in text.split(' ').filter(|w| !w.is_empty()) {
            all.push((word.to_owned(), colour, glued));
            glued = false;
        }
        glued = !text.ends_with(' ');
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        let mut section = Section::new("Lag");
        section.line("One line of words that is rather long.");
        section.item(Prose::from("see ").code("carddrift query x"));
        let mut table = Table::new(&["registry", ">tasks"]);
        table.row([Prose::new().name("r\u{1b}1"), "12".into()]);
        table.more = Some("… and 3 more".into());
        section.table(table);
        Document {
            title: "Report".to_owned(),
            opening: vec![Prose::from("Agent ").name("a b").say(", lost ").strong("2").say(".")],
            alarm: true,
            sections: vec![section],
        }
    }

    fn text(style: Style) -> String {
        let mut out = Vec::new();
        write(&document(), style, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_file_has_long_lines_and_no_colour() {
        assert_eq!(
            text(Style::default()),
            "Agent a b, lost 2.\n\nLAG\n  One line of words that is rather long.\n  \
             - see `carddrift query x`\n  registry  tasks\n  ────────  ─────\n  \
             r\\u{1b}1     12\n  … and 3 more\n"
        );
    }

    #[test]
    fn punctuation_goes_with_its_word() {
        let mut section = Section::new("S");
        // The first line is full up to its semicolon at 27 columns.
        section.line(Prose::from("some words (").code("code here").say("); more"));
        let document = Document { sections: vec![section], ..Document::default() };
        for (columns, wanted) in [
            (26, "  some words (`code\n  here`); more\n"),
            (27, "  some words (`code here`);\n  more\n"),
            (20, "  some words (`code\n  here`); more\n"),
        ] {
            let mut out = Vec::new();
            write(&document, Style { columns: Some(columns), colour: false }, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert_eq!(text, format!("\nS\n{wanted}"), "{columns}");
            assert!(text.lines().all(|line| safe::width(line) <= columns), "{text}");
        }
    }

    #[test]
    fn a_terminal_breaks_lines_and_shows_colour() {
        let shown = text(Style { columns: Some(24), colour: true });
        assert!(shown.starts_with(
            "\u{1b}[31mAgent \u{1b}[36ma\u{1b}[0m\u{1b}[31m \u{1b}[36mb\u{1b}[0m\u{1b}[31m, lost"
        ));
        assert!(shown.contains("\n  One line of words that\n  is rather long.\n"), "{shown}");
    }
}
