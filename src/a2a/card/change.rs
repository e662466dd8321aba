//! Single differences between two cards, and how they are collected.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use super::contract::canonical;

/// In what two cards can differ, in the model's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Facet {
    /// Skill ids.
    Skills,
    /// Effective modes of a skill that both have, or the defaults.
    Modes,
    /// Capabilities and extensions.
    Capabilities,
    /// Security schemes and requirements.
    Security,
    /// Protocol versions.
    Protocol,
    /// Artifact schema version.
    Schema,
}

impl Facet {
    /// The model's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Facet::Skills => "skills",
            Facet::Modes => "modes",
            Facet::Capabilities => "capabilities",
            Facet::Security => "security",
            Facet::Protocol => "protocol",
            Facet::Schema => "schema",
        }
    }
}

impl fmt::Display for Facet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What happened to a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// Only the later card has it.
    Added,
    /// Only the earlier card has it.
    Removed,
    /// Both have it, and it differs.
    Changed,
}

impl ChangeKind {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Changed => "changed",
        }
    }
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The facet; `None` for what is not part of the contract.
    pub facet: Option<Facet>,
    /// What it is about, in the words of the card: `skills/summarize/outputModes`.
    pub path: String,
    /// What happened.
    pub kind: ChangeKind,
    /// What it was: a text, or JSON.
    pub before: Option<String>,
    /// What it is now: a text, or JSON.
    pub after: Option<String>,
    /// A delegation that relied on the earlier card may fail.
    pub breaking: bool,
}

/// Members of a set; removing one is breaking.
pub(super) fn sets(
    facet: Facet,
    path: &str,
    before: &BTreeSet<String>,
    after: &BTreeSet<String>,
    list: &mut Vec<Change>,
) {
    let removed = before.difference(after);
    list.extend(removed.map(|one| member(Some(facet), path, one, ChangeKind::Removed, true)));
    let added = after.difference(before);
    list.extend(added.map(|one| member(Some(facet), path, one, ChangeKind::Added, false)));
}

pub(super) fn member(
    facet: Option<Facet>,
    path: &str,
    one: &str,
    kind: ChangeKind,
    breaking: bool,
) -> Change {
    let (before, after) = match kind {
        ChangeKind::Removed => (Some(one.to_owned()), None),
        ChangeKind::Added | ChangeKind::Changed => (None, Some(one.to_owned())),
    };
    Change { facet, path: path.to_owned(), kind, before, after, breaking }
}

/// Entries by name, each compared with its namesake.
pub(super) fn maps(
    path: &str,
    before: &BTreeMap<String, Value>,
    after: &BTreeMap<String, Value>,
    judge: impl Fn(&str, ChangeKind) -> (Facet, bool),
    list: &mut Vec<Change>,
) {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let (a, b) = (before.get(name).map(canonical), after.get(name).map(canonical));
        let (facet, breaking) = judge(name, kind_of(a.as_ref(), b.as_ref()));
        single(Some(facet), &format!("{path}/{name}"), a, b, breaking, list);
    }
}

/// One value that each card has or has not.
pub(super) fn single(
    facet: Option<Facet>,
    path: &str,
    before: Option<String>,
    after: Option<String>,
    breaking: bool,
    list: &mut Vec<Change>,
) {
    if before != after {
        let kind = kind_of(before.as_ref(), after.as_ref());
        list.push(Change { facet, path: path.to_owned(), kind, before, after, breaking });
    }
}

fn kind_of<T>(before: Option<T>, after: Option<T>) -> ChangeKind {
    match (before, after) {
        (None, _) => ChangeKind::Added,
        (_, None) => ChangeKind::Removed,
        _ => ChangeKind::Changed,
    }
}
