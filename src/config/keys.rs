//! Which keys the configuration knows, told by the structs themselves.

use super::{Client, Config, Extract, Thresholds};
use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// What may stand below a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Below {
    /// These keys and no others.
    Keys(&'static [&'static str]),
    /// Names that the user chooses.
    Names,
    /// A list of tables, which its reader checks.
    Tables,
}

/// The names of the sections.
pub fn sections() -> &'static [&'static str] {
    fields::<Config>()
}

/// What may stand below a section; `None`: there is no such section.
pub fn below(section: &str) -> Option<Below> {
    match section {
        "client" => Some(Below::Keys(fields::<Client>())),
        "thresholds" => Some(Below::Keys(fields::<Thresholds>())),
        "extract" => Some(Below::Keys(fields::<Extract>())),
        "mapping" => Some(Below::Tables),
        other => sections().contains(&other).then_some(Below::Names),
    }
}

/// The name nearest to `wanted`, when one is near enough to be what was meant.
pub fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(wanted, name), name))
        .filter(|(distance, name)| *distance <= name.len().max(wanted.len()).div_ceil(3))
        .min()
        .map(|(_, name)| name)
}

/// The fields of a struct.
fn fields<T: for<'de> Deserialize<'de>>() -> &'static [&'static str] {
    let mut found: &'static [&'static str] = &[];
    // It always fails: it only looks at what the struct asks for.
    let _ = T::deserialize(Ask(&mut found));
    found
}

struct Ask<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Ask<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("only asked"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structs_tell_their_keys() {
        assert!(sections().starts_with(&["client", "agents", "registries"]), "{:?}", sections());
        assert_eq!(below("client"), Some(Below::Keys(&["header"])));
        assert_eq!(below("agents"), Some(Below::Names));
        assert_eq!(below("agent"), None);
    }

    #[test]
    fn a_near_name_is_offered_and_a_far_one_is_not() {
        assert_eq!(nearest("flap", ["flap_s", "storm_gap_s"]), Some("flap_s"));
        assert_eq!(nearest("threshold", sections().iter().copied()), Some("thresholds"));
        assert_eq!(nearest("zzz", sections().iter().copied()), None);
    }
}
