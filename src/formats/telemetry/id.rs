//! Trace and span ids.

use std::borrow::Cow;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

use crate::event::Text;

/// An id as lower-case hex: it may be hex in either case, with `0x` before it, or base64 (older
/// senders). Empty, all zeros or unreadable: absent.
pub fn parse(text: Text<'_>, bytes: usize) -> Option<Text<'_>> {
    let digits = text.strip_prefix("0x").unwrap_or(&text);
    if !digits.is_empty()
        && digits.len() <= bytes * 2
        && digits.bytes().all(|b| b.is_ascii_hexdigit())
    {
        // Jaeger drops leading zeros.
        if digits.bytes().all(|b| b == b'0') {
            return None;
        }
        if digits.len() == bytes * 2
            && !digits.bytes().any(|b| b.is_ascii_uppercase())
            && digits.len() == text.len()
        {
            return Some(text);
        }
        return Some(Cow::Owned(format!(
            "{:0>width$}",
            digits.to_ascii_lowercase(),
            width = bytes * 2
        )));
    }
    [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD]
        .into_iter()
        .find_map(|alphabet| alphabet.decode(text.as_bytes()).ok())
        .filter(|decoded| decoded.len() == bytes)
        .and_then(|decoded| hex(&decoded))
}

/// Bytes as lower-case hex; none or all zero: absent.
pub fn hex(bytes: &[u8]) -> Option<Text<'static>> {
    if bytes.iter().all(|byte| *byte == 0) {
        return None;
    }
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    Some(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(text: &str) -> Option<String> {
        parse(Cow::Borrowed(text), 16).map(Cow::into_owned)
    }

    #[test]
    fn all_spellings_of_an_id() {
        let id = "67acfc2ea56f108fa4535fc28ba99705";
        assert_eq!(trace(id).as_deref(), Some(id));
        assert_eq!(trace(&id.to_ascii_uppercase()).as_deref(), Some(id));
        assert_eq!(trace(&format!("0x{id}")).as_deref(), Some(id));
        assert_eq!(trace("Z6z8LqVvEI+kU1/Ci6mXBQ==").as_deref(), Some(id));
        assert_eq!(
            trace("7acfc2ea56f108fa4535fc28ba99705").as_deref(),
            Some("07acfc2ea56f108fa4535fc28ba99705")
        );
        for absent in ["", "00000000000000000000000000000000", "not an id", "Z6z8"] {
            assert_eq!(trace(absent), None, "{absent}");
        }
    }
}
