//! The names at the beginning of a JSON document, which may be cut anywhere.

/// The keys at the beginning of a JSON document, with the depth of the object they stand in.
pub(super) struct Keys<'a> {
    rest: &'a [u8],
    depth: usize,
}

impl<'a> Keys<'a> {
    /// From the beginning of the document.
    pub(super) fn new(head: &'a [u8]) -> Self {
        Self { rest: head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head), depth: 0 }
    }

    /// The next string at or above `depth` that a colon follows; `None` where the head or an
    /// object of that depth ends.
    pub(super) fn next_at(&mut self, depth: usize) -> Option<&'a [u8]> {
        while let Some((first, rest)) = self.rest.split_first() {
            self.rest = rest;
            match first {
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth < depth {
                        return None;
                    }
                }
                b'"' => {
                    let text = self.string()?;
                    let colon = self.rest.iter().find(|b| !b.is_ascii_whitespace());
                    if self.depth == depth && colon == Some(&b':') {
                        return Some(text);
                    }
                }
                b if self.depth == 0 && !b.is_ascii_whitespace() => return None,
                _ => {}
            }
        }
        None
    }

    /// The rest of a string, without its quotes.
    fn string(&mut self) -> Option<&'a [u8]> {
        let text = self.rest;
        let mut escaped = false;
        let end = text.iter().position(|b| {
            let ends = *b == b'"' && !escaped;
            escaped = *b == b'\\' && !escaped;
            ends
        })?;
        self.rest = text.get(end + 1..)?;
        text.get(..end)
    }

    /// Looks for a key at a depth.
    pub(super) fn next_within(&mut self, depth: usize, name: &str) -> Option<()> {
        loop {
            if self.next_at(depth)? == name.as_bytes() {
                return Some(());
            }
        }
    }

    /// Whether one of the keys comes next at a depth.
    pub(super) fn any_within(&mut self, depth: usize, names: &[&str]) -> bool {
        while let Some(key) = self.next_at(depth) {
            if names.iter().any(|name| name.as_bytes() == key) {
                return true;
            }
        }
        false
    }
}
