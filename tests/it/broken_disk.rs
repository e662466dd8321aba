//! Disks that are full, folders that cannot be written, files that cannot be read: a clear error or a
//! recorded problem, and no half commit.
#![cfg(target_os = "linux")]

use crate::binary::{Place, bytes_below, statuses, told};
use std::process::{Command, Output};

/// Runs the program where no file may grow beyond so many blocks of 512 bytes, which fails like a full
/// disk: the write is refused.
fn with_little_room(place: &Place, blocks: u32, arguments: &[&str]) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let program = env!("CARGO_BIN_EXE_carddrift");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh", program]).args(arguments);
    command.current_dir(place.folder.path()).env("TMPDIR", place.path("tmp"));
    command.env("HOME", place.folder.path()).output().unwrap()
}

#[test]
fn a_full_disk_leaves_no_half_commit() {
    let place = Place::new();
    place.write("a.ndjson", statuses(0..2_000));
    place.write("b.ndjson", statuses(0..30_000));
    place.done(&["ingest", "a.ndjson", "--store", "store"]);
    let before = place.answers("store");
    for blocks in [0, 1, 8, 32] {
        let output = with_little_room(&place, blocks, &["ingest", "b.ndjson", "--store", "store"]);
        assert_eq!(output.status.code(), Some(3), "{blocks} blocks: {}", told(&output));
        assert!(told(&output).contains("File too large"), "{}", told(&output));
        assert_eq!(place.answers("store"), before, "{blocks} blocks");
        place.done(&["store", "verify", "store"]);
    }
    place.done(&["ingest", "b.ndjson", "--store", "store"]);
    let fresh = Place::new();
    fresh.write("a.ndjson", statuses(0..2_000));
    fresh.write("b.ndjson", statuses(0..30_000));
    fresh.done(&["ingest", "a.ndjson", "--store", "store"]);
    fresh.done(&["ingest", "b.ndjson", "--store", "store"]);
    assert_eq!(place.answers("store"), fresh.answers("store"));
}

#[test]
fn results_that_cannot_be_written_are_told() {
    let place = Place::new();
    place.write("a.ndjson", statuses(0..100));
    for arguments in [
        &["query", "-i", "a.ndjson", "-e", "SELECT * FROM task_events", "-o", "/dev/full"][..],
        &["report", "-i", "a.ndjson", "--format", "html", "-o", "/dev/full"],
    ] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(4), "{}", told(&output));
        assert!(told(&output).contains("No space left on device"), "{}", told(&output));
    }
    let output = place.run(&["report", "-i", "a.ndjson", "-o", "nowhere/at/all.html"]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
}

#[test]
fn a_store_that_cannot_be_written_is_told() {
    let place = Place::new();
    place.write("a.ndjson", statuses(0..10));
    place.write("file", "x");
    for (store, why) in [("file/store", "Not a directory"), ("/proc/carddrift", "No such file")] {
        let output = place.run(&["ingest", "a.ndjson", "--store", store]);
        assert_eq!(output.status.code(), Some(3), "{store}: {}", told(&output));
        assert!(told(&output).contains(why), "{}", told(&output));
    }
    let output = place.run(&["ingest", "a.ndjson", "--store", "file"]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    let output = place.run(&["query", "bindings", "--store", "nowhere"]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(told(&output).contains("there is no store"), "{}", told(&output));
}

#[test]
fn a_source_that_cannot_be_read_is_told_and_the_rest_goes_on() {
    let place = Place::new();
    place.write("a.ndjson", statuses(0..10));
    // The kernel refuses to read its first byte.
    let broken = "/proc/self/mem";
    let output = place.run(&["ingest", "a.ndjson", broken, "nowhere.ndjson", "--store", "store"]);
    assert_eq!(output.status.code(), Some(3));
    let text = told(&output);
    assert!(text.contains("error[CD001]: nowhere.ndjson"), "{text}");
    assert!(text.contains(broken), "{text}");
    let sources = "SELECT source_file, accepted, truncated FROM sources ORDER BY source_file";
    let sources = place.done(&["query", "--store", "store", "-e", sources, "--format", "csv"]);
    assert!(sources.contains("a.ndjson,10,false\n"), "{sources}");
    let problems = "SELECT DISTINCT source_file, code FROM problems ORDER BY source_file";
    let problems = place.done(&["query", "--store", "store", "-e", problems, "--format", "csv"]);
    assert!(
        problems.contains("/proc/self/mem,CD001") && problems.contains("nowhere.ndjson,CD001"),
        "{problems}"
    );
}

#[test]
fn damage_of_a_store_is_told_and_never_changes_answers_in_silence() {
    let place = Place::new();
    place.write("a.ndjson", statuses(0..50));
    place.done(&["ingest", "a.ndjson", "--store", "store"]);
    let (path, bytes) = bytes_below(&place.path("store/segments")).remove(0);
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    let output = place.run(&["store", "verify", "store"]);
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &told(&output);
    assert!(said.contains("its bytes have changed"), "{said}");
    std::fs::remove_file(&path).unwrap();
    let output = place.run(&["store", "verify", "store"]);
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
}
