//! Parts of messages and artifacts, and the metadata that the extraction rules look into.

use std::borrow::Cow;

use crate::a2a::json::{self, Content, Maybe, Raw, Text, object};
use crate::a2a::pointer::Pointer;

object! {
    /// The keys of a metadata object (or of a data part) that the default rules of model §8 read.
    pub struct Metadata<'a> {
        /// Version of the artifact's schema.
        "schemaVersion" | "schema_version" => schema_version: Text<'a>,
        /// The artifact's schema.
        "artifactSchema" | "artifact_schema" => artifact_schema: Maybe<Versioned<'a>>,
        /// Digest of the payload.
        "digest" => digest: Text<'a>,
        /// Media type of the payload, for parts that have no field for it (before v1.0).
        "mediaType" | "media_type" => media_type: Text<'a>,
        /// The same, by its older name.
        "mimeType" | "mime_type" => mime_type: Text<'a>,
        /// Skill that a message is meant for.
        "skillId" | "skill_id" => skill_id: Text<'a>,
    }
}

object! {
    /// An object with a version.
    pub struct Versioned<'a> {
        /// The version, as stated.
        "version" => version: Text<'a>,
    }
}

object! {
    /// A part, of any version: `{type: text | file | data, …}` in v0.1, `{kind: …}` up to v0.3,
    /// by its keys in v1.0.
    pub struct Part<'a> {
        /// Text of a text part.
        "text" => text: Content<'a>,
        /// JSON of a data part.
        "data" => data: Raw<'a>,
        /// File part, before v1.0.
        "file" => file: Maybe<File<'a>>,
        /// Bytes of a file part in base64, v1.0.
        "raw" => raw: Content<'a>,
        /// Where a file lies, v1.0.
        "url" => url: Text<'a>,
        /// Discriminator: `text`, `file`, `data`.
        "kind" | "type" => kind: Text<'a>,
        /// Media type.
        "mediaType" | "media_type" => media_type: Text<'a>,
        /// Media type by its older name.
        "mimeType" | "mime_type" => mime_type: Text<'a>,
        /// Metadata.
        "metadata" => metadata: Maybe<Metadata<'a>>,
    }
}

object! {
    /// A file, before v1.0.
    pub struct File<'a> {
        /// Content in base64.
        "bytes" | "fileWithBytes" | "file_with_bytes" => bytes: Content<'a>,
        /// Where it lies.
        "uri" | "fileWithUri" | "file_with_uri" | "url" => uri: Text<'a>,
        /// Media type.
        "mimeType" | "mime_type" | "mediaType" | "media_type" => media_type: Text<'a>,
    }
}

impl<'a> Metadata<'a> {
    /// The media type it names.
    pub fn media(&self) -> Option<&Cow<'a, str>> {
        self.media_type.0.as_ref().or(self.mime_type.0.as_ref())
    }
}

impl<'a> Part<'a> {
    /// Its media type: `mediaType`, `mimeType`, the file's, else what its metadata names.
    pub fn media(&self) -> Option<&Cow<'a, str>> {
        let file = self.file.0.as_ref().and_then(|file| file.media_type.0.as_ref());
        let metadata = self.metadata.0.as_ref().and_then(Metadata::media);
        self.media_type.0.as_ref().or(self.mime_type.0.as_ref()).or(file).or(metadata)
    }

    /// The keys of its data that the default rules read; `None` when the data is no object.
    pub fn data_fields(&self) -> Option<Metadata<'a>> {
        let data = self.data.0?;
        json::read(unwrapped(data).unwrap_or(data)).ok()?
    }
}

/// The inner value of data that is nothing but `{"data": {…}}`: gRPC's JSON form of v0.3 wraps a
/// data part's value so. Data of v1.0 may look the same, so both forms are tried where it matters.
pub fn unwrapped(data: &str) -> Option<&str> {
    let only: Pointer = "/*".parse().ok()?;
    let [inner] = *only.select(data).as_slice() else { return None };
    let named = json::read::<Wrapper<'_>>(data).ok()??.data.0?;
    (named == inner && inner.starts_with('{')).then_some(inner)
}

object! {
    /// A value in another of the same name.
    struct Wrapper<'a> {
        "data" => data: Raw<'a>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_data() {
        assert_eq!(unwrapped(r#"{"data":{"a":1}}"#), Some(r#"{"a":1}"#));
        for plain in [r#"{"data":1}"#, r#"{"data":{},"x":1}"#, r#"{"x":{}}"#, "[]", "{}"] {
            assert_eq!(unwrapped(plain), None, "{plain}");
        }
        let part: Part<'_> =
            json::read(r#"{"data":{"data":{"schemaVersion":3}}}"#).unwrap().unwrap();
        assert_eq!(part.data_fields().unwrap().schema_version.get(), Some("3"));
    }

    #[test]
    fn media_types_wherever_they_stand() {
        for json in [
            r#"{"mediaType":"a/b","mimeType":"x/y"}"#,
            r#"{"mime_type":"a/b"}"#,
            r#"{"file":{"mimeType":"a/b"},"metadata":{"mediaType":"x/y"}}"#,
            r#"{"mediaType":"","metadata":{"media_type":"a/b"}}"#,
        ] {
            let part: Part<'_> = json::read(json).unwrap().unwrap();
            assert_eq!(part.media().unwrap(), "a/b", "{json}");
        }
    }
}
