//! How two cards differ, facet by facet (model §2), and which differences break a delegation.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::change::{Change, ChangeKind, Facet, maps, member, sets, single};
use super::contract::canonical;
use super::security::Requirement;
use super::{Card, CardSchemaRule, Extension, Skill};
use crate::a2a::version;

/// How a card differs from an earlier one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardDiff {
    /// The facets that differ, in the model's order; empty when the contracts are one.
    pub changed: Vec<Facet>,
    /// Skills that only the later card has, sorted.
    pub skills_added: Vec<String>,
    /// Skills that only the earlier card has, sorted.
    pub skills_removed: Vec<String>,
    /// Every difference: facets in the model's order, then what is cosmetic.
    pub changes: Vec<Change>,
}

impl CardDiff {
    /// Whether any difference breaks a delegation.
    pub fn is_breaking(&self) -> bool {
        self.changes.iter().any(|change| change.breaking)
    }
}

/// Compares two cards; `rules` are those of `[extract] card_schema`.
pub fn diff(before: &Card, after: &Card, rules: &[CardSchemaRule]) -> CardDiff {
    let mut found = CardDiff::default();
    let list = &mut found.changes;
    skills(before, after, list);
    modes(before, after, list);
    capabilities(before, after, list);
    security(before, after, list);
    protocol(before, after, list);
    schema(before, after, rules, list);
    let facets: BTreeSet<Facet> = list.iter().filter_map(|change| change.facet).collect();
    let ids = |kind| {
        let of_kind = |change: &&Change| change.facet == Some(Facet::Skills) && change.kind == kind;
        let mut ids: Vec<String> = found
            .changes
            .iter()
            .filter(of_kind)
            .filter_map(|change| change.after.clone().or(change.before.clone()))
            .collect();
        ids.sort();
        ids
    };
    (found.skills_added, found.skills_removed) = (ids(ChangeKind::Added), ids(ChangeKind::Removed));
    found.changed = facets.into_iter().collect();
    cosmetic(before, after, &mut found.changes);
    found
}

fn skills(before: &Card, after: &Card, list: &mut Vec<Change>) {
    let ids = |card: &Card| card.skills.iter().map(|skill| skill.id.clone()).collect();
    sets(Facet::Skills, "skills", &ids(before), &ids(after), list);
}

/// The defaults, and the effective modes of the skills that both have. A skill that states none in
/// either card follows the defaults, and is not told apart from them.
fn modes(before: &Card, after: &Card, list: &mut Vec<Change>) {
    let mut compare = |path: &str, a: &[String], b: &[String]| {
        let set = |modes: &[String]| modes.iter().cloned().collect();
        sets(Facet::Modes, path, &set(a), &set(b), list);
    };
    compare("defaultInputModes", &before.default_input_modes, &after.default_input_modes);
    compare("defaultOutputModes", &before.default_output_modes, &after.default_output_modes);
    for (a, b) in in_both(before, after) {
        let path = |what: &str| format!("skills/{}/{what}", a.id);
        if !(a.input_modes.is_empty() && b.input_modes.is_empty()) {
            compare(&path("inputModes"), before.input_modes(a), after.input_modes(b));
        }
        if !(a.output_modes.is_empty() && b.output_modes.is_empty()) {
            compare(&path("outputModes"), before.output_modes(a), after.output_modes(b));
        }
    }
}

fn in_both<'c>(before: &'c Card, after: &'c Card) -> impl Iterator<Item = (&'c Skill, &'c Skill)> {
    before.skills.iter().filter_map(|skill| Some((skill, after.skill(&skill.id)?)))
}

fn capabilities(before: &Card, after: &Card, list: &mut Vec<Change>) {
    let (a, b) = (&before.capabilities, &after.capabilities);
    for (name, was, is) in [
        ("streaming", a.streaming, b.streaming),
        ("pushNotifications", a.push_notifications, b.push_notifications),
    ] {
        if was != is {
            let kind = if is { ChangeKind::Added } else { ChangeKind::Removed };
            list.push(Change {
                facet: Some(Facet::Capabilities),
                path: format!("capabilities/{name}"),
                kind,
                before: Some(was.to_string()),
                after: Some(is.to_string()),
                breaking: was,
            });
        }
    }
    let by_uri = |extensions: &[Extension]| {
        let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for one in extensions {
            let value = json!({"required": one.required, "params": one.params});
            all.entry(one.uri.clone()).or_default().push(value);
        }
        all.into_iter().map(|(uri, all)| (uri, json!(all))).collect()
    };
    let required = |extensions: &[Extension], uri: &str| {
        extensions.iter().any(|one| one.uri == uri && one.required)
    };
    maps(
        "capabilities/extensions",
        &by_uri(&a.extensions),
        &by_uri(&b.extensions),
        |uri, kind| {
            let newly = required(&b.extensions, uri) && !required(&a.extensions, uri);
            (Facet::Capabilities, newly || kind == ChangeKind::Removed)
        },
        list,
    );
}

fn security(before: &Card, after: &Card, list: &mut Vec<Change>) {
    let (a, b) = (&before.security, &after.security);
    maps(
        "securitySchemes",
        &a.schemes,
        &b.schemes,
        |_, kind| (Facet::Security, kind != ChangeKind::Added),
        list,
    );
    requirements("security", &a.requirements, &b.requirements, list);
    for (a, b) in in_both(before, after) {
        requirements(&format!("skills/{}/security", a.id), &a.security, &b.security, list);
    }
    let authentication = |value: &Option<Value>| value.as_ref().map(canonical);
    let (a, b) = (authentication(&a.authentication), authentication(&b.authentication));
    single(Some(Facet::Security), "authentication", a, b, true, list);
}

/// Requirements are alternatives: one more breaks nobody, unless there were none before.
fn requirements(
    path: &str,
    before: &BTreeSet<Requirement>,
    after: &BTreeSet<Requirement>,
    list: &mut Vec<Change>,
) {
    let text = |set: &BTreeSet<Requirement>| set.iter().map(|one| canonical(&json!(one))).collect();
    let from = list.len();
    sets(Facet::Security, path, &text(before), &text(after), list);
    if before.is_empty() {
        list.iter_mut().skip(from).for_each(|change| change.breaking = true);
    }
}

fn protocol(before: &Card, after: &Card, list: &mut Vec<Change>) {
    let versions = |card: &Card| {
        let stated = card.interfaces.iter().filter_map(|one| one.protocol_version.as_deref());
        stated.filter_map(version::normalise).map(str::to_owned).collect()
    };
    sets(Facet::Protocol, "protocolVersion", &versions(before), &versions(after), list);
}

fn schema(before: &Card, after: &Card, rules: &[CardSchemaRule], list: &mut Vec<Change>) {
    let (a, b) = (before.contract_schema(rules), after.contract_schema(rules));
    let breaking = a.is_some();
    single(Some(Facet::Schema), "artifactSchema", a, b, breaking, list);
}

/// What people want to see, though no delegation depends on it.
fn cosmetic(before: &Card, after: &Card, list: &mut Vec<Change>) {
    single(None, "name", before.name.clone(), after.name.clone(), false, list);
    single(None, "version", before.version.clone(), after.version.clone(), false, list);
    let addresses = |card: &Card| -> BTreeSet<String> {
        let one = |i: &super::Interface| match &i.transport {
            Some(transport) => format!("{transport} {}", i.url),
            None => i.url.clone(),
        };
        card.interfaces.iter().map(one).collect()
    };
    let (a, b) = (addresses(before), addresses(after));
    for (one, kind) in a
        .difference(&b)
        .map(|one| (one, ChangeKind::Removed))
        .chain(b.difference(&a).map(|one| (one, ChangeKind::Added)))
    {
        list.push(member(None, "interfaces", one, kind, false));
    }
}

#[cfg(test)]
mod tests {
    use super::super::default_rules;
    use super::*;

    fn compare(before: &str, after: &str) -> CardDiff {
        let card = |text: &str| Card::parse(text.as_bytes()).unwrap();
        diff(&card(before), &card(after), &default_rules())
    }

    fn lines(diff: &CardDiff) -> Vec<String> {
        let line = |change: &Change| {
            let mark = if change.breaking { "!" } else { "" };
            format!("{} {}{mark}", change.path, change.kind.as_str())
        };
        diff.changes.iter().map(line).collect()
    }

    #[test]
    fn skills_and_modes() {
        let found = compare(
            r#"{"name":"S","skills":[{"id":"a"},{"id":"b"}],"defaultOutputModes":["x"]}"#,
            r#"{"name":"S","skills":[{"id":"b"},{"id":"c"}],"defaultOutputModes":["x","y"]}"#,
        );
        assert_eq!(found.changed, [Facet::Skills, Facet::Modes]);
        assert_eq!(
            (found.skills_added, found.skills_removed),
            (vec!["c".to_owned()], vec!["a".to_owned()])
        );
    }

    #[test]
    fn modes_of_a_skill_that_only_one_has_do_not_count() {
        let found = compare(
            r#"{"skills":[{"id":"a","outputModes":["x"]}]}"#,
            r#"{"skills":[{"id":"b","outputModes":["y"]}]}"#,
        );
        assert_eq!(found.changed, [Facet::Skills]);
    }

    #[test]
    fn modes_of_skills_that_follow_the_defaults_are_said_once() {
        let found = compare(
            r#"{"skills":[{"id":"a"},{"id":"b","outputModes":["x"]}],"defaultOutputModes":["x"]}"#,
            r#"{"skills":[{"id":"a"},{"id":"b"}],"defaultOutputModes":["y"]}"#,
        );
        let expected = [
            "defaultOutputModes removed!",
            "defaultOutputModes added",
            "skills/b/outputModes removed!",
            "skills/b/outputModes added",
        ];
        assert_eq!(lines(&found), expected);
    }

    #[test]
    fn what_breaks_and_what_does_not() {
        let base = r#"{"name":"S","capabilities":{"streaming":true},"skills":[{"id":"a"}]}"#;
        let more = r#"{"name":"T","version":"2","url":"u","capabilities":{"streaming":true,"pushNotifications":true,"extensions":[{"uri":"e"}]},"skills":[{"id":"a"},{"id":"b"}],"artifactSchema":{"version":"1"},"securitySchemes":{"k":{"type":"http"}}}"#;
        let additive = compare(base, more);
        assert!(!additive.is_breaking(), "{:?}", additive.changes);
        assert_eq!(
            lines(&additive),
            [
                "skills added",
                "capabilities/pushNotifications added",
                "capabilities/extensions/e added",
                "securitySchemes/k added",
                "artifactSchema added",
                "name changed",
                "version added",
                "interfaces added",
            ]
        );
        assert_eq!(
            lines(&compare(more, base)),
            [
                "skills removed!",
                "capabilities/pushNotifications removed!",
                "capabilities/extensions/e removed!",
                "securitySchemes/k removed!",
                "artifactSchema removed!",
                "name changed",
                "version removed",
                "interfaces removed",
            ]
        );
    }

    #[test]
    fn a_required_extension_and_a_first_requirement_break() {
        let found = compare(
            r#"{"capabilities":{"extensions":[{"uri":"e"}]}}"#,
            r#"{"capabilities":{"extensions":[{"uri":"e","required":true}]},"security":[{"k":[]}]}"#,
        );
        assert_eq!(lines(&found), ["capabilities/extensions/e changed!", "security added!"]);
        assert_eq!(found.changed, [Facet::Capabilities, Facet::Security]);
    }

    #[test]
    fn cosmetic_cards_have_no_facet() {
        let found = compare(r#"{"name":"S","version":"1"}"#, r#"{"name":"S","version":"2"}"#);
        assert!(found.changed.is_empty() && !found.is_breaking());
        assert_eq!(lines(&found), ["version changed"]);
    }
}
