//! Lines of text whose end was lost, or that were cut: neither is read as a whole one.

use crate::command::{run, run_with};
use std::fs;

fn lines(sample: &str) -> Vec<String> {
    fs::read_to_string(sample).unwrap().lines().map(str::to_owned).collect()
}

/// What became of the records of a text: records, rejected, repaired, events; and codes of what was lost.
fn read(text: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("access.log");
    fs::write(&path, text).unwrap();
    let ask = |sql: &str| {
        let ran = run(&["query", "-e", sql, "--input", path.to_str().unwrap(), "--format", "csv"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout.lines().skip(1).collect::<Vec<_>>().join(" ")
    };
    (
        ask("SELECT records, rejected, repaired, events FROM sources"),
        ask("SELECT code FROM problems WHERE severity <> 'note' ORDER BY source_line, code"),
    )
}

#[test]
fn two_records_on_one_line_are_neither() {
    for sample in ["samples/envoy/access.log", "samples/agentgateway/request.log"] {
        let whole = lines(sample);
        let (all, lost) = read(&whole.join("\n"));
        assert_eq!(lost, "", "{sample}");
        let last = whole.len() - 2;
        let joined = [&whole[..last], &[format!("{}{}", whole[last], whole[last + 1])]].concat();
        let (left, lost) = read(&joined.join("\n"));
        assert_eq!(lost, "CD105", "{sample}: {all} became {left}");
    }
}

#[test]
fn a_request_without_its_outcome_was_cut() {
    let whole = lines("samples/agentgateway/request.log");
    let cut = whole[1].split(".well-know").next().unwrap();
    let (_, lost) = read(&[cut, &whole[2], &whole[3]].join("\n"));
    assert_eq!(lost, "CD102");
}

#[test]
fn a_line_that_may_be_cut_is_told() {
    let whole = lines("samples/envoy/access.log");
    let cut = whole[1].split(" \"python").next().unwrap();
    let (told, lost) = read(&[&whole[0], cut, &whole[2]].join("\n"));
    assert_eq!(lost, "CD102", "{told}");
    let whole = lines("samples/agentgateway/request.log");
    let cut = whole[2].split(" a2a.response.outcome").next().unwrap();
    let text = [&whole[1], cut, &whole[3]].join("\n");
    let sql = "SELECT code, pointer, source_line FROM problems WHERE pointer = '/duration'";
    let ran = run_with(&["query", "-e", sql, "--input", "-", "--format", "csv"], &text);
    assert_eq!(ran.stdout.lines().nth(1), Some("CD216,/duration,2"), "{}", ran.stderr);
}

#[test]
fn padding_before_a_line_of_text_is_none_of_it() {
    let whole = fs::read_to_string("samples/envoy/access.log").unwrap();
    let ((all, _), (padded, repaired)) =
        (read(&whole), read(&format!("{}{whole}", "\0".repeat(4096))));
    let events = |told: &str| told.rsplit(',').next().unwrap().to_owned();
    assert_eq!((events(&padded), repaired.as_str()), (events(&all), "CD115"));
}
