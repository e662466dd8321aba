//! Attribute values.

use std::borrow::Cow;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::event::Text;

/// A value of an attribute, or the body of a log record.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Value<'a> {
    /// Nothing.
    #[default]
    Null,
    /// A string.
    Text(Text<'a>),
    /// A number, as it was written.
    Number(Text<'a>),
    /// A truth value.
    Flag(bool),
    /// Bytes.
    Bytes(Cow<'a, [u8]>),
    /// A list.
    List(Vec<Value<'a>>),
    /// Names and values.
    Map(Attributes<'a>),
    /// A value that was recorded as JSON already.
    Json(Text<'a>),
}

/// Names and values, in the order in which they were recorded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attributes<'a>(pub Vec<(Text<'a>, Value<'a>)>);

impl<'a> Attributes<'a> {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The value of a name as text; of a list the only element.
    pub fn text(&self, name: &str) -> Option<Text<'a>> {
        self.get(name)?.text()
    }
}

impl<'a> Value<'a> {
    /// A string, or a number or truth value as text; of a list the only element.
    pub fn text(&self) -> Option<Text<'a>> {
        match self {
            Self::Text(text) | Self::Number(text) => Some(text.clone()),
            Self::Flag(flag) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
            Self::List(list) => match list.as_slice() {
                [only] => only.text(),
                _ => None,
            },
            Self::Json(raw) => match raw {
                Cow::Borrowed(raw) => crate::a2a::json::scalar(raw),
                Cow::Owned(raw) => {
                    crate::a2a::json::scalar(raw).map(|text| Cow::Owned(text.into_owned()))
                }
            },
            Self::Null | Self::Bytes(_) | Self::Map(_) => None,
        }
    }

    /// As JSON text: bytes as base64, numbers that JSON does not know as strings.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// Appends the JSON text.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Number(text) if serde_json::from_str::<serde_json::Number>(text).is_ok() => {
                out.push_str(text);
            }
            Self::Text(text) | Self::Number(text) => string(out, text),
            Self::Flag(flag) => {
                let _ = write!(out, "{flag}");
            }
            Self::Bytes(bytes) => string(out, &STANDARD.encode(bytes)),
            Self::List(list) => {
                out.push('[');
                for (index, item) in list.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Map(map) => map.write(out),
            Self::Json(raw) => out.push_str(raw),
        }
    }
}

impl Attributes<'_> {
    /// Appends them as a JSON object.
    pub fn write(&self, out: &mut String) {
        out.push('{');
        for (index, (name, value)) in self.0.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            string(out, name);
            out.push(':');
            value.write(out);
        }
        out.push('}');
    }
}

/// Appends a JSON string.
pub fn string(out: &mut String, text: &str) {
    match serde_json::to_string(text) {
        Ok(quoted) => out.push_str(&quoted),
        Err(_) => out.push_str("\"\""),
    }
}
