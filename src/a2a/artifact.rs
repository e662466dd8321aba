//! What an artifact states of itself: the extraction rules of model §8.

use std::borrow::Cow;

use super::json::{self, BadJson, Flag, List, Maybe, Text, object};
use super::media;
use super::object::part::{Metadata, Part};
use super::payload::Payload;
use super::pointer::Pointer;
use super::version;

/// The default rules for an artifact's schema version, in order; a rule's index in this list is the
/// `u8` of [`ArtifactFacts::schema`].
pub const SCHEMA_RULES: [&str; 6] = [
    "schemaVersion",
    "metadata.schemaVersion",
    "metadata.artifactSchema.version",
    "parts[].metadata.schemaVersion",
    "parts[].data.schemaVersion",
    "the version of parts[].mediaType",
];

/// The configured rules (`[extract]`); `None` stands for the defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArtifactRules {
    /// Pointers to the schema version, from the artifact.
    pub schema: Option<Vec<Pointer>>,
    /// Pointers to the digest, from the artifact.
    pub digest: Option<Vec<Pointer>>,
}

/// A schema version and the rule that found it: (index of the rule, as stated).
pub type StatedSchema<'a> = (u8, Cow<'a, str>);

/// What one artifact, or one chunk of it, states.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArtifactFacts<'a> {
    /// Its id within the task; in v0.1 the index as text, `0` when absent.
    pub artifact_id: Cow<'a, str>,
    /// The media type that its first part with one states, as written.
    pub media_type: Option<Cow<'a, str>>,
    /// The first schema version that it states.
    pub schema: Option<StatedSchema<'a>>,
    /// The digest that it states, as written ([`super::digest::Digest::parse`]).
    pub digest: Option<Cow<'a, str>>,
    /// What it carries.
    pub payload: Payload<'a>,
    /// It continues the artifact (v0.1; later the update says so).
    pub append: Option<bool>,
    /// It is the last chunk (v0.1; later the update says so).
    pub last_chunk: Option<bool>,
}

object! {
    /// An artifact of any version.
    struct Artifact<'a> {
        "artifactId" | "artifact_id" => id: Text<'a>,
        "index" => index: Text<'a>,
        "parts" => parts: List<Maybe<Part<'a>>>,
        "metadata" => metadata: Maybe<Metadata<'a>>,
        "schemaVersion" | "schema_version" => schema_version: Text<'a>,
        "mediaType" | "media_type" | "mimeType" | "mime_type" => media_type: Text<'a>,
        "append" => append: Flag,
        "lastChunk" | "last_chunk" => last_chunk: Flag,
    }
}

/// Reads the JSON text of an artifact. `envelope_schema` is what the event around it states.
pub fn read<'a>(
    json: &'a str,
    envelope_schema: &Text<'a>,
    rules: &ArtifactRules,
) -> Result<ArtifactFacts<'a>, BadJson> {
    let artifact = json::read::<Artifact<'a>>(json)?.unwrap_or_default();
    let metadata = artifact.metadata.0.unwrap_or_default();
    let parts: Vec<Part<'a>> = artifact.parts.0.into_iter().filter_map(|part| part.0).collect();
    let envelope = envelope_schema.clone().or(artifact.schema_version);
    let schema = match &rules.schema {
        Some(pointers) => pointed(pointers, json),
        None => default_schema(&envelope, &metadata, &parts),
    };
    let digest = match &rules.digest {
        Some(pointers) => pointers.iter().find_map(|pointer| pointer.first_text(json)),
        None => metadata.digest.0.clone(),
    };
    let media_type = parts.iter().find_map(|part| part.media().cloned());
    Ok(ArtifactFacts {
        artifact_id: artifact.id.or(artifact.index).0.unwrap_or(Cow::Borrowed("0")),
        media_type: media_type.or_else(|| metadata.media().cloned()).or(artifact.media_type.0),
        schema,
        digest,
        payload: payload(parts),
        append: artifact.append.0,
        last_chunk: artifact.last_chunk.0,
    })
}

/// The schema version of a record that is not in A2A form (the journal), by the default rules: the
/// envelope's, the payload's own, the media type's.
pub fn schema_of_record<'a>(
    schema_version: Option<&'a str>,
    media_type: Option<&'a str>,
    payload_json: Option<&'a str>,
) -> Option<StatedSchema<'a>> {
    if let Some(stated) = schema_version.filter(|stated| states(stated)) {
        return Some((0, Cow::Borrowed(stated)));
    }
    let own = payload_json
        .filter(|json| json.starts_with('{'))
        .and_then(|json| json::read::<Metadata<'a>>(json).ok().flatten())
        .and_then(|fields| fields.schema_version.0)
        .filter(|stated| states(stated));
    if let Some(stated) = own {
        return Some((4, stated));
    }
    media::version(media_type?).map(|stated| (5, stated))
}

/// Whether a text states a version: nothing but quotes and blanks is absent (model §6).
pub fn states(text: &str) -> bool {
    version::normalise(text).is_some()
}

/// What the first pointer that hits finds.
fn pointed<'a>(pointers: &[Pointer], json: &'a str) -> Option<StatedSchema<'a>> {
    (0..=u8::MAX).zip(pointers).find_map(|(rule, pointer)| {
        Some((rule, pointer.first_text(json).filter(|text| states(text))?))
    })
}

fn default_schema<'a>(
    envelope: &Text<'a>,
    metadata: &Metadata<'a>,
    parts: &[Part<'a>],
) -> Option<StatedSchema<'a>> {
    let of_schema = |metadata: &Metadata<'a>| {
        metadata.artifact_schema.0.as_ref().and_then(|schema| schema.version.0.clone())
    };
    let in_part = |part: &Part<'a>| {
        part.metadata.0.as_ref()?.schema_version.0.clone().filter(|text| states(text))
    };
    let in_data =
        |part: &Part<'a>| part.data_fields()?.schema_version.0.filter(|text| states(text));
    let in_media = |part: &Part<'a>| {
        let media = part.media()?;
        media::version(media).map(|stated| Cow::Owned(stated.into_owned()))
    };
    let rule = |index: u8, stated: Option<Cow<'a, str>>| {
        stated.filter(|text| states(text)).map(|stated| (index, stated))
    };
    rule(0, envelope.0.clone())
        .or_else(|| rule(1, metadata.schema_version.0.clone()))
        .or_else(|| rule(2, of_schema(metadata)))
        .or_else(|| rule(3, parts.iter().find_map(in_part)))
        .or_else(|| rule(4, parts.iter().find_map(in_data)))
        .or_else(|| rule(5, parts.iter().find_map(in_media)))
}

fn payload(parts: Vec<Part<'_>>) -> Payload<'_> {
    let mut payload = Payload::default();
    for part in parts {
        let file = part.file.0.unwrap_or_default();
        if let Some(json) = part.data.0 {
            payload.push_data(json);
        } else if let Some(bytes) = part.raw.0.or(file.bytes.0) {
            payload.push_file(bytes);
        } else if part.url.0.is_some() || file.uri.0.is_some() {
            payload.by_url = true;
        } else if let Some(text) = part.text.0 {
            payload.push_text(text);
        }
    }
    payload
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::digest::Digest;
    use crate::a2a::payload::DigestCheck;

    fn facts(json: &str) -> ArtifactFacts<'_> {
        read(json, &Text::default(), &ArtifactRules::default()).unwrap()
    }

    fn schema(json: &str) -> Option<(u8, String)> {
        facts(json).schema.map(|(rule, stated)| (rule, stated.into_owned()))
    }

    #[test]
    fn the_rules_in_order() {
        let part = r#"{"data":{"schemaVersion":5.0},"mediaType":"a/b;version=6","metadata":{"schema_version":"4"}}"#;
        let all = format!(
            r#"{{"schemaVersion":"1","metadata":{{"schemaVersion":2,"artifactSchema":{{"version":"3"}}}},"parts":[{part}]}}"#
        );
        assert_eq!(schema(&all), Some((0, "1".to_owned())));
        let all = all.replacen("schemaVersion\":\"1\"", "x\":1", 1);
        assert_eq!(schema(&all), Some((1, "2".to_owned())));
        let all = all.replacen("schemaVersion\":2", "schemaVersion\":\"\"", 1);
        assert_eq!(schema(&all), Some((2, "3".to_owned())));
        let all = all.replacen("artifactSchema", "other", 1);
        assert_eq!(schema(&all), Some((3, "4".to_owned())));
        let all = all.replacen("schema_version", "other", 1);
        assert_eq!(schema(&all), Some((4, "5.0".to_owned())));
        let all = all.replacen(r#"{"schemaVersion":5.0}"#, "[1]", 1);
        assert_eq!(schema(&all), Some((5, "6".to_owned())));
        assert_eq!(schema("{}"), None);
    }

    #[test]
    fn the_event_around_it_comes_first() {
        let envelope = Text(Some(Cow::Borrowed("9")));
        let json = r#"{"metadata":{"schemaVersion":"2"}}"#;
        let facts = read(json, &envelope, &ArtifactRules::default()).unwrap();
        assert_eq!(facts.schema, Some((0, Cow::Borrowed("9"))));
    }

    #[test]
    fn v01_identity_and_flags() {
        let first = facts(r#"{"name":"x","parts":[{"type":"text","text":"a"}]}"#);
        assert_eq!((first.artifact_id.as_ref(), first.append), ("0", None));
        let third = facts(r#"{"index":2,"append":true,"lastChunk":false,"parts":[]}"#);
        assert_eq!(third.artifact_id, "2");
        assert_eq!((third.append, third.last_chunk), (Some(true), Some(false)));
    }

    #[test]
    fn payloads_of_every_version() {
        let texts = facts(r#"{"parts":[{"kind":"text","text":"hel"},{"text":"lo"}]}"#).payload;
        assert_eq!(texts.text.as_deref(), Some("hello"));
        let data = facts(r#"{"parts":[{"kind":"data","data":{"a": 1}}]}"#).payload;
        assert_eq!(data.data.as_deref(), Some(r#"{"a": 1}"#));
        for file in [
            r#"{"parts":[{"raw":"aGk=","mediaType":"text/plain"}]}"#,
            r#"{"parts":[{"type":"file","file":{"bytes":"aGk=","mimeType":"text/plain"}}]}"#,
            r#"{"parts":[{"file":{"fileWithBytes":"aGk=","mimeType":"text/plain"}}]}"#,
        ] {
            let facts = facts(file);
            assert_eq!(facts.payload.file.as_deref(), Some("aGk="), "{file}");
            assert_eq!(facts.media_type.as_deref(), Some("text/plain"));
        }
        for url in [r#"{"parts":[{"url":"u"}]}"#, r#"{"parts":[{"file":{"fileWithUri":"u"}}]}"#] {
            assert!(facts(url).payload.by_url, "{url}");
        }
    }

    #[test]
    fn several_kinds_any_may_match() {
        let facts = facts(
            r#"{"parts":[{"text":"abc"},{"data":{}}],"metadata":{"digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}}"#,
        );
        let digest = Digest::parse(facts.digest.as_deref().unwrap()).unwrap();
        assert_eq!(facts.payload.check(&digest), DigestCheck::Match);
    }

    #[test]
    fn media_types_by_the_first_part_that_has_one() {
        let json =
            r#"{"parts":[{"text":"a","mediaType":""},{"data":1,"metadata":{"mimeType":"a/b"}}]}"#;
        assert_eq!(facts(json).media_type.as_deref(), Some("a/b"));
        assert_eq!(facts(r#"{"mimeType":"c/d"}"#).media_type.as_deref(), Some("c/d"));
    }

    #[test]
    fn configured_pointers_replace_the_rules() {
        let pointers =
            |texts: &[&str]| Some(texts.iter().map(|text| text.parse().unwrap()).collect());
        let rules = ArtifactRules {
            schema: pointers(&["/nope", "/parts/*/metadata/rev"]),
            digest: pointers(&["/sum"]),
        };
        let json = r#"{"sum":"x","metadata":{"schemaVersion":"1","digest":"y"},"parts":[{},{"metadata":{"rev":7}}]}"#;
        let facts = read(json, &Text::default(), &rules).unwrap();
        assert_eq!(facts.schema, Some((1, Cow::Borrowed("7"))));
        assert_eq!(facts.digest.as_deref(), Some("x"));
    }

    #[test]
    fn records_that_are_not_a2a() {
        assert_eq!(schema_of_record(Some("3"), Some("a/b;version=4"), None).unwrap().1, "3");
        let own = schema_of_record(Some(""), Some("a/b;version=4"), Some(r#"{"schemaVersion":5}"#));
        assert_eq!(own, Some((4, Cow::Borrowed("5"))));
        assert_eq!(schema_of_record(None, Some("a/b.v4+json"), Some("[]")).unwrap().1, "4");
        assert_eq!(schema_of_record(None, None, None), None);
    }
}
