//! Where results go: standard output, or a file that is written whole or not at all.

use super::arguments::Globals;
use super::exit::{Exit, Failure};
use crate::report::document::text::Style;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Where results go.
pub enum Sink {
    /// Standard output.
    Stdout(BufWriter<io::Stdout>),
    /// A file that gets its name when it is whole.
    File(BufWriter<NamedTempFile>, PathBuf),
    /// Something that cannot be replaced: a pipe, a device.
    Direct(BufWriter<File>),
}

impl Sink {
    /// Opens the file; without one, or for `-`, standard output.
    pub fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path.filter(|p| *p != Path::new("-")) else {
            return Ok(Self::Stdout(BufWriter::new(io::stdout())));
        };
        let refused = |e: io::Error| Failure::usage(format!("--output {}: {e}", path.display()));
        if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
            let file = File::options().write(true).open(path).map_err(refused)?;
            return Ok(Self::Direct(BufWriter::new(file)));
        }
        // What a link names is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".carddrift-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Less what the umask takes, as for any new file.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(refused)?;
        Ok(Self::File(BufWriter::new(file), target))
    }

    /// What to write to.
    pub fn writer(&mut self) -> &mut (dyn Write + Send) {
        match self {
            Self::Stdout(out) => out,
            Self::File(out, _) => out,
            Self::Direct(out) => out,
        }
    }

    /// Writes what is left and gives the file its name.
    pub fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Stdout(mut out) => Ok(out.flush()?),
            Self::Direct(mut out) => Ok(out.flush()?),
            Self::File(out, path) => {
                let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.as_file().sync_all()?;
                file.persist(&path).map_err(|e| {
                    Failure::new(
                        Exit::Internal,
                        format!("--output {}: {}", path.display(), e.error),
                    )
                })?;
                Ok(())
            }
        }
    }
}

/// Writes with `write` to the file or to standard output.
pub fn deliver(
    path: Option<&Path>,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut sink = Sink::open(path)?;
    write(sink.writer())?;
    sink.finish()
}

/// Says something to the person at the terminal, line by line with nothing in it that could act there;
/// that it cannot be said is no failure.
pub fn tell(text: &str) {
    let mut out = io::stderr().lock();
    for line in text.split('\n') {
        let _ = writeln!(out, "{}", crate::report::safe::terminal(line));
    }
}

/// What the terminal is like that results go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    /// Its columns; `None`: not a terminal.
    pub columns: Option<usize>,
    /// Whether to use colour.
    pub colour: bool,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How a report is set where it goes.
pub fn style(globals: &Globals, path: Option<&Path>) -> Style {
    let to_file = path.is_some_and(|p| p != Path::new("-"));
    let terminal = terminal(to_file, globals.color, globals.width);
    Style { columns: terminal.columns, colour: terminal.colour }
}

/// Looks at standard output; a file is no terminal.
pub fn terminal(to_file: bool, colour: Colour, width: Option<usize>) -> Terminal {
    let is_terminal = !to_file && io::stdout().is_terminal();
    let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
    let columns = width.or_else(|| {
        let (terminal_size::Width(columns), _) = terminal_size::terminal_size()?;
        is_terminal.then_some(usize::from(columns))
    });
    let colour = match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => is_terminal && !set("NO_COLOR") && !dumb,
    };
    Terminal { columns, colour }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        let failed = deliver(Some(&path), |out| {
            out.write_all(b"half")?;
            Err(Failure::new(Exit::Internal, "no"))
        });
        assert!(failed.is_err() && fs::read_dir(folder.path()).unwrap().next().is_none());
        fs::write(&path, "old").unwrap();
        deliver(Some(&path), |out| Ok(out.write_all(b"whole")?)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_wrong_usage() {
        let failed = deliver(Some(Path::new("/nowhere/at/all")), |_| Ok(())).unwrap_err();
        assert_eq!(failed.exit, Exit::Usage);
    }
}
