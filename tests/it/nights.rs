//! Nightly jobs over a store: whatever happens to single nights, what is told in the end is the same.

use crate::cases::{rows, session};
use crate::command::program;
use carddrift::config::Config;
use carddrift::ingest::IngestOptions;
use carddrift::query::{Session, Settings, catalogue, indicators};
use carddrift::simulate::{Options, Truth, simulate};
use carddrift::slo::built_in;
use carddrift::slo::measure::{Ask, FLOOR, Levels};
use carddrift::slo::print::json;
use carddrift::store::Store;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A folder with recordings and a store.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        fs::write(self.path(name), bytes).unwrap();
        self.path(name).to_str().unwrap().to_owned()
    }

    fn store(&self) -> Store {
        Store::open_or_create(&self.path("store")).unwrap()
    }

    fn ingest(&self, inputs: &[String]) {
        let options = IngestOptions { threads: 1, ..IngestOptions::default() };
        self.store().ingest(inputs, &Config::default(), &options).unwrap();
    }

    fn session(&self) -> Session {
        let settings = Settings { threads: 1, ..Settings::of(&Config::default()) };
        Session::open(self.store().dataset().unwrap(), &settings).unwrap()
    }

    /// Runs the program in the folder.
    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program();
        command.args(arguments).args(["--threads", "1"]).current_dir(self.folder.path());
        command
    }

    /// The rows that the program prints, and how it ends.
    fn printed(&self, arguments: &[&str]) -> (Vec<Value>, Option<i32>) {
        let output = self.run(arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        let rows = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (rows, output.status.code())
    }
}

/// A recording by nights: each line stands in the night of its time, a line cut off in that of the one
/// before.
fn nights(options: &Options) -> (BTreeMap<String, Vec<u8>>, Vec<u8>, Truth) {
    let mut recording = Vec::new();
    let truth = simulate(options, &mut recording).unwrap();
    let mut nights: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut night = String::new();
    for line in recording.split_inclusive(|b| *b == b'\n') {
        if let Ok(event) = serde_json::from_slice::<Value>(line) {
            night = event["time"].as_str().unwrap().chars().take(10).collect();
        }
        nights.entry(night.clone()).or_default().extend_from_slice(line);
    }
    (nights, recording, truth)
}

/// The rows of all queries, but for where their records stand.
fn told(session: &Session) -> BTreeMap<&'static str, Vec<Value>> {
    let queries = catalogue().iter().chain(indicators()).map(|query| query.name);
    queries
        .map(|name| {
            let mut rows = rows(session, name);
            for row in &mut rows {
                row.as_object_mut().unwrap().retain(|column, _| !column.starts_with("source_"));
            }
            (name, rows)
        })
        .collect()
}

fn levels(session: &Session) -> String {
    let ask = Ask { at: None, floor: FLOOR };
    let mut out = Vec::new();
    json::write(&Levels::measure(session, &built_in(), ask).unwrap(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_month_of_nights_ends_in_the_numbers_of_one_run() {
    let options = Options {
        tasks: 700,
        days: 30.0,
        agents: 3,
        clients: 8,
        replayed: 0.03,
        corrupt: 0.01,
        damaged: 0.01,
        duplicated: 0.01,
        ..Options::default()
    };
    let (nights, recording, truth) = nights(&options);
    let place = Place::new();
    let whole = place.write("whole.ndjson", &recording);
    let mut late: Vec<(usize, String)> = Vec::new();
    let mut yesterday: Vec<u8> = Vec::new();
    let (mut killed, mut twice) = (0, 0);
    for (number, (night, lines)) in nights.iter().enumerate() {
        let file = place.write(&format!("{night}.ndjson"), lines);
        if number % 5 == 2 {
            kill_within(&place, lines);
            killed += 1;
        }
        if number % 7 == 3 {
            // It comes two nights later.
            late.push((number + 2, file));
        } else {
            place.ingest(std::slice::from_ref(&file));
            if number % 4 == 1 {
                // The same file again, and once more with the night before, in another file.
                let both = [yesterday.as_slice(), lines].concat();
                let both = place.write(&format!("{night}-again.ndjson"), &both);
                place.ingest(&[file, both]);
                twice += 1;
            }
        }
        let (due, later): (Vec<_>, Vec<_>) = late.into_iter().partition(|(at, _)| *at <= number);
        late = later;
        if !due.is_empty() {
            place.ingest(&due.into_iter().map(|(_, file)| file).collect::<Vec<_>>());
        }
        yesterday.clone_from(lines);
    }
    place.ingest(&late.into_iter().map(|(_, file)| file).collect::<Vec<_>>());
    assert!(nights.len() > 30 && killed > 5 && twice > 5, "{} {killed} {twice}", nights.len());
    assert_eq!(place.store().verify().unwrap(), []);

    let one = session(Path::new(&whole));
    let nightly = place.session();
    let (one_told, nightly_told) = (told(&one), told(&nightly));
    for (query, rows) in &one_told {
        assert_eq!(rows, &nightly_told[query], "{query}");
    }
    assert_eq!(levels(&one), levels(&nightly));
    let summary = &nightly_told["summary"][0];
    assert_eq!(summary["tasks"], truth.tasks);
    assert_eq!(summary["split_brain"], truth.split_brain);
    assert_eq!(summary["replays"], truth.replays);
}

/// An ingest is killed after it has read a part of the night: more than fits into the pipe was taken.
fn kill_within(place: &Place, lines: &[u8]) {
    let mut child = place
        .command(&["ingest", "-", "--store", "store"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(&lines[..lines.len() / 2]).unwrap();
    pipe.write_all(&vec![b'\n'; 1 << 20]).unwrap();
    let commits = place.store().commits().unwrap().len();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(place.path("store/staging").exists());
    assert_eq!(place.store().commits().unwrap().len(), commits);
}

/// A day that needs no other: a card, a task with a client, its artifact.
fn day(day: u32, version: &str) -> String {
    let card = r#"{\"name\":\"S\",\"artifactSchema\":{\"version\":\"1\"}}"#;
    let common = format!("\"agent\":\"g\",\"client\":\"c\",\"task_id\":\"t{day}\"");
    [
        format!(r#"{{"time":"2026-11-{day:02}T08:00:00Z","event":"card_fetch","registry":"r","agent":"g","client":"c","status":200,"card":"{card}"}}"#),
        format!(r#"{{"time":"2026-11-{day:02}T09:00:00Z","event":"attempt",{common},"method":"SendMessage","outcome":"accepted"}}"#),
        format!(r#"{{"time":"2026-11-{day:02}T09:00:01Z","event":"task_status",{common},"state":"submitted"}}"#),
        format!(r#"{{"time":"2026-11-{day:02}T09:30:00Z","event":"artifact",{common},"artifact_id":"a","schema_version":"{version}"}}"#),
        format!(r#"{{"time":"2026-11-{day:02}T09:30:01Z","event":"task_status",{common},"state":"completed"}}"#),
        String::new(),
    ]
    .join("\n")
}

const DAILY: [&str; 8] =
    ["query", "slo_daily", "--store", "store", "--format", "ndjson", "--since-last", "mark"];

#[test]
fn a_run_tells_what_is_new_since_the_last_one() {
    let place = Place::new();
    let days = |rows: &[Value]| -> Vec<String> {
        rows.iter().map(|row| row["day"].as_str().unwrap().to_owned()).collect()
    };
    place.ingest(&[place.write("1", day(1, "1").as_bytes())]);
    place.ingest(&[place.write("3", day(3, "1").as_bytes())]);
    let (first, exit) = place.printed(&DAILY);
    assert_eq!(
        (days(&first), exit),
        (vec!["2026-11-01".to_owned(), "2026-11-03".to_owned()], Some(0))
    );
    assert_eq!(place.printed(&DAILY), (Vec::new(), Some(0)));
    // Late data show in their own day.
    place.ingest(&[place.write("2", day(2, "9").as_bytes())]);
    let (late, _) = place.printed(&DAILY);
    assert_eq!(days(&late), ["2026-11-02"]);
    assert_eq!(late[0]["split_brain"], 1);
    // What a run that failed would have told is told again.
    place.ingest(&[place.write("4", day(4, "1").as_bytes())]);
    let failing = [&DAILY[..], &["--output", "nowhere/at/all"]].concat();
    assert_eq!(place.printed(&failing).1, Some(2));
    // A gate sees what is new; breached, it was told all the same.
    let gate = [&DAILY[..], &["--fail-on", "verifiable > 0"]].concat();
    let (fourth, exit) = place.printed(&gate);
    assert_eq!((days(&fourth), exit), (vec!["2026-11-04".to_owned()], Some(1)));
    assert_eq!(place.printed(&gate), (Vec::new(), Some(0)));
    // From a commit on, as often as one likes.
    let since = |commit: &str| {
        let query = ["query", "slo_daily", "--store", "store", "--format", "ndjson"];
        place.printed(&[&query[..], &["--since", commit]].concat())
    };
    assert_eq!(days(&since("2").0), ["2026-11-02", "2026-11-04"]);
    assert_eq!(since("4").0, Vec::<Value>::new());
    assert_eq!(since("5").1, Some(2));
    // The mark of another store is refused.
    fs::rename(place.path("store"), place.path("old")).unwrap();
    place.ingest(&[place.write("5", day(5, "1").as_bytes())]);
    let refused = place.run(&DAILY);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("remove the file to begin anew"));
}

#[test]
fn reports_levels_and_work_tell_what_is_new() {
    let place = Place::new();
    place.ingest(&[place.write("1", day(1, "9").as_bytes())]);
    let of = |command: &str| {
        let arguments = [command, "--store", "store", "--format", "json", "--since-last", command];
        let output = place.run(&arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        serde_json::from_str::<Value>(&text).unwrap_or_else(|_| panic!("{text}"))
    };
    let splits = |report: &Value| -> Vec<String> {
        let rows = report["split_brains"].as_array().unwrap();
        rows.iter().map(|row| row["task_id"].as_str().unwrap().to_owned()).collect()
    };
    let tasks = |items: &Value| -> Vec<Value> {
        items.as_array().unwrap().iter().map(|item| item["task_id"].clone()).collect()
    };
    assert_eq!(splits(&of("report")), ["t1"]);
    assert_eq!(of("slo")["objectives"][0]["days"][0]["day"], "2026-11-01");
    assert_eq!(tasks(&of("actions")), [Value::from("t1"), Value::Null]);
    place.ingest(&[place.write("2", day(2, "9").as_bytes())]);
    let report = of("report");
    // Now that the agent has gone on, it is known why the first one contradicts: it says something else.
    assert_eq!(splits(&report), ["t1", "t2"]);
    assert_eq!(report["inputs"]["sources"].as_array().unwrap().len(), 1);
    let notes = report["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["kind"] == "only_new"), "{notes:?}");
    let slo = of("slo");
    assert_eq!(slo["since_commit"], 1);
    let days = slo["objectives"][0]["days"].as_array().unwrap();
    assert_eq!((days.len(), &days[0]["day"]), (1, &"2026-11-02".into()));
    // The level is that of the whole period.
    assert_eq!(slo["objectives"][0]["bad"], 2.0);
    assert!(tasks(&of("actions")).contains(&"t2".into()));
    // With nothing new, the summary is what it was.
    let again = of("report");
    assert_eq!((splits(&again), &again["summary"]), (Vec::new(), &report["summary"]));
    assert_eq!(report["summary"]["split_brain"], 2);
    assert_eq!(of("actions"), Value::Array(Vec::new()));
}

#[test]
fn what_is_older_than_the_limit_goes_and_nothing_else() {
    let options = Options { tasks: 300, days: 6.0, agents: 2, clients: 5, ..Options::default() };
    let (nights, _, _) = nights(&options);
    let place = Place::new();
    for (night, lines) in &nights {
        place.ingest(&[place.write(night, lines)]);
    }
    let bindings = |session: &Session| {
        let after = |row: &Value| row["admitted_at"].as_str() >= Some("2026-11-17");
        let rows = rows(session, "bindings");
        let all = rows.len();
        (rows.into_iter().filter(after).collect::<Vec<_>>(), all)
    };
    let reader = place.session();
    let before = told(&reader);
    let (kept_before, all_before) = bindings(&reader);
    let limit = ["store", "gc", "store", "--before", "2026-11-17", "--format", "json"];
    let dry = place.printed(&[&limit[..], &["--dry-run"]].concat()).0.remove(0);
    assert_eq!((&dry["commit"], &dry["dry_run"]), (&Value::Null, &true.into()));
    let gone = place.printed(&limit).0.remove(0);
    assert_eq!(gone["rows"], dry["rows"]);
    assert!(gone["rows"]["artifacts"].as_u64() > Some(50), "{gone}");
    // Files that the reader may yet open wait for it.
    assert!(gone["held_files"].as_u64() > Some(3), "{gone}");
    let same: Vec<_> = told(&reader).into_iter().collect();
    assert_eq!(same, before.into_iter().collect::<Vec<_>>());
    drop(reader);
    let freed = place.printed(&limit).0.remove(0);
    assert_eq!((&freed["commit"], &freed["held_files"]), (&Value::Null, &0.into()));
    assert_eq!(freed["removed_files"], gone["held_files"]);
    assert_eq!(place.store().verify().unwrap(), []);

    // Whoever reads it is told.
    let slo = place.run(&["slo", "--store", "store"]);
    let said =
        "Attempts before 2026-11-17T00:00:00Z, and tasks that had ended by then, were removed";
    assert!(String::from_utf8_lossy(&slo.stdout).contains(said), "{slo:?}");
    let report = place.run(&["report", "--store", "store"]);
    assert!(String::from_utf8_lossy(&report.stdout).contains(said), "{report:?}");

    // Every task that was there at the limit or later is as it was.
    let (kept, all) = bindings(&place.session());
    assert_eq!(kept, kept_before);
    assert!(all < all_before - 50);
    let cards = rows(&place.session(), "summary").remove(0)["cards"].clone();
    assert_eq!(cards, told(&place.session())["summary"][0]["cards"]);
    // What was removed does not come back.
    let (night, lines) = nights.first_key_value().unwrap();
    let again = place.write(&format!("{night}-again"), &[b"\n", lines.as_slice()].concat());
    place.ingest(&[again]);
    assert_eq!(bindings(&place.session()), (kept, all));
}
