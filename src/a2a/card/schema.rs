//! The artifact schema version that a card states (model §8, "card schema").
//!
//! What a card states may depend on the task's skill and the artifact's media type, and those are
//! known only when querying. So a card gives every version that a rule could state
//! ([`Card::schema_candidates`]), and a query takes the first rule that hits, as
//! [`Card::schema_for`] does.

use std::collections::BTreeSet;

use super::{Card, CardSchemaRule};
use crate::a2a::media::{self, MediaType};
use crate::a2a::version;

/// A version that a rule could state. To resolve a skill and a media type: of the candidates whose
/// `media_base` is null or the artifact's, take those of the smallest `rule`; within `output_mode`
/// those of the task's skill, and only when there are none those without a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaCandidate {
    /// Index of the rule in the configured list.
    pub rule: u8,
    /// The skill whose own output mode states it; `None` for the defaults and for other rules.
    pub skill: Option<String>,
    /// Base type of the output mode; `None` for rules that do not depend on a media type.
    pub media_base: Option<String>,
    /// As stated.
    pub stated: String,
    /// As compared ([`version::normalise`]).
    pub normalised: String,
    /// Order among the candidates of one rule, skill and base: the first that fits is printed.
    pub position: u16,
}

impl Card {
    /// Every version that any rule could state.
    pub fn schema_candidates(&self, rules: &[CardSchemaRule]) -> Vec<SchemaCandidate> {
        let stated = self.stated();
        let mut candidates = Vec::new();
        for (index, rule) in (0..=u8::MAX).zip(rules) {
            if *rule == CardSchemaRule::OutputMode {
                add_modes(index, None, &self.default_output_modes, &mut candidates);
                for skill in &self.skills {
                    add_modes(index, Some(&skill.id), &skill.output_modes, &mut candidates);
                }
            } else if let Some(text) = self.by_rule(rule, &stated)
                && let Some(normalised) = version::normalise(&text)
            {
                candidates.push(SchemaCandidate {
                    rule: index,
                    skill: None,
                    media_base: None,
                    normalised: normalised.to_owned(),
                    stated: text.into_owned(),
                    position: 0,
                });
            }
        }
        candidates
    }

    /// The versions that the card allows for an artifact, as (stated, normalised): those of the first
    /// rule that hits; none when no rule does. The reference for what queries compute.
    pub fn schema_for(
        &self,
        skill: Option<&str>,
        media_type: Option<&str>,
        rules: &[CardSchemaRule],
    ) -> Vec<(String, String)> {
        let base = media_type.and_then(media::base);
        let mut candidates = self.schema_candidates(rules);
        candidates
            .retain(|one| one.media_base.is_none() || one.media_base.as_deref() == base.as_deref());
        candidates.retain(|one| one.skill.is_none() || one.skill.as_deref() == skill);
        let Some(first) = candidates.iter().map(|one| one.rule).min() else { return Vec::new() };
        candidates.retain(|one| one.rule == first);
        if candidates.iter().any(|one| one.skill.is_some()) {
            candidates.retain(|one| one.skill.is_some());
        }
        candidates.into_iter().map(|one| (one.stated, one.normalised)).collect()
    }

    /// The normalised version that is part of the contract: by the first rule that hits, without
    /// `output_mode`.
    pub(super) fn contract_schema(&self, rules: &[CardSchemaRule]) -> Option<String> {
        let stated = self.stated();
        rules
            .iter()
            .filter(|rule| **rule != CardSchemaRule::OutputMode)
            .find_map(|rule| version::normalise(&self.by_rule(rule, &stated)?).map(str::to_owned))
    }
}

/// A candidate for each version that some output modes state, each once for a base type.
fn add_modes(
    rule: u8,
    skill: Option<&String>,
    modes: &[String],
    candidates: &mut Vec<SchemaCandidate>,
) {
    let mut seen = BTreeSet::new();
    for (position, mode) in modes.iter().enumerate() {
        let Some(MediaType { base, version: Some(stated) }) = MediaType::parse(mode) else {
            continue;
        };
        let Some(normalised) = version::normalise(&stated) else { continue };
        if seen.insert((base.clone().into_owned(), normalised.to_owned())) {
            candidates.push(SchemaCandidate {
                rule,
                skill: skill.cloned(),
                media_base: Some(base.into_owned()),
                normalised: normalised.to_owned(),
                stated: stated.into_owned(),
                position: u16::try_from(position).unwrap_or(u16::MAX),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::default_rules;
    use super::*;

    fn schema(card: &str, skill: Option<&str>, media: Option<&str>) -> Vec<String> {
        let card = Card::parse(card.as_bytes()).unwrap();
        card.schema_for(skill, media, &default_rules())
            .into_iter()
            .map(|(stated, _)| stated)
            .collect()
    }

    #[test]
    fn the_rules_in_order() {
        let all = r#"{"name":"S","artifactSchema":{"version":3.0},"capabilities":{"extensions":[{"uri":"u","params":{"schemaVersion":"4"}}]},"defaultOutputModes":["x/y;version=5"],"artifact":{"mimeType":"x/y;version=6"}}"#;
        assert_eq!(schema(all, None, Some("x/y")), ["3.0"]);
        let all = all.replace("artifactSchema", "other");
        assert_eq!(schema(&all, None, Some("x/y")), ["4"]);
        let all = all.replace("schemaVersion", "other");
        assert_eq!(schema(&all, None, Some("X/Y; charset=z")), ["5"]);
        assert_eq!(schema(&all, None, Some("a/b")), ["6"]);
        assert_eq!(schema(&all, None, None), ["6"]);
        let all = all.replace("mimeType", "other");
        assert_eq!(schema(&all, None, Some("a/b")), ["5"]);
        assert!(schema(r#"{"name":"S"}"#, None, Some("a/b")).is_empty());
    }

    #[test]
    fn extensions_agree_or_state_nothing() {
        let card = |one: &str, two: &str| {
            format!(
                r#"{{"capabilities":{{"extensions":[{{"params":{{"schemaVersion":{one}}}}},{{"params":{{"artifactSchema":{{"version":{two}}}}}}}]}}}}"#
            )
        };
        assert_eq!(schema(&card("8", "\"8.0\""), None, None), ["8"]);
        assert!(schema(&card("8", "9"), None, None).is_empty());
        assert_eq!(schema(&card("8", "\"\""), None, None), ["8"]);
    }

    #[test]
    fn the_skill_comes_before_the_defaults() {
        let card = r#"{"skills":[{"id":"a","outputModes":["x/y;version=1","x/y;version=2","x/y;version=1.0"]},{"id":"b","outputModes":["p/q;version=3"]}],"defaultOutputModes":["x/y;version=9"]}"#;
        assert_eq!(schema(card, Some("a"), Some("x/y")), ["1", "2"]);
        assert_eq!(schema(card, Some("b"), Some("x/y")), ["9"]);
        assert_eq!(schema(card, Some("b"), Some("p/q")), ["3"]);
        assert_eq!(schema(card, None, Some("x/y")), ["9"]);
        assert!(schema(card, None, Some("p/q")).is_empty());
    }

    #[test]
    fn the_only_version_among_all_modes() {
        let card = r#"{"skills":[{"id":"a","outputModes":["x/y;version=3"]}],"defaultOutputModes":["a/b","c/d.v3+json"]}"#;
        assert_eq!(schema(card, None, Some("z/z")), ["3"]);
        let card = card.replace("c/d.v3", "c/d.v4");
        assert!(schema(&card, None, Some("z/z")).is_empty());
    }

    #[test]
    fn configured_rules() {
        let rules = ["/x/*/rev".parse().unwrap(), "output_mode".parse().unwrap()];
        let card = Card::parse(
            br#"{"name":"S","x":[{"rev":""},{"rev":1e2}],"defaultOutputModes":["a/b;version=2"]}"#,
        );
        let card = card.unwrap();
        assert_eq!(card.schema_for(None, Some("a/b"), &rules)[0].0, "1e2");
        assert_eq!(card.contract_schema(&rules).as_deref(), Some("1e2"));
        assert_eq!(card.contract_schema(&rules[1..]), None);
        let candidates = card.schema_candidates(&rules);
        assert_eq!(candidates.len(), 2);
        assert_eq!((candidates[1].rule, candidates[1].media_base.as_deref()), (1, Some("a/b")));
        assert!("nonsense".parse::<CardSchemaRule>().is_err());
    }
}
