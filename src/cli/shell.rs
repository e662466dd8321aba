//! `carddrift completions` and `carddrift man`: what a shell and `man` want to know.

use super::Cli;
use super::arguments::To;
use super::exit::{Exit, Failure};
use super::output;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::path::PathBuf;

/// Print the completions of a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift completions bash > /etc/bash_completion.d/carddrift
  carddrift completions zsh > ~/.zfunc/_carddrift
  carddrift completions fish > ~/.config/fish/completions/carddrift.fish")]
pub struct Completions {
    /// The shell
    shell: Shell,
    #[command(flatten)]
    to: To,
}

/// Print a manual page, or write all of them to a folder
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  carddrift man | man -l -
  carddrift man query | man -l -
  carddrift man --folder ~/.local/share/man/man1")]
pub struct Man {
    /// A command; without one, the page of carddrift itself
    command: Option<String>,
    /// Write the pages of all commands to this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    folder: Option<PathBuf>,
}

/// Runs `completions`.
pub fn completions(given: &Completions) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(given.shell, &mut Cli::command(), "carddrift", &mut script);
    output::deliver(given.to.output.as_deref(), |out| Ok(out.write_all(&script)?))?;
    Ok(Exit::Done)
}

/// Runs `man`.
pub fn man(given: &Man) -> Result<Exit, Failure> {
    let mut root = Cli::command();
    root.build();
    if let Some(folder) = &given.folder {
        std::fs::create_dir_all(folder)
            .map_err(|e| Failure::usage(format!("{}: {e}", folder.display())))?;
        for page in root.get_subcommands().chain([&root]) {
            let (name, text) = render(page)?;
            output::deliver(Some(&folder.join(format!("{name}.1"))), |out| {
                Ok(out.write_all(&text)?)
            })?;
        }
        return Ok(Exit::Done);
    }
    let page = match &given.command {
        None => &root,
        Some(name) => root.get_subcommands().find(|c| c.get_name() == name).ok_or_else(|| {
            let names: Vec<&str> = root.get_subcommands().map(clap::Command::get_name).collect();
            let help = crate::config::nearest(name, names.iter().copied()).map_or_else(
                || format!("known: {}", names.join(", ")),
                |n| format!("did you mean `{n}`?"),
            );
            Failure::usage(format!("no command is called `{name}`")).help(help)
        })?,
    };
    let (_, text) = render(page)?;
    output::deliver(None, |out| Ok(out.write_all(&text)?))?;
    Ok(Exit::Done)
}

/// The name and the text of a page.
fn render(command: &clap::Command) -> Result<(String, Vec<u8>), Failure> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    Ok((name, text))
}
