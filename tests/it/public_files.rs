//! Files of others, whole, as they were published: what is in them, counted by hand (of the cassettes
//! by a count of the objects in their bodies with another YAML library).

use carddrift::config::Config;
use carddrift::ingest::{IngestOptions, Ingested, ingest};

fn read(sample: &str) -> Ingested {
    let options = IngestOptions { threads: 1, ..IngestOptions::default() };
    let input = format!("{}/samples/{sample}", env!("CARGO_MANIFEST_DIR"));
    let ingested = ingest(&[input], &Config::default(), &options).unwrap();
    for account in &ingested.accounts {
        assert!(account.adds_up(), "{account:?}");
    }
    ingested
}

/// crewAI's 14 cassettes: 7 card fetches, 21 submissions, 76 states of tasks. One card was fetched in
/// two of them in the same second: that is one event. Three hold calls of a language model only.
#[test]
fn cassettes_of_crewai() {
    let ingested = read("vcr/crewai.tar.gz");
    let (records, _, fates) = ingested.totals();
    assert_eq!((ingested.accounts.len(), records, fates.accepted, fates.rejected), (14, 14, 14, 0));
    assert_eq!((fates.events, fates.duplicate_events), (103, 1));
    assert_eq!(fates.without_events, 3);
}

/// Successive revisions of public cards: of 49 files 47 are cards, one is empty, one no JSON.
#[test]
fn revisions_of_public_cards() {
    let ingested = read("card/a2a-registry.tar.gz");
    let (records, blank, fates) = ingested.totals();
    assert_eq!((ingested.accounts.len(), records, blank), (49, 49, 1));
    assert_eq!((fates.accepted, fates.rejected, fates.events), (47, 1, 47));
}

/// Catalogues that only link to cards, and traces of other programs.
#[test]
fn files_without_anything_of_a2a() {
    for (sample, files) in [("ai-catalog/ard.tar.gz", 3), ("otlp/no-a2a.tar.gz", 7)] {
        let (records, _, fates) = read(sample).totals();
        assert_eq!(
            (records, fates.accepted, fates.without_events),
            (files, files, files),
            "{sample}"
        );
        assert_eq!(fates.events, 0, "{sample}");
    }
}
