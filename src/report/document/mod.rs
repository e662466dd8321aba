//! What a report says, before it is text, Markdown or HTML.
//!
//! A text of ours and a name from the data are told apart, so that each format can make the names
//! harmless in its own way.

pub mod markdown;
pub mod text;

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    /// Our words.
    Say(String),
    /// Our words, stressed.
    Strong(String),
    /// A name from the data: an agent, a registry, a task.
    Name(String),
    /// A sentence of ours with names from the data in it.
    Told(String),
    /// Something to type.
    Code(String),
}

/// A sentence or a part of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prose(pub Vec<Span>);

impl Prose {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds our words.
    #[must_use]
    pub fn say(mut self, words: impl Into<String>) -> Self {
        self.0.push(Span::Say(words.into()));
        self
    }

    /// Adds stressed words.
    #[must_use]
    pub fn strong(mut self, words: impl Into<String>) -> Self {
        self.0.push(Span::Strong(words.into()));
        self
    }

    /// Adds a name from the data.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.0.push(Span::Name(name.into()));
        self
    }

    /// Adds a sentence with names from the data in it.
    #[must_use]
    pub fn told(mut self, sentence: impl Into<String>) -> Self {
        self.0.push(Span::Told(sentence.into()));
        self
    }

    /// Adds something to type.
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.0.push(Span::Code(code.into()));
        self
    }

    /// Adds names, with commas and `and`; of more than `most`, only so many and how many more.
    #[must_use]
    pub fn names<S: AsRef<str>>(mut self, names: &[S], most: usize) -> Self {
        let shown = if names.len() > most { most } else { names.len() };
        for (i, name) in names.iter().take(shown).enumerate() {
            let last = i + 1 == names.len();
            self = match i {
                0 => self,
                _ if last => self.say(" and "),
                _ => self.say(", "),
            };
            self = self.name(name.as_ref());
        }
        match names.len() - shown {
            0 => self,
            more => self.say(format!(" and {more} more")),
        }
    }

    /// Adds another piece.
    #[must_use]
    pub fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Pieces with a separator between them.
    pub fn join(pieces: impl IntoIterator<Item = Self>, separator: &str) -> Self {
        let mut joined = Self::new();
        for piece in pieces.into_iter().filter(|p| !p.is_empty()) {
            if !joined.is_empty() {
                joined = joined.say(separator);
            }
            joined = joined.then(piece);
        }
        joined
    }
}

impl From<&str> for Prose {
    fn from(words: &str) -> Self {
        Self::new().say(words)
    }
}

impl From<String> for Prose {
    fn from(words: String) -> Self {
        Self::new().say(words)
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its heading; our words.
    pub title: &'static str,
    /// Whether it is set to the right.
    pub right: bool,
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// One cell for each column.
    pub rows: Vec<Vec<Prose>>,
    /// What was left out, and where it is.
    pub more: Option<Prose>,
}

impl Table {
    /// A table with these headings; one that begins with `>` is set to the right.
    pub fn new(titles: &[&'static str]) -> Self {
        let column = |title: &&'static str| match title.strip_prefix('>') {
            Some(title) => Column { title, right: true },
            None => Column { title, right: false },
        };
        Self { columns: titles.iter().map(column).collect(), rows: Vec::new(), more: None }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Prose>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Takes out the columns in which no row says anything.
    pub fn drop_empty_columns(&mut self) {
        let used: Vec<bool> = (0..self.columns.len())
            .map(|i| self.rows.iter().any(|row| row.get(i).is_some_and(|cell| !cell.is_empty())))
            .collect();
        let keep = |i: &mut usize| {
            let kept = used.get(*i).copied().unwrap_or(true);
            *i += 1;
            kept
        };
        let mut i = 0;
        self.columns.retain(|_| keep(&mut i));
        for row in &mut self.rows {
            let mut i = 0;
            row.retain(|_| keep(&mut i));
        }
    }
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A sentence or more.
    Line(Prose),
    /// One of several points.
    Item(Prose),
    /// A table.
    Table(Table),
    /// Lines to copy as they are, for example of a configuration.
    Lines(String),
}

/// A section of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its heading; our words.
    pub title: &'static str,
    /// What it says.
    pub blocks: Vec<Block>,
}

impl Section {
    /// An empty section.
    pub fn new(title: &'static str) -> Self {
        Self { title, blocks: Vec::new() }
    }

    /// Adds a sentence.
    pub fn line(&mut self, prose: impl Into<Prose>) {
        self.blocks.push(Block::Line(prose.into()));
    }

    /// Adds a point.
    pub fn item(&mut self, prose: impl Into<Prose>) {
        self.blocks.push(Block::Item(prose.into()));
    }

    /// Adds a table, unless it has no row.
    pub fn table(&mut self, mut table: Table) {
        if !table.rows.is_empty() {
            table.drop_empty_columns();
            self.blocks.push(Block::Table(table));
        }
    }

    /// Adds lines to copy.
    pub fn lines(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Lines(text.into()));
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

/// A whole report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Its title; our words.
    pub title: String,
    /// What it says first: one sentence a line.
    pub opening: Vec<Prose>,
    /// Whether the opening is an alarm.
    pub alarm: bool,
    /// The rest.
    pub sections: Vec<Section>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed() {
        let words = |n: usize, most| {
            let names: Vec<String> = (1..=n).map(|i| format!("r{i}")).collect();
            let prose = Prose::new().names(&names, most);
            let texts = prose.0.into_iter().map(|s| match s {
                Span::Say(t) | Span::Strong(t) | Span::Name(t) | Span::Told(t) | Span::Code(t) => t,
            });
            texts.collect::<String>()
        };
        assert_eq!(words(1, 3), "r1");
        assert_eq!(words(2, 3), "r1 and r2");
        assert_eq!(words(3, 3), "r1, r2 and r3");
        assert_eq!(words(5, 3), "r1, r2, r3 and 2 more");
    }

    #[test]
    fn columns_without_a_word_go() {
        let mut table = Table::new(&["a", ">b", "c"]);
        table.row(["1".into(), Prose::new(), "2".into()]);
        table.row(["3".into(), Prose::new(), Prose::new()]);
        table.drop_empty_columns();
        assert_eq!(table.columns.iter().map(|c| c.title).collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!(table.rows[1].len(), 2);
    }
}
