//! `carddrift config show`: each setting and where it came from.

use super::arguments::{Globals, To};
use super::exit::{Exit, Failure};
use super::{output, reading};
use crate::config::load::{Loaded, Setting};
use crate::report::json;
use clap::{Args, Subcommand, ValueEnum};
use std::io::Write;

/// Look at the settings
#[derive(Debug, Args)]
pub struct Config {
    #[command(subcommand)]
    command: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print each setting and where it came from
    Show(Show),
}

#[derive(Debug, Args)]
struct Show {
    /// How to print the settings
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    format: ShowFormat,
    #[command(flatten)]
    to: To,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShowFormat {
    /// TOML with the origins as comments.
    Text,
    /// One array of objects.
    Json,
}

/// Runs it.
pub fn run(globals: &Globals, config: &Config) -> Result<Exit, Failure> {
    let What::Show(show) = &config.command;
    let loaded = reading::settings(globals)?;
    output::deliver(show.to.output.as_deref(), |out| {
        match show.format {
            ShowFormat::Text => write_toml(&loaded, out)?,
            ShowFormat::Json => write_json(&loaded.settings, out)?,
        }
        Ok(())
    })?;
    Ok(Exit::Done)
}

fn write_toml(loaded: &Loaded, out: &mut dyn Write) -> std::io::Result<()> {
    match &loaded.file {
        Some(file) => writeln!(out, "# file: {}", file.display())?,
        None => writeln!(out, "# no file")?,
    }
    let mut section = "";
    for setting in &loaded.settings {
        let origin = &setting.origin;
        let Some(key) = &setting.key else {
            for table in setting.value.as_array().into_iter().flatten() {
                writeln!(out, "\n[[{}]]  # {origin}", setting.section)?;
                write!(out, "{}", toml::to_string(table).unwrap_or_default())?;
            }
            continue;
        };
        if section != setting.section {
            section = &setting.section;
            writeln!(out, "\n[{section}]")?;
        }
        let bare = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        let key = if bare { key.clone() } else { toml::Value::String(key.clone()).to_string() };
        writeln!(out, "{key} = {}  # {origin}", setting.value)?;
    }
    Ok(())
}

fn write_json(settings: &[Setting], out: &mut dyn Write) -> std::io::Result<()> {
    let mut text = vec![b'['];
    for (i, setting) in settings.iter().enumerate() {
        text.extend_from_slice(if i == 0 { b"\n  {\"section\":" } else { b",\n  {\"section\":" });
        json::string(&mut text, &setting.section);
        text.extend_from_slice(b",\"key\":");
        match &setting.key {
            Some(key) => json::string(&mut text, key),
            None => text.extend_from_slice(b"null"),
        }
        text.extend_from_slice(b",\"value\":");
        serde_json::to_writer(&mut text, &setting.value)?;
        text.extend_from_slice(b",\"origin\":");
        json::string(&mut text, &setting.origin.to_string());
        text.push(b'}');
    }
    text.extend_from_slice(b"\n]\n");
    out.write_all(&text)
}
