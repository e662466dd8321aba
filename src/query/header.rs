//! The header of a query's file: what it answers, in comments that the catalogue prints.

use std::fmt;

/// What the header of a query says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// Its title.
    pub title: String,
    /// The unit of its numbers.
    pub unit: String,
    /// What one row is.
    pub grain: String,
    /// The question that it answers.
    pub answers: String,
    /// Each column with what it says, in order.
    pub columns: Vec<(String, String)>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a query: `-- parameters:` and then `name: type = default: what it is for`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, without `$`.
    pub name: String,
    /// `integer`, `number`, `text`, `boolean` or `time`.
    pub kind: String,
    /// Its default; `None`: a value must be given.
    pub default: Option<String>,
    /// What it is for.
    pub doc: String,
}

/// What a header lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderError {
    /// Line of the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for HeaderError {}

impl Header {
    /// Reads the header of a query.
    ///
    /// # Errors
    /// When a part is missing or a line cannot be understood.
    pub fn parse(sql: &str) -> Result<Self, HeaderError> {
        let mut header = Self::default();
        let mut part = "";
        let mut last = 1;
        for (index, line) in sql.lines().enumerate() {
            let Some(comment) = line.strip_prefix("--") else { break };
            last = index + 1;
            let fault = |message: String| HeaderError { line: last, message };
            if let Some(entry) = comment.strip_prefix("   ") {
                match part {
                    "columns" => {
                        let (name, doc) = entry
                            .split_once(':')
                            .ok_or_else(|| fault("a column needs `name: what it says`".into()))?;
                        header.columns.push((name.trim().to_owned(), doc.trim().to_owned()));
                    }
                    "parameters" => {
                        let parameter = Parameter::parse(entry).ok_or_else(|| {
                            fault("a parameter needs `name: type = default: what it is for`".into())
                        })?;
                        header.parameters.push(parameter);
                    }
                    _ => return Err(fault("an indented line stands below columns only".into())),
                }
                continue;
            }
            let Some((key, value)) = comment.split_once(':') else {
                continue;
            };
            let value = value.trim().to_owned();
            match key.trim() {
                "title" => header.title = value,
                "unit" => header.unit = value,
                "grain" => header.grain = value,
                "answers" => header.answers = value,
                "columns" => part = "columns",
                "parameters" => part = "parameters",
                _ => {}
            }
        }
        let lacking = [
            ("title", header.title.is_empty()),
            ("unit", header.unit.is_empty()),
            ("grain", header.grain.is_empty()),
            ("answers", header.answers.is_empty()),
            ("columns", header.columns.is_empty()),
        ];
        match lacking.iter().find(|(_, lacks)| *lacks) {
            Some((name, _)) => {
                Err(HeaderError { line: last, message: format!("the header lacks `-- {name}:`") })
            }
            None => Ok(header),
        }
    }
}

impl Parameter {
    fn parse(entry: &str) -> Option<Self> {
        let (name, rest) = entry.split_once(':')?;
        let (typed, doc) = rest.split_once(':').unwrap_or((rest, ""));
        let (kind, default) = match typed.split_once('=') {
            Some((kind, default)) => (kind, Some(default.trim().to_owned())),
            None => (typed, None),
        };
        let kind = kind.trim();
        ["integer", "number", "text", "boolean", "time"].contains(&kind).then(|| Self {
            name: name.trim().to_owned(),
            kind: kind.to_owned(),
            default,
            doc: doc.trim().to_owned(),
        })
    }

    /// A value of its type, for planning without one.
    pub(super) fn sample(&self) -> &'static str {
        match self.kind.as_str() {
            "integer" | "number" => "0",
            "boolean" => "false",
            "time" => "1970-01-01T00:00:00Z",
            _ => "",
        }
    }

    /// The value as a SQL literal.
    ///
    /// # Errors
    /// When the text is no value of the parameter's type.
    pub fn literal(&self, value: &str) -> Result<String, String> {
        let wrong = || format!("parameter `{}` wants {} but got `{value}`", self.name, self.kind);
        match self.kind.as_str() {
            "integer" => value.parse::<i64>().map(|n| n.to_string()).map_err(|_| wrong()),
            "number" => match value.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(format!("CAST({number:?} AS DOUBLE)")),
                _ => Err(wrong()),
            },
            "boolean" => value.parse::<bool>().map(|b| b.to_string()).map_err(|_| wrong()),
            "time" => value
                .parse::<jiff::Timestamp>()
                .map(|time| {
                    format!(
                        "arrow_cast({}, 'Timestamp(Nanosecond, Some(\"UTC\"))')",
                        time.as_nanosecond()
                    )
                })
                .map_err(|_| wrong()),
            _ => Ok(super::text::quoted(value)),
        }
    }
}
