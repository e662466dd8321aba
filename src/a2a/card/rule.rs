//! The rules that find an artifact schema version in a card, and what each of them finds.

use std::borrow::Cow;
use std::str::FromStr;

use super::Card;
use crate::a2a::json::{self, List, Maybe, object};
use crate::a2a::media;
use crate::a2a::object::part::{Metadata, Versioned};
use crate::a2a::pointer::{BadPointer, Pointer};
use crate::a2a::version;

/// A rule that finds the artifact schema version in a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardSchemaRule {
    /// `artifact_schema`: `artifactSchema.version`.
    ArtifactSchema,
    /// `extension_params`: `params.schemaVersion` or `params.artifactSchema.version` of a capability
    /// extension; none when several extensions disagree.
    ExtensionParams,
    /// `output_mode`: the version in the output mode with the artifact's base type.
    OutputMode,
    /// `artifact_mime`: the version of `artifact.mimeType`.
    ArtifactMime,
    /// `only_mode`: the only version among all output modes.
    OnlyMode,
    /// A configured pointer: the first text it finds.
    Pointer(Pointer),
}

/// The default rules, in order.
pub fn default_rules() -> [CardSchemaRule; 5] {
    [
        CardSchemaRule::ArtifactSchema,
        CardSchemaRule::ExtensionParams,
        CardSchemaRule::OutputMode,
        CardSchemaRule::ArtifactMime,
        CardSchemaRule::OnlyMode,
    ]
}

impl FromStr for CardSchemaRule {
    type Err = BadPointer;

    /// Reads a token or a pointer, as `[extract] card_schema` lists them.
    fn from_str(text: &str) -> Result<Self, BadPointer> {
        Ok(match text {
            "artifact_schema" => CardSchemaRule::ArtifactSchema,
            "extension_params" => CardSchemaRule::ExtensionParams,
            "output_mode" => CardSchemaRule::OutputMode,
            "artifact_mime" => CardSchemaRule::ArtifactMime,
            "only_mode" => CardSchemaRule::OnlyMode,
            pointer => CardSchemaRule::Pointer(pointer.parse()?),
        })
    }
}

object! {
    /// The fields of a card that the rules read as text, with numbers as they are written.
    pub(super) struct Stated<'a> {
        "artifactSchema" | "artifact_schema" => artifact_schema: Maybe<Versioned<'a>>,
        "artifact" => artifact: Maybe<Metadata<'a>>,
        "capabilities" => capabilities: Maybe<StatedCapabilities<'a>>,
    }
}

object! {
    /// The capabilities of [`Stated`].
    pub(super) struct StatedCapabilities<'a> {
        "extensions" => extensions: List<Maybe<StatedExtension<'a>>>,
    }
}

object! {
    /// An extension of [`Stated`].
    pub(super) struct StatedExtension<'a> {
        "params" => params: Maybe<Metadata<'a>>,
    }
}

impl Card {
    pub(super) fn stated(&self) -> Stated<'_> {
        // The text was parsed before, so that it is an object is known.
        json::read(self.text()).ok().flatten().unwrap_or_default()
    }

    /// What a rule finds that does not depend on skill or media type. An empty version is absent.
    pub(super) fn by_rule<'a>(
        &'a self,
        rule: &CardSchemaRule,
        stated: &Stated<'a>,
    ) -> Option<Cow<'a, str>> {
        match rule {
            CardSchemaRule::ArtifactSchema => stated.artifact_schema.0.as_ref()?.version.0.clone(),
            CardSchemaRule::ExtensionParams => agreed(stated.extension_versions()),
            CardSchemaRule::ArtifactMime => {
                let media = stated.artifact.0.as_ref()?.media()?;
                media::version(media).map(|version| Cow::Owned(version.into_owned()))
            }
            CardSchemaRule::OnlyMode => agreed(self.all_output_modes().filter_map(media::version)),
            CardSchemaRule::Pointer(pointer) => pointer.first_text(self.text()),
            CardSchemaRule::OutputMode => None,
        }
    }
}

impl<'a> Stated<'a> {
    fn extension_versions(&self) -> impl Iterator<Item = Cow<'a, str>> {
        let extensions = self.capabilities.0.iter().flat_map(|all| &all.extensions.0);
        extensions.filter_map(|extension| {
            let params = extension.0.as_ref()?.params.0.as_ref()?;
            let of_schema = || params.artifact_schema.0.as_ref()?.version.0.clone();
            params.schema_version.0.clone().or_else(of_schema)
        })
    }
}

/// The first of some versions, when all of them are one version.
fn agreed<'a>(versions: impl Iterator<Item = Cow<'a, str>>) -> Option<Cow<'a, str>> {
    let mut stated = versions.filter(|stated| version::normalise(stated).is_some());
    let first = stated.next()?;
    let one = version::normalise(&first)?;
    stated.all(|other| version::normalise(&other) == Some(one)).then_some(first)
}
