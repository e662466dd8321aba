//! Agent Cards of every version, in one model.
//!
//! A card is parsed once for each binding hash ([`Card::parse`]); what it states is then asked of
//! the [`Card`]: its contract and facets ([`contract`]), the schema versions that its rules could
//! state ([`schema`]), how it differs from another ([`diff`]). The binding hash itself is
//! [`super::digest::sha256_hex`] of the original bytes.

mod change;
pub mod contract;
pub mod diff;
mod parse;
mod read;
mod rule;
pub mod schema;
pub mod security;

pub use change::{Change, ChangeKind, Facet};
pub use contract::{Facets, SkillKeys};
pub use diff::{CardDiff, diff};
pub use parse::NotACard;
pub use rule::{CardSchemaRule, default_rules};
pub use schema::SchemaCandidate;
pub use security::{Requirement, Security};

/// An Agent Card, normalised across A2A versions.
#[derive(Debug, Clone, Default)]
pub struct Card {
    /// Its name.
    pub name: Option<String>,
    /// Its `version`: a label, never a key (model §2).
    pub version: Option<String>,
    /// Where it is served, the preferred one first.
    pub interfaces: Vec<Interface>,
    /// Input modes of skills that state none.
    pub default_input_modes: Vec<String>,
    /// Output modes of skills that state none.
    pub default_output_modes: Vec<String>,
    /// Its skills, each id once, in their order.
    pub skills: Vec<Skill>,
    /// What it can do.
    pub capabilities: Capabilities,
    /// How to authenticate.
    pub security: Security,
    /// Fields of the wrong type, which were read as absent.
    pub notes: Vec<Note>,
    /// The text, for rules that point into it.
    text: String,
}

/// An address of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interface {
    /// The URL.
    pub url: String,
    /// The binding: `JSONRPC`, `GRPC`, `HTTP+JSON`.
    pub transport: Option<String>,
    /// The protocol version, as stated.
    pub protocol_version: Option<String>,
}

/// A skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skill {
    /// Its id.
    pub id: String,
    /// Its own input modes; empty: the card's.
    pub input_modes: Vec<String>,
    /// Its own output modes; empty: the card's.
    pub output_modes: Vec<String>,
    /// Security requirements of its own.
    pub security: std::collections::BTreeSet<Requirement>,
}

/// Capabilities that a delegation depends on; absent is false.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// It can stream.
    pub streaming: bool,
    /// It can notify.
    pub push_notifications: bool,
    /// Extensions, sorted, each once.
    pub extensions: Vec<Extension>,
}

/// A protocol extension that an agent supports.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extension {
    /// Its URI, which names its version too.
    pub uri: String,
    /// A client must support it.
    pub required: bool,
    /// RFC 8785 form of its parameters; empty without any.
    pub params: String,
}

/// Something in a card that was read as absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// JSON pointer to it.
    pub pointer: String,
    /// What should have been there.
    pub expected: &'static str,
}

impl Card {
    /// The URL of the preferred interface (model §1): `supportedInterfaces[0].url`, or `url` before
    /// v1.0.
    pub fn preferred_url(&self) -> Option<&str> {
        self.interfaces.first().map(|interface| interface.url.as_str())
    }

    /// A skill's input modes: its own, else the defaults.
    pub fn input_modes<'c>(&'c self, skill: &'c Skill) -> &'c [String] {
        if skill.input_modes.is_empty() { &self.default_input_modes } else { &skill.input_modes }
    }

    /// A skill's output modes: its own, else the defaults.
    pub fn output_modes<'c>(&'c self, skill: &'c Skill) -> &'c [String] {
        if skill.output_modes.is_empty() { &self.default_output_modes } else { &skill.output_modes }
    }

    /// All output modes, any skill's and the defaults, in their order; may repeat.
    pub fn all_output_modes(&self) -> impl Iterator<Item = &str> {
        let own = self.skills.iter().flat_map(|skill| &skill.output_modes);
        self.default_output_modes.iter().chain(own).map(String::as_str)
    }

    /// The skill with that id.
    pub fn skill(&self, id: &str) -> Option<&Skill> {
        self.skills.iter().find(|skill| skill.id == id)
    }

    /// The text of the card.
    pub fn text(&self) -> &str {
        &self.text
    }
}
