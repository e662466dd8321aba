//! Whatever a recording holds, reading it never panics.

use proptest::prelude::*;

use super::artifact::{self, ArtifactRules};
use super::card::{Card, default_rules, diff};
use super::json::{Text, without_lone_surrogates};
use super::object::{params, replies, requests};
use super::pointer::Pointer;
use super::{
    canonical, digest, error_name, media, method, protocol, rest, skill, sse, state, version,
};

/// Pieces that texts of all kinds are made of.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        r#"[\[\]{}":,\\ ]{1,3}"#,
        prop::sample::select(vec![
            "\"",
            "\\",
            "\\u",
            "\\ud83d",
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "null",
            "true",
            "1e999",
            "-0",
            "\"name\"",
            "\"skills\"",
            "\"parts\"",
            "\"data\"",
            "\"artifact\"",
            "\"result\"",
            "\"error\"",
            "\"status\"",
            "\"id\"",
            "\"kind\":\"task\"",
            "\"metadata\"",
            "\"message\"",
            "\"params\"",
            "data:",
            "\r\n\r\n",
            "version=",
            ".v3+",
            "%",
            "/tasks/",
            ":cancel",
            "sha-256=:",
            "\u{feff}",
            "é",
            "€",
        ])
        .prop_map(str::to_owned),
        ".{0,4}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn texts_of_all_kinds(text in text()) {
        let _ = (media::base(&text), media::version(&text), version::major(&text));
        let _ = (digest::Digest::parse(&text), canonical::canonical(&text), digest::from_base64(&text));
        let _ = (state::normalised(&text), method::Operation::of(&text), method::era(&text));
        let _ = (protocol::Era::of_version(&text), error_name::code(&text), without_lone_surrogates(&text));
        let _ = (rest::call("GET", &text), rest::call("POST", &text), rest::call("DELETE", &text));
        let _ = sse::looks_like_stream(&text);
    }

    #[test]
    fn objects_of_all_kinds(text in text()) {
        let _ = replies(&text);
        let _ = requests(&text);
        if let Ok(params) = params(&text) {
            let _ = (skill::of(&params, None), params.task_of_call(params.message().as_ref()));
        }
        if let Ok(facts) = artifact::read(&text, &Text::default(), &ArtifactRules::default()) {
            let _ = facts.payload.sha256_forms();
        }
        if let Ok(pointer) = text.parse::<Pointer>() {
            let _ = pointer.select(&text);
        }
    }

    #[test]
    fn cards_of_all_kinds(a in prop::collection::vec(any::<u8>(), 0..60), b in text()) {
        let _ = Card::parse(&a);
        let card = Card::parse(format!("{{\"name\":\"S\",{b}}}").as_bytes()).unwrap_or_default();
        let found = diff(&Card::default(), &card, &default_rules());
        let equal = Card::default().contract(&default_rules()) == card.contract(&default_rules());
        prop_assert_eq!(found.changed.is_empty(), equal);
    }

    #[test]
    fn a_stream_cut_anywhere_loses_only_its_end(cut in 0_usize..60) {
        let body = "data: {\"a\":1}\r\n\r\nid: 2\r\ndata: b\r\ndata: c\r\n\r\n: end\r\n\r\n";
        let whole: Vec<_> = sse::events(body).collect();
        let part = body.get(..cut).unwrap_or(body);
        let complete: Vec<_> = sse::events(part).filter(|event| event.complete).collect();
        prop_assert_eq!(&whole[..complete.len()], &complete[..]);
    }

    #[test]
    fn a_normalised_version_says_something(text in "[vV\"'. 0-9a]{0,8}") {
        if let Some(once) = version::normalise(&text) {
            prop_assert!(!once.is_empty() && !once.ends_with(".0"));
        }
    }
}
