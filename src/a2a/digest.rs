//! Digests: their spellings, and how they are computed (model §6).

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use sha2::{Digest as _, Sha256};

use super::canonical::canonical;

/// A SHA-256 value.
pub type Sha = [u8; 32];

/// A digest that a producer stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Digest {
    /// A SHA-256 value.
    Sha256(Sha),
    /// Said to be SHA-256, but the value is none: nothing can match it.
    Malformed,
    /// Another algorithm, or one that cannot be told: it cannot be checked.
    UnknownAlgorithm,
}

impl Digest {
    /// Reads `sha256:<hex>`, bare hex, `sha-256=<base64>`, `sha-256=:<base64>:`; the algorithm and
    /// hex in either case. `None` for an empty text: no digest is stated.
    pub fn parse(text: &str) -> Option<Digest> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        if let Some(sha) = hex_sha(text) {
            return Some(Digest::Sha256(sha));
        }
        // RFC 9530 lists several algorithms, parted by commas.
        let value = text.split(',').find_map(|one| sha256_value(one.trim()));
        Some(match value {
            None => Digest::UnknownAlgorithm,
            Some(value) => match hex_sha(value).or_else(|| base64_sha(value)) {
                Some(sha) => Digest::Sha256(sha),
                None => Digest::Malformed,
            },
        })
    }
}

/// What follows the name of the algorithm, when that is SHA-256.
fn sha256_value(text: &str) -> Option<&str> {
    let (algorithm, value) = text.split_once([':', '='])?;
    let algorithm = algorithm.trim();
    let known = ["sha256", "sha-256"].iter().any(|name| algorithm.eq_ignore_ascii_case(name));
    known.then(|| value.trim())
}

fn hex_sha(text: &str) -> Option<Sha> {
    let mut sha = [0; 32];
    let bytes = text.as_bytes();
    if bytes.len() != 64 {
        return None;
    }
    for (byte, pair) in sha.iter_mut().zip(bytes.chunks_exact(2)) {
        let mut value = 0;
        for digit in pair {
            value = value << 4 | char::from(*digit).to_digit(16)?;
        }
        *byte = u8::try_from(value).ok()?;
    }
    Some(sha)
}

fn base64_sha(text: &str) -> Option<Sha> {
    let inner = text.strip_prefix(':').and_then(|rest| rest.strip_suffix(':')).unwrap_or(text);
    from_base64(inner)?.try_into().ok()
}

/// Decodes base64 in either alphabet, padded or not.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    const CONFIG: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);
    let text = text.trim();
    STANDARD.decode(text).or_else(|_| URL_SAFE.decode(text)).ok()
}

/// The SHA-256 of some bytes.
pub fn sha256(bytes: &[u8]) -> Sha {
    Sha256::digest(bytes).into()
}

/// The SHA-256 of some bytes, in lower-case hex: the binding hash of a card (model §2).
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&sha256(bytes))
}

/// Bytes in lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for digit in [byte >> 4, byte & 0xF] {
            text.extend(char::from_digit(u32::from(digit), 16));
        }
    }
    text
}

/// The SHA-256 of the RFC 8785 form of a JSON text.
pub fn canonical_sha256(json: &str) -> Option<Sha> {
    canonical(json).map(|text| sha256(text.as_bytes()))
}

/// [`canonical_sha256`] in lower-case hex.
pub fn jcs_sha256(json: &str) -> Option<String> {
    canonical_sha256(json).map(|sha| hex(&sha))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SHA-256 of `abc`, FIPS 180-2.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn one_digest_in_every_spelling() {
        let expected = Some(Digest::Sha256(sha256(b"abc")));
        for text in [
            ABC.to_owned(),
            ABC.to_uppercase(),
            format!(" sha256:{ABC} "),
            format!("SHA256:{}", ABC.to_uppercase()),
            "sha-256=ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=".to_owned(),
            "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:".to_owned(),
            "sha-256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0".to_owned(),
            "sha-512=:AAAA:, sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:".to_owned(),
        ] {
            assert_eq!(Digest::parse(&text), expected, "{text}");
        }
        assert_eq!(sha256_hex(b"abc"), ABC);
    }

    #[test]
    fn other_digests() {
        assert_eq!(Digest::parse(""), None);
        for text in ["sha512:abab", "d41d8cd98f00b204e9800998ecf8427e", "md5:1", "x"] {
            assert_eq!(Digest::parse(text), Some(Digest::UnknownAlgorithm), "{text}");
        }
        for text in ["sha256:abab", "sha-256=::", &format!("sha256:{}", "g".repeat(64))] {
            assert_eq!(Digest::parse(text), Some(Digest::Malformed), "{text}");
        }
    }

    #[test]
    fn the_card_of_a_case_has_the_hash_that_the_case_says() {
        let card =
            r#"{"skills":[{"id":"sum"}],"name":"S","artifactSchema":{"version":3.0},"z":100.0}"#;
        let expected = "757c841db108e984cb6bd21a92103051cc85cfce19d5d9ffe41e291c8d68bbf9";
        assert_eq!(jcs_sha256(card).unwrap(), expected);
    }
}
