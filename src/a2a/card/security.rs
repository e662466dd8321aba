//! Security of a card: schemes and requirements by name, type and parameters (model §2).
//!
//! The type is normalised across the ways in which one scheme is written (v1.0's wrapper names, the
//! `$case` of JavaScript, flat fields); parameters stay as their version names them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::Note;
use super::read::At;
use crate::a2a::digest::sha256_hex;

/// One way to satisfy a card: schemes that are needed together, with their scopes.
pub type Requirement = BTreeMap<String, BTreeSet<String>>;

/// Security of a card.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Security {
    /// Schemes by name: `{"type": …, parameters}`, without descriptions and empty values.
    pub schemes: BTreeMap<String, Value>,
    /// The alternatives, any of which is enough.
    pub requirements: BTreeSet<Requirement>,
    /// `authentication` of v0.1: its schemes, and only a hash of credentials.
    pub authentication: Option<Value>,
}

/// v1.0's wrapper names, in both casings folded, and the type that older versions give the same.
const WRAPPERS: [(&str, &str); 5] = [
    ("apikeysecurityscheme", "apiKey"),
    ("httpauthsecurityscheme", "http"),
    ("oauth2securityscheme", "oauth2"),
    ("openidconnectsecurityscheme", "openIdConnect"),
    ("mtlssecurityscheme", "mutualTLS"),
];

pub(super) fn read(root: &At<'_>, notes: &mut Vec<Note>) -> Security {
    let mut schemes = BTreeMap::new();
    if let Some(object) = root.object(&["securitySchemes", "security_schemes"], notes) {
        for (name, value) in object.entries() {
            match value.as_object() {
                Some(map) => {
                    schemes.insert(name.clone(), scheme(map));
                }
                None => object.wrong(name, "an object", notes),
            }
        }
    }
    Security {
        schemes,
        requirements: requirements(root, notes),
        authentication: root
            .object(&["authentication"], notes)
            .and_then(|object| authentication(&object, notes)),
    }
}

/// The requirements of a card or of a skill: `securityRequirements` of v1.0 and `security` before.
pub(super) fn requirements(at: &At<'_>, notes: &mut Vec<Note>) -> BTreeSet<Requirement> {
    let mut all = BTreeSet::new();
    for one in at.objects(&["securityRequirements", "security_requirements"], notes) {
        let inner = one.object(&["schemes"], notes);
        all.insert(inner.as_ref().unwrap_or(&one).entries().map(needed).collect());
    }
    for one in at.objects(&["security"], notes) {
        all.insert(one.entries().map(needed).collect());
    }
    all
}

/// A scheme's name and its scopes: a list before v1.0, `{"list": […]}` since.
fn needed((name, value): (&String, &Value)) -> (String, BTreeSet<String>) {
    let list = value.as_array().or_else(|| value.get("list")?.as_array());
    let scopes = list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    (name.clone(), scopes.collect())
}

/// `{"type": …, parameters}`. Of a scheme written for several versions at once, v1.0's counts.
fn scheme(map: &Map<String, Value>) -> Value {
    let flat = pruned(map);
    let wrapped =
        flat.iter().find_map(|(key, value)| Some((wrapper_type(key)?, value.as_object()?)));
    let Some((kind, fields)) = wrapped else { return Value::Object(flat) };
    let mut fields = fields.clone();
    fields.insert("type".to_owned(), Value::from(kind));
    Value::Object(fields)
}

fn wrapper_type(key: &str) -> Option<&'static str> {
    let folded = key.replace('_', "").to_ascii_lowercase();
    WRAPPERS.iter().find(|(wrapper, _)| *wrapper == folded).map(|(_, kind)| *kind)
}

/// Parameters without descriptions and without what protobuf's JSON form may leave out; keys in
/// camel case; JavaScript's `{"flow": {"$case": "implicit", "value": …}}` as `{"implicit": …}`.
fn pruned(map: &Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, value) in map.iter().filter(|(key, _)| *key != "description") {
        let (key, value) = chosen(value).unwrap_or((key, value));
        let value = match value {
            // Names with a description each: the names stay.
            Value::Object(scopes) if key == "scopes" => {
                json!(scopes.keys().collect::<BTreeSet<_>>())
            }
            Value::Object(inner) => Value::Object(pruned(inner)),
            other => other.clone(),
        };
        if !is_default(&value) || (value.is_object() && says_something_empty(key)) {
            out.insert(camel_case(key), value);
        }
    }
    out
}

fn chosen(value: &Value) -> Option<(&String, &Value)> {
    match (value.get("$case")?, value.get("value")?) {
        (Value::String(case), value) => Some((case, value)),
        _ => None,
    }
}

/// `{"flows": {"implicit": {}}}` says which flow, `{"mtlsSecurityScheme": {}}` which type.
fn says_something_empty(key: &str) -> bool {
    const FLOWS: [&str; 5] =
        ["authorizationcode", "clientcredentials", "implicit", "password", "devicecode"];
    let folded = key.replace('_', "").to_ascii_lowercase();
    FLOWS.contains(&folded.as_str()) || wrapper_type(key).is_some()
}

fn is_default(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

fn camel_case(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    let mut upper = false;
    for c in key.chars() {
        match c {
            '_' if !out.is_empty() => upper = true,
            _ if upper => {
                out.extend(c.to_uppercase());
                upper = false;
            }
            _ => out.push(c),
        }
    }
    out
}

/// Credentials are secrets: only whether they changed is kept.
fn authentication(object: &At<'_>, notes: &mut Vec<Note>) -> Option<Value> {
    let schemes: BTreeSet<_> = object.texts(&["schemes"], notes).into_iter().collect();
    let credentials =
        object.any(&["credentials"]).map(|value| sha256_hex(value.to_string().as_bytes()));
    match credentials {
        Some(hash) => Some(json!({ "schemes": schemes, "credentials": hash })),
        None if schemes.is_empty() => None,
        None => Some(json!({ "schemes": schemes })),
    }
}

#[cfg(test)]
mod tests {
    use crate::a2a::card::Card;
    use serde_json::json;

    fn security(text: &str) -> super::Security {
        Card::parse(format!(r#"{{"name":"S",{text}}}"#).as_bytes()).unwrap().security
    }

    #[test]
    fn one_scheme_in_four_shapes() {
        let expected = json!({"type": "http", "scheme": "Bearer"});
        for scheme in [
            r#"{"type":"http","scheme":"Bearer","description":"x"}"#,
            r#"{"httpAuthSecurityScheme":{"scheme":"Bearer"}}"#,
            r#"{"http_auth_security_scheme":{"scheme":"Bearer","bearer_format":""}}"#,
            r#"{"httpAuthSecurityScheme":{"scheme":"Bearer"},"scheme":"Bearer","type":"http"}"#,
            r#"{"scheme":{"$case":"httpAuthSecurityScheme","value":{"description":"","scheme":"Bearer","bearerFormat":""}}}"#,
        ] {
            let found = security(&format!(r#""securitySchemes":{{"bearer":{scheme}}}"#));
            assert_eq!(found.schemes["bearer"], expected, "{scheme}");
        }
    }

    #[test]
    fn scopes_are_names() {
        let flows = |scope: &str, about: &str| {
            security(&format!(
                r#""securitySchemes":{{"o":{{"type":"oauth2","flows":{{"clientCredentials":{{"tokenUrl":"t","scopes":{{"{scope}":"{about}"}}}}}}}}}}"#
            ))
        };
        assert_eq!(flows("aud-1", "a"), flows("aud-1", "b"));
        assert_ne!(flows("aud-1", "a"), flows("aud-2", "a"));
    }

    #[test]
    fn flows_say_which() {
        let flow = |name: &str| {
            security(&format!(
                r#""securitySchemes":{{"o":{{"type":"oauth2","flows":{{"{name}":{{}}}}}}}}"#
            ))
        };
        assert_ne!(flow("implicit"), flow("password"));
        assert_eq!(flow("client_credentials"), flow("clientCredentials"));
        let chosen = security(
            r#""securitySchemes":{"o":{"scheme":{"$case":"oauth2SecurityScheme","value":{"flows":{"flow":{"$case":"implicit","value":{"scopes":{}}}}}}}}"#,
        );
        assert_eq!(chosen, flow("implicit"));
        let mutual = security(r#""securitySchemes":{"m":{"mtlsSecurityScheme":{}}}"#);
        assert_eq!(mutual.schemes["m"], json!({"type": "mutualTLS"}));
    }

    #[test]
    fn requirements_of_both_generations() {
        let old = security(r#""security":[{"a":["s2","s1"]},{"b":[]}]"#);
        let new = security(
            r#""securityRequirements":[{"schemes":{"b":{}}},{"schemes":{"a":{"list":["s1","s2"]}}}]"#,
        );
        assert_eq!(old.requirements, new.requirements);
        assert_eq!(old.requirements.len(), 2);
    }

    #[test]
    fn the_first_version_keeps_no_secret() {
        let found =
            security(r#""authentication":{"schemes":["Bearer"],"credentials":"top secret"}"#);
        let text = found.authentication.unwrap().to_string();
        assert!(text.contains("Bearer") && !text.contains("secret"));
    }
}
