//! From INPUT arguments to a sorted list of sources.
//!
//! Knows nothing of what is in them. The order of the arguments never matters: sources are sorted
//! bytewise by name, and what is named twice is read once.

use crate::problem::{At, Kind, Problem};
use crate::redact::Redactor;
use globset::GlobBuilder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Where bytes come from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

/// Something to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// As given, joined with `/` below a directory; `-` for standard input.
    pub name: String,
    /// Where the bytes are.
    pub origin: Origin,
}

/// What the arguments stand for.
#[derive(Debug, Default)]
pub struct Found {
    /// Sorted by name.
    pub sources: Vec<Source>,
    /// What could not be looked at, by name, sorted.
    pub problems: Vec<(String, Problem)>,
}

/// Schemes of object stores and of the web.
const REMOTE: [&str; 8] = ["s3", "s3a", "gs", "az", "abfs", "abfss", "http", "https"];

/// Finds the sources that the arguments name: files, directories (all that is below, hidden files
/// too), globs, `-`. What cannot be looked at is told, and the rest goes on.
pub fn discover(inputs: &[String]) -> Found {
    let mut walk = Walk::default();
    for input in inputs {
        walk.input(input);
    }
    // A file that several arguments reach (itself and its folder, say) is read once, under the first
    // of its names.
    let mut seen = BTreeSet::new();
    let sources = walk
        .sources
        .into_iter()
        .filter(|(_, origin)| match origin {
            Origin::File(path) => {
                seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone()))
            }
            Origin::Stdin => true,
        })
        .map(|(name, origin)| Source { name, origin })
        .collect();
    let problems = walk
        .problems
        .into_iter()
        .map(|(name, detail)| (name, Problem::new(Kind::Unreadable, At::default(), detail)))
        .collect();
    Found { sources, problems }
}

#[derive(Default)]
struct Walk {
    sources: BTreeMap<String, Origin>,
    problems: BTreeMap<String, String>,
}

impl Walk {
    fn input(&mut self, input: &str) {
        if input == "-" {
            self.sources.insert(input.to_owned(), Origin::Stdin);
            return;
        }
        if let Some((scheme, _)) = input.split_once("://")
            && REMOTE.contains(&scheme.to_ascii_lowercase().as_str())
        {
            let detail =
                format!("this build cannot read {scheme}:// inputs; copy them to a folder first");
            self.problem(&Redactor::default().url(input), detail);
            return;
        }
        let path = Path::new(input);
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.directory(input, path, &mut Vec::new()),
            // Given by name, a pipe or a device is read like a file.
            Ok(_) => self.file(input, path),
            Err(_) if input.contains(['*', '?', '[', '{']) => self.glob(input),
            Err(error) => self.problem(input, error.to_string()),
        }
    }

    fn file(&mut self, name: &str, path: &Path) {
        self.sources.insert(name.to_owned(), Origin::File(path.to_owned()));
    }

    fn problem(&mut self, name: &str, detail: impl Into<String>) {
        self.problems.insert(name.to_owned(), detail.into());
    }

    /// All files below a directory. `above`: the directories on the way, by their real paths.
    fn directory(&mut self, name: &str, path: &Path, above: &mut Vec<PathBuf>) {
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) => return self.problem(name, error.to_string()),
        };
        if above.contains(&real) {
            return self.problem(name, "a symbolic link leads back to a folder above it");
        }
        if above.len() >= MAX_FOLDERS {
            return self.problem(name, format!("folders nest deeper than {MAX_FOLDERS}"));
        }
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) => return self.problem(name, error.to_string()),
        };
        above.push(real);
        for entry in entries {
            match entry {
                Ok(entry) => {
                    let below = joined(name, &entry.file_name().to_string_lossy());
                    self.entry(&below, &entry.path(), above);
                }
                Err(error) => self.problem(name, error.to_string()),
            }
        }
        above.pop();
    }

    fn entry(&mut self, name: &str, path: &Path, above: &mut Vec<PathBuf>) {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.directory(name, path, above),
            Ok(metadata) if metadata.is_file() => self.file(name, path),
            // Met on a walk, a pipe would block for ever.
            Ok(_) => self.problem(name, "neither a file nor a folder"),
            Err(error) => self.problem(name, error.to_string()),
        }
    }

    /// Files and folders that match a pattern; `**` stands for any number of folders.
    fn glob(&mut self, pattern: &str) {
        let matcher = match GlobBuilder::new(pattern).literal_separator(true).build() {
            Ok(glob) => glob.compile_matcher(),
            Err(error) => return self.problem(pattern, error.kind().to_string()),
        };
        // Everything up to the first wild part is a folder to begin in.
        let mut base = String::new();
        let mut wild = Vec::new();
        for part in pattern.split('/') {
            if wild.is_empty() && !part.contains(['*', '?', '[', '{']) {
                base.push_str(part);
                base.push('/');
            } else {
                wild.push(part);
            }
        }
        let levels =
            if wild.iter().any(|part| part.contains("**")) { MAX_FOLDERS } else { wild.len() };
        if !self.matching(&base, levels, &matcher, &mut Vec::new()) {
            self.problem(pattern, "no file matches the pattern");
        }
    }

    fn matching(
        &mut self,
        base: &str,
        levels: usize,
        matcher: &globset::GlobMatcher,
        above: &mut Vec<PathBuf>,
    ) -> bool {
        let folder = if base.is_empty() { Path::new(".") } else { Path::new(base) };
        let Ok(real) = fs::canonicalize(folder) else { return false };
        let Ok(entries) = fs::read_dir(folder) else { return false };
        if levels == 0 || above.contains(&real) {
            return false;
        }
        above.push(real);
        let mut names: Vec<String> = entries
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort_unstable();
        let mut matched = false;
        for name in names {
            let path = format!("{base}{name}");
            if matcher.is_match(&path) {
                matched = true;
                self.entry(&path, Path::new(&path), &mut Vec::new());
            } else if Path::new(&path).is_dir() {
                matched |= self.matching(&format!("{path}/"), levels - 1, matcher, above);
            }
        }
        above.pop();
        matched
    }
}

/// Folders within folders.
const MAX_FOLDERS: usize = 64;

fn joined(folder: &str, name: &str) -> String {
    if folder.ends_with('/') { format!("{folder}{name}") } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn folder(files: &[&str]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, b"x").unwrap();
        }
        folder
    }

    /// Names of sources and of problems, with the folder's name as `F`.
    fn told(folder: &TempDir, inputs: &[&str]) -> (Vec<String>, Vec<String>) {
        let base = folder.path().to_str().unwrap();
        let inputs: Vec<String> = inputs.iter().map(|input| input.replace('F', base)).collect();
        let found = discover(&inputs);
        let short = |name: &String| name.replace(base, "F");
        (
            found.sources.iter().map(|source| short(&source.name)).collect(),
            found.problems.iter().map(|(name, _)| short(name)).collect(),
        )
    }

    #[test]
    fn everything_below_a_folder_in_order_of_bytes() {
        let folder = folder(&["b.log", "a/x", "a/.hidden", "a.log", "B"]);
        let (sources, problems) = told(&folder, &["F"]);
        assert_eq!(sources, ["F/B", "F/a.log", "F/a/.hidden", "F/a/x", "F/b.log"]);
        assert!(problems.is_empty());
        assert_eq!(told(&folder, &["F/"]).0[0], "F/B");
    }

    #[test]
    fn the_order_of_arguments_never_matters_and_nothing_is_read_twice() {
        let folder = folder(&["a", "b"]);
        let ascending = told(&folder, &["F/a", "F/b", "-"]);
        assert_eq!(ascending, told(&folder, &["-", "F/b", "F/a", "F/a"]));
        assert_eq!(told(&folder, &["F", "F/a"]).0, ["F/a", "F/b"]);
        assert_eq!(told(&folder, &["F/./a", "F/a"]).0.len(), 1);
    }

    #[test]
    fn globs() {
        let folder = folder(&["a.log", "b.log", "c.txt", "d/e.log", "d/f/g.log"]);
        assert_eq!(told(&folder, &["F/*.log"]).0, ["F/a.log", "F/b.log"]);
        assert_eq!(
            told(&folder, &["F/**/*.log"]).0,
            ["F/a.log", "F/b.log", "F/d/e.log", "F/d/f/g.log"]
        );
        assert_eq!(told(&folder, &["F/d*"]).0, ["F/d/e.log", "F/d/f/g.log"]);
        assert_eq!(told(&folder, &["F/*.gz"]).1, ["F/*.gz"]);
        assert_eq!(told(&folder, &["F/[a"]).1, ["F/[a"]);
    }

    #[test]
    fn what_cannot_be_read_is_told_and_the_rest_goes_on() {
        let folder = folder(&["a"]);
        let (sources, problems) = told(&folder, &["F/missing", "F/a", "s3://bucket/x"]);
        assert_eq!(
            (sources, problems),
            (vec!["F/a".to_owned()], vec!["F/missing".to_owned(), "s3://bucket/x".to_owned()])
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_but_not_in_circles() {
        let folder = folder(&["a/x"]);
        std::os::unix::fs::symlink(folder.path(), folder.path().join("a/up")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("dead")).unwrap();
        let (sources, problems) = told(&folder, &["F"]);
        assert_eq!(sources, ["F/a/x"]);
        assert_eq!(problems, ["F/a/up", "F/dead"]);
    }
}
