//! What the README shows is what the program does.

use crate::command::run;
use clap::CommandFactory;
use std::fs;

fn readme() -> String {
    fs::read_to_string("README.md").unwrap()
}

/// The fenced blocks of a language, in order.
fn blocks<'r>(readme: &'r str, language: &str) -> Vec<&'r str> {
    let fence = format!("```{language}\n");
    readme.split(&*fence).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

#[test]
fn the_output_shown_is_the_output_of_the_command_shown() {
    let readme = readme();
    let commands = blocks(&readme, "sh");
    let first = commands[0].trim();
    let arguments: Vec<&str> =
        first.strip_prefix("cargo run --locked -- ").expect(first).split(' ').collect();
    let ran = run(&arguments);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let shown = blocks(&readme, "text")[0];
    let want: String =
        ran.stdout.lines().take(shown.lines().count()).collect::<Vec<_>>().join("\n");
    assert_eq!(shown, want, "the README's output is the beginning of what {first} prints");
}

#[test]
fn the_test_command_is_what_lands_is_checked_with() {
    let readme = readme();
    let test = blocks(&readme, "sh")[1].trim();
    assert!(fs::read_to_string(".ci/run").unwrap().contains(test), "{test}");
}

#[test]
fn every_command_is_in_the_readme() {
    let readme = readme();
    for command in carddrift::cli::Cli::command().get_subcommands() {
        let name = command.get_name();
        assert!(
            readme.contains(&format!("carddrift {name}")) || readme.contains(&format!(" {name}")),
            "the README does not name `{name}`"
        );
    }
}

#[test]
fn every_sample_is_told() {
    let told = fs::read_to_string("samples/README.md").unwrap();
    for entry in fs::read_dir("samples").unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "README.md" || told.contains(&format!("`{name}/")), "{name}");
    }
}

#[test]
fn every_format_is_in_the_readme() {
    let readme = readme();
    for format in carddrift::formats::ALL {
        let name = format!("`{}`", format.name());
        assert!(readme.contains(&name), "the README does not name {name}");
    }
}
