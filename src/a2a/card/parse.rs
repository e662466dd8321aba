//! From bytes to a [`Card`].

use std::fmt;

use serde_json::{Map, Value};

use super::read::At;
use super::{Capabilities, Card, Extension, Interface, Note, Skill, security};
use crate::a2a::json::{BadJson, without_bom, without_lone_surrogates};

/// At least one of these makes a JSON object a card (model §2).
const MARKS: [&str; 6] =
    ["name", "skills", "url", "supportedInterfaces", "supported_interfaces", "capabilities"];

/// Why some bytes are not a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotACard {
    /// Not JSON (an error page, a cut file), or nested deeper than 128.
    NotJson(BadJson),
    /// JSON, but not an object.
    NotAnObject,
    /// An object with none of a card's fields.
    NoCardField,
}

impl fmt::Display for NotACard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotACard::NotJson(error) => error.fmt(f),
            NotACard::NotAnObject => f.write_str("not a JSON object"),
            NotACard::NoCardField => f.write_str(
                "an object without name, skills, url, supportedInterfaces and capabilities",
            ),
        }
    }
}

impl std::error::Error for NotACard {}

impl Card {
    /// Reads a card of any A2A version. Bytes that are not UTF-8 and lone surrogates are replaced, a
    /// leading byte order mark is dropped: what a card says does not hang on its worst character.
    pub fn parse(bytes: &[u8]) -> Result<Card, NotACard> {
        let text = crate::a2a::json::lossy(bytes);
        let text = without_lone_surrogates(without_bom(&text));
        let value = serde_json::from_str(&text).map_err(|error| NotACard::NotJson(error.into()))?;
        let Value::Object(map) = value else { return Err(NotACard::NotAnObject) };
        if !MARKS.iter().any(|mark| map.contains_key(*mark)) {
            return Err(NotACard::NoCardField);
        }
        let mut card = of_map(&map);
        card.text = text.into_owned();
        Ok(card)
    }
}

fn of_map(map: &Map<String, Value>) -> Card {
    let root = At::root(map);
    let mut notes = Vec::new();
    Card {
        name: root.text(&["name"], &mut notes),
        version: root.label(&["version"], &mut notes),
        interfaces: interfaces(&root, &mut notes),
        default_input_modes: root.texts(&["defaultInputModes", "default_input_modes"], &mut notes),
        default_output_modes: root
            .texts(&["defaultOutputModes", "default_output_modes"], &mut notes),
        skills: skills(&root, &mut notes),
        capabilities: capabilities(&root, &mut notes),
        security: security::read(&root, &mut notes),
        notes,
        text: String::new(),
    }
}

/// `supportedInterfaces` of v1.0, then `url` and `additionalInterfaces` of older versions; a card
/// made for clients of both has all of them.
fn interfaces(root: &At<'_>, notes: &mut Vec<Note>) -> Vec<Interface> {
    let version_keys = ["protocolVersion", "protocol_version"];
    let card_version = root.label(&version_keys, notes);
    let mut found: Vec<Interface> = Vec::new();
    let mut add = |url: Option<String>, transport, protocol_version: Option<String>| {
        let Some(url) = url else { return };
        let protocol_version = protocol_version.or_else(|| card_version.clone());
        let interface = Interface { url, transport, protocol_version };
        if !found.contains(&interface) {
            found.push(interface);
        }
    };
    for one in root.objects(&["supportedInterfaces", "supported_interfaces"], notes) {
        let transport = one.text(&["protocolBinding", "protocol_binding", "transport"], notes);
        let version = one.label(&version_keys, notes);
        add(one.text(&["url"], notes), transport, version);
    }
    let preferred = root.text(&["preferredTransport", "preferred_transport"], notes);
    add(root.text(&["url"], notes), preferred, None);
    for one in root.objects(&["additionalInterfaces", "additional_interfaces"], notes) {
        let transport = one.text(&["transport", "protocolBinding", "protocol_binding"], notes);
        add(one.text(&["url"], notes), transport, None);
    }
    found
}

/// Skills by id; two entries of one id are one skill with the modes and requirements of both.
fn skills(root: &At<'_>, notes: &mut Vec<Note>) -> Vec<Skill> {
    let mut skills: Vec<Skill> = Vec::new();
    let mut places = std::collections::BTreeMap::new();
    for one in root.objects(&["skills"], notes) {
        let Some(id) = one.label(&["id"], notes) else {
            one.wrong("id", "the skill's id", notes);
            continue;
        };
        let skill = Skill {
            input_modes: one.texts(&["inputModes", "input_modes"], notes),
            output_modes: one.texts(&["outputModes", "output_modes"], notes),
            security: security::requirements(&one, notes),
            id,
        };
        let place = *places.entry(skill.id.clone()).or_insert(skills.len());
        match skills.get_mut(place) {
            Some(known) => merge(known, skill),
            None => skills.push(skill),
        }
    }
    skills
}

fn merge(known: &mut Skill, other: Skill) {
    let add = |modes: &mut Vec<String>, more: Vec<String>| {
        for mode in more {
            if !modes.contains(&mode) {
                modes.push(mode);
            }
        }
    };
    add(&mut known.input_modes, other.input_modes);
    add(&mut known.output_modes, other.output_modes);
    known.security.extend(other.security);
}

fn capabilities(root: &At<'_>, notes: &mut Vec<Note>) -> Capabilities {
    let Some(object) = root.object(&["capabilities"], notes) else {
        return Capabilities::default();
    };
    let mut extensions = Vec::new();
    for one in object.objects(&["extensions"], notes) {
        match one.text(&["uri"], notes) {
            None => one.wrong("uri", "the extension's URI", notes),
            Some(uri) => extensions.push(Extension {
                uri,
                required: one.flag(&["required"], notes),
                params: one.any(&["params"]).map(canonical_params).unwrap_or_default(),
            }),
        }
    }
    extensions.sort();
    extensions.dedup();
    Capabilities {
        streaming: object.flag(&["streaming"], notes),
        push_notifications: object.flag(&["pushNotifications", "push_notifications"], notes),
        extensions,
    }
}

/// Empty parameters are none: protobuf's JSON form leaves them out or writes `{}`.
fn canonical_params(params: &Value) -> String {
    let empty = params.as_object().is_some_and(Map::is_empty);
    if empty {
        return String::new();
    }
    serde_json_canonicalizer::to_string(params).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(text: &str) -> Card {
        Card::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn what_is_a_card() {
        for text in
            [r#"{"name":"S"}"#, r#"{"skills":null}"#, r#"{"url":1}"#, r#"{"capabilities":{}}"#]
        {
            assert!(Card::parse(text.as_bytes()).is_ok(), "{text}");
        }
        assert_eq!(Card::parse(br#"{"detail":"busy"}"#).unwrap_err(), NotACard::NoCardField);
        assert_eq!(Card::parse(b"[{}]").unwrap_err(), NotACard::NotAnObject);
        assert!(matches!(Card::parse(b"<html>"), Err(NotACard::NotJson(_))));
        assert!(matches!(Card::parse(b""), Err(NotACard::NotJson(bad)) if bad.truncated));
        let deep = format!(r#"{{"name":{}"#, "[".repeat(100_000));
        assert!(matches!(Card::parse(deep.as_bytes()), Err(NotACard::NotJson(_))));
    }

    #[test]
    fn interfaces_of_every_version() {
        let new = card(
            r#"{"supportedInterfaces":[{"url":"u1","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"u2","protocolBinding":"GRPC"}],"url":"u3","protocolVersion":"0.3","preferredTransport":"JSONRPC","additionalInterfaces":[{"url":"u3","transport":"JSONRPC"},{"url":"u4","transport":"GRPC"}]}"#,
        );
        assert_eq!(new.preferred_url(), Some("u1"));
        let all: Vec<_> = new
            .interfaces
            .iter()
            .map(|i| {
                (
                    i.url.as_str(),
                    i.transport.as_deref().unwrap(),
                    i.protocol_version.as_deref().unwrap(),
                )
            })
            .collect();
        let expected = [
            ("u1", "JSONRPC", "1.0"),
            ("u2", "GRPC", "0.3"),
            ("u3", "JSONRPC", "0.3"),
            ("u4", "GRPC", "0.3"),
        ];
        assert_eq!(all, expected);
        let old = card(r#"{"url":"u","version":"1"}"#);
        assert_eq!(
            (old.preferred_url(), old.interfaces[0].protocol_version.as_deref()),
            (Some("u"), None)
        );
        assert_eq!(card(r#"{"supported_interfaces":[{"url":"s"}]}"#).preferred_url(), Some("s"));
    }

    #[test]
    fn wrong_types_are_noted_and_absent() {
        let card = card(
            r#"{"name":7,"skills":[{"id":"a","inputModes":"text"},3,{"name":"x"}],"capabilities":{"streaming":"yes","extensions":[{"required":true}]},"defaultOutputModes":["a",1,"a",""]}"#,
        );
        assert_eq!(card.name, None);
        assert_eq!(card.default_output_modes, ["a"]);
        assert_eq!(card.skills.len(), 1);
        assert!(!card.capabilities.streaming);
        let pointers: Vec<_> = card.notes.iter().map(|note| note.pointer.as_str()).collect();
        let expected = [
            "/name",
            "/defaultOutputModes/1",
            "/skills/1",
            "/skills/0/inputModes",
            "/skills/2/id",
            "/capabilities/extensions/0/uri",
            "/capabilities/streaming",
        ];
        assert_eq!(pointers, expected);
    }

    #[test]
    fn two_entries_of_one_skill() {
        let card = card(
            r#"{"skills":[{"id":"a","outputModes":["x"]},{"id":"a","outputModes":["y","x"]}]}"#,
        );
        assert_eq!(card.skills.len(), 1);
        assert_eq!(card.skills[0].output_modes, ["x", "y"]);
    }

    #[test]
    fn characters_that_do_not_fit() {
        let lone =
            card("\u{feff}{\"name\":\"a\\ud83d\",\"description\":\"\\\\ud83d \\ud83d\\ude00\"}");
        assert_eq!(lone.name.as_deref(), Some("a\u{fffd}"));
        assert!(lone.text().contains("\\\\ud83d \\ud83d\\ude00"));
        assert_eq!(Card::parse(b"{\"name\":\"\xff\"}").unwrap().name.as_deref(), Some("\u{fffd}"));
    }
}
