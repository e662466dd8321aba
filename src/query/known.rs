//! Every query that can be run by name, whoever wrote it.

use super::catalogue::BuiltIn;
use super::header::Parameter;
use super::{OwnQuery, catalogue, indicators};

/// Who wrote a query, and what for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A part of the report.
    Report,
    /// The events that service levels count.
    Indicator,
    /// The user.
    Own,
}

impl Origin {
    /// The word that is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Indicator => "indicator",
            Self::Own => "own",
        }
    }
}

/// A query as the catalogue tells it.
#[derive(Debug, Clone)]
pub struct Known<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whose it is.
    pub origin: Origin,
    /// Its title.
    pub title: &'a str,
    /// The unit of its numbers.
    pub unit: &'a str,
    /// What one row is.
    pub grain: &'a str,
    /// The question that it answers.
    pub answers: &'a str,
    /// Its columns with what they say, in order.
    pub columns: Vec<(&'a str, &'a str)>,
    /// Its parameters.
    pub parameters: &'a [Parameter],
    /// Its text.
    pub sql: &'a str,
}

impl<'a> Known<'a> {
    /// Those of the report, the indicators, and the user's; a user's takes the place of a built-in one.
    pub fn all(own: &'a [OwnQuery]) -> Vec<Self> {
        let built_in = catalogue()
            .iter()
            .map(|query| (query, Origin::Report))
            .chain(indicators().iter().map(|query| (query, Origin::Indicator)));
        let mut all: Vec<Self> = built_in
            .map(|(query, origin)| {
                let replaced = own.iter().find(|own| own.name == query.name);
                replaced.map_or_else(|| Self::built_in(query, origin), Self::own)
            })
            .collect();
        let new: Vec<Self> = own
            .iter()
            .filter(|own| !all.iter().any(|known| known.name == own.name))
            .map(Self::own)
            .collect();
        all.extend(new);
        all
    }

    fn built_in(query: &'a BuiltIn, origin: Origin) -> Self {
        let columns = query.columns.iter().map(|c| (c.name.as_str(), c.doc.as_str()));
        Self {
            name: query.name,
            origin,
            title: &query.title,
            unit: &query.unit,
            grain: &query.grain,
            answers: &query.answers,
            columns: columns.collect(),
            parameters: &query.parameters,
            sql: query.sql,
        }
    }

    fn own(query: &'a OwnQuery) -> Self {
        let header = &query.header;
        let columns = header.columns.iter().map(|(name, doc)| (name.as_str(), doc.as_str()));
        Self {
            name: &query.name,
            origin: Origin::Own,
            title: &header.title,
            unit: &header.unit,
            grain: &header.grain,
            answers: &header.answers,
            columns: columns.collect(),
            parameters: &header.parameters,
            sql: &query.sql,
        }
    }
}
