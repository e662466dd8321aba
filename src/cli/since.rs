//! `--since` and `--since-last`: only what is new in a store.
//!
//! New is a row that was not there when the store ended with that commit, or that said something else then.
//! So late data show in the period that they belong to, and what they change shows again.

use super::arguments::{From, Globals, LimitArgs};
use super::exit::{Exit, Failure};
use super::output;
use super::reading::{self, Read};
use crate::query::{Rows, Session};
use crate::report::{answers::view, news::Before};
use crate::store::Store;
use clap::{Args, ValueHint};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// Since when.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Limits on what is printed")]
pub struct SinceArgs {
    /// Only rows that are new since this commit of the store, or say something else than then
    #[arg(long, value_name = "COMMIT", requires = "store", conflicts_with = "since_last")]
    pub since: Option<u64>,
    /// The same since the run that wrote FILE; when all is printed, FILE is written anew
    #[arg(long, value_name = "FILE", requires = "store", value_hint = ValueHint::FilePath)]
    pub since_last: Option<PathBuf>,
}

/// Where a run ended.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mark {
    /// The last commit that it read.
    commit: u64,
    /// SHA-256 of that commit's file: another store has another one. Null: the store had no commit.
    sha256: Option<String>,
}

impl SinceArgs {
    /// Whether it was asked for.
    pub fn is_given(&self) -> bool {
        self.since.is_some() || self.since_last.is_some()
    }

    /// The commit that what is printed must be newer than; `None`: all is printed, as before the first.
    pub fn commit(&self, store: Option<&Path>) -> Result<Option<u64>, Failure> {
        let Some(root) = store else { return Ok(None) };
        if let Some(commit) = self.since {
            let store = Store::open(root)?;
            if commit > 0 && store.commit_sha256(commit)?.is_none() {
                return Err(Failure::usage(format!("--since: the store has no commit {commit}"))
                    .help("`carddrift store ls STORE` lists the commits"));
            }
            return Ok(Some(commit).filter(|commit| *commit > 0));
        }
        let Some(path) = &self.since_last else { return Ok(None) };
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(refused(path, &e.to_string())),
        };
        let mark: Mark = serde_json::from_slice(&text)
            .map_err(|_| refused(path, "it is not what an earlier run wrote"))?;
        if mark.commit > 0 && Store::open(root)?.commit_sha256(mark.commit)? != mark.sha256 {
            return Err(refused(path, "it was written for another store"));
        }
        Ok(Some(mark.commit).filter(|commit| *commit > 0))
    }

    /// The rows that `ask` gives of what was read, but those that it gave of the store at that commit.
    pub fn rows(
        globals: &Globals,
        from: &From,
        limits: &LimitArgs,
        (since, read): (Option<u64>, &Read),
        ask: impl Fn(&Session) -> Result<Rows, Failure>,
    ) -> Result<Rows, Failure> {
        // Asked before: the older session is closed again before the newer one asks.
        let before = since.map(|since| {
            let commits = (since, read.extent.commit);
            Self::before(globals, from, limits, commits, |session| {
                Ok(Before::of(view(&ask(session)?))?)
            })
        });
        let rows = ask(&read.session)?;
        match before.transpose()? {
            Some(before) => Ok(before.unwrap_or_else(Before::everything).leave_new(&rows)?),
            None => Ok(rows),
        }
    }

    /// What `say` says of the store as it was at that commit; `None`: that is as it is now.
    pub fn before<T>(
        globals: &Globals,
        from: &From,
        limits: &LimitArgs,
        (commit, now): (u64, u64),
        say: impl FnOnce(&Session) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let Some(store) = from.store.as_deref().filter(|_| commit != now) else { return Ok(None) };
        let session = reading::open_until(globals, store, limits, commit)?;
        say(&session).map(Some)
    }

    /// Remembers how far this run read, once what it says has been delivered.
    pub fn done(&self, store: Option<&Path>, read: &Read, exit: Exit) -> Result<(), Failure> {
        let (Some(root), Some(path)) = (store, &self.since_last) else { return Ok(()) };
        if exit > Exit::Breached {
            return Ok(());
        }
        let mark = Mark {
            commit: read.extent.commit,
            sha256: Store::open(root)?.commit_sha256(read.extent.commit)?,
        };
        output::deliver(Some(path), |out| {
            serde_json::to_writer(&mut *out, &mark).map_err(std::io::Error::from)?;
            Ok(out.write_all(b"\n")?)
        })
    }
}

fn refused(path: &Path, why: &str) -> Failure {
    Failure::usage(format!("--since-last {}: {why}", path.display()))
        .help("remove the file to begin anew")
}
