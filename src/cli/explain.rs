//! `carddrift explain`: everything known of one task.

use super::arguments::{From, Globals, LimitArgs, To};
use super::exit::{Exit, Failure};
use super::{output, reading};
use crate::report::document::{markdown, text};
use crate::report::explain;
use clap::{Args, ValueEnum};

/// Tell everything known of one task: its card, its course, its verdict and why
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift explain t-000751 --input samples/incident-2-schema-rotation
  carddrift explain t-000751 --input archive/ --format json")]
pub struct Explain {
    /// The task's id
    task_id: String,
    /// How to print the story
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: StoryFormat,
    #[command(flatten)]
    to: To,
    #[command(flatten)]
    from: From,
    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StoryFormat {
    /// For a terminal.
    Text,
    /// To paste into an incident document.
    Markdown,
    /// One object, `carddrift.explain/1`.
    Json,
}

/// Runs it.
pub fn run(globals: &Globals, given: &Explain) -> Result<Exit, Failure> {
    let read = reading::open(globals, &given.from, &given.limits)?;
    let (ids, exact) = explain::find(&read.session, &given.task_id)?;
    let id = match ids.as_slice() {
        [id] if exact => id,
        // A beginning that only one task has is enough.
        [id] if id.starts_with(&given.task_id) => id,
        _ => return Err(unknown(&given.task_id, &ids)),
    };
    let stories = explain::stories(&read.session, id)?;
    let path = given.to.output.as_deref();
    output::deliver(path, |out| {
        match given.format {
            StoryFormat::Json => explain::write_json(&stories, out)?,
            StoryFormat::Markdown => markdown::write(&explain::document(&stories), out)?,
            StoryFormat::Text => {
                text::write(&explain::document(&stories), output::style(globals, path), out)?;
            }
        }
        Ok(())
    })?;
    Ok(read.exit)
}

fn unknown(wanted: &str, ids: &[String]) -> Failure {
    let shown: Vec<_> = ids.iter().map(|id| crate::report::safe::terminal(id)).collect();
    match ids {
        [] => Failure::usage(format!("no task is called {wanted}"))
            .help("`carddrift query bindings` lists tasks with artifacts"),
        [one] => Failure::usage(format!("no task is called {wanted}"))
            .help(format!("did you mean {}?", crate::report::safe::terminal(one))),
        _ => Failure::usage(format!("several tasks begin with {wanted}"))
            .help(format!("one of {}", shown.join(", "))),
    }
}
