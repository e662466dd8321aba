//! Workflow commands of GitHub: an annotation for each objective, at its line of the file.

use super::super::BUILT_IN_NAME;
use super::super::measure::{Levels, Status};
use super::verdict;
use std::io::{self, Write};

/// Writes them.
pub fn write(levels: &Levels, out: &mut dyn Write) -> io::Result<()> {
    for level in &levels.levels {
        let objective = &level.objective;
        let command = match level.status {
            Status::Met => "notice",
            Status::Insufficient => "warning",
            Status::Missed => "error",
        };
        let place = if objective.file == BUILT_IN_NAME {
            String::new()
        } else {
            format!("file={},line={},", property(&objective.file), objective.line)
        };
        let title = format!("{} {}", objective.name(), level.status.as_str());
        writeln!(out, "::{command} {place}title={}::{}", property(&title), data(&verdict(level)))?;
    }
    Ok(())
}

/// The text of a command: on one line.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
