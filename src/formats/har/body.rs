//! Bodies as recorders store them: base64, compressed, or under the wrong character set.

use crate::a2a::digest::from_base64;
use std::io::Read;

/// The largest body that a compressed one may become.
const MAX_BODY_BYTES: u64 = 256 << 20;

/// Decodes base64, in lines or not.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    if text.contains(|c: char| c.is_ascii_whitespace()) {
        return from_base64(&text.split_ascii_whitespace().collect::<String>());
    }
    from_base64(text)
}

/// Whether a media type names its character set.
pub(super) fn names_charset(media_type: &str) -> bool {
    media_type.to_ascii_lowercase().contains("charset=")
}

/// The bytes of a text that was UTF-8 and was read as Latin-1 (or its Windows cousin): every
/// character stands for one byte, and the bytes are UTF-8 with characters of several bytes. `None`:
/// it was read rightly.
pub(super) fn misdecoded(text: &str) -> Option<Vec<u8>> {
    if text.is_ascii() {
        return None;
    }
    let bytes: Vec<u8> = text.chars().map(byte_of).collect::<Option<_>>()?;
    match std::str::from_utf8(&bytes) {
        Ok(_) => Some(bytes),
        // A stream that was cut may end within a character.
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => {
            let whole = bytes.get(..error.valid_up_to())?;
            (!whole.is_ascii()).then_some(bytes)
        }
        Err(_) => None,
    }
}

/// The byte that a character of Latin-1 or Windows-1252 stands for.
fn byte_of(c: char) -> Option<u8> {
    /// Windows-1252 from 0x80 to 0x9F; 0 where it has no character.
    const WINDOWS: [u16; 32] = [
        0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039,
        0x0152, 0, 0x017d, 0, 0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc,
        0x2122, 0x0161, 0x203a, 0x0153, 0, 0x017e, 0x0178,
    ];
    let code = u32::from(c);
    if let Ok(byte) = u8::try_from(code) {
        return Some(byte);
    }
    let place = WINDOWS.iter().position(|known| u32::from(*known) == code)?;
    u8::try_from(place).ok()?.checked_add(0x80)
}

/// Undoes the compression that the header names, when the bytes still have it: most recorders store
/// bodies decompressed but keep the header.
pub(super) fn decompressed(bytes: Vec<u8>, encoding: &str) -> Result<Vec<u8>, &'static str> {
    let names = |name: &str| {
        encoding
            .split(',')
            .any(|one| one.trim().trim_start_matches("x-").eq_ignore_ascii_case(name))
    };
    let read = |reader: &mut dyn Read| {
        let mut out = Vec::new();
        match reader.take(MAX_BODY_BYTES + 1).read_to_end(&mut out) {
            Ok(length) if length as u64 > MAX_BODY_BYTES => Err("the compressed body is too large"),
            Ok(_) => Ok(out),
            Err(_) if !out.is_empty() => Ok(out),
            Err(_) => Err("the compressed body is damaged"),
        }
    };
    match bytes.as_slice() {
        [0x1f, 0x8b, ..] if names("gzip") => read(&mut flate2::read::MultiGzDecoder::new(&*bytes)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] if names("zstd") => {
            let decoder = zstd::stream::read::Decoder::new(&*bytes);
            read(&mut decoder.map_err(|_| "the compressed body is damaged")?)
        }
        [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] if names("deflate") => {
            read(&mut flate2::read::ZlibDecoder::new(&*bytes))
        }
        _ if names("br") && std::str::from_utf8(&bytes).is_err() => {
            Err("the body is compressed with Brotli, which is not read")
        }
        _ => Ok(bytes),
    }
}
