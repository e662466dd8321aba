//! UTF-16 to UTF-8, in pieces; positions can be told back exactly.

/// Byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Low byte first.
    Little,
    /// High byte first.
    Big,
}

/// Whether a source that begins so is UTF-16, and how long its byte-order mark is. Without a mark,
/// the first four code units (or all, but at least two) must be of ASCII.
pub fn detect(head: &[u8]) -> Option<(Order, usize)> {
    match head {
        // FF FE 00 00 would be UTF-32, which nobody writes.
        [0xFF, 0xFE, ..] => return Some((Order::Little, 2)),
        [0xFE, 0xFF, ..] => return Some((Order::Big, 2)),
        _ => {}
    }
    let units = head.get(..8).unwrap_or(head).chunks_exact(2);
    let text = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..0x7F);
    // Where the zero byte stands in each unit.
    let all = |zero: usize| {
        units.clone().all(|unit| match unit {
            [first, second] if zero == 0 => *first == 0 && text(*second),
            [first, second] => *second == 0 && text(*first),
            _ => false,
        })
    };
    let graphic = head.get(..8).unwrap_or(head).iter().any(u8::is_ascii_graphic);
    if units.len() < 2 || !graphic {
        None
    } else if all(1) {
        Some((Order::Little, 0))
    } else if all(0) {
        Some((Order::Big, 0))
    } else {
        None
    }
}

/// How many bytes of UTF-16 gave these bytes of UTF-8.
pub fn source_len(utf8: &[u8]) -> u64 {
    let units = utf8.iter().map(|b| u64::from(*b & 0xC0 != 0x80) + u64::from(*b >= 0xF0));
    2 * units.sum::<u64>()
}

/// Transcodes pieces; a lone surrogate or a lone last byte becomes U+FFFD.
#[derive(Debug)]
pub struct Transcoder {
    order: Order,
    odd: Option<u8>,
    high: Option<u16>,
    /// How many lone surrogates and lone bytes there were.
    pub replaced: u64,
}

impl Transcoder {
    /// Begins after the byte-order mark.
    pub fn new(order: Order) -> Self {
        Self { order, odd: None, high: None, replaced: 0 }
    }

    /// Appends the text of the next bytes to `text`.
    pub fn push(&mut self, bytes: &[u8], text: &mut Vec<u8>) {
        for byte in bytes {
            let Some(first) = self.odd.take() else {
                self.odd = Some(*byte);
                continue;
            };
            self.unit(
                match self.order {
                    Order::Little => u16::from_le_bytes([first, *byte]),
                    Order::Big => u16::from_be_bytes([first, *byte]),
                },
                text,
            );
        }
    }

    /// Appends what an incomplete end gives.
    pub fn finish(&mut self, text: &mut Vec<u8>) {
        for lost in [self.high.take().is_some(), self.odd.take().is_some()] {
            if lost {
                self.replace(text);
            }
        }
    }

    fn unit(&mut self, unit: u16, text: &mut Vec<u8>) {
        if let Some(high) = self.high.take() {
            if let Some(Ok(character)) = char::decode_utf16([high, unit]).next() {
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                return;
            }
            self.replace(text);
        }
        match unit {
            0xD800..=0xDBFF => self.high = Some(unit),
            0xDC00..=0xDFFF => self.replace(text),
            _ => {
                let character =
                    char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER);
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }

    fn replace(&mut self, text: &mut Vec<u8>) {
        self.replaced += 1;
        text.extend_from_slice("\u{FFFD}".as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, order: Order) -> Vec<u8> {
        text.encode_utf16()
            .flat_map(
                |unit| if order == Order::Little { unit.to_le_bytes() } else { unit.to_be_bytes() },
            )
            .collect()
    }

    #[test]
    fn any_split_gives_the_same_text() {
        let text = "{\"a\":\"ä€\u{1F600}\"}\n";
        for order in [Order::Little, Order::Big] {
            let bytes = utf16(text, order);
            assert_eq!(source_len(text.as_bytes()), bytes.len() as u64);
            for size in 1..bytes.len() {
                let mut out = Vec::new();
                let mut transcoder = Transcoder::new(order);
                bytes.chunks(size).for_each(|piece| transcoder.push(piece, &mut out));
                transcoder.finish(&mut out);
                assert_eq!(out, text.as_bytes(), "{size}");
                assert_eq!(transcoder.replaced, 0);
            }
        }
    }

    #[test]
    fn lone_surrogates_and_bytes_are_replaced() {
        let mut out = Vec::new();
        let mut transcoder = Transcoder::new(Order::Little);
        transcoder.push(&[0x3D, 0xD8, b'a', 0, 0x00, 0xDC, 0x7B], &mut out);
        transcoder.finish(&mut out);
        assert_eq!(out, "\u{FFFD}a\u{FFFD}\u{FFFD}".as_bytes());
        assert_eq!(transcoder.replaced, 3);
    }

    #[test]
    fn recognised_with_and_without_a_mark() {
        assert_eq!(detect(b"\xFF\xFE{\0"), Some((Order::Little, 2)));
        assert_eq!(detect(b"\xFE\xFF\0{"), Some((Order::Big, 2)));
        assert_eq!(detect(b"{\0\"\0a\0\"\0"), Some((Order::Little, 0)));
        assert_eq!(detect(b"\0{\0\"\0a\0\""), Some((Order::Big, 0)));
        assert_eq!(detect(b"{}\n{}\n"), None);
        assert_eq!(detect(b"\0\0\0\x10\x28\xB5\x2F\xFD"), None);
        assert_eq!(detect(b"{\0"), None);
    }
}
