//! OpenSLO v1 documents as objectives.
//!
//! Knows the language and nothing of the data: what comes out names queries that may not exist. Every
//! wrong thing is found at once and told with its file and line; nothing is guessed and nothing passed
//! over in silence.

mod document;
mod fields;
mod indicator;
mod policy;
mod service_level;
mod window;

pub use fields::Fault;

use super::objective::Objective;
use crate::yaml;
use document::{Document, Kind};
use fields::Faults;

/// The longest file that is read, in bytes.
pub const MOST_BYTES: usize = 4 << 20;

/// Reads the objectives of files, given as name and text; documents of one file may refer to another's.
///
/// # Errors
/// All faults, by file and line.
pub fn read(files: &[(String, String)]) -> Result<Vec<Objective>, Vec<Fault>> {
    let mut faults = Faults::default();
    let mut trees = Vec::new();
    for (file, text) in files {
        faults.file.clone_from(file);
        if text.len() > MOST_BYTES {
            faults.add(0, "the file has more than 4 MiB", "split it: objectives are small");
            continue;
        }
        match yaml::documents(text.trim_start_matches('\u{feff}')) {
            Ok(nodes) => trees.extend(nodes.into_iter().map(|node| (file.clone(), node))),
            Err(wrong) => faults.add(wrong.line, wrong.what, "the file must be YAML"),
        }
    }
    let documents: Vec<Document<'_>> =
        trees.iter().filter_map(|(file, node)| Document::read(file, node, &mut faults)).collect();
    document::unique(&documents, &mut faults);
    let mut objectives = Vec::new();
    for document in &documents {
        faults.file = document.file.to_owned();
        match document.kind {
            Kind::Slo => service_level::read(document, &documents, &mut objectives, &mut faults),
            Kind::Sli => {
                indicator::of_document(document, &documents, &mut faults);
            }
            Kind::AlertPolicy => {
                policy::of_document(document, &documents, &mut faults);
            }
            Kind::AlertCondition => {
                policy::condition_of(document, &mut faults);
            }
            Kind::DataSource | Kind::AlertNotificationTarget | Kind::Service => {}
        }
    }
    if faults.found.is_empty() && objectives.is_empty() {
        faults.file = files.first().map(|(file, _)| file.clone()).unwrap_or_default();
        faults.add(0, "no document is of `kind: SLO`", "an objective is a document of this kind");
    }
    if faults.found.is_empty() {
        return Ok(objectives);
    }
    faults.found.sort();
    Err(faults.found)
}

#[cfg(test)]
mod tests;
