//! The user's own queries: a folder of `.sql` files with the header of the built-in ones.
//!
//! All of them are checked when they are loaded, against tables without rows: the header is complete,
//! the SQL can be planned and only reads, and its columns are those of the header. One with the name of
//! a built-in query takes its place, and must have its columns, since reports read them.

use super::engine::Relation;
use super::header::Header;
use super::{Session, Settings, catalogue, indicators, text};
use crate::tables::Dataset;
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// A query of the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnQuery {
    /// Its name: that of its file.
    pub name: String,
    /// What its header says.
    pub header: Header,
    /// Its text.
    pub sql: String,
    /// Its file.
    pub file: PathBuf,
}

/// Why a folder of queries cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnFault {
    /// The file or folder.
    pub file: PathBuf,
    /// Line, from 1; 0: the file as a whole.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for OwnFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file.display(), self.what),
            line => write!(f, "{}:{line}: {}", self.file.display(), self.what),
        }
    }
}

impl std::error::Error for OwnFault {}

impl OwnQuery {
    /// Loads the `.sql` files of a folder, by name.
    ///
    /// # Errors
    /// The first fault, by name of the file.
    pub fn load(folder: &Path, settings: &Settings) -> Result<Vec<Self>, OwnFault> {
        let whole = |file: &Path, what: String| OwnFault { file: file.to_owned(), line: 0, what };
        let listed =
            fs::read_dir(folder).map_err(|e| whole(folder, format!("cannot be read: {e}")))?;
        let mut files: Vec<PathBuf> = listed
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| whole(folder, format!("cannot be read: {e}")))?
            .into_iter()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|e| e == "sql") && path.is_file())
            .collect();
        files.sort();
        if files.is_empty() {
            return Err(whole(folder, "has no file that ends in .sql".to_owned()));
        }
        let mut queries = Vec::new();
        for file in files {
            let length = fs::metadata(&file).map(|m| m.len());
            if length.is_ok_and(|length| length > MOST_BYTES) {
                return Err(whole(&file, "is larger than 1 MiB".to_owned()));
            }
            let sql = fs::read_to_string(&file)
                .map_err(|e| whole(&file, format!("cannot be read: {e}")))?;
            queries.push(Self::read(file, sql)?);
        }
        Self::check(&queries, settings)?;
        Ok(queries)
    }

    fn read(file: PathBuf, sql: String) -> Result<Self, OwnFault> {
        let name = file.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_owned();
        let fault = |line, what| OwnFault { file: file.clone(), line, what };
        let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !plain {
            let what = "the name of a query is made of a-z, 0-9 and _: rename the file";
            return Err(fault(0, what.to_owned()));
        }
        let query = |n: &str| catalogue().iter().chain(indicators()).any(|q| q.name == n);
        let table = crate::tables::all().iter().any(|table| table.name == name);
        if table || Session::relations().any(|n| n == name) && !query(&name) {
            let what = format!("`{name}` is the name of a table or shared view: rename the file");
            return Err(fault(0, what));
        }
        match Header::parse(&sql) {
            Ok(header) => Ok(Self { name, header, sql, file }),
            Err(e) => Err(fault(e.line, e.message)),
        }
    }

    /// Checks all queries together: they may read each other.
    fn check(queries: &[Self], settings: &Settings) -> Result<(), OwnFault> {
        for query in queries {
            query.ends(queries, &mut Vec::new())?;
        }
        let settings = Settings { queries: queries.to_vec(), threads: 1, ..settings.clone() };
        let opening = |what: String| OwnFault { file: PathBuf::new(), line: 0, what };
        let session =
            Session::open(Dataset::default(), &settings).map_err(|e| opening(e.to_string()))?;
        for query in queries {
            query.check_columns(&session)?;
        }
        Ok(())
    }

    fn fault(&self, what: String) -> OwnFault {
        OwnFault { file: self.file.clone(), line: 0, what }
    }

    /// Fails when the query reads itself, by way of others.
    fn ends<'q>(&'q self, queries: &'q [Self], path: &mut Vec<&'q str>) -> Result<(), OwnFault> {
        if let Some(start) = path.iter().position(|name| *name == self.name) {
            let mut circle: Vec<&str> = path.iter().skip(start).copied().collect();
            circle.push(&self.name);
            return Err(
                self.fault(format!("queries read each other in a circle: {}", circle.join(" → ")))
            );
        }
        path.push(&self.name);
        for word in text::names(&self.sql) {
            let next = queries.iter().find(|query| query.name == word && word != self.name);
            next.map_or(Ok(()), |next| next.ends(queries, path))?;
        }
        path.pop();
        Ok(())
    }

    fn check_columns(&self, session: &Session) -> Result<(), OwnFault> {
        let used: BTreeSet<&str> = text::parameters(&self.sql).into_iter().collect();
        if let Some(unused) =
            self.header.parameters.iter().find(|p| !used.contains(p.name.as_str()))
        {
            return Err(self.fault(format!("the SQL does not use its parameter `{}`", unused.name)));
        }
        for parameter in &self.header.parameters {
            if let Some(Err(what)) = parameter.default.as_ref().map(|d| parameter.literal(d)) {
                return Err(self.fault(format!("of the header: {what}")));
            }
        }
        let lacking = self.header.parameters.iter().filter(|p| p.default.is_none());
        let params: Vec<(String, String)> =
            lacking.map(|p| (p.name.clone(), p.sample().to_owned())).collect();
        let columns = session
            .columns(Relation::Named(&self.name), &params)
            .map_err(|error| self.fault(error.to_string()))?;
        let told: Vec<&str> = self.header.columns.iter().map(|(name, _)| name.as_str()).collect();
        if columns != told {
            let what = format!(
                "the header tells the columns {}, but the SQL gives {}",
                told.join(", "),
                columns.join(", ")
            );
            return Err(self.fault(what));
        }
        let replaced = catalogue().iter().chain(indicators()).find(|q| q.name == self.name);
        for column in replaced.iter().flat_map(|query| &query.columns) {
            if !columns.contains(&column.name) {
                let what = format!(
                    "it takes the place of the built-in query `{}`, but lacks its column `{}`",
                    self.name, column.name
                );
                return Err(self.fault(what));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    const RIGHT: &str = "\
-- title: Slow mirrors
-- unit: seconds
-- grain: one row for each slow window
-- answers: which mirrors took longer than they should?
-- columns:
--   registry: the mirror
--   lag_s: how long it took
-- parameters:
--   least_s: number = 60: what is slow
SELECT registry, lag_s FROM registry_lag WHERE lag_s >= $least_s ORDER BY lag_s DESC, registry
";

    fn load(files: &[(&str, &str)]) -> Result<Vec<OwnQuery>, OwnFault> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        OwnQuery::load(folder.path(), &Settings::of(&Config::default()))
    }

    #[test]
    fn a_query_is_usable_by_name_with_its_parameters() {
        let queries = load(&[("slow.sql", RIGHT), ("README.md", "no query")]).unwrap();
        assert_eq!(queries[0].name, "slow");
        let settings = Settings { queries, ..Settings::of(&Config::default()) };
        let session = Session::open(Dataset::default(), &settings).unwrap();
        let param = |value: &str| vec![("least_s".to_owned(), value.to_owned())];
        assert_eq!(session.query("slow", &param("1e3")).unwrap().schema.fields().len(), 2);
        let error = session.query("slow", &param("x")).unwrap_err().to_string();
        assert!(error.contains("wants number"), "{error}");
        let error = session.query("slow", &[("least".into(), "1".into())]).unwrap_err().to_string();
        assert!(error.contains("did you mean `least_s`?"), "{error}");
        let error = session.query("slo", &[]).unwrap_err().to_string();
        assert!(error.contains("did you mean `slow`?"), "{error}");
        session.sql("SELECT count(*) FROM slow", &[]).unwrap();
        session.select("count(*)", Relation::Named("slow"), &param("5")).unwrap();
    }

    #[test]
    fn what_is_wrong_is_told_when_it_is_loaded() {
        let changed = |right: &str, wrong: &str| {
            assert!(RIGHT.contains(right));
            load(&[("slow.sql", &RIGHT.replacen(right, wrong, 1))]).unwrap_err().to_string()
        };
        for (right, wrong, told) in [
            ("-- unit: seconds\n", "", "the header lacks `-- unit:`"),
            ("lag_s: how", "lag: how", "the SQL gives registry, lag_s"),
            ("FROM registry_lag", "FROM registry_lags", "registry_lags"),
            ("number = 60", "number = sixty", "wants number"),
            ("number = 60", "seconds = 60", "slow.sql:9: a parameter needs"),
            ("$least_s", "60", "does not use its parameter `least_s`"),
            (
                "SELECT registry, lag_s FROM",
                "DELETE FROM registry_lag; SELECT 1 FROM",
                "slow.sql: ",
            ),
        ] {
            let found = changed(right, wrong);
            assert!(found.contains(told), "{wrong}: {found}");
        }
        let of = |name: &str| load(&[(name, RIGHT)]).unwrap_err().to_string();
        assert!(of("Slow.sql").contains("rename the file"));
        assert!(of("tasks.sql").contains("shared view"));
        assert!(of("cards.sql").contains("table"));
        assert!(of("registry_lag.sql").contains("registry_lag.sql: "));
        assert!(load(&[]).unwrap_err().to_string().contains("no file that ends in .sql"));
        let other = RIGHT.replace("registry_lag", "a");
        let circle = load(&[("a.sql", &RIGHT.replace("registry_lag", "b")), ("b.sql", &other)]);
        assert!(circle.unwrap_err().to_string().contains("a → b → a"));
    }

    #[test]
    fn a_built_in_query_can_be_replaced_by_one_with_its_columns() {
        let actions = catalogue().iter().find(|query| query.name == "actions").unwrap();
        let queries = load(&[("actions.sql", actions.sql)]).unwrap();
        assert_eq!(queries[0].header.title, actions.title);
        let short = load(&[("actions.sql", RIGHT)]).unwrap_err().to_string();
        assert!(short.contains("lacks its column `action`"), "{short}");
    }
}
