//! The command that makes a report again: what was asked, in one canonical spelling, so that the same
//! inputs give the same report whatever the order of the arguments or the number of threads.

use super::arguments::{From, Globals, LimitArgs, Reading};
use crate::report::rows::rfc3339;

/// `carddrift report` with the inputs and everything else that changes what is measured.
pub fn command(globals: &Globals, from: &From, limits: &LimitArgs) -> String {
    let mut words = vec!["carddrift".to_owned(), "report".to_owned()];
    let mut add = |flag: &str, value: String| {
        words.push(flag.to_owned());
        words.push(quoted(&value));
    };
    for input in sorted(&from.inputs) {
        add("--input", input);
    }
    if let Some(store) = &from.store {
        add("--store", store.display().to_string());
    }
    if let Some(config) = &globals.config {
        add("--config", config.display().to_string());
    }
    // The last one of a key counts, so their order stays.
    for setting in &globals.set {
        add("--set", setting.clone());
    }
    reading(&from.reading, &mut add);
    for (flag, bound) in [("--from", limits.from), ("--to", limits.to)] {
        if let Some(ns) = bound {
            add(flag, rfc3339(ns.into()));
        }
    }
    for (flag, globs) in [
        ("--agent", &limits.agents),
        ("--registry", &limits.registries),
        ("--client", &limits.clients),
    ] {
        for glob in sorted(globs) {
            add(flag, glob);
        }
    }
    add("--format", "html".to_owned());
    words.join(" ")
}

fn reading(reading: &Reading, add: &mut impl FnMut(&str, String)) {
    for (flag, value) in [
        ("--input-format", reading.input_format.clone()),
        ("--assume-zone", reading.assume_zone.clone()),
        ("--max-record-bytes", reading.max_record_bytes.map(|n| n.to_string())),
        ("--max-source-bytes", reading.max_source_bytes.map(|n| n.to_string())),
        ("--max-expansion", reading.max_expansion.map(|n| n.to_string())),
    ] {
        if let Some(value) = value {
            add(flag, value);
        }
    }
}

fn sorted(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.sort();
    names
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_whatever_the_order() {
        let globals = Globals { threads: 3, ..Globals::default() };
        let from = |inputs: [&str; 2]| From {
            inputs: inputs.map(str::to_owned).to_vec(),
            ..From::default()
        };
        let limits = LimitArgs { agents: vec!["it's *".to_owned()], ..LimitArgs::default() };
        let expected =
            "carddrift report --input a.har --input b --agent 'it'\\''s *' --format html";
        assert_eq!(command(&globals, &from(["b", "a.har"]), &limits), expected);
        assert_eq!(command(&globals, &from(["a.har", "b"]), &limits), expected);
    }
}
