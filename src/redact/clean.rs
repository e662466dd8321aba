//! Texts that were found without secrets, so that they need not be looked through again.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How many texts are remembered.
const PLACES: usize = 4096;

/// Remembers hashes of clean texts; one for each thread. Recordings repeat the names of a few clients,
/// agents and methods in nearly every record.
#[derive(Debug)]
pub struct CleanTexts {
    hashes: Box<[u64]>,
}

impl Default for CleanTexts {
    fn default() -> Self {
        Self { hashes: vec![0; PLACES].into() }
    }
}

impl CleanTexts {
    /// Whether a text surely holds no secret; else where to note that it holds none. A URL and another
    /// text are looked through for different things.
    pub(super) fn knows(&mut self, text: &str, is_url: bool) -> Result<(), Place<'_>> {
        if is_hex(text) {
            return Ok(());
        }
        // 0 stands for an empty place.
        let hash = xxh3_64_with_seed(text.as_bytes(), u64::from(is_url)) | 1;
        let place = usize::try_from(hash >> 52).unwrap_or_default() % PLACES;
        match self.hashes.get_mut(place) {
            Some(known) if *known == hash => Ok(()),
            slot => Err(Place { slot, hash }),
        }
    }
}

/// Where a text will be remembered.
#[derive(Debug)]
pub(super) struct Place<'c> {
    slot: Option<&'c mut u64>,
    hash: u64,
}

impl Place<'_> {
    /// The text holds no secret.
    pub(super) fn remember(self) {
        if let Some(slot) = self.slot {
            *slot = self.hash;
        }
    }
}

/// Ids in hex, with or without hyphens. No secret has such a shape that it could be told from them.
fn is_hex(text: &str) -> bool {
    // Without an early end, so that it is done many bytes at a time.
    text.bytes().fold(true, |all, b| all & matches!(b, b'0'..=b'9' | b'a'..=b'f' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_noted_is_known() {
        let mut clean = CleanTexts::default();
        assert!(clean.knows("0af7651916cd43dd8448eb211c80319c", false).is_ok());
        assert!(clean.knows("7f3c1c6e-6a0b-4d0e-9c1e-1c2d3e4f5a6b", true).is_ok());
        assert!(clean.knows("client-1", false).is_err());
        if let Err(place) = clean.knows("client-1", false) {
            place.remember();
        }
        assert!(clean.knows("client-1", false).is_ok());
        assert!(clean.knows("client-1", true).is_err());
        assert!(clean.knows("client-2", false).is_err());
    }
}
