//! The skill that a message is meant for. No A2A version has a field for it, so it is found by the
//! rules of model §8.

use std::borrow::Cow;

use super::json;
use super::object::part::Metadata;
use super::object::request::Params;
use super::pointer::Pointer;

/// The skill of a call: `skillId` or `skill_id` in the message's metadata, else in the request's,
/// else in a data part of the message. `pointers` replace these rules; they start at the message,
/// and a pointer into its `metadata` that finds nothing is tried in the request's.
pub fn of<'a>(params: &Params<'a>, pointers: Option<&[Pointer]>) -> Option<Cow<'a, str>> {
    match pointers {
        Some(pointers) => pointers.iter().find_map(|pointer| pointed(params, pointer)),
        None => by_default(params),
    }
}

fn by_default<'a>(params: &Params<'a>) -> Option<Cow<'a, str>> {
    let message = params.message().unwrap_or_default();
    let in_message = message.metadata.0.and_then(|metadata| metadata.skill_id.0);
    let in_request = || json::read::<Metadata<'a>>(params.metadata.0?).ok()??.skill_id.0;
    let parts = message.parts.0.into_iter().filter_map(|part| part.0);
    let in_data = || parts.into_iter().find_map(|part| part.data_fields()?.skill_id.0);
    in_message.or_else(in_request).or_else(in_data)
}

fn pointed<'a>(params: &Params<'a>, pointer: &Pointer) -> Option<Cow<'a, str>> {
    let in_message = params.message.0.and_then(|message| pointer.first_text(message));
    in_message.or_else(|| pointer.below("metadata")?.first_text(params.metadata.0?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::object::request::params;

    fn skill(body: &str) -> Option<String> {
        of(&params(body).unwrap(), None).map(Cow::into_owned)
    }

    #[test]
    fn by_the_default_rules() {
        let data = r#"{"message":{"parts":[{"text":"x"},{"data":{"skill_id":"c"}}]}}"#;
        assert_eq!(skill(data).as_deref(), Some("c"));
        let request =
            r#"{"message":{"parts":[{"data":{"skillId":"c"}}]},"metadata":{"skillId":"b"}}"#;
        assert_eq!(skill(request).as_deref(), Some("b"));
        let message = r#"{"message":{"metadata":{"skillId":"a"}},"metadata":{"skillId":"b"}}"#;
        assert_eq!(skill(message).as_deref(), Some("a"));
        let empty = r#"{"message":{"metadata":{"skillId":""}},"metadata":{"skill_id":"b"}}"#;
        assert_eq!(skill(empty).as_deref(), Some("b"));
        assert_eq!(skill("{}"), None);
    }

    #[test]
    fn by_pointers() {
        let find = |pointer: &str, body: &str| {
            let pointers = [pointer.parse().unwrap()];
            of(&params(body).unwrap(), Some(&pointers)).map(Cow::into_owned)
        };
        let body = r#"{"message":{"metadata":{"x":{"s":"a"}},"parts":[{"data":{"k":"p"}}]},"metadata":{"y":"b","skillId":"no"}}"#;
        assert_eq!(find("/metadata/x/s", body).as_deref(), Some("a"));
        assert_eq!(find("/metadata/y", body).as_deref(), Some("b"));
        assert_eq!(find("/parts/*/data/k", body).as_deref(), Some("p"));
        assert_eq!(find("/nope", body), None);
    }
}
