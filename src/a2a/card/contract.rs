//! The contract of a card: what a delegation depends on, and nothing else (model §2).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Card, CardSchemaRule, Skill};
use crate::a2a::digest::sha256_hex;
use crate::a2a::version;

/// Each facet as a canonical JSON text, so that two cards compare by equality of texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facets {
    /// Skill ids, as a sorted array.
    pub skills: String,
    /// The default input and output modes. Facet `modes` differs when these do, or the modes of a
    /// skill that both cards have ([`SkillKeys`]).
    pub default_modes: String,
    /// Streaming, push notifications, extensions.
    pub capabilities: String,
    /// Security schemes and requirements of the card.
    pub security: String,
    /// Protocol versions of the interfaces, normalised, as a sorted array.
    pub protocol: String,
    /// Artifact schema version without the rule `output_mode`, normalised; `null` when not stated.
    pub schema: String,
    /// One for each skill, sorted by id.
    pub skill_keys: Vec<SkillKeys>,
}

/// What belongs to one skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillKeys {
    /// The skill's id.
    pub id: String,
    /// Effective input modes, as a sorted array.
    pub input_modes: String,
    /// Effective output modes, as a sorted array.
    pub output_modes: String,
    /// Requirements of its own. Facet `security` differs when these do for a skill that both have.
    pub security: String,
}

impl Card {
    /// The contract: hex SHA-256 over all facets. `rules` are those of `[extract] card_schema`.
    pub fn contract(&self, rules: &[CardSchemaRule]) -> String {
        contract(&self.facets(rules))
    }

    /// The facets, each as text.
    pub fn facets(&self, rules: &[CardSchemaRule]) -> Facets {
        let mut skills: Vec<&Skill> = self.skills.iter().collect();
        skills.sort_by(|a, b| a.id.cmp(&b.id));
        let ids: Vec<_> = skills.iter().map(|skill| &skill.id).collect();
        let protocols: BTreeSet<_> = self
            .interfaces
            .iter()
            .filter_map(|interface| version::normalise(interface.protocol_version.as_deref()?))
            .collect();
        Facets {
            skills: canonical(&json!(ids)),
            default_modes: canonical(&json!({
                "input": set(&self.default_input_modes),
                "output": set(&self.default_output_modes),
            })),
            capabilities: canonical(&self.capabilities_json()),
            security: canonical(&json!({
                "schemes": self.security.schemes,
                "requirements": self.security.requirements,
                "authentication": self.security.authentication,
            })),
            protocol: canonical(&json!(protocols)),
            schema: canonical(&json!(self.contract_schema(rules))),
            skill_keys: skills.iter().map(|skill| self.skill_keys(skill)).collect(),
        }
    }

    fn skill_keys(&self, skill: &Skill) -> SkillKeys {
        SkillKeys {
            id: skill.id.clone(),
            input_modes: canonical(&set(self.input_modes(skill))),
            output_modes: canonical(&set(self.output_modes(skill))),
            security: canonical(&json!(skill.security)),
        }
    }

    fn capabilities_json(&self) -> Value {
        let extensions: Vec<_> = self
            .capabilities
            .extensions
            .iter()
            .map(|one| json!({"uri": one.uri, "required": one.required, "params": one.params}))
            .collect();
        json!({
            "streaming": self.capabilities.streaming,
            "pushNotifications": self.capabilities.push_notifications,
            "extensions": extensions,
        })
    }
}

/// The contract of a card with these facets.
pub fn contract(facets: &Facets) -> String {
    let mut text = String::new();
    let mut add = |part: &str| {
        text.push_str(part);
        text.push('\n');
    };
    for part in [
        &facets.skills,
        &facets.default_modes,
        &facets.capabilities,
        &facets.security,
        &facets.protocol,
        &facets.schema,
    ] {
        add(part);
    }
    for skill in &facets.skill_keys {
        // The id is JSON like its neighbours, so that no id can look like a line end.
        add(&canonical(&json!(skill.id)));
        add(&skill.input_modes);
        add(&skill.output_modes);
        add(&skill.security);
    }
    sha256_hex(text.as_bytes())
}

fn set(texts: &[String]) -> Value {
    let texts: BTreeSet<_> = texts.iter().collect();
    json!(texts)
}

/// RFC 8785 form. Serialising plain JSON values cannot fail.
pub(super) fn canonical(value: &Value) -> String {
    serde_json_canonicalizer::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::default_rules;
    use super::*;

    fn facets(text: &str) -> Facets {
        Card::parse(text.as_bytes()).unwrap().facets(&default_rules())
    }

    fn same(a: &str, b: &str) {
        assert_eq!(contract(&facets(a)), contract(&facets(b)), "{a}\n{b}");
    }

    fn differ(a: &str, b: &str) -> Vec<&'static str> {
        let (a, b) = (facets(a), facets(b));
        assert_ne!(contract(&a), contract(&b));
        let mut changed = Vec::new();
        for (name, before, after) in [
            ("skills", &a.skills, &b.skills),
            ("default_modes", &a.default_modes, &b.default_modes),
            ("capabilities", &a.capabilities, &b.capabilities),
            ("security", &a.security, &b.security),
            ("protocol", &a.protocol, &b.protocol),
            ("schema", &a.schema, &b.schema),
        ] {
            if before != after {
                changed.push(name);
            }
        }
        if a.skills == b.skills && a.skill_keys != b.skill_keys {
            changed.push("skill_keys");
        }
        changed
    }

    #[test]
    fn not_in_the_contract() {
        same(
            r#"{"name":"S","description":"a","version":"1","url":"http://a","skills":[{"id":"s","name":"n","tags":["t"],"examples":["e"]}],"signatures":[{}],"provider":{"url":"p"}}"#,
            r#"{"skills":[{"tags":[],"id":"s","description":"x"}],"version":"2","name":"T","url":"http://b"}"#,
        );
        same(
            r#"{"name":"S","capabilities":{"streaming":false,"extensions":[{"uri":"u:1","description":"d"}]}}"#,
            r#"{"name":"S","capabilities":{"extensions":[{"uri":"u:1","required":false,"params":{}}]}}"#,
        );
        same(
            r#"{"name":"S","defaultOutputModes":["a","b"],"skills":[{"id":"s"}]}"#,
            r#"{"name":"S","defaultOutputModes":["b","a"],"skills":[{"id":"s","outputModes":["a","b"]}]}"#,
        );
        same(r#"{"url":"u","protocolVersion":"0.3.0"}"#, r#"{"url":"v","protocolVersion":"0.3"}"#);
    }

    #[test]
    fn a_facet_for_each_change() {
        let base = r#"{"name":"S","skills":[{"id":"s"}]}"#;
        assert_eq!(differ(base, r#"{"name":"S","skills":[{"id":"t"}]}"#), ["skills"]);
        assert_eq!(
            differ(base, r#"{"name":"S","skills":[{"id":"s"}],"defaultInputModes":["a"]}"#),
            ["default_modes", "skill_keys"]
        );
        assert_eq!(
            differ(base, r#"{"name":"S","skills":[{"id":"s","inputModes":["a"]}]}"#),
            ["skill_keys"]
        );
        assert_eq!(
            differ(base, r#"{"name":"S","skills":[{"id":"s"}],"capabilities":{"streaming":true}}"#),
            ["capabilities"]
        );
        assert_eq!(
            differ(base, r#"{"name":"S","skills":[{"id":"s"}],"security":[{"b":[]}]}"#),
            ["security"]
        );
        assert_eq!(
            differ(base, r#"{"name":"S","skills":[{"id":"s"}],"url":"u","protocolVersion":"1.0"}"#),
            ["protocol"]
        );
        assert_eq!(
            differ(base, r#"{"name":"S","skills":[{"id":"s"}],"artifactSchema":{"version":4}}"#),
            ["schema"]
        );
    }

    #[test]
    fn the_only_mode_is_in_the_contract_and_the_output_mode_rule_is_not() {
        // The case `contract_of_the_only_mode`.
        let card = |v: &str| {
            format!(r#"{{"skills":[{{"id":"s"}}],"defaultOutputModes":["x/y;version={v}","a/b"]}}"#)
        };
        assert_eq!(differ(&card("3"), &card("4")), ["default_modes", "schema", "skill_keys"]);
        assert_eq!(facets(&card("3.0")).schema, "\"3\"");
        let two = r#"{"defaultOutputModes":["x/y;version=3","a/b;version=1"],"skills":[]}"#;
        assert_eq!(facets(two).schema, "null");
    }
}
