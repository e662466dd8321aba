//! Errors, in every form in which an agent answers them.

use std::borrow::Cow;

use crate::a2a::error_name;
use crate::a2a::json::{self, List, Maybe, Raw, Text, object};

/// What an answer says of an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorFacts<'a> {
    /// JSON-RPC or A2A code; of an error that is only named, the code of its name.
    pub code: Option<i64>,
    /// The error's name as v1.0 spells it (`TASK_NOT_FOUND`); unknown names as they are.
    pub reason: Option<Cow<'a, str>>,
    /// For people. Repeats what people asked, at times.
    pub message: Option<Cow<'a, str>>,
    /// HTTP status in the body of the HTTP+JSON binding.
    pub http_status: Option<u16>,
    /// Status name in the body of the HTTP+JSON binding (`NOT_FOUND`). It restates the HTTP status;
    /// it is not that of a gRPC call.
    pub status_name: Option<Cow<'a, str>>,
}

object! {
    /// An error object of JSON-RPC or of the HTTP+JSON binding.
    struct ErrorObject<'a> {
        "code" => code: Text<'a>,
        "message" => message: Text<'a>,
        "status" => status: Text<'a>,
        "reason" => reason: Text<'a>,
        "data" => data: Raw<'a>,
        "details" => details: List<Maybe<Detail<'a>>>,
    }
}

object! {
    /// A `google.rpc.ErrorInfo`, or another detail.
    struct Detail<'a> {
        "reason" => reason: Text<'a>,
        "details" => details: List<Maybe<Detail<'a>>>,
    }
}

impl<'a> ErrorFacts<'a> {
    /// Reads the value of an `error` key: an object, or the name of an error.
    pub fn of_json(json: &'a str) -> Option<Self> {
        if !json.starts_with('{') {
            let text = json::scalar(json).filter(|text| !text.is_empty())?;
            return Some(Self::said(text));
        }
        let object = json::read::<ErrorObject<'a>>(json).ok()??;
        let code = object.code.as_i64();
        let mut details = object.details.0.into_iter().filter_map(|detail| detail.0);
        let reason = details
            .find_map(|detail| detail.reason.0)
            .or_else(|| object.data.0.and_then(reason_of_data))
            .or(object.reason.0);
        let mut facts = reason.map(Self::named).unwrap_or_default();
        facts.message = object.message.0;
        facts.status_name = object.status.0;
        match code {
            // The HTTP+JSON binding repeats the HTTP status here.
            Some(status @ 100..=599) => facts.http_status = u16::try_from(status).ok(),
            Some(code) => facts.code = Some(code),
            None => {}
        }
        Some(facts)
    }

    /// An error of which only a text is known: the class of an A2A error, else words for people.
    pub fn said(text: Cow<'a, str>) -> Self {
        if error_name::code(&text).is_some() {
            Self::named(text)
        } else {
            Self { message: Some(text), ..Self::default() }
        }
    }

    /// Whether it is an error of JSON-RPC or A2A; if not, the transport's status decides (model §7).
    pub fn is_a2a(&self) -> bool {
        self.code.is_some()
    }

    /// An error of which only the name is known: the reason of an `ErrorInfo`.
    pub fn named(name: Cow<'a, str>) -> Self {
        match error_name::resolve(&name) {
            Some((reason, code)) => {
                Self { code: Some(code), reason: Some(Cow::Borrowed(reason)), ..Self::default() }
            }
            None => Self { reason: Some(name), ..Self::default() },
        }
    }
}

/// `data` is a list of details in v1.0; before, it is anything: null, a text, an object.
fn reason_of_data(data: &str) -> Option<Cow<'_, str>> {
    let details = json::read_each::<Detail<'_>>(data).ok()?;
    details.into_iter().find_map(|detail| {
        let mut inner = detail.details.0.into_iter().filter_map(|detail| detail.0);
        detail.reason.0.or_else(|| inner.find_map(|detail| detail.reason.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(json: &str) -> ErrorFacts<'_> {
        ErrorFacts::of_json(json).unwrap()
    }

    #[test]
    fn json_rpc_with_and_without_details() {
        let new = facts(
            r#"{"code":-32003,"message":"no","data":[{"@type":"x","reason":"PUSH_NOTIFICATION_NOT_SUPPORTED"}]}"#,
        );
        assert_eq!(new.code, Some(-32003));
        assert_eq!(new.reason.as_deref(), Some("PUSH_NOTIFICATION_NOT_SUPPORTED"));
        for data in ["null", r#""1 validation error""#, "[1,null]", "{}"] {
            let json = format!(r#"{{"code":-32600,"message":"Invalid Request","data":{data}}}"#);
            let old = facts(&json);
            assert_eq!((old.code, old.reason), (Some(-32600), None), "{data}");
        }
    }

    #[test]
    fn rest_bodies_name_the_error_and_repeat_the_status() {
        let json = r#"{"code":404,"status":"NOT_FOUND","message":"Task not found","details":[{"reason":"TASK_NOT_FOUND"}]}"#;
        let found = facts(json);
        assert_eq!((found.code, found.http_status), (Some(-32001), Some(404)));
        assert_eq!(found.status_name.as_deref(), Some("NOT_FOUND"));
        let plain = facts(r#"{"code":503,"status":"UNAVAILABLE"}"#);
        assert_eq!((plain.code, plain.reason), (None, None));
    }

    #[test]
    fn a_stated_code_comes_before_that_of_a_name() {
        let both = facts(r#"{"code":-32603,"data":[{"reason":"VERSION_NOT_SUPPORTED"}]}"#);
        assert_eq!(both.code, Some(-32603));
    }

    #[test]
    fn names_alone() {
        let class = facts(r#""io.a2a.spec.TaskNotFoundError""#);
        assert_eq!((class.code, class.reason.as_deref()), (Some(-32001), Some("TASK_NOT_FOUND")));
        assert!(class.is_a2a());
        let words = facts(r#""rate_limited""#);
        assert_eq!(
            (words.reason.as_deref(), words.message.as_deref()),
            (None, Some("rate_limited"))
        );
        assert!(!words.is_a2a());
        assert_eq!(ErrorFacts::of_json("true"), None);
        assert_eq!(ErrorFacts::of_json("\"\""), None);
    }
}
