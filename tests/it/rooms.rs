//! The rooms of the code map know only what they may: data goes one way.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A room, and the rooms that it may name.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("problem", &[]),
    ("event", &[]),
    ("a2a", &[]),
    ("yaml", &["a2a"]),
    ("tables", &[]),
    ("config", &["a2a", "exchange"]),
    ("exchange", &["a2a", "config", "event", "problem"]),
    ("formats", &["a2a", "config", "event", "exchange", "problem", "yaml"]),
    // The scanner of JSON text that may be broken is the one by which records are cut.
    ("redact", &["event", "ingest"]),
    ("ingest", &["a2a", "config", "event", "exchange", "formats", "problem", "redact", "tables"]),
    ("store", &["a2a", "config", "ingest", "problem", "redact", "tables"]),
    ("query", &["a2a", "config", "tables"]),
    ("report", &["a2a", "config", "problem", "query"]),
    ("slo", &["config", "query", "report", "tables", "yaml"]),
    ("simulate", &["a2a"]),
];

#[test]
fn each_room_names_only_rooms_before_it() {
    let rooms = public_rooms();
    let mut wrong = Vec::new();
    for (room, may) in MAY_NAME {
        for file in files_of(room) {
            for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
                if line.trim_start().starts_with("//") {
                    continue;
                }
                for rest in line.split("crate::").skip(1) {
                    let name: String =
                        rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    if rooms.contains(&name) && name != *room && !may.contains(&name.as_str()) {
                        wrong.push(format!("{}:{}: {line}", file.display(), number + 1));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "a room names one that it must not know:\n{}", wrong.join("\n"));
}

#[test]
fn each_room_stands_in_the_list_and_in_the_code_map() {
    let listed: BTreeSet<String> =
        MAY_NAME.iter().map(|(room, _)| (*room).to_owned()).chain(["cli".to_owned()]).collect();
    let map = fs::read_to_string("src/lib.rs").unwrap();
    for room in public_rooms() {
        assert!(listed.contains(&room), "{room} has no row in MAY_NAME");
        assert!(
            room == "yaml" || map.contains(&format!("//! | [`{room}`]")),
            "{room} has no row in the code map"
        );
    }
}

fn public_rooms() -> BTreeSet<String> {
    let map = fs::read_to_string("src/lib.rs").unwrap();
    map.lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect()
}

/// The sources of a room, its tests included.
fn files_of(room: &str) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![Path::new("src").join(room)];
    let single = Path::new("src").join(format!("{room}.rs"));
    if single.exists() {
        files.push(single);
    }
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
