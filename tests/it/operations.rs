//! What the pages on operations show can be typed: every command line in them is one.

use carddrift::cli::Cli;
use carddrift::slo::openslo;
use clap::Parser;
use std::fs;

fn page(name: &str) -> String {
    fs::read_to_string(format!("docs/{name}")).unwrap()
}

/// The words of a command line as a shell would take them, up to a pipe or the like; comments are left out.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '|' | '>' | '&' | '#') => break,
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The command lines of a page: of shells, of units, of workflows, and the lists of containers.
fn commands(page: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    for line in page.lines().map(str::trim) {
        let line = line.trim_start_matches("run: ").trim_start_matches("ExecStart=/usr/local/bin/");
        if line.starts_with("carddrift ") {
            commands.push(words(line));
        } else if let Some(list) = line.strip_prefix("command: [") {
            let list = list.trim_end_matches(']');
            commands.push(list.split(", ").map(str::to_owned).collect());
        }
    }
    commands
}

#[test]
fn every_command_of_the_pages_is_one() {
    let mut seen = 0;
    for name in ["operations.md", "service-levels.md"] {
        for command in commands(&page(name)) {
            let parsed = Cli::try_parse_from(&command);
            assert!(parsed.is_ok(), "{name}: {command:?}: {}", parsed.unwrap_err());
            seen += 1;
        }
    }
    assert!(seen > 15, "{seen}");
}

#[test]
fn the_objectives_shown_can_be_read() {
    let page = page("service-levels.md");
    let yaml = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("\n```").next()).unwrap();
    let objectives = openslo::read(&[("slo.yaml".to_owned(), yaml.to_owned())]).unwrap();
    assert_eq!(objectives.len(), 1);
}
