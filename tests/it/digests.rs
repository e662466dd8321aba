//! Digests against payloads that were mended, or that no digest can be told of.

use crate::command::{run, run_with};
use carddrift::a2a::digest::{hex, sha256};

/// A digest is of what was sent: what was mended, or cannot be told, is not held against it.
#[test]
fn a_mended_payload_is_no_corrupt_one() {
    let head = r#"{"time":"2026-11-14T08:00:00Z","event":"card_fetch","client":"c","registry":"r","agent":"a","card":"{\"name\":\"S\",\"url\":\"https://a.example/\",\"artifactSchema\":{\"version\":\"1\"}}"}"#;
    let digest = format!("sha256:{}", "0".repeat(64));
    let payloads: [(&[u8], &str); 7] = [
        (br#"{"x":NaN}"#, "unchecked"),
        (br#""a\ud800b""#, "unchecked"),
        (br#""a\pb""#, "unchecked"),
        (b"\"a\xFFb\"", "unchecked"),
        (br#"{"x":1e400}"#, "unchecked"),
        (br#"{"x":1}"#, "mismatch"),
        // A raw tab says what its escape says.
        (b"\"a\tb\"", "mismatch"),
    ];
    let mut journal = format!("{head}\n").into_bytes();
    for (number, (payload, _)) in payloads.iter().enumerate() {
        let common = format!(
            r#""client":"c","agent":"a","task_id":"t{number}","time":"2026-11-14T08:0{number}:01Z""#
        );
        for state in ["submitted", "completed"] {
            journal.extend(
                format!("{{\"event\":\"task_status\",\"state\":\"{state}\",{common}}}\n")
                    .into_bytes(),
            );
        }
        let artifact = format!(
            r#"{{"event":"artifact","artifact_id":"x","schema_version":"1","last_chunk":true,"digest":"{digest}",{common},"payload":"#
        );
        journal.extend([artifact.as_bytes(), payload, b"}\n"].concat());
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("j.ndjson");
    std::fs::write(&path, journal).unwrap();
    let sql = "SELECT digest_status FROM bindings ORDER BY task_id";
    let ran = run(&["query", "-e", sql, "--input", path.to_str().unwrap(), "--format", "csv"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let told: Vec<&str> = ran.stdout.lines().skip(1).collect();
    assert_eq!(told, payloads.map(|(_, status)| status));
}

/// RFC 8785 has no form for a payload that repeats a key: its bytes are what its digest is held against.
#[test]
fn of_a_payload_that_repeats_a_key_the_bytes_count() {
    let payload = r#"{"x":1,"x":2}"#;
    let raw = hex(&sha256(payload.as_bytes()));
    let line = format!(
        r#"{{"event":"artifact","time":1,"agent":"a","task_id":"t","artifact_id":"x","last_chunk":true,"digest":"sha256:{raw}","payload":{payload}}}"#
    );
    let ran = run_with(
        &["query", "-e", "SELECT digest_status FROM bindings", "--input", "-", "--format", "csv"],
        &line,
    );
    assert_eq!(ran.stdout.lines().nth(1), Some("match"), "{}", ran.stderr);
    let ran = run_with(
        &[
            "query",
            "-e",
            "SELECT code, pointer FROM problems WHERE severity = 'repaired'",
            "--input",
            "-",
            "--format",
            "csv",
        ],
        &line,
    );
    assert_eq!(ran.stdout.lines().nth(1), Some("CD122,/payload"), "{}", ran.stderr);
}

#[test]
fn a_card_that_repeats_a_key_is_told() {
    let line = r#"{"event":"card_fetch","time":1,"agent":"a","registry":"r","card":"{\"name\":\"S\",\"name\":\"T\",\"url\":\"https://a.example/\"}"}"#;
    let sql = "SELECT code, pointer FROM problems WHERE severity = 'repaired'";
    let ran = run_with(&["query", "-e", sql, "--input", "-", "--format", "csv"], line);
    assert_eq!(ran.stdout.lines().nth(1), Some("CD122,/card"), "{}", ran.stderr);
}
