//! Takes the elements of one array out of a JSON document of any size, without holding it.
//!
//! Outside the elements only strings and brackets are followed; each element is read strictly later.

use super::scan::quote_escape_or_line;
use super::utf16::source_len;
use crate::problem::{At, Kind, Problem};

/// An element of the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// First byte in [`ArrayScanner::elements`].
    pub start: usize,
    /// Byte after the last one there.
    pub end: usize,
    /// `line`: its number from 1; `byte`: its offset in the source.
    pub at: At,
    /// Length in the source, when it is beyond the limit: then its bytes are not there.
    pub too_large: Option<u64>,
    /// The source ends within it.
    pub cut: bool,
}

/// Where the scanner is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the document, or after it.
    Outside,
    /// Among the members of an object on the path.
    Members,
    /// Within a value off the path.
    Beside,
    /// Between the elements.
    Between,
    /// Within an element.
    Element,
    /// In what follows the document and is none.
    Trailing,
}

/// Reads a document piece by piece.
#[derive(Debug)]
pub struct ArrayScanner {
    path: &'static [&'static str],
    limit: usize,
    place: Place,
    /// Open brackets.
    depth: u64,
    /// Those of them that lie on the path.
    on_path: usize,
    in_string: bool,
    escaped: bool,
    /// The string that may be a key, without quotes; longer ones are no names on the path.
    key: Vec<u8>,
    key_fits: bool,
    /// Offset of the next byte in the source.
    offset: u64,
    /// The source is UTF-16: offsets count its bytes.
    wide: bool,
    elements: Vec<u8>,
    found: Vec<Element>,
    /// First byte in `elements` of the element that is being read.
    start: usize,
    at: At,
    /// Length so far of the element that is being read.
    length: u64,
    count: u64,
    arrays: u64,
    problems: Vec<Problem>,
}

impl ArrayScanner {
    /// For the array at `path` (member names from the root); elements beyond `limit` bytes are
    /// passed over. The document begins at `offset`; `wide`: of a source in UTF-16.
    pub fn new(path: &'static [&'static str], limit: usize, offset: u64, wide: bool) -> Self {
        Self {
            path,
            limit,
            place: Place::Outside,
            depth: 0,
            on_path: 0,
            in_string: false,
            escaped: false,
            key: Vec::new(),
            key_fits: false,
            offset,
            wide,
            elements: Vec::new(),
            found: Vec::new(),
            start: 0,
            at: At::default(),
            length: 0,
            count: 0,
            arrays: 0,
            problems: Vec::new(),
        }
    }

    /// How many bytes of whole elements wait to be taken.
    pub fn waiting(&self) -> usize {
        self.found.last().map_or(0, |last| last.end)
    }

    /// Takes the whole elements found so far: their bytes, and where each stands in them.
    pub fn take(&mut self) -> (Vec<u8>, Vec<Element>) {
        let rest = self.elements.split_off(self.waiting().min(self.elements.len()));
        self.start = 0;
        (std::mem::replace(&mut self.elements, rest), std::mem::take(&mut self.found))
    }

    /// Reads on.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..)
            && let Some(&byte) = rest.first()
        {
            let used = if self.place == Place::Element && self.depth > self.on_path as u64 {
                self.inside(rest)
            } else if self.in_string {
                self.string(rest)
            } else {
                self.token(byte, rest)
            };
            at += used;
            self.offset += match rest.get(..used) {
                Some(passed) if self.wide => source_len(passed),
                _ => used as u64,
            };
        }
    }

    /// Ends the document: what was cut off, and what was missing or odd.
    pub fn finish(&mut self) -> Vec<Problem> {
        let at = At { line: self.count, byte: self.offset };
        if self.place == Place::Element {
            self.end_element(true);
        }
        if self.depth > 0 {
            let detail = "the source ends within the document";
            self.problems.push(Problem::new(Kind::TruncatedRecord, at, detail));
        } else if self.arrays == 0 {
            let pointer: String = self.path.iter().flat_map(|name| ["/", *name]).collect();
            let missing =
                Problem::new(Kind::MissingField, At { line: 1, byte: 0 }, "there is no such array");
            self.problems.push(missing.pointing(pointer));
        }
        std::mem::take(&mut self.problems)
    }

    /// Passes over the inside of an element that is an object or an array, up to its end where that is
    /// here; how many bytes were used. They are kept all at once.
    fn inside(&mut self, rest: &[u8]) -> usize {
        let mut at = 0;
        let mut ended = false;
        while let Some(&byte) = rest.get(at) {
            if self.in_string {
                at += self.pass_string(rest.get(at..).unwrap_or_default());
                continue;
            }
            at += 1;
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth -= 1;
                    ended = self.depth == self.on_path as u64;
                    if ended {
                        break;
                    }
                }
                _ => {}
            }
        }
        self.keep(rest, at);
        if ended {
            self.end_element(false);
        }
        at
    }

    /// Passes over the inside of a string up to its end where that is here; how many bytes were used.
    fn pass_string(&mut self, rest: &[u8]) -> usize {
        let mut at = usize::from(std::mem::take(&mut self.escaped));
        while let Some(found) = rest.get(at..).and_then(quote_escape_or_line) {
            at += found + 1;
            if rest.get(at - 1) != Some(&b'\\') {
                // No string of JSON goes on over a line feed: a lost quote costs no more than its line.
                self.in_string = false;
                return at;
            }
            self.escaped = at == rest.len();
            at += 1;
        }
        rest.len()
    }

    /// Reads the inside of a string that is a name, off the path or an element; how many bytes were used.
    fn string(&mut self, rest: &[u8]) -> usize {
        let used = self.pass_string(rest);
        let kept = self.keep(rest, used);
        if !self.in_string && self.place == Place::Members {
            self.key.pop();
        }
        if !self.in_string && self.place == Place::Element && self.depth == self.on_path as u64 {
            self.end_element(false);
        }
        kept
    }

    /// Reads what is no inside of a string; how many bytes were used.
    fn token(&mut self, byte: u8, rest: &[u8]) -> usize {
        match self.place {
            Place::Trailing => return rest.len(),
            Place::Outside => self.outside(byte),
            Place::Members => self.member(byte),
            Place::Beside => self.beside(byte),
            Place::Between | Place::Element => return self.element(byte, rest),
        }
        1
    }

    fn outside(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => {
                self.depth = 1;
                self.on_path = 1;
                self.enter(byte, 0);
            }
            b' ' | b'\t' | b'\r' | b'\n' | 0 | 0xEF | 0xBB | 0xBF => {}
            _ => {
                let at = At { line: self.count, byte: self.offset };
                let detail = "other bytes follow the document";
                self.problems.push(Problem::new(Kind::TrailingGarbage, at, detail));
                self.place = Place::Trailing;
            }
        }
    }

    /// A bracket opened that may lie on the path, below `names` of its names.
    fn enter(&mut self, bracket: u8, names: usize) {
        let at_end = names == self.path.len();
        self.place = if at_end && bracket == b'[' {
            self.arrays += 1;
            Place::Between
        } else if !at_end && bracket == b'{' {
            Place::Members
        } else {
            self.on_path -= 1;
            Place::Beside
        };
        self.key_fits = false;
    }

    fn member(&mut self, byte: u8) {
        match byte {
            b'"' => {
                self.in_string = true;
                self.key.clear();
            }
            b':' => {
                let wanted = self.path.get(self.on_path - 1);
                self.key_fits = wanted.is_some_and(|name| name.as_bytes() == self.key);
            }
            b',' => self.key_fits = false,
            b'{' | b'[' => {
                self.depth += 1;
                if self.key_fits {
                    self.on_path += 1;
                    self.enter(byte, self.on_path - 1);
                } else {
                    self.place = Place::Beside;
                }
            }
            b'}' | b']' => self.close(),
            _ => {}
        }
    }

    fn beside(&mut self, byte: u8) {
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth -= 1;
                if self.depth == self.on_path as u64 {
                    self.place = if self.depth == 0 { Place::Outside } else { Place::Members };
                }
            }
            _ => {}
        }
    }

    /// A bracket on the path closed.
    fn close(&mut self) {
        self.depth -= 1;
        self.on_path -= 1;
        self.key_fits = false;
        self.place = if self.depth == 0 { Place::Outside } else { Place::Members };
    }

    fn element(&mut self, byte: u8, rest: &[u8]) -> usize {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b',' => {
                if self.place == Place::Element {
                    self.end_element(false);
                }
                1
            }
            b']' | b'}' => {
                if self.place == Place::Element {
                    self.end_element(false);
                }
                self.close();
                1
            }
            _ => {
                if self.place == Place::Between {
                    self.place = Place::Element;
                    self.count += 1;
                    self.at = At { line: self.count, byte: self.offset };
                    self.start = self.elements.len();
                    self.length = 0;
                }
                self.in_element(byte, rest)
            }
        }
    }

    fn in_element(&mut self, byte: u8, rest: &[u8]) -> usize {
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            _ => {
                let plain = |b: &u8| {
                    !matches!(
                        b,
                        b'"' | b'{' | b'[' | b'}' | b']' | b',' | b' ' | b'\t' | b'\r' | b'\n'
                    )
                };
                let len = rest.iter().take_while(|b| plain(b)).count();
                return self.keep(rest, len.max(1));
            }
        }
        self.keep(rest, 1)
    }

    /// Keeps the first `len` bytes when they belong to an element or to a name.
    fn keep(&mut self, rest: &[u8], len: usize) -> usize {
        let bytes = rest.get(..len).unwrap_or_default();
        if self.place == Place::Element {
            self.length += len as u64;
            if self.length > self.limit as u64 {
                self.elements.truncate(self.start);
            } else {
                self.elements.extend_from_slice(bytes);
            }
        } else if self.place == Place::Members && self.key.len() < 256 {
            self.key.extend_from_slice(bytes.get(..bytes.len().min(256)).unwrap_or_default());
        }
        len
    }

    fn end_element(&mut self, cut: bool) {
        let end = self.elements.len();
        let too_large = (self.length > self.limit as u64).then_some(self.length);
        self.found.push(Element { start: self.start, end, at: self.at, too_large, cut });
        self.start = end;
        self.place = Place::Between;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements as (number, first byte, text), read in pieces of `size`.
    fn elements(
        text: &str,
        path: &'static [&'static str],
        size: usize,
    ) -> (Vec<(u64, u64, String)>, Vec<Problem>) {
        let mut scanner = ArrayScanner::new(path, 40, 0, false);
        let mut all = Vec::new();
        let mut take = |scanner: &mut ArrayScanner| {
            let (bytes, found) = scanner.take();
            for e in found {
                let text = String::from_utf8(bytes[e.start..e.end].to_vec()).unwrap();
                let text = if e.too_large.is_some() { "too large".to_owned() } else { text };
                all.push((e.at.line, e.at.byte, text + if e.cut { " cut" } else { "" }));
            }
        };
        for piece in text.as_bytes().chunks(size) {
            scanner.push(piece);
            take(&mut scanner);
        }
        let problems = scanner.finish();
        take(&mut scanner);
        (all, problems)
    }

    #[test]
    fn elements_of_a_har_in_pieces_of_any_size() {
        let text = r#"{"x":{"entries":[0]},"log":{"v":"\"]","entries": [ {"a":"}]\\"},{"b":[1,{}]} , 3 ,"s,"] ,"entries2":[9]}} "#;
        let expected = [
            (1, 51, r#"{"a":"}]\\"}"#),
            (2, 64, r#"{"b":[1,{}]}"#),
            (3, 79, "3"),
            (4, 82, r#""s,""#),
        ];
        for size in 1..text.len() {
            let (found, problems) = elements(text, &["log", "entries"], size);
            assert_eq!(found, expected.map(|(n, at, t)| (n, at, t.to_owned())), "{size}");
            assert_eq!(problems, [], "{size}");
        }
    }

    #[test]
    fn a_cut_document_gives_its_whole_elements() {
        let (found, problems) = elements(r#"[{"a":1},{"b":"#, &[], 3);
        assert_eq!(found[0].2, r#"{"a":1}"#);
        assert_eq!(found[1].2, r#"{"b": cut"#);
        assert_eq!(problems[0].kind, Kind::TruncatedRecord);
    }

    #[test]
    fn odd_documents() {
        assert_eq!(elements("{\"log\":{}}", &["log", "entries"], 4).1[0].kind, Kind::MissingField);
        assert_eq!(elements("[1] x", &[], 4).1[0].kind, Kind::TrailingGarbage);
        let large = format!("[1,\"{}\",2]", "x".repeat(50));
        for size in [1, 7, 100] {
            let (found, _) = elements(&large, &[], size);
            let texts: Vec<_> = found.iter().map(|f| f.2.as_str()).collect();
            assert_eq!(texts, ["1", "too large", "2"], "{size}");
        }
        // A second document is read like the first.
        assert_eq!(elements("[1]\n[2]", &[], 2).0.len(), 2);
        assert_eq!(elements("}]", &[], 2).0.len(), 0);
    }
}
