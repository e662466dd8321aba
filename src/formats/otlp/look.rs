//! Whether bytes are protobuf of OTLP, told from the first fields alone: the end may be missing.

use prost::encoding::decode_varint;

/// The largest message that is believed in.
const LARGEST: u64 = 1 << 30;

/// Looks at the first bytes of an export request; the reason if they are none.
///
/// Text must not be taken for one: a line feed is the tag of a first field, and a letter may be a
/// length. So the fields are followed down to one that cannot be chance: the name of an attribute or
/// of a scope, a trace id, a time.
pub fn looks_like_export(head: &[u8]) -> Result<(), String> {
    let group = field(head, &[0x0a])
        .ok_or("no protobuf message whose first field is a list of resources")?;
    if in_group(group.bytes) {
        Ok(())
    } else {
        Err("its first field holds neither a resource nor scopes".to_owned())
    }
}

/// The message after a length at the beginning, as far as it is there.
pub fn message_at(head: &[u8]) -> Option<&[u8]> {
    let mut rest = head;
    let length = decode_varint(&mut rest).ok().filter(|length| (1..LARGEST).contains(length))?;
    Some(rest.get(..usize::try_from(length).ok()?).unwrap_or(rest))
}

/// The message after a length, and what follows it; `None` where there is no whole one.
pub fn next_message(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = bytes;
    let length = decode_varint(&mut rest).ok()?;
    rest.split_at_checked(usize::try_from(length).ok()?)
}

/// A field with a length.
struct Field<'b> {
    tag: u8,
    /// As much of it as there is.
    bytes: &'b [u8],
    after: &'b [u8],
}

/// The first field, when its tag is one of these.
fn field<'b>(bytes: &'b [u8], tags: &[u8]) -> Option<Field<'b>> {
    let (tag, mut rest) = bytes.split_first()?;
    let length = decode_varint(&mut rest).ok().filter(|length| *length < LARGEST)?;
    let length = usize::try_from(length).ok()?;
    let (bytes, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
    tags.contains(tag).then_some(Field { tag: *tag, bytes, after })
}

/// A resource and scopes, or scopes alone.
fn in_group(group: &[u8]) -> bool {
    let Some(first) = field(group, &[0x0a, 0x12]) else { return false };
    match first.tag {
        0x0a if first.bytes.is_empty() => {
            field(first.after, &[0x12]).is_some_and(|scopes| in_scopes(scopes.bytes))
        }
        0x0a => in_resource(first.bytes),
        _ => in_scopes(first.bytes),
    }
}

/// Attributes; a resource without any has but a count of those that were dropped.
fn in_resource(resource: &[u8]) -> bool {
    match field(resource, &[0x0a]) {
        Some(attribute) => field(attribute.bytes, &[0x0a]).is_some_and(|key| is_name(key.bytes)),
        None => matches!(resource, [0x10, _, ..]),
    }
}

/// A scope, a span or a log record.
fn in_scopes(scopes: &[u8]) -> bool {
    let Some(first) = field(scopes, &[0x0a, 0x12]) else { return false };
    match (first.tag, first.bytes) {
        (0x0a, []) => field(first.after, &[0x12]).is_some_and(|item| in_item(item.bytes)),
        (0x0a, scope) => field(scope, &[0x0a]).is_some_and(|name| is_name(name.bytes)),
        (_, item) => in_item(item),
    }
}

/// A span begins with its trace id; a log record with its time, or when it was observed.
fn in_item(item: &[u8]) -> bool {
    match item {
        [0x0a, 16, ..] => true,
        [0x09 | 0x59, time @ ..] => time.len() >= 8,
        _ => false,
    }
}

/// A name: text without spaces and control characters.
fn is_name(bytes: &[u8]) -> bool {
    let end = bytes.len().min(64);
    let bytes = bytes.get(..end).unwrap_or_default();
    !bytes.is_empty() && bytes.iter().all(|byte| *byte > b' ' && *byte != 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field with a length below 128.
    fn with(tag: u8, bytes: &[u8]) -> Vec<u8> {
        [&[tag, u8::try_from(bytes.len()).unwrap()], bytes].concat()
    }

    fn knows(bytes: &[u8]) -> bool {
        looks_like_export(bytes).is_ok()
    }

    #[test]
    fn first_fields_of_requests() {
        let attribute =
            with(0x0a, &[with(0x0a, b"service.name"), with(0x12, b"\x0a\x01a")].concat());
        let resource = with(0x0a, &attribute);
        let span = with(0x12, &with(0x0a, &[7; 16]));
        let log = with(0x12, &[9, 1, 2, 3, 4, 5, 6, 7, 8]);
        let scope = with(0x0a, &with(0x0a, b"egress"));
        for group in [
            [resource.clone(), with(0x12, &span)].concat(),
            resource,
            [with(0x0a, b""), with(0x12, &log)].concat(),
            with(0x12, &[scope, span].concat()),
        ] {
            let request = with(0x0a, &group);
            assert!(knows(&request), "{request:x?}");
            assert!(knows(&[request.clone(), request].concat()));
        }
    }

    #[test]
    fn text_is_none() {
        for text in [
            "",
            "\n",
            "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
            "\n{\n  \"resourceSpans\": [\n    {\n      \"resource\": {}}]}",
            "\n \n \n \n  a line that is no protobuf at all",
            "{\"resourceSpans\":[]}",
        ] {
            assert!(!knows(text.as_bytes()), "{text}");
            assert!(message_at(text.as_bytes()).is_none_or(|message| !knows(message)), "{text}");
        }
    }

    #[test]
    fn messages_after_their_lengths() {
        let both = [with(0x0a, b"x"), b"rest".to_vec()].concat();
        let (first, rest) = next_message(&[vec![3], both.clone()].concat())
            .map(|(a, b)| (a.to_vec(), b.to_vec()))
            .unwrap();
        assert_eq!((first.as_slice(), rest.as_slice()), (&b"\x0a\x01x"[..], &b"rest"[..]));
        assert!(next_message(&[5, 1]).is_none());
        assert!(next_message(&[]).is_none());
    }
}
