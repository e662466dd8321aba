//! A record of a journal: its fields as they stand, each at most once.

use super::field::Field;
use super::plain::{Cursor, Plain};
use crate::a2a::json::Raw;
use serde::Deserialize;
use serde::de::value::{BorrowedStrDeserializer, Error as NoKey};
use serde::de::{Deserializer as _, Error as _, IgnoredAny, MapAccess, Visitor};
use std::fmt;

/// Declares the record, and how it is filled where it lies: moving one costs more than reading a field.
macro_rules! record {
    ($( $field:ident: $kind:ty ),+ $(,)?) => {
        /// Everything that a record may hold.
        #[derive(Debug, Default)]
        pub(super) struct Record<'a> {
            $( pub(super) $field: $kind, )+
        }

        #[derive(Clone, Copy, Deserialize)]
        #[serde(field_identifier)]
        #[expect(non_camel_case_types, reason = "the names of the fields")]
        enum Key {
            $( $field, )+
            #[serde(other)]
            Unknown,
        }

        impl<'a> Record<'a> {
            /// Reads a plain record; `None`: serde is to read it, and some fields may be filled.
            fn read_plain(&mut self, text: &'a str) -> Option<()> {
                let mut cursor = Cursor::new(text);
                let mut seen = 0_u64;
                cursor.opens()?;
                loop {
                    match Key::named(cursor.key()?) {
                        $( Key::$field => {
                            let bit = 1 << Key::$field as u64;
                            if seen & bit != 0 {
                                return None;
                            }
                            seen |= bit;
                            self.$field = Plain::plain(&mut cursor)?;
                        } )+
                        Key::Unknown => {
                            Field::plain(&mut cursor)?;
                        }
                    }
                    if !cursor.goes_on()? {
                        return cursor.ends();
                    }
                }
            }
        }

        impl<'de: 'a, 'a> Visitor<'de> for Fill<'_, 'a> {
            type Value = ();

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
                let mut seen = 0_u64;
                while let Some(key) = map.next_key::<Key>()? {
                    match key {
                        $( Key::$field => {
                            let bit = 1 << Key::$field as u64;
                            if seen & bit != 0 {
                                return Err(A::Error::duplicate_field(stringify!($field)));
                            }
                            seen |= bit;
                            self.0.$field = map.next_value()?;
                        } )+
                        Key::Unknown => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(())
            }
        }
    };
}

/// Fills a record.
struct Fill<'r, 'a>(&'r mut Record<'a>);

record! {
    time: Field<'a>,
    event: Field<'a>,
    client: Field<'a>,
    agent: Field<'a>,
    trace_id: Field<'a>,
    span_id: Field<'a>,
    registry: Field<'a>,
    url: Field<'a>,
    sent_at: Field<'a>,
    status: Field<'a>,
    etag: Field<'a>,
    cache_control: Field<'a>,
    last_modified: Field<'a>,
    age_s: Field<'a>,
    card: Raw<'a>,
    card_base64: Field<'a>,
    card_sha256: Field<'a>,
    authority: Field<'a>,
    from_cache: Field<'a>,
    error: Field<'a>,
    end_time: Field<'a>,
    method: Field<'a>,
    protocol_version: Field<'a>,
    task_id: Field<'a>,
    context_id: Field<'a>,
    skill_id: Field<'a>,
    admitted_under: Field<'a>,
    accepted_output_modes: Raw<'a>,
    stream: Field<'a>,
    push: Field<'a>,
    outcome: Field<'a>,
    http_status: Field<'a>,
    rpc_code: Field<'a>,
    task_state: Field<'a>,
    grpc_status: Field<'a>,
    error_reason: Field<'a>,
    transport_error: Field<'a>,
    state: Field<'a>,
    artifact_id: Field<'a>,
    media_type: Field<'a>,
    schema_version: Raw<'a>,
    digest: Field<'a>,
    digest_check: Field<'a>,
    payload: Raw<'a>,
    payload_base64: Field<'a>,
    append: Field<'a>,
    last_chunk: Field<'a>,
    disposition: Field<'a>,
}

impl Key {
    fn named(name: &str) -> Self {
        Self::deserialize(BorrowedStrDeserializer::<NoKey>::new(name)).unwrap_or(Self::Unknown)
    }
}

impl<'a> Record<'a> {
    /// Reads an object; a key that occurs twice is an error.
    pub(super) fn read(&mut self, text: &'a str) -> serde_json::Result<()> {
        if self.read_plain(text).is_some() {
            return Ok(());
        }
        *self = Self::default();
        self.read_any(text)
    }

    fn read_any(&mut self, text: &'a str) -> serde_json::Result<()> {
        let mut json = serde_json::Deserializer::from_str(text);
        json.deserialize_map(Fill(self))?;
        json.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;

    /// What a plain record may hold, and what it may not.
    const VALUES: [&str; 41] = [
        r#""""#,
        r#""x""#,
        "\"café au lait, eight bytes and more\"",
        r#""2026-11-14T08:00:00.000001Z""#,
        r#""a\nb""#,
        r#""\u00e9""#,
        r#""\ud800""#,
        r#""\ud83d\ude00""#,
        r#""\u12""#,
        r#""\u12é""#,
        r#""\p""#,
        r#""{\"name\":\"S\",\"n\":\"\\\"\"}""#,
        "\"a\nb\"",
        "\"a\u{1}b\"",
        r#""open"#,
        r#""open\"#,
        "0",
        "-0",
        "7",
        "-7",
        "007",
        "123456789012345678",
        "1234567890123456789",
        "9223372036854775808",
        "1.5",
        "1e3",
        "-",
        "true",
        "false",
        "null",
        "nul",
        "truex",
        "[]",
        r#"["a"]"#,
        r#"[ "a" , "b\n" ]"#,
        r#"["a",]"#,
        "[1,{}]",
        r#"{"a":{"b":[1.0,"x"]}}"#,
        r#"{"a":1"#,
        "",
        "x",
    ];
    const KEYS: [&str; 12] = [
        "time",
        "event",
        "card",
        "payload",
        "schema_version",
        "accepted_output_modes",
        "status",
        "stream",
        "tim\\u0065",
        "other",
        "",
        "café",
    ];
    const SPACES: [&str; 6] = ["", "", "", " ", "\t\r\n", "\u{a0}"];
    const ENDS: [&str; 8] = ["}", "}", "}", "} ", "}x", "", ",}", "]"];

    proptest! {
        /// What is read plainly serde reads likewise; what serde refuses is not.
        #[test]
        fn plain_records_are_read_as_serde_reads_them(
            members in prop::collection::vec((select(&KEYS), select(&VALUES), select(&SPACES)), 0..6),
            end in select(&ENDS),
        ) {
            let member = |(key, value, space): &(&str, &str, &str)| {
                format!("{space}\"{key}\"{space}:{space}{value}{space}")
            };
            let members: Vec<String> = members.iter().map(member).collect();
            let text = format!("{{{}{end}", members.join(","));
            let (mut plain, mut any) = (Record::default(), Record::default());
            if plain.read_plain(&text).is_some() {
                prop_assert!(any.read_any(&text).is_ok(), "{}", text);
                prop_assert_eq!(format!("{plain:?}"), format!("{any:?}"), "{}", text);
            }
        }
    }

    #[test]
    fn what_is_plain() {
        for text in [
            r#"{"time":"2026-11-14T08:00:00Z","event":"attempt","stream":true,"status":-200,"url":null}"#,
            r#" { "card" : "{\"a\":\"\u00e9\"}" , "other":1,"accepted_output_modes":["a/b","c"] } "#,
            r#"{"payload":{"a":[1.5,"x\n"]},"schema_version":3,"client":"café","etag":"\"a\""}"#,
        ] {
            assert!(Record::default().read_plain(text).is_some(), "{text}");
        }
        for text in ["{}", r#"{"time":1,"time":2}"#, r#"{"\u0061":"b"}"#, r#"{"status":1.5}"#] {
            assert!(Record::default().read_plain(text).is_none(), "{text}");
        }
    }
}
