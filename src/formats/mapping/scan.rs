//! Walks the text of one record once and keeps what the pointers of a plan lead to, as raw JSON text.
//!
//! What no pointer leads to is skipped, not built. A string that holds JSON is walked like the value
//! it spells, when a pointer leads into it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;

use crate::config::plan::{Node, Plan};

/// What the pointers of one plan led to in one record.
#[derive(Debug, Default)]
pub struct Hits<'a> {
    /// By slot: the first and the last hit in `list`, plus one; 0: none.
    ends: Vec<(u32, u32)>,
    list: Vec<Hit<'a>>,
}

#[derive(Debug)]
struct Hit<'a> {
    raw: Cow<'a, str>,
    /// The indexes of the elements that `*` stood for.
    element: u64,
    /// The next hit of the slot in `Hits::list`, plus one.
    next: u32,
}

impl<'a> Hits<'a> {
    /// Walks one JSON text. When it is not whole, what stood before the break was found.
    pub fn scan(plan: &Plan, text: &'a str) -> (Self, Result<(), serde_json::Error>) {
        let mut hits = Self { ends: vec![(0, 0); plan.len()], list: Vec::new() };
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let walk = Walk { node: plan.root(), element: 0, starred: false, hits: &mut hits };
        let whole = walk.deserialize(&mut deserializer).and_then(|()| deserializer.end());
        (hits, whole)
    }

    /// The first value of a slot that is not null.
    pub fn first(&self, slot: usize) -> Option<&Cow<'a, str>> {
        self.all(slot).map(|(_, raw)| raw).find(|raw| raw.as_ref() != "null")
    }

    /// All values of a slot, nulls too, each with the indexes that its `*` stood for.
    pub fn all(&self, slot: usize) -> impl Iterator<Item = (u64, &Cow<'a, str>)> {
        let mut at = self.ends.get(slot).map_or(0, |ends| ends.0);
        std::iter::from_fn(move || {
            let hit = self.list.get((at as usize).checked_sub(1)?)?;
            at = hit.next;
            Some((hit.element, &hit.raw))
        })
    }

    fn push(&mut self, slot: usize, raw: Cow<'a, str>, element: u64, starred: bool) {
        let Ok(at) = u32::try_from(self.list.len() + 1) else { return };
        let Some(ends) = self.ends.get_mut(slot) else { return };
        if ends.0 == 0 {
            *ends = (at, at);
        } else if starred {
            if let Some(last) = self.list.get_mut(ends.1 as usize - 1) {
                last.next = at;
            }
            ends.1 = at;
        } else if let Some(only) = self.list.get_mut(ends.0 as usize - 1) {
            // A key that occurs twice: the last one counts.
            only.raw = raw;
            return;
        }
        self.list.push(Hit { raw, element, next: 0 });
    }
}

/// Walks one value along one node.
struct Walk<'p, 'h, 'a> {
    node: &'p Node,
    element: u64,
    starred: bool,
    hits: &'h mut Hits<'a>,
}

impl<'p, 'a> Walk<'p, '_, 'a> {
    fn to<'s>(&'s mut self, node: &'p Node) -> Walk<'p, 's, 'a> {
        Walk { node, element: self.element, starred: self.starred, hits: self.hits }
    }

    fn each<'s>(&'s mut self, node: &'p Node, index: u64) -> Walk<'p, 's, 'a> {
        let element = (self.element << 24) | index;
        Walk { node, element, starred: true, hits: self.hits }
    }

    /// A value that a named step and `*` both lead to.
    fn both(
        &mut self,
        named: &'p Node,
        every: &'p Node,
        index: u64,
        raw: &'a str,
    ) -> Result<(), serde_json::Error> {
        self.to(named).text(raw)?;
        self.each(every, index).text(raw)
    }

    fn text(self, raw: &'a str) -> Result<(), serde_json::Error> {
        self.deserialize(&mut serde_json::Deserializer::from_str(raw))
    }

    /// A string into which pointers lead: JSON within JSON.
    fn inside(&mut self, string: &str) {
        if !string.trim_start().starts_with(['{', '[']) {
            return;
        }
        let mut inner = Hits { ends: vec![(0, 0); self.hits.ends.len()], list: Vec::new() };
        let walk = Walk {
            node: self.node,
            element: self.element,
            starred: self.starred,
            hits: &mut inner,
        };
        if walk.children(&mut serde_json::Deserializer::from_str(string)).is_err() {
            return;
        }
        for slot in 0..inner.ends.len() {
            for (element, raw) in inner.all(slot) {
                self.hits.push(slot, Cow::Owned(raw.as_ref().to_owned()), element, self.starred);
            }
        }
    }

    fn children<'de: 'a, D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for Walk<'_, '_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Some(slot) = self.node.slot else { return self.children(deserializer) };
        let (node, element, starred) = (self.node, self.element, self.starred);
        let raw = match <&RawValue>::deserialize(deserializer) {
            Ok(raw) => raw.get(),
            Err(error) => {
                // The text breaks off within it: that it is there is known, what it is, is not.
                self.hits.push(slot, Cow::Borrowed(""), element, starred);
                return Err(error);
            }
        };
        self.hits.push(slot, Cow::Borrowed(raw), element, starred);
        if node.goes_on() {
            self.children(&mut serde_json::Deserializer::from_str(raw))
                .map_err(serde::de::Error::custom)?;
        }
        Ok(())
    }
}

impl<'de: 'a, 'a> Visitor<'de> for Walk<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let node = self.node;
        let mut index = 0;
        while let Some(named) = map.next_key_seed(KeyOf(node))? {
            match (named, node.every.as_deref()) {
                (None, None) => {
                    map.next_value::<IgnoredAny>()?;
                }
                (Some(named), None) => map.next_value_seed(self.to(named))?,
                (None, Some(every)) => map.next_value_seed(self.each(every, index))?,
                (Some(named), Some(every)) => {
                    let raw = map.next_value::<&RawValue>()?.get();
                    self.both(named, every, index, raw).map_err(serde::de::Error::custom)?;
                }
            }
            index += 1;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        let node = self.node;
        let mut index: u64 = 0;
        loop {
            let named = if node.keys.is_empty() { None } else { node.key(&index.to_string()) };
            let more = match (named, node.every.as_deref()) {
                (None, None) => seq.next_element::<IgnoredAny>()?.is_some(),
                (Some(named), None) => seq.next_element_seed(self.to(named))?.is_some(),
                (None, Some(every)) => seq.next_element_seed(self.each(every, index))?.is_some(),
                (Some(named), Some(every)) => match seq.next_element::<&RawValue>()? {
                    Some(raw) => {
                        self.both(named, every, index, raw.get())
                            .map_err(serde::de::Error::custom)?;
                        true
                    }
                    None => false,
                },
            };
            if !more {
                return Ok(());
            }
            index += 1;
        }
    }

    fn visit_str<E>(mut self, string: &str) -> Result<(), E> {
        self.inside(string);
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Where a key leads.
struct KeyOf<'p>(&'p Node);

impl<'de, 'p> DeserializeSeed<'de> for KeyOf<'p> {
    type Value = Option<&'p Node>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'p> Visitor<'_> for KeyOf<'p> {
    type Value = Option<&'p Node>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.key(key))
    }
}
