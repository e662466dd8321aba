//! What changed between two cards, as rows and as a document.

use super::document::{Document, Prose, Section, Table};
use crate::a2a::card::{CardDiff, Change, Facet};
use arrow::array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use arrow::error::ArrowError;
use std::sync::Arc;

/// One row for each change: `effect` (`breaking`, `compatible` or `cosmetic`), `facet` (null:
/// none of the contract), `path`, `change`, `before`, `after`, `breaking`.
///
/// # Errors
/// Never for what [`crate::a2a::card::diff`] gives.
pub fn rows(diff: &CardDiff) -> Result<RecordBatch, ArrowError> {
    let changes = &diff.changes;
    let texts = |of: fn(&Change) -> Option<&str>| -> ArrayRef {
        Arc::new(changes.iter().map(of).collect::<StringArray>())
    };
    RecordBatch::try_from_iter_with_nullable([
        ("effect", texts(|c| Some(effect(c))), false),
        ("facet", texts(|c| c.facet.map(Facet::as_str)), true),
        ("path", texts(|c| Some(&c.path)), false),
        ("change", texts(|c| Some(c.kind.as_str())), false),
        ("before", texts(|c| c.before.as_deref()), true),
        ("after", texts(|c| c.after.as_deref()), true),
        (
            "breaking",
            Arc::new(changes.iter().map(|c| Some(c.breaking)).collect::<BooleanArray>())
                as ArrayRef,
            false,
        ),
    ])
}

fn effect(change: &Change) -> &'static str {
    match (change.breaking, change.facet) {
        (true, _) => "breaking",
        (false, Some(_)) => "compatible",
        (false, None) => "cosmetic",
    }
}

/// The difference for people; `same_bytes`: the cards are one.
pub fn document(before: &str, after: &str, diff: &CardDiff, same_bytes: bool) -> Document {
    let of = |wanted: &str| diff.changes.iter().filter(|c| effect(c) == wanted).collect::<Vec<_>>();
    let (breaking, compatible, cosmetic) = (of("breaking"), of("compatible"), of("cosmetic"));
    let lead = if same_bytes {
        Prose::new().strong("Identical: ").say("both are the same bytes.")
    } else if !breaking.is_empty() {
        Prose::new()
            .strong("Breaking: ")
            .say("a delegation that relied on the earlier card may fail; changed: ")
            .say(facets(diff))
            .say(".")
    } else if !compatible.is_empty() {
        Prose::new().strong("Compatible: ").say(format!(
            "the contract changed ({}), and whatever relied on it still holds.",
            facets(diff)
        ))
    } else {
        Prose::new().strong("Cosmetic: ").say("other bytes, but the same contract.")
    };
    let counts = Prose::new().say("From ").name(before).say(" to ").name(after).say(format!(
        ": {} breaking, {} compatible, {} cosmetic.",
        breaking.len(),
        compatible.len(),
        cosmetic.len()
    ));
    let sections = [("Breaking", &breaking), ("Compatible", &compatible), ("Cosmetic", &cosmetic)];
    Document {
        title: "Card difference".to_owned(),
        opening: vec![lead, counts],
        alarm: !breaking.is_empty(),
        sections: sections
            .into_iter()
            .map(|(title, changes)| section(title, changes))
            .filter(|s| !s.is_empty())
            .collect(),
    }
}

fn facets(diff: &CardDiff) -> String {
    let names: Vec<&str> = diff.changed.iter().map(|f| f.as_str()).collect();
    names.join(", ")
}

fn section(title: &'static str, changes: &[&Change]) -> Section {
    let mut section = Section::new(title);
    let mut table = Table::new(&["facet", "where", "what", "before", "after"]);
    let cell = |text: &Option<String>| {
        text.as_ref().map_or_else(Prose::new, |text| Prose::new().name(text))
    };
    for change in changes {
        table.row([
            change.facet.map_or_else(Prose::new, |f| f.as_str().into()),
            Prose::new().name(&change.path),
            change.kind.as_str().into(),
            cell(&change.before),
            cell(&change.after),
        ]);
    }
    section.table(table);
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::card::{Card, default_rules, diff};
    use crate::report::document::text;

    fn compare(before: &str, after: &str) -> (CardDiff, String) {
        let card = |text: &str| Card::parse(text.as_bytes()).unwrap();
        let diff = diff(&card(before), &card(after), &default_rules());
        let mut out = Vec::new();
        let document = document("a.json", "b.json", &diff, before == after);
        text::write(&document, text::Style::default(), &mut out).unwrap();
        (diff, String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_renamed_skill_breaks() {
        let card = |id: &str| format!(r#"{{"name":"S","skills":[{{"id":"{id}"}}]}}"#);
        let (diff, text) = compare(&card("summarize-v2"), &card("summarize-v3"));
        assert!(text.starts_with("Breaking: "), "{text}");
        assert!(text.contains("1 breaking, 1 compatible, 0 cosmetic"), "{text}");
        let batch = rows(&diff).unwrap();
        assert_eq!((batch.num_rows(), batch.num_columns()), (2, 7));
    }

    #[test]
    fn another_name_is_cosmetic() {
        let (_, text) = compare(r#"{"name":"S"}"#, r#"{"name":"T"}"#);
        assert!(text.starts_with("Cosmetic: "), "{text}");
        let (_, text) = compare(r#"{"name":"S"}"#, r#"{"name":"S"}"#);
        assert!(text.starts_with("Identical: "), "{text}");
    }
}
