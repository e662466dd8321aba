//! Attributes and values of OTLP/JSON, read straight into what they become.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::a2a::json::{Content, Flag, Key, List, Presence, Text};
use crate::formats::telemetry::value::{Attributes, Value};

/// A value: an object whose only field tells its type.
#[derive(Debug, Clone, Default)]
pub(super) struct AnyValue<'a>(pub(super) Value<'a>);

/// An array of `{key, value}`; of another type none.
#[derive(Debug, Clone, Default)]
pub(super) struct KeyValues<'a>(pub(super) Attributes<'a>);

impl Presence for AnyValue<'_> {
    fn is_present(&self) -> bool {
        self.0 != Value::Null
    }
}

impl Presence for KeyValues<'_> {
    fn is_present(&self) -> bool {
        !self.0.0.is_empty()
    }
}

/// What is not of the expected shape is nothing.
macro_rules! nothing_else {
    ($nothing:expr) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any JSON value")
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
}

impl<'de: 'a, 'a> Deserialize<'de> for AnyValue<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = AnyValue<'de>;
            nothing_else!(AnyValue::default());
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut value = Value::Null;
                while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
                    let found = match key.as_ref() {
                        "stringValue" | "string_value" => {
                            map.next_value::<Content<'de>>()?.0.map(Value::Text)
                        }
                        "intValue" | "int_value" | "doubleValue" | "double_value" => {
                            map.next_value::<Text<'de>>()?.0.map(Value::Number)
                        }
                        "boolValue" | "bool_value" => map.next_value::<Flag>()?.0.map(Value::Flag),
                        "bytesValue" | "bytes_value" => {
                            map.next_value::<Content<'de>>()?.0.map(bytes)
                        }
                        "arrayValue" | "array_value" => Some(Value::List(
                            map.next_value::<Values<List<AnyValue<'de>>>>()?
                                .0
                                .0
                                .into_iter()
                                .map(|any| any.0)
                                .collect(),
                        )),
                        "kvlistValue" | "kvlist_value" => {
                            Some(Value::Map(map.next_value::<Values<KeyValues<'de>>>()?.0.0))
                        }
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            None
                        }
                    };
                    if let Some(found) = found {
                        value = found;
                    }
                }
                Ok(AnyValue(value))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(AnyValue::default())
            }
        }
        deserializer.deserialize_any(Any)
    }
}

fn bytes(text: Cow<'_, str>) -> Value<'_> {
    match STANDARD.decode(text.as_bytes()) {
        Ok(decoded) => Value::Bytes(Cow::Owned(decoded)),
        Err(_) => Value::Text(text),
    }
}

/// The `values` of an object.
struct Values<T>(T);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Values<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for Fields<T> {
            type Value = Values<T>;
            nothing_else!(Values(T::default()));
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut values = T::default();
                while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
                    if key == "values" {
                        values = map.next_value()?;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Values(values))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Values(T::default()))
            }
        }
        deserializer.deserialize_any(Fields(std::marker::PhantomData))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for KeyValues<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = KeyValues<'de>;
            nothing_else!(KeyValues::default());
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(KeyValues::default())
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(Pair(pair)) = seq.next_element::<Pair<'de>>()? {
                    pairs.extend(pair);
                }
                Ok(KeyValues(Attributes(pairs)))
            }
        }
        deserializer.deserialize_any(Pairs)
    }
}

/// One attribute; `None`: it has no key.
struct Pair<'a>(Option<(Cow<'a, str>, Value<'a>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Pair<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Pair<'de>;
            nothing_else!(Pair(None));
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let (mut name, mut value) = (None, Value::Null);
                while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
                    match key.as_ref() {
                        "key" => name = map.next_value::<Text<'de>>()?.0,
                        "value" => value = map.next_value::<AnyValue<'de>>()?.0,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(Pair(name.map(|name| (name, value))))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Pair(None))
            }
        }
        deserializer.deserialize_any(Fields)
    }
}
