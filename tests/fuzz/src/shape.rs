//! Formats that keep lengths: what is changed lies within them, and the lengths are written anew, so that a
//! change reaches what is behind the parser of the envelope. Now and then the lengths are left wrong.

use crate::mutate::{Random, VALUES, changed};
use crate::wire::{Field, Held, joined, message, pieces, written};

/// What numbers may become.
const NUMBERS: &[u64] = &[0, 1, 2, 3, 200, 304, 404, 503, 1_713_099_631_002_478_000, u64::MAX];

/// What keeps lengths in the inputs of a target.
#[derive(Clone, Copy)]
pub enum Shape {
    /// Nothing does.
    Text,
    /// The stream of `git fast-export`: `data` and a length before a blob or a message.
    FastExport,
    /// Protobuf.
    Proto,
    /// 4 bytes of length before each message of protobuf.
    Frames,
}

impl Shape {
    /// Of the inputs of a target.
    pub fn of(target: &str) -> Self {
        match target {
            "git-history" => Self::FastExport,
            "otlp-proto" => Self::Proto,
            "otlp-frames" => Self::Frames,
            _ => Self::Text,
        }
    }

    /// One change.
    pub fn changed(self, old: &[u8], random: &mut Random) -> Vec<u8> {
        if random.below(16) == 0 {
            return changed(old, random);
        }
        match self {
            Self::Text => changed(old, random),
            Self::FastExport => fast_export(old, random),
            Self::Proto => match message(old, 0) {
                Some(mut fields) => {
                    change(&mut fields, random);
                    written(&fields)
                }
                None => changed(old, random),
            },
            Self::Frames => frames(old, random),
        }
    }
}

/// Mostly what commands carry.
fn fast_export(old: &[u8], random: &mut Random) -> Vec<u8> {
    let mut pieces = pieces(old);
    let data: Vec<usize> = (0..pieces.len()).filter(|at| pieces[*at].0).collect();
    let at = match random.of(&data) {
        Some(at) if random.below(6) != 0 => *at,
        _ => random.below(pieces.len()),
    };
    pieces[at].1 = changed(&pieces[at].1, random);
    joined(&pieces)
}

/// One message changed, left out, or given twice.
fn frames(old: &[u8], random: &mut Random) -> Vec<u8> {
    let mut messages = Vec::new();
    let mut rest = old;
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let Some((frame, next)) = after.split_at_checked(u32::from_be_bytes(*length) as usize)
        else {
            break;
        };
        messages.push(frame.to_vec());
        rest = next;
    }
    if messages.is_empty() {
        return changed(old, random);
    }
    let at = random.below(messages.len());
    match random.below(12) {
        0 if messages.len() > 1 => drop(messages.remove(at)),
        1 => messages.insert(at, messages[at].clone()),
        _ => messages[at] = Shape::Proto.changed(&messages[at], random),
    }
    let mut new = Vec::new();
    for frame in messages {
        new.extend(u32::try_from(frame.len()).unwrap_or(u32::MAX).to_be_bytes());
        new.extend(frame);
    }
    new
}

/// Changes one field, mostly one that lies deep: there are the most of them.
fn change(fields: &mut Vec<Field>, random: &mut Random) {
    let all = count(fields);
    let mut left = random.below(all.max(1));
    let other = nth(fields, &mut random.below(all.max(1))).cloned();
    visit(fields, &mut left, &mut |fields, at| {
        let Field(name, held) = &mut fields[at];
        match (random.below(12), held) {
            (0, _) => drop(fields.remove(at)),
            (1, _) => fields.insert(at, fields[at].clone()),
            (2, _) => *name = 1 + random.below(16) as u64,
            (3 | 4, held) => {
                if let Some(Field(_, with)) = &other {
                    *held = with.clone();
                }
            }
            (_, Held::Number(value)) => *value = random.of(NUMBERS).copied().unwrap_or_default(),
            (_, Held::Fixed64(value)) => {
                let with = random.of(NUMBERS).copied().unwrap_or_default();
                *value = with.to_le_bytes();
            }
            (_, Held::Fixed32(value)) => *value = [random.below(256) as u8; 4],
            (5 | 6, Held::Bytes(value)) => {
                let with = random.of(VALUES).copied().unwrap_or_default();
                *value = with.trim_matches('"').replace("\\\"", "\"").into_bytes();
            }
            (_, Held::Bytes(value)) if !value.is_empty() => *value = changed(value, random),
            (_, Held::Bytes(value)) => value.extend(b"x"),
            (_, Held::Message(inner)) => inner.reverse(),
        }
    });
}

fn count(fields: &[Field]) -> usize {
    let below = |Field(_, held): &Field| match held {
        Held::Message(fields) => count(fields),
        _ => 0,
    };
    fields.iter().map(|field| 1 + below(field)).sum()
}

fn nth<'f>(fields: &'f [Field], left: &mut usize) -> Option<&'f Field> {
    for field in fields {
        if *left == 0 {
            return Some(field);
        }
        *left -= 1;
        if let Field(_, Held::Message(inner)) = field
            && let Some(found) = nth(inner, left)
        {
            return Some(found);
        }
    }
    None
}

/// Gives the list that has the field with this number, in the order of the bytes, and where it stands.
fn visit(
    fields: &mut Vec<Field>,
    left: &mut usize,
    act: &mut dyn FnMut(&mut Vec<Field>, usize),
) -> bool {
    for at in 0..fields.len() {
        if *left == 0 {
            act(fields, at);
            return true;
        }
        *left -= 1;
        if let Field(_, Held::Message(inner)) = &mut fields[at]
            && visit(inner, left, act)
        {
            return true;
        }
    }
    false
}
