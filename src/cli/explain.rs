//! `carddrift explain`: everything known of one task.

use super::arguments::{From, Globals, LimitArgs, To};
use super::exit::{Exit, Failure};
use super::{output, reading};
use crate::report::document::{markdown, text};
use crate::report::explain::{self, Meant};
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
    let stories = match explain::find(&read.session, &given.task_id)? {
        Meant::Task(id) => explain::stories(&read.session, &id)?,
        other => return Err(not_one(&given.task_id, &other)),
    };
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

/// Why there is no story to tell, and what may have been meant.
fn not_one(wanted: &str, meant: &Meant) -> Failure {
    let shown = |id: &String| crate::report::safe::terminal(id).into_owned();
    match meant {
        Meant::Several(ids) => Failure::usage(format!("several tasks begin with `{wanted}`"))
            .help(format!("for example {}", ids.iter().map(shown).collect::<Vec<_>>().join(", "))),
        Meant::Outside => {
            Failure::usage(format!("the task {wanted} does not fall under the limits"))
                .help("leave out --from, --to, --agent, --registry and --client")
        }
        Meant::None(Some(near)) => Failure::usage(format!("no task is called {wanted}"))
            .help(format!("did you mean {}?", shown(near))),
        Meant::None(None) | Meant::Task(_) => Failure::usage(format!("no task is called {wanted}"))
            .help("`carddrift query bindings` lists tasks with artifacts"),
    }
}
