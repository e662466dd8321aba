//! `carddrift store`: looking after a store.

use super::exit::{Exit, Failure};
use super::output;
use crate::store::Store as Opened;
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

/// Look after a store
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift store ls archive
  carddrift store verify archive
  carddrift store gc archive --dry-run")]
pub struct Store {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// List the commits and the sources that each added
    Ls(Folder),
    /// List the files that commits name
    Files(Folder),
    /// Hash every file that a commit names; exit 3 when one is missing or differs
    Verify(Folder),
    /// Remove what no commit names
    Gc {
        #[command(flatten)]
        folder: Folder,
        /// Only say what would be removed
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, Args)]
struct Folder {
    /// The store
    #[arg(value_name = "STORE", value_hint = ValueHint::DirPath)]
    store: PathBuf,
}

/// Runs it: one JSON object a line.
pub fn run(store: &Store) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    let mut lines = Vec::new();
    match &store.task {
        Task::Ls(folder) => {
            for commit in Opened::open(&folder.store)?.commits()? {
                for source in &commit.sources {
                    lines.push(serde_json::json!({
                        "commit": commit.number,
                        "source_file": source.source_file,
                        "sha256": source.sha256,
                        "size_bytes": source.size_bytes,
                    }));
                }
            }
        }
        Task::Files(folder) => {
            for commit in Opened::open(&folder.store)?.commits()? {
                for file in &commit.files {
                    lines.push(serde_json::json!({
                        "commit": commit.number, "file": file.name, "bytes": file.bytes, "sha256": file.sha256,
                    }));
                }
            }
        }
        Task::Verify(folder) => {
            for fault in Opened::open(&folder.store)?.verify()? {
                exit = Exit::Unreadable;
                lines.push(serde_json::json!({
                    "commit": fault.commit, "file": fault.path.display().to_string(), "why": fault.why,
                }));
            }
        }
        Task::Gc { folder, dry_run } => {
            for removed in Opened::open(&folder.store)?.gc(*dry_run)? {
                lines.push(serde_json::json!({
                    "file": removed.path.display().to_string(), "bytes": removed.bytes, "removed": !dry_run,
                }));
            }
        }
    }
    output::deliver(None, |out| {
        for line in &lines {
            writeln!(out, "{line}")?;
        }
        Ok(())
    })?;
    Ok(exit)
}
