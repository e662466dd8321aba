//! The command line: types of arguments, and one file for each command.
//!
//! No logic: a command reads its arguments, asks the rooms, and says how it ends.
//!
//! *A command*: one file, one variant of [`Command`] with its doc, one line in [`dispatch`].

mod actions;
mod again;
mod analyze;
mod arguments;
mod compare;
mod config;
mod diff;
mod exit;
mod explain;
mod gate;
mod ingest;
mod inspect;
mod output;
mod progress;
mod queries;
mod query;
mod reading;
mod shell;
mod simulate;
mod since;
mod slo;
mod store;

pub use exit::{Exit, Failure};

use arguments::Globals;
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;

/// Finds out from recordings what went wrong between A2A clients, agents and registries: tasks
/// admitted under an Agent Card that their artifacts contradict, mirrors that lag, retry storms.
#[derive(Debug, Parser)]
#[command(
    name = "carddrift",
    version,
    about = "Offline analyzer of A2A delegation recordings",
    long_about,
    after_help = "\
Examples:
  carddrift analyze samples/incident-2-schema-rotation
  carddrift query registry_lag --input traffic.har --format csv
  carddrift slo --input archive/ --objectives slo.yaml
  carddrift queries
Exit status: 0 done, 1 an objective missed or a gate breached, 2 wrong usage, 3 input unreadable or data lost against --strict, 4 internal error.",
    arg_required_else_help = true,
    propagate_version = true
)]
pub struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
enum Command {
    Analyze(analyze::Analyze),
    Ingest(ingest::Ingest),
    Query(query::Query),
    Queries(queries::Queries),
    Report(analyze::Report),
    Slo(slo::Slo),
    Explain(explain::Explain),
    Diff(diff::Diff),
    Compare(compare::Compare),
    Actions(actions::Actions),
    Inspect(inspect::Inspect),
    Store(store::StoreCommand),
    Simulate(simulate::Simulate),
    Config(config::Config),
    Completions(shell::Completions),
    Man(shell::Man),
}

fn dispatch(cli: Cli) -> Result<Exit, Failure> {
    let globals = &cli.globals;
    match cli.command {
        Command::Analyze(analyze) => analyze::run(globals, analyze),
        Command::Ingest(ingest) => ingest::run(globals, &ingest),
        Command::Query(query) => query::run(globals, &query),
        Command::Queries(queries) => queries::run(globals, &queries),
        Command::Simulate(simulate) => simulate::run(&simulate),
        Command::Slo(slo) => slo::run(globals, &slo),
        Command::Report(report) => analyze::run_report(globals, &report),
        Command::Explain(explain) => explain::run(globals, &explain),
        Command::Actions(actions) => actions::run(globals, &actions),
        Command::Diff(diff) => diff::run(globals, &diff),
        Command::Compare(compare) => compare::run(globals, &compare),
        Command::Inspect(inspect) => inspect::run(globals, inspect),
        Command::Store(store) => store::run(globals, &store),
        Command::Config(config) => config::run(globals, &config),
        Command::Completions(completions) => shell::completions(&completions),
        Command::Man(man) => shell::man(&man),
    }
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    run(std::env::args_os()).into()
}

/// Runs a command.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(e) => {
            // That help goes to a closed pipe is no failure.
            let _ = e.print();
            return if e.use_stderr() { Exit::Usage } else { Exit::Done };
        }
    };
    // A bug must not look like a finding: a panic ends with 4, not with 101.
    let result = panic::catch_unwind(panic::AssertUnwindSafe(|| dispatch(cli)));
    match result {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => {
            if !failure.message.is_empty() {
                output::tell(&failure.to_string());
            }
            failure.exit
        }
        Err(_) => {
            output::tell(
                "error[CD999]: carddrift contradicts itself\n  help: this is a bug: please report it \
                 with the message above",
            );
            Exit::Internal
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn what_help_advises_is_there() {
        let command = Cli::command();
        let ingest = command.find_subcommand("ingest").unwrap();
        let known: Vec<&str> = ingest.get_arguments().filter_map(|a| a.get_long()).collect();
        for kind in crate::problem::Kind::ALL {
            for flag in kind.help().split("--").skip(1) {
                let name =
                    flag.split(|c: char| c != '-' && !c.is_ascii_lowercase()).next().unwrap();
                assert!(known.contains(&name), "{kind}: --{name}");
            }
        }
    }

    #[test]
    fn every_command_and_argument_has_help() {
        for command in Cli::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                let name = argument.get_id();
                assert!(argument.get_help().is_some(), "{} {name}", command.get_name());
            }
        }
    }
}
