//! Finds where a JSON value ends, without building it and without recursion.
//!
//! Strict in structure (brackets, commas, colons, keys), lenient inside tokens: a string may hold bad
//! escapes, bad UTF-8 and raw control characters (not a line feed), a number may be `NaN`. Those are
//! for [`repair`](super::repair) to mend; a broken structure cannot be mended.

use memchr::memchr3;

/// How deep a record may nest: what `serde_json` reads.
pub const MAX_DEPTH: u32 = 127;

/// How a scan ended; positions are offsets in the bytes given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The value ends before this offset.
    Complete(usize),
    /// The bytes end within the value.
    Cut,
    /// The structure is broken at this offset.
    Broken(usize),
    /// The bracket at this offset is one too many within others.
    TooDeep(usize),
}

/// Sees the tokens of a value as they pass.
pub trait Visitor {
    /// An object (or else an array) opens at `at`.
    fn open(&mut self, at: usize, object: bool) {
        let _ = (at, object);
    }
    /// The innermost object or array ends before `end`.
    fn close(&mut self, end: usize) {
        let _ = end;
    }
    /// A string, quotes included; `key`: it names a member.
    fn string(&mut self, start: usize, end: usize, key: bool, escapes: Escapes) {
        let _ = (start, end, key, escapes);
    }
    /// A number, `true`, `false`, `null`, `NaN`, `Infinity` or `-Infinity`.
    fn scalar(&mut self, start: usize, end: usize) {
        let _ = (start, end);
    }
}

/// The backslashes of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escapes {
    /// There are none.
    None,
    /// Only those of two characters.
    Short,
    /// Also such as name a character by its number, or no escapes at all.
    Others,
}

/// Looks at nothing.
#[derive(Debug)]
pub struct Blind;

impl Visitor for Blind {}

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrClose,
    Key,
    KeyOrClose,
    Colon,
    CommaOrClose,
}

/// Where the value that begins at `start` ends.
pub fn value_end(bytes: &[u8], start: usize) -> End {
    scan(bytes, start, &mut Blind)
}

/// Walks through the value that begins at `start` (or after white space there).
pub fn scan<V: Visitor>(bytes: &[u8], start: usize, visitor: &mut V) -> End {
    let mut at = start;
    // One bit for each open bracket, the innermost lowest: 1 is an object.
    let mut open: u128 = 0;
    let mut depth: u32 = 0;
    let mut expect = Expect::Value;
    loop {
        at += leading_space(bytes.get(at..).unwrap_or_default());
        let Some(&byte) = bytes.get(at) else { return End::Cut };
        match (expect, byte) {
            (Expect::Value | Expect::ValueOrClose, b'{' | b'[') => {
                if depth == MAX_DEPTH {
                    return End::TooDeep(at);
                }
                let object = byte == b'{';
                open = (open << 1) | u128::from(object);
                depth += 1;
                visitor.open(at, object);
                at += 1;
                expect = if object { Expect::KeyOrClose } else { Expect::ValueOrClose };
                continue;
            }
            (Expect::Value | Expect::ValueOrClose | Expect::Key | Expect::KeyOrClose, b'"') => {
                let (end, escapes) = match string_end(bytes, at) {
                    Ok(found) => found,
                    Err(end) => return end,
                };
                let key = matches!(expect, Expect::Key | Expect::KeyOrClose);
                visitor.string(at, end, key, escapes);
                at = end;
                if key {
                    expect = Expect::Colon;
                    continue;
                }
            }
            (Expect::Colon, b':') => {
                at += 1;
                expect = Expect::Value;
                continue;
            }
            (Expect::CommaOrClose, b',') => {
                at += 1;
                expect = if open & 1 == 1 { Expect::Key } else { Expect::Value };
                continue;
            }
            (Expect::CommaOrClose | Expect::KeyOrClose, b'}') if open & 1 == 1 => {
                close(&mut open, &mut depth, &mut at, visitor);
            }
            (Expect::CommaOrClose | Expect::ValueOrClose, b']') if open & 1 == 0 => {
                close(&mut open, &mut depth, &mut at, visitor);
            }
            (Expect::Value | Expect::ValueOrClose, _) => {
                let end = match scalar_end(bytes, at) {
                    Ok(end) => end,
                    Err(end) => return end,
                };
                visitor.scalar(at, end);
                at = end;
            }
            _ => return End::Broken(at),
        }
        if depth == 0 {
            return End::Complete(at);
        }
        expect = Expect::CommaOrClose;
    }
}

fn close<V: Visitor>(open: &mut u128, depth: &mut u32, at: &mut usize, visitor: &mut V) {
    *open >>= 1;
    *depth -= 1;
    *at += 1;
    visitor.close(*at);
}

/// How many bytes of JSON white space come first.
pub fn leading_space(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')).count()
}

/// Where the first quote, backslash or line feed is. Most strings are short: their bytes are looked at
/// eight at a time, which costs less than to begin a vector search.
pub fn quote_escape_or_line(bytes: &[u8]) -> Option<usize> {
    /// A bit in each byte of the word that is this one; above the first there may be others.
    const fn equal(word: u64, byte: u8) -> u64 {
        const ONES: u64 = u64::from_le_bytes([1; 8]);
        let zero = word ^ u64::from_le_bytes([byte; 8]);
        zero.wrapping_sub(ONES) & !zero & (ONES << 7)
    }
    let mut at = 0;
    while at < 32
        && let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk())
    {
        let word = u64::from_le_bytes(*word);
        let found = equal(word, b'"') | equal(word, b'\\') | equal(word, b'\n');
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    memchr3(b'"', b'\\', b'\n', bytes.get(at..)?).map(|found| at + found)
}

/// Where the string whose opening quote is at `start` ends, closing quote included, and what was
/// escaped in it.
fn string_end(bytes: &[u8], start: usize) -> Result<(usize, Escapes), End> {
    let mut escapes = Escapes::None;
    let mut at = start + 1;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(found) = quote_escape_or_line(rest) else { return Err(End::Cut) };
        match rest.get(found) {
            Some(b'"') => return Ok((at + found + 1, escapes)),
            // What is escaped is passed over, but never the end of the line.
            Some(b'\\') => match rest.get(found + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                    if escapes == Escapes::None {
                        escapes = Escapes::Short;
                    }
                    at += found + 2;
                }
                Some(b'\n') => at += found + 1,
                _ => {
                    escapes = Escapes::Others;
                    at += found + 2;
                }
            },
            _ => return Err(End::Broken(at + found)),
        }
    }
}

/// The words that stand for a value; the last three are none in JSON.
const WORDS: [&[u8]; 6] = [b"true", b"false", b"null", b"NaN", b"Infinity", b"-Infinity"];

fn scalar_end(bytes: &[u8], start: usize) -> Result<usize, End> {
    let rest = bytes.get(start..).unwrap_or_default();
    let len = rest
        .iter()
        .position(|b| {
            matches!(
                b,
                b',' | b':' | b']' | b'}' | b'[' | b'{' | b'"' | b' ' | b'\t' | b'\r' | b'\n'
            )
        })
        .unwrap_or(rest.len());
    let token = rest.get(..len).unwrap_or_default();
    if is_number(token) || WORDS.contains(&token) {
        return Ok(start + len);
    }
    let more_could_mend = len == rest.len()
        && (WORDS.iter().any(|word| word.starts_with(token)) || is_number(&[token, b"0"].concat()));
    Err(if more_could_mend { End::Cut } else { End::Broken(start) })
}

/// Whether the token is a number by JSON's grammar.
pub fn is_number(token: &[u8]) -> bool {
    fn digits(rest: &[u8]) -> (usize, &[u8]) {
        let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        (count, rest.get(count..).unwrap_or_default())
    }
    let unsigned = token.strip_prefix(b"-").unwrap_or(token);
    let (whole, mut rest) = digits(unsigned);
    if whole == 0 || (whole > 1 && unsigned.first() == Some(&b'0')) {
        return false;
    }
    if let Some(fraction) = rest.strip_prefix(b".") {
        let (count, after) = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = after;
    }
    if let Some((b'e' | b'E', exponent)) = rest.split_first() {
        let unsigned = match exponent.split_first() {
            Some((b'+' | b'-', unsigned)) => unsigned,
            _ => exponent,
        };
        let (count, after) = digits(unsigned);
        return count > 0 && after.is_empty();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_whole_values() {
        for (text, end) in [
            (r#"{"a":1}"#, 7),
            (r#"{"a":1} x"#, 7),
            (r#" [1,{"b":[]},"}"] "#, 17),
            (r#""a\"b" "#, 6),
            ("12", 2),
            ("-0.5e+7,", 7),
            ("{}{", 2),
            ("[NaN,-Infinity]", 15),
            ("[\"\\ud800\x01\"]", 11),
        ] {
            assert_eq!(value_end(text.as_bytes(), 0), End::Complete(end), "{text}");
        }
    }

    #[test]
    fn the_first_of_three_bytes_is_found_wherever_it_is() {
        for len in 0..80 {
            // Bytes that differ from the three in a bit, or follow them.
            let mut text: Vec<u8> =
                b"#]\x0b\xa2\xdc\x8a!a".iter().copied().cycle().take(len).collect();
            assert_eq!(quote_escape_or_line(&text), None);
            for at in (0..len).rev() {
                text[at] = b"\"\\\n"[at % 3];
                assert_eq!(quote_escape_or_line(&text), Some(at), "{at} of {len}");
            }
        }
    }

    #[test]
    fn cut_and_broken_values() {
        for text in ["{", r#"{"a"#, r#"{"a":"#, r#"{"a":1,"#, "[tru", "[1e", "-", r#"["a\"#, ""] {
            assert_eq!(value_end(text.as_bytes(), 0), End::Cut, "{text}");
        }
        for (text, at) in [
            (r#"{"a":1,}"#, 7),
            ("{a:1}", 1),
            ("[1 2]", 3),
            ("[1}", 2),
            ("{]", 1),
            ("[01]", 1),
            (r#"{"a" 1}"#, 5),
            ("{\"a\nb\":1}", 3),
            ("{\"a\\\nb\":1}", 4),
            ("}", 0),
            ("\0{}", 0),
            ("[undefined", 1),
        ] {
            assert_eq!(value_end(text.as_bytes(), 0), End::Broken(at), "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded_as_serde_json_bounds_it() {
        let nest = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert_eq!(value_end(nest(127).as_bytes(), 0), End::Complete(254));
        assert!(serde_json::from_str::<serde_json::Value>(&nest(127)).is_ok());
        assert_eq!(value_end(nest(128).as_bytes(), 0), End::TooDeep(127));
        assert!(serde_json::from_str::<serde_json::Value>(&nest(128)).is_err());
    }
}
