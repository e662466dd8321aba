//! An ingest killed with SIGKILL at known points, then run again: the store answers as if it had never
//! been killed. And two ingests at once.
//!
//! No clock decides where the process is: it waits for the rest of a pipe, or opens a file that the
//! test has made a pipe and that can be opened only when both sides are there.
#![cfg(unix)]

use crate::binary::{Place, statuses, told};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// More than a pipe holds, so that who has written it knows that it is being read.
const MUCH: usize = 1 << 20;

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn start(place: &Place, arguments: &[&str]) -> Child {
    let mut command = place.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A place with a journal that overlaps another in the store already.
fn place() -> Place {
    let place = Place::new();
    place.write("old.ndjson", statuses(0..2_000));
    place.write("new.ndjson", statuses(1_000..12_000));
    place.done(&["ingest", "old.ndjson", "--store", "store"]);
    place
}

/// Runs the killed command again; the store answers as one that was never killed.
fn same_as_never_killed(place: &Place) {
    let again = place.done(&["ingest", "new.ndjson", "--store", "store"]);
    assert!(again.starts_with("commit 2: "), "{again}");
    place.done(&["store", "verify", "store"]);
    assert_eq!(place.answers("store"), never_killed());
    place.done(&["store", "gc", "store"]);
    place.done(&["store", "verify", "store"]);
    // Nothing is left but what commits name.
    assert_eq!(place.done(&["store", "gc", "store", "--dry-run"]).lines().count(), 1);
    assert!(!fs::read_dir(place.path("store/commits")).unwrap().any(|entry| {
        entry.unwrap().path().extension().is_some_and(|extension| extension != "json")
    }));
}

fn never_killed() -> String {
    static ANSWERS: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    ANSWERS
        .get_or_init(|| {
            let place = place();
            place.done(&["ingest", "new.ndjson", "--store", "store"]);
            place.answers("store")
        })
        .clone()
}

/// Kills an ingest of standard input when it has taken all but the last part of so many bytes.
fn killed_after(bytes: usize) {
    let place = place();
    let before = place.answers("store");
    let mut child = start(&place, &["ingest", "-", "--store", "store"]);
    let journal = fs::read(place.path("new.ndjson")).unwrap();
    // Without an end of the input there is no commit, however fast the process is.
    child.stdin.as_mut().unwrap().write_all(&journal[..bytes.min(journal.len())]).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(place.answers("store"), before);
    same_as_never_killed(&place);
}

#[test]
fn killed_before_it_has_read_anything() {
    killed_after(0);
}

#[test]
fn killed_while_it_reads() {
    killed_after(MUCH);
}

#[test]
fn killed_when_it_has_read_everything() {
    killed_after(usize::MAX);
}

#[test]
fn killed_when_all_files_are_in_place_but_the_commit() {
    let place = place();
    let before = place.answers("store");
    let draft = place.path("store/commits/0000000002.json.draft");
    pipe(&draft);
    let mut child = start(&place, &["ingest", "new.ndjson", "--store", "store"]);
    // Can be opened when the process has opened it, too: where it writes the commit.
    drop(fs::File::open(&draft).unwrap());
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_file(&draft).unwrap();
    fs::write(&draft, "{\"number\":2,").unwrap();
    assert_eq!(place.answers("store"), before);
    let told = place.done(&["store", "gc", "store", "--dry-run"]);
    assert!(told.contains("would remove") && !told.contains(" 0 files"), "{told}");
    same_as_never_killed(&place);
}

#[test]
fn killed_while_it_makes_the_key() {
    let place = place();
    // As if the very first ingest were killed there.
    let key = place.path("store/key");
    let draft = place.path("fresh/key.draft");
    fs::create_dir_all(place.path("fresh/commits")).unwrap();
    fs::create_dir_all(place.path("fresh/segments")).unwrap();
    pipe(&draft);
    let mut child = start(&place, &["ingest", "old.ndjson", "--store", "fresh"]);
    drop(fs::File::open(&draft).unwrap());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!place.path("fresh/key").exists());
    fs::remove_file(&draft).unwrap();
    fs::write(&draft, "half").unwrap();
    place.done(&["ingest", "old.ndjson", "--store", "fresh"]);
    assert_eq!(fs::read(place.path("fresh/key")).unwrap().len(), fs::read(&key).unwrap().len());
    assert_eq!(place.answers("fresh"), place.answers("store"));
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(place.path("fresh/key")).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn two_at_once_both_land() {
    let place = Place::new();
    let all = statuses(0..12_000);
    place.write("a.ndjson", &all);
    let mut first = start(&place, &["ingest", "-", "--store", "store"]);
    let mut input = first.stdin.take().unwrap();
    // It holds the store now, and waits for the rest.
    input.write_all(&all.as_bytes()[..MUCH]).unwrap();
    let second = start(&place, &["ingest", "a.ndjson", "--store", "store"]);
    input.write_all(&all.as_bytes()[MUCH..]).unwrap();
    drop(input);
    for child in [first, second] {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
    }
    // Whichever came first has the events; the other holds the same content.
    let count = place.done(&[
        "query",
        "--store",
        "store",
        "-e",
        "SELECT count(*) AS n FROM task_events",
        "--format",
        "csv",
    ]);
    assert_eq!(count, "n\n12000\n");
    place.done(&["store", "verify", "store"]);
}

#[test]
fn a_source_that_vanishes_before_it_is_read_is_told() {
    let place = Place::new();
    let all = statuses(0..12_000);
    place.write("a.ndjson", &all);
    let mut child = start(&place, &["ingest", "-", "a.ndjson", "--store", "store"]);
    let mut input = child.stdin.take().unwrap();
    // All sources are found before the first is read, and `-` comes first.
    input.write_all(&all.as_bytes()[..MUCH]).unwrap();
    fs::remove_file(place.path("a.ndjson")).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(told(&output).contains("error[CD001]: a.ndjson"), "{}", told(&output));
    place.done(&["store", "verify", "store"]);
    let problems = "SELECT source_file, code FROM problems WHERE code = 'CD001'";
    assert_eq!(
        place.done(&["query", "--store", "store", "-e", problems, "--format", "csv"]),
        "source_file,code\na.ndjson,CD001\n"
    );
}
