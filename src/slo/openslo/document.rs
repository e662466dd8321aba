//! What every OpenSLO document has: version, kind, metadata, spec.

use super::fields::{Faults, Fields, scalar};
use crate::yaml::{Node, Value};

/// The kinds of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    DataSource,
    Slo,
    Sli,
    AlertPolicy,
    AlertCondition,
    AlertNotificationTarget,
    Service,
}

impl Kind {
    const ALL: [(&'static str, Self); 7] = [
        ("DataSource", Self::DataSource),
        ("SLO", Self::Slo),
        ("SLI", Self::Sli),
        ("AlertPolicy", Self::AlertPolicy),
        ("AlertCondition", Self::AlertCondition),
        ("AlertNotificationTarget", Self::AlertNotificationTarget),
        ("Service", Self::Service),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// A document.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) file: &'a str,
    pub(super) line: usize,
    pub(super) kind: Kind,
    pub(super) metadata: Metadata<'a>,
    pub(super) spec: &'a Node,
}

/// Its metadata.
#[derive(Debug, Default)]
pub(super) struct Metadata<'a> {
    pub(super) name: &'a str,
    pub(super) title: Option<&'a str>,
    /// Key, line, values.
    pub(super) labels: Vec<(&'a str, usize, Vec<&'a str>)>,
    /// Key, line, value.
    pub(super) annotations: Vec<(&'a str, usize, &'a str)>,
}

impl<'a> Document<'a> {
    /// Reads the frame of a document; its spec is read by who wants it.
    pub(super) fn read(file: &'a str, node: &'a Node, faults: &mut Faults) -> Option<Self> {
        file.clone_into(&mut faults.file);
        let known = ["apiVersion", "kind", "metadata", "spec"];
        let fields = Fields::of(node, "document", &known, faults)?;
        let version = fields.need_text("apiVersion", "write `apiVersion: openslo/v1`", faults)?;
        if version != "openslo/v1" {
            let line = fields.get("apiVersion").map_or(node.line, |n| n.line);
            let what = format!("documents of version `{version}` are not read");
            faults.add(line, what, "write `apiVersion: openslo/v1` and what v1 asks for");
            return None;
        }
        let names = Kind::ALL.map(|(name, _)| name);
        let help = format!("one of {}", names.join(", "));
        let kind = fields.need_text("kind", &help, faults)?;
        let Some((_, kind)) = Kind::ALL.into_iter().find(|(name, _)| *name == kind) else {
            let line = fields.get("kind").map_or(node.line, |n| n.line);
            let help = match crate::config::nearest(kind, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => help,
            };
            faults.add(line, format!("OpenSLO has no kind `{kind}`"), help);
            return None;
        };
        let metadata = fields.need("metadata", "write `metadata: {name: ...}`", faults);
        let metadata = Metadata::read(metadata?, faults)?;
        let spec = fields.need("spec", "write what the document says below `spec:`", faults)?;
        let document = Self { file, line: node.line, kind, metadata, spec };
        document.check(faults);
        Some(document)
    }

    /// The kinds that say nothing to us are checked for their shape only.
    fn check(&self, faults: &mut Faults) {
        let known: &[&str] = match self.kind {
            Kind::DataSource => &["description", "type", "connectionDetails"],
            Kind::AlertNotificationTarget => &["description", "target"],
            Kind::Service => &["description"],
            _ => return,
        };
        let Some(fields) = Fields::of(self.spec, "spec", known, faults) else { return };
        description(&fields, faults);
        match self.kind {
            Kind::DataSource => {
                fields.need_text("type", "for recordings: `type: carddrift`", faults);
            }
            Kind::AlertNotificationTarget => {
                fields.need_text("target", "for example `target: email`", faults);
            }
            _ => {}
        }
    }
}

impl<'a> Metadata<'a> {
    pub(super) fn read(node: &'a Node, faults: &mut Faults) -> Option<Self> {
        let known = ["name", "displayName", "labels", "annotations"];
        let fields = Fields::of(node, "metadata", &known, faults)?;
        let name = fields.need_text("name", "give the document a name", faults)?;
        if name.is_empty() || name.len() > 253 || name.contains(char::is_control) {
            let help = "use up to 63 lower-case letters, digits and `-`";
            faults.add(fields.line, "`metadata.name` cannot be used as a name", help);
        }
        let mut metadata =
            Self { name, title: fields.text("displayName", faults), ..Self::default() };
        if let Some(labels) = fields.get("labels").and_then(|n| Fields::open(n, "labels", faults)) {
            for (key, node) in labels.entries() {
                let values: Option<Vec<&str>> = match &node.value {
                    Value::List(items) => items.iter().map(scalar).collect(),
                    _ => scalar(node).map(|value| vec![value]),
                };
                match values {
                    Some(values) => metadata.labels.push((&key.name, key.line, values)),
                    None => faults.add(
                        key.line,
                        format!("the label `{}` is neither a text nor a list of texts", key.name),
                        "write `key: value` or a list of values",
                    ),
                }
            }
        }
        let annotations = fields.get("annotations");
        if let Some(fields) = annotations.and_then(|n| Fields::open(n, "annotations", faults)) {
            for (key, node) in fields.entries() {
                if let Some(value) = scalar(node) {
                    metadata.annotations.push((&key.name, key.line, value));
                } else {
                    let what = format!("the annotation `{}` is not a text", key.name);
                    faults.add(key.line, what, "write `key: value`");
                }
            }
        }
        Some(metadata)
    }
}

/// Checks the length of a description.
pub(super) fn description(fields: &Fields<'_>, faults: &mut Faults) {
    let long = fields.text("description", faults).is_some_and(|t| t.chars().count() > 1050);
    if long {
        faults.add(fields.line, "the description is longer than 1050 characters", "shorten it");
    }
}

/// Documents of one kind must differ in name.
pub(super) fn unique(documents: &[Document<'_>], faults: &mut Faults) {
    for (place, document) in documents.iter().enumerate() {
        let same = |other: &&Document<'_>| {
            other.kind == document.kind && other.metadata.name == document.metadata.name
        };
        if let Some(first) = documents.iter().take(place).find(same) {
            document.file.clone_into(&mut faults.file);
            faults.add(
                document.line,
                format!("a second {} is called `{}`", document.kind.name(), document.metadata.name),
                format!("the first one stands at {}:{}; rename one", first.file, first.line),
            );
        }
    }
}

/// The document of `kind` that `name` refers to.
pub(super) fn referred<'d, 'a>(
    documents: &'d [Document<'a>],
    kind: Kind,
    name: &str,
    line: usize,
    faults: &mut Faults,
) -> Option<&'d Document<'a>> {
    let of_kind = || documents.iter().filter(|d| d.kind == kind);
    let found = of_kind().find(|d| d.metadata.name == name);
    if found.is_none() {
        let help = match crate::config::nearest(name, of_kind().map(|d| d.metadata.name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("add a document of `kind: {}` with this name", kind.name()),
        };
        faults.add(line, format!("no {} is called `{name}`", kind.name()), help);
    }
    found
}
