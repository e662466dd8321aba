use super::disk::tests::STEPS_LEFT;
use super::*;
use crate::ingest::tests::rows;
use crate::tables::all;
use std::fs;
use tempfile::TempDir;

const CARD: &str =
    r#"{"time":1,"event":"card_fetch","registry":"r","agent":"g","card":"{\"name\":\"S\"}"}"#;
const LATER: &str =
    r#"{"time":9,"event":"card_fetch","registry":"r","agent":"g","card":"{\"name\":\"S\"}"}"#;
const STATUS: &str =
    r#"{"time":5,"event":"task_status","agent":"g","task_id":"t","state":"working"}"#;

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    }

    fn store(&self) -> Store {
        Store::open_or_create(&self.folder.path().join("store")).unwrap()
    }

    fn ingest(&self, inputs: &[String]) -> Ingested {
        self.store().ingest(inputs, &Config::default(), &IngestOptions::default()).unwrap()
    }

    fn rows(&self) -> Vec<(&'static str, Vec<String>)> {
        let dataset = self.store().dataset().unwrap();
        all().iter().map(|table| (table.name, rows(&dataset, table.name, &[]))).collect()
    }

    fn count(&self, table: &str) -> usize {
        rows(&self.store().dataset().unwrap(), table, &[]).len()
    }
}

#[test]
fn what_is_added_is_there() {
    let place = Place::new();
    let first = place.file("a", &[CARD, STATUS].join("\n"));
    place.ingest(&[first]);
    let second = place.file("b", LATER);
    place.ingest(&[second]);
    assert_eq!(
        (place.count("card_fetches"), place.count("cards"), place.count("sources")),
        (2, 1, 2)
    );
    assert_eq!(place.store().commits().unwrap().len(), 2);
    assert_eq!(place.store().verify().unwrap(), []);
    assert_eq!(place.store().gc(false).unwrap().removed, []);
}

#[test]
fn the_same_source_is_skipped_whatever_its_name() {
    let place = Place::new();
    let text = [CARD, STATUS, "not json"].join("\n");
    let first = place.file("a", &text);
    place.ingest(std::slice::from_ref(&first));
    let before = place.rows();
    let renamed = place.file("b", &text);
    let packed = place.folder.path().join("c.zst");
    fs::write(&packed, zstd::encode_all(text.as_bytes(), 1).unwrap()).unwrap();
    // It is known for what it is only when it was read, and its problems are not told again.
    let again = place.ingest(&[first.clone(), renamed, packed.to_string_lossy().into_owned()]);
    let names: Vec<_> = again.skipped.iter().map(|(_, known_as)| known_as.as_str()).collect();
    assert_eq!(names, [&first, &first, &first]);
    assert!(again.accounts.is_empty() && again.problems.is_empty());
    assert_eq!(place.rows(), before);
}

#[test]
fn an_overlapping_source_adds_only_what_is_new() {
    let place = Place::new();
    place.ingest(&[place.file("a", &[CARD, STATUS].join("\n"))]);
    let ingested = place.ingest(&[place.file("b", &[STATUS, LATER].join("\n"))]);
    let (_, _, fates) = ingested.totals();
    assert_eq!((fates.duplicate, fates.accepted), (1, 1));
    assert_eq!((place.count("task_events"), place.count("card_fetches")), (1, 2));
}

#[test]
fn what_a_killed_ingest_left_behind_means_nothing() {
    let place = Place::new();
    let input = place.file("a", &[CARD, STATUS].join("\n"));
    place.ingest(std::slice::from_ref(&input));
    let whole = place.rows();
    // Killed at each step: while it wrote, after it moved its files, before the commit's name.
    let root = place.folder.path().join("store");
    let other = Place::new();
    other.store();
    let left = other.folder.path().join("store");
    fs::create_dir_all(left.join("staging")).unwrap();
    fs::write(left.join("staging/attempts-0.parquet"), "half").unwrap();
    for entry in fs::read_dir(root.join("segments")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, left.join("segments").join(path.file_name().unwrap())).unwrap();
    }
    fs::copy(root.join("commits/0000000001.json"), left.join("commits/0000000001.json.draft"))
        .unwrap();
    assert!(other.rows().iter().all(|(_, rows)| rows.is_empty()));
    let removed = other.store().gc(true).unwrap().removed;
    assert!(removed.len() > 3);
    other.ingest(&[input]);
    assert_eq!(other.rows(), whole);
    other.store().gc(false).unwrap();
    assert_eq!(other.rows(), whole);
    assert_eq!(other.store().verify().unwrap(), []);
}

#[test]
fn a_step_that_fails_leaves_no_half_commit() {
    let place = Place::new();
    place.ingest(&[place.file("a", &[CARD, STATUS].join("\n"))]);
    let before = place.rows();
    let input = place.file("b", &[STATUS, LATER].join("\n"));
    let ingest = |steps: Option<u32>| {
        STEPS_LEFT.set(steps);
        let result = place.store().ingest(
            std::slice::from_ref(&input),
            &Config::default(),
            &IngestOptions::default(),
        );
        STEPS_LEFT.set(None);
        result
    };
    let mut failed = 0;
    let mut left = Vec::new();
    while let Err(error) = ingest(Some(failed)) {
        assert!(matches!(error, StoreError::Io { .. }), "{error}");
        left.push(place.rows());
        assert_eq!(place.store().verify().unwrap(), []);
        failed += 1;
    }
    // All of them left nothing, but for the last: the commit was there, and only its name perhaps not on disk.
    let after = place.rows();
    assert!(failed > 8, "{failed}");
    assert_eq!(left.pop(), Some(after));
    assert!(left.iter().all(|rows| *rows == before));
    assert_eq!(place.count("card_fetches"), 2);
    assert_eq!(place.store().commits().unwrap().len(), 2);
    place.store().gc(false).unwrap();
    assert_eq!(place.store().verify().unwrap(), []);
}

#[test]
fn other_settings_are_refused() {
    let place = Place::new();
    place.ingest(&[place.file("a", CARD)]);
    let config: Config = toml::from_str("[agents]\ng = [\"h\"]").unwrap();
    let refused =
        place.store().ingest(&[place.file("b", LATER)], &config, &IngestOptions::default());
    assert!(matches!(refused, Err(StoreError::OtherSettings { commit: 1 })));
    assert_eq!(place.count("card_fetches"), 1);
}

#[test]
fn two_at_once_both_land() {
    let place = Place::new();
    place.store();
    let inputs =
        [place.file("a", &[CARD, STATUS].join("\n")), place.file("b", &[STATUS, LATER].join("\n"))];
    std::thread::scope(|scope| {
        for input in &inputs {
            scope.spawn(|| place.ingest(std::slice::from_ref(input)));
        }
    });
    assert_eq!(place.store().commits().unwrap().len(), 2);
    assert_eq!(
        (place.count("task_events"), place.count("card_fetches"), place.count("cards")),
        (1, 2, 1)
    );
}

#[test]
fn damage_is_told() {
    let place = Place::new();
    place.ingest(&[place.file("a", &[CARD, STATUS].join("\n"))]);
    let store = place.store();
    let commit = store.commits().unwrap().remove(0);
    let path = store.path(&commit.files[0]);
    let mut bytes = fs::read(&path).unwrap();
    bytes[10] ^= 1;
    fs::write(&path, bytes).unwrap();
    fs::remove_file(store.path(&commit.files[1])).unwrap();
    let faults = store.verify().unwrap();
    assert_eq!(faults.len(), 2);
    assert!(faults.iter().any(|fault| fault.path == path && fault.why.contains("changed")));
    fs::write(store.root().join("commits/0000000002.json"), "{").unwrap();
    assert!(matches!(store.commits(), Err(StoreError::BadCommit { .. })));
}

#[test]
fn tables_of_another_layout_are_refused_by_all_that_read_them() {
    let place = Place::new();
    place.ingest(&[place.file("a", &[CARD, STATUS].join("\n"))]);
    let store = place.store();
    let path = store.root().join("commits/0000000001.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"layout\": \"", "\"layout\": \"0.")).unwrap();
    let other = format!("0.{LAYOUT}");
    let refused = |answer: Result<(), StoreError>| {
        assert!(
            matches!(&answer, Err(StoreError::OtherLayout { commit: 1, layout, .. }) if *layout == other),
            "{answer:?}"
        );
    };
    refused(store.dataset().map(drop));
    refused(store.dataset_until(Some(1)).map(drop));
    refused(store.retain(0, true).map(drop));
    let again =
        store.ingest(&[place.file("b", LATER)], &Config::default(), &IngestOptions::default());
    refused(again.map(drop));
    // What is there can still be listed and hashed.
    assert_eq!(store.commits().unwrap().len(), 1);
    assert_eq!(store.verify().unwrap(), []);
}

#[test]
fn folders_that_are_no_stores() {
    let place = Place::new();
    place.file("mine", "x");
    assert!(matches!(Store::open(place.folder.path()), Err(StoreError::NoStore(_))));
    assert!(matches!(Store::open_or_create(place.folder.path()), Err(StoreError::NotAStore(_))));
    assert_eq!(fs::read_dir(place.folder.path()).unwrap().count(), 1);
}

#[test]
fn chunks_in_two_commits_are_told() {
    let place = Place::new();
    let chunk = |time: u8, fields: &str| {
        format!(
            r#"{{"time":{time},"event":"artifact","agent":"g","task_id":"t","artifact_id":"x","payload":"a"{fields}}}"#
        )
    };
    place.ingest(&[place.file("a", &chunk(1, ""))]);
    let ingested = place.ingest(&[place.file("b", &chunk(2, ",\"append\":true"))]);
    assert_eq!(ingested.problems.get(&crate::problem::Kind::ChunksAcrossCommits), Some(&1));
    assert!(
        place
            .rows()
            .iter()
            .any(|(name, rows)| *name == "artifacts" && rows[1].contains("ingest=2 "))
    );
}

/// The state of a task at a second of 2026.
fn state(second: u32, task: &str, state: &str) -> String {
    format!(
        r#"{{"time":"2026-11-14T00:00:{second:02}Z","event":"task_status","agent":"g","task_id":"{task}","state":"{state}"}}"#
    )
}

/// Nanoseconds of that second.
fn at(second: i64) -> i64 {
    1_794_614_400_000_000_000 + second * 1_000_000_000
}

/// Two nights: one task ends in the first, one in the second, one begins in the second.
fn two_nights() -> Place {
    let place = Place::new();
    let first = [
        CARD.to_owned(),
        state(1, "old", "working"),
        state(2, "old", "completed"),
        state(3, "long", "working"),
    ];
    place.ingest(&[place.file("a", &first.join("\n"))]);
    let second = [state(10, "long", "completed"), state(11, "new", "working")];
    place.ingest(&[place.file("b", &second.join("\n"))]);
    place
}

#[test]
fn tasks_go_or_stay_as_a_whole() {
    let place = two_nights();
    assert_eq!(place.store().last_time().unwrap(), Some(at(11)));
    // At the limit is not before it.
    assert_eq!(place.store().retain(at(1), false).unwrap(), Retained::default());
    assert_eq!(place.store().retain(at(2), false).unwrap(), Retained::default());
    let rows = BTreeMap::from([("task_events".to_owned(), 2)]);
    let dry = place.store().retain(at(3), true).unwrap();
    assert_eq!(dry, Retained { commit: None, rows: rows.clone() });
    assert_eq!(place.count("task_events"), 5);
    let gone = place.store().retain(at(3), false).unwrap();
    assert_eq!(gone, Retained { commit: Some(3), rows });
    // `long` has a state at 10 s, so that the one at 3 s stays.
    assert_eq!((place.count("task_events"), place.count("card_fetches")), (3, 1));
    assert_eq!(place.store().retain(at(5), false).unwrap(), Retained::default());
    assert_eq!(place.store().verify().unwrap(), []);
    let removed = place.store().gc(false).unwrap();
    assert_eq!((removed.removed.is_empty(), removed.held), (false, 0));
    // All of the rest goes, too: then there is no segment left.
    assert_eq!(place.store().retain(at(60), false).unwrap().commit, Some(4));
    assert_eq!((place.count("task_events"), place.count("cards")), (0, 1));
    assert_eq!(place.store().verify().unwrap(), []);
    // As it was at the first commit, but for what has gone since.
    let (dataset, last) = place.store().dataset_until(Some(1)).unwrap();
    assert_eq!((rows_of(&dataset, "task_events"), rows_of(&dataset, "sources")), (0, 1));
    assert_eq!(last, Extent { commit: 4, kept_from: Some(at(60)) });
    // What was removed does not come back.
    let again = place.ingest(&[place.file("c", &format!("\n{}", state(2, "old", "completed")))]);
    assert_eq!(again.totals().2.duplicate, 1);
    assert_eq!(place.count("task_events"), 0);
}

fn rows_of(dataset: &Dataset, table: &str) -> usize {
    rows(dataset, table, &[]).len()
}

#[test]
fn what_a_reader_may_open_stays() {
    let place = two_nights();
    let reader = place.store().dataset().unwrap();
    assert!(place.store().retain(at(60), false).unwrap().commit.is_some());
    let held = place.store().gc(false).unwrap();
    assert!(held.removed.is_empty() && held.held >= 2, "{held:?}");
    assert_eq!(rows_of(&reader, "task_events"), 5);
    drop(reader);
    let freed = place.store().gc(false).unwrap();
    assert_eq!((freed.removed.len() as u64, freed.held), (held.held, 0));
}

#[test]
fn retention_that_fails_takes_all_or_nothing() {
    let place = two_nights();
    let before = place.rows();
    let mut failed = 0;
    loop {
        STEPS_LEFT.set(Some(failed));
        let result = place.store().retain(at(3), false);
        STEPS_LEFT.set(None);
        assert_eq!(place.store().verify().unwrap(), []);
        if result.is_ok() {
            break;
        }
        let kept = if place.store().commits().unwrap().len() == 2 { 5 } else { 3 };
        assert_eq!(place.count("task_events"), kept);
        assert!(kept == 3 || place.rows() == before);
        failed += 1;
    }
    assert!(failed > 3, "{failed}");
    assert_eq!(place.count("task_events"), 3);
    place.store().gc(false).unwrap();
    assert_eq!(place.store().verify().unwrap(), []);
}

#[test]
fn a_store_whose_files_are_not_all_there_is_refused() {
    let place = Place::new();
    place.ingest(&[place.file("a", &[CARD, STATUS].join("\n"))]);
    let store = place.store();
    let files = fs::read_dir(store.root().join(SEGMENTS)).unwrap();
    let tables = files
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "parquet"));
    for path in tables {
        let whole = fs::read(&path).unwrap();
        let refused = |what: &str| {
            let ingest = store.ingest(
                &[place.file("b", LATER)],
                &Config::default(),
                &IngestOptions::default(),
            );
            for answer in [store.dataset().map(drop), ingest.map(drop)] {
                let told =
                    matches!(&answer, Err(StoreError::BadSegment { path: at, .. }) if *at == path);
                assert!(told, "{what} {}: {answer:?}", path.display());
            }
        };
        fs::remove_file(&path).unwrap();
        refused("without");
        fs::write(&path, whole.get(1..).unwrap_or_default()).unwrap();
        refused("with less of");
        fs::write(&path, whole).unwrap();
    }
    assert_eq!(place.count("task_events"), 1);
    assert!(matches!(Store::open_or_create(Path::new("s3://u:p@b/x")), Err(StoreError::Remote)));
}
