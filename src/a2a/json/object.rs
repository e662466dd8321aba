//! Objects and arrays whose fields and elements may be of any type.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Key, Presence};

/// The fields of an object, filled one by one; written by [`object!`].
pub trait Fields<'de>: Default {
    /// Reads the value of one key, or skips it.
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;
}

/// An object, or nothing when the value is of another type.
#[derive(Debug, Clone, Default)]
pub struct Maybe<T>(pub Option<T>);

impl<T> Presence for Maybe<T> {
    fn is_present(&self) -> bool {
        self.0.is_some()
    }
}

impl<'de, T: Fields<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

impl<T> Presence for Box<T> {
    fn is_present(&self) -> bool {
        true
    }
}

impl<'de, T: Fields<'de>> Fields<'de> for Box<T> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        (**self).field(key, map)
    }
}

/// The values of an array; empty when the value is of another type.
#[derive(Debug, Clone)]
pub struct List<T>(pub Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        List(Vec::new())
    }
}

impl<T> Presence for List<T> {
    fn is_present(&self) -> bool {
        !self.0.is_empty()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

/// The visits that both visitors answer with "nothing".
macro_rules! nothing_else {
    () => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any JSON value")
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Fields<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Maybe<T>;
    nothing_else!();
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut object = T::default();
        while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
            object.field(&key, &mut map)?;
        }
        Ok(Maybe(Some(object)))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Maybe(None))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;
    nothing_else!();
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(List::default())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = seq.next_element()? {
            list.push(item);
        }
        Ok(List(list))
    }
}

/// Declares a struct and the keys (all spellings) that fill its fields.
macro_rules! object {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident<$life:lifetime> {
            $( $(#[$field_about:meta])* $($key:literal)|+ => $field:ident: $type:ty, )*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default)]
        $vis struct $name<$life> {
            $( $(#[$field_about])* pub $field: $type, )*
        }

        impl<'de: $life, $life> $crate::a2a::json::Fields<'de> for $name<$life> {
            fn field<A: serde::de::MapAccess<'de>>(
                &mut self,
                key: &str,
                map: &mut A,
            ) -> Result<(), A::Error> {
                match key {
                    $( $($key)|+ => {
                        let value: $type = map.next_value()?;
                        if $crate::a2a::json::Presence::is_present(&value) {
                            self.$field = value;
                        }
                    } )*
                    _ => { map.next_value::<serde::de::IgnoredAny>()?; }
                }
                Ok(())
            }
        }
    };
}
pub(crate) use object;
