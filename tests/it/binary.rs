//! The program at work in a folder of its own, and what it leaves there.

use crate::command::program;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A folder to work in, and the program in it.
pub(crate) struct Place {
    pub folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// The program with arguments, working in the folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let temporary = self.path("tmp");
        std::fs::create_dir_all(&temporary).unwrap();
        let mut command = program();
        command.args(arguments).current_dir(self.folder.path()).env("TMPDIR", temporary);
        command.stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs it to its end; what it printed.
    pub fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", told(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What the store answers: the report with every built-in query but one, that one, and the facts.
    pub fn answers(&self, store: &str) -> String {
        let report = self.done(&["report", "--store", store, "--format", "json"]);
        let rows = |what: &[&str]| {
            let arguments = [&["query", "--store", store, "--format", "ndjson"], what].concat();
            self.done(&arguments)
        };
        let facts = "SELECT * FROM task_events ORDER BY time, task_id, source_file, source_line";
        [report, rows(&["bindings"]), rows(&["-e", facts])].concat()
    }
}

/// What a process wrote to standard error.
pub(crate) fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Every byte of the files below a folder, with their names.
pub(crate) fn bytes_below(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(bytes_below(&path));
        } else {
            found.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// A journal of statuses of tasks with these numbers, in order of time.
pub(crate) fn statuses(numbers: std::ops::Range<usize>) -> String {
    numbers
        .map(|n| {
            format!(
                "{{\"time\":\"2026-11-14T{:02}:{:02}:{:02}Z\",\"event\":\"task_status\",\"agent\":\"ag\",\
                 \"client\":\"c\",\"task_id\":\"t-{n:09}\",\"state\":\"working\"}}\n",
                n / 3600 % 24,
                n / 60 % 60,
                n % 60
            )
        })
        .collect()
}
