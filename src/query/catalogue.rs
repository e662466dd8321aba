//! The built-in queries with what their headers say.

use super::files;
use super::header::{Header, Parameter};
use std::sync::OnceLock;

/// One built-in query.
#[derive(Debug, Clone)]
pub struct BuiltIn {
    /// Its name: that of its file.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// The unit of its numbers.
    pub unit: String,
    /// What one row is.
    pub grain: String,
    /// The question that it answers.
    pub answers: String,
    /// Its columns, in order.
    pub columns: Vec<ColumnDoc>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its text.
    pub sql: &'static str,
}

/// A column of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnDoc {
    /// Its name.
    pub name: String,
    /// What it says.
    pub doc: String,
}

/// The built-in queries, in the order of the report.
pub fn catalogue() -> &'static [BuiltIn] {
    static CATALOGUE: OnceLock<Vec<BuiltIn>> = OnceLock::new();
    CATALOGUE.get_or_init(|| read(files::QUERIES))
}

/// The indicators: queries whose rows are the events that service levels count, with `at` and `good`.
/// They are no part of the report.
pub fn indicators() -> &'static [BuiltIn] {
    static INDICATORS: OnceLock<Vec<BuiltIn>> = OnceLock::new();
    INDICATORS.get_or_init(|| read(files::INDICATORS))
}

fn read(files: &'static [(&'static str, &'static str)]) -> Vec<BuiltIn> {
    let one = |(name, sql): &(&'static str, &'static str)| {
        // A test proves that every header can be read.
        let header = Header::parse(sql).unwrap_or_default();
        BuiltIn {
            name,
            title: header.title,
            unit: header.unit,
            grain: header.grain,
            answers: header.answers,
            columns: header
                .columns
                .into_iter()
                .map(|(name, doc)| ColumnDoc { name, doc })
                .collect(),
            parameters: header.parameters,
            sql,
        }
    };
    files.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn folder(path: &str) -> BTreeSet<String> {
        std::fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".sql").map(str::to_owned))
            .collect()
    }

    #[test]
    fn every_file_is_listed_and_every_header_can_be_read() {
        let queries: BTreeSet<String> = files::QUERIES.iter().map(|q| q.0.to_owned()).collect();
        assert_eq!(queries, folder("queries"));
        let views: BTreeSet<String> = files::VIEWS.iter().map(|v| v.0.to_owned()).collect();
        assert_eq!(views, folder("queries/views"));
        let indicators: BTreeSet<String> =
            files::INDICATORS.iter().map(|q| q.0.to_owned()).collect();
        assert_eq!(indicators, folder("queries/indicators"));
        for (name, sql) in files::QUERIES.iter().chain(files::INDICATORS) {
            assert!(Header::parse(sql).is_ok(), "{name}: {:?}", Header::parse(sql));
        }
        for (name, sql) in files::VIEWS {
            for part in ["-- view: ", "-- grain: ", "-- model: "] {
                assert!(sql.contains(part), "queries/views/{name}.sql lacks `{part}`");
            }
        }
    }
}
