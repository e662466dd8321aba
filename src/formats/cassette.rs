//! VCR cassettes: recorded HTTP interactions of tests, as YAML or JSON.
//!
//! They hold whole bodies but no times: an interaction is dated by the `Date` header of its answer,
//! to the second.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::event::Text;
use crate::exchange::Exchange;
use crate::problem::{At, Kind, Problem};
use crate::yaml;

use super::{Context, Format, Framing, Sink, time};

/// The reader.
#[derive(Debug)]
pub struct Cassette;

/// The cassette that a YAML text holds; else where and why there is none.
fn cassette(text: &str) -> Result<File, String> {
    let wrong = |wrong: yaml::Wrong| format!("line {}: {}", wrong.line, wrong.what);
    let document = yaml::documents(text).map_err(wrong)?.into_iter().next().ok_or("it is empty")?;
    serde_json::from_value(document.into_json()).map_err(|_| "it has another shape".to_owned())
}

#[derive(Debug, Deserialize)]
struct File {
    #[serde(default)]
    interactions: Vec<Interaction>,
}

#[derive(Debug, Deserialize)]
struct Interaction {
    request: Request,
    #[serde(default)]
    response: Response,
}

#[derive(Debug, Deserialize)]
struct Request {
    method: String,
    #[serde(alias = "url")]
    uri: String,
    #[serde(default)]
    body: Body,
    #[serde(default)]
    headers: Headers,
}

#[derive(Debug, Default, Deserialize)]
struct Response {
    #[serde(default)]
    status: Status,
    #[serde(default)]
    body: Body,
    #[serde(default)]
    headers: Headers,
}

#[derive(Debug, Default, Deserialize)]
struct Status {
    #[serde(default)]
    code: Option<i64>,
}

/// A text, or a text in `string`.
#[derive(Debug, Default)]
struct Body(Option<Vec<u8>>);

/// Names with one value or several.
#[derive(Debug, Default)]
struct Headers(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Body;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a text, or a text in `string`")
            }
            fn visit_str<E>(self, text: &str) -> Result<Body, E> {
                Ok(Body(Some(text.as_bytes().to_vec())))
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Body, E> {
                Ok(Body(Some(bytes.to_vec())))
            }
            fn visit_unit<E>(self) -> Result<Body, E> {
                Ok(Body(None))
            }
            fn visit_none<E>(self) -> Result<Body, E> {
                Ok(Body(None))
            }
            fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Body, D::Error> {
                inner.deserialize_any(self)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Body, A::Error> {
                let mut body = Body(None);
                while let Some(key) = map.next_key::<String>()? {
                    if key == "string" || key == "base64_string" {
                        let inner: Body = map.next_value()?;
                        body = if key == "string" {
                            inner
                        } else {
                            Body(inner.0.and_then(|text| decoded(&text)))
                        };
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(body)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde_json::Value;
        let named = std::collections::BTreeMap::<String, Value>::deserialize(deserializer)?;
        let mut list = Vec::new();
        for (name, values) in named {
            let values = match values {
                Value::Array(values) => values,
                single => vec![single],
            };
            for value in values {
                // Unquoted numbers are read as such.
                let text = match value {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                list.push((name.clone(), text));
            }
        }
        Ok(Self(list))
    }
}

impl Headers {
    fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    fn pairs(&self) -> Vec<(Text<'_>, Text<'_>)> {
        self.0
            .iter()
            .map(|(name, value)| (Cow::Borrowed(name.as_str()), Cow::Borrowed(value.as_str())))
            .collect()
    }
}

impl Format for Cassette {
    fn name(&self) -> &'static str {
        "vcr"
    }

    fn summary(&self) -> &'static str {
        "VCR cassettes of tests (YAML or JSON): whole bodies, times to the second from the Date header"
    }

    fn framing(&self) -> Framing {
        Framing::Whole
    }

    fn recognises(&self, head: &[u8], _context: &Context<'_>) -> Result<(), String> {
        let text = String::from_utf8_lossy(head);
        for part in ["interactions", "request", "uri"] {
            if !text.contains(part) {
                return Err(format!("has no `{part}` at its beginning"));
            }
        }
        let opens = |line: &str| {
            line.starts_with("interactions:")
                || line.trim_start_matches(['{', ' ']).starts_with("\"interactions\"")
        };
        if text.lines().any(opens) {
            Ok(())
        } else {
            Err("`interactions` is no key of the document".to_owned())
        }
    }

    fn parse(&self, record: &[u8], at: At, context: &Context<'_>, sink: &mut dyn Sink) {
        let text = String::from_utf8_lossy(record);
        let file: File = match cassette(&text) {
            Ok(file) => file,
            Err(what) => {
                let detail = format!("not the YAML of a cassette: {what}");
                return sink.problem(Problem::new(Kind::NotJson, at, detail));
            }
        };
        for (number, interaction) in (1..).zip(&file.interactions) {
            read(interaction, At { line: number, byte: at.byte }, context, sink);
        }
    }
}

fn read(interaction: &Interaction, at: At, context: &Context<'_>, sink: &mut dyn Sink) {
    let Interaction { request, response } = interaction;
    let date = response.headers.get("date").map(|date| {
        time::spelled(
            date,
            "%a, %d %b %Y %H:%M:%S GMT",
            Some(&jiff::tz::TimeZone::UTC),
            context.assume_zone,
        )
    });
    let started_at = match date {
        Some(Ok(instant)) => instant.nanos,
        Some(Err(_)) => {
            return sink.problem(Problem::new(Kind::BadTime, at, "the Date header"));
        }
        None => {
            return sink.problem(Problem::new(
                Kind::MissingField,
                at,
                "the answer has no Date header, and cassettes hold no other time",
            ));
        }
    };
    let body = |body: &'_ Body| body.0.clone().filter(|body| !body.is_empty()).map(Cow::Owned);
    sink.exchange(Exchange {
        at,
        started_at,
        ended_at: Some(started_at),
        method: Some(Cow::Borrowed(&request.method)),
        url: Some(Cow::Borrowed(&request.uri)),
        request_headers: request.headers.pairs(),
        request_body: body(&request.body),
        status: response.status.code,
        response_headers: response.headers.pairs(),
        response_body: body(&response.body),
        ..Exchange::default()
    });
}
