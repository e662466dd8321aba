//! Bytes kept aside until all sources are read.
//!
//! Knows nothing of exchanges. What is small stays in memory; the rest lies in an unnamed temporary
//! file that is gone when the program ends, however it ends. So the memory that joining takes does
//! not grow with the bodies.
//!
//! Bodies and headers hold secrets, and their bytes are still needed for hashes and digests: so they
//! are enciphered on their way to the file, under a key that only this process ever has.

use sha2::{Digest, Sha256};
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use tempfile::SpooledTempFile;

/// Bytes held in memory before the temporary file is made.
const IN_MEMORY_BYTES: usize = 32 << 20;

/// Where a piece lies in the spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    offset: u64,
    len: u64,
}

impl Slot {
    /// Its bytes.
    pub(crate) fn len(self) -> u64 {
        self.len
    }
}

/// The store of pieces.
#[derive(Debug)]
pub(crate) struct Spool {
    file: SpooledTempFile,
    end: u64,
    cipher: Option<Cipher>,
}

impl Default for Spool {
    fn default() -> Self {
        Self { file: SpooledTempFile::new(IN_MEMORY_BYTES), end: 0, cipher: None }
    }
}

impl Spool {
    /// Appends a piece. Errors when the temporary folder cannot be written.
    pub(crate) fn push(&mut self, piece: &[u8]) -> io::Result<Slot> {
        let slot = Slot { offset: self.end, len: piece.len() as u64 };
        let cipher = match &self.cipher {
            Some(cipher) => cipher,
            None => self.cipher.insert(Cipher::new()?),
        };
        let mut enciphered = piece.to_vec();
        cipher.apply(self.end, &mut enciphered);
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&enciphered)?;
        self.end += slot.len;
        Ok(slot)
    }

    /// Reads a piece back.
    pub(crate) fn read(&mut self, slot: Slot) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(slot.offset))?;
        let mut piece = vec![0; usize::try_from(slot.len).map_err(|_| damaged())?];
        self.file.read_exact(&mut piece)?;
        if let Some(cipher) = &self.cipher {
            cipher.apply(slot.offset, &mut piece);
        }
        Ok(piece)
    }
}

/// A stream cipher made of SHA-256 in counter mode. No place of the file is written twice, so no part
/// of the stream is used twice.
struct Cipher {
    keyed: Sha256,
}

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cipher").finish_non_exhaustive()
    }
}

impl Cipher {
    /// Under a key of its own.
    fn new() -> io::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(io::Error::other)?;
        Ok(Self { keyed: Sha256::new().chain_update(key) })
    }

    /// Enciphers or deciphers the bytes that lie at `offset`.
    fn apply(&self, offset: u64, bytes: &mut [u8]) {
        const BLOCK: u64 = 32;
        let mut at = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let stream = self.keyed.clone().chain_update((at / BLOCK).to_le_bytes()).finalize();
            let skipped = usize::try_from(at % BLOCK).unwrap_or_default();
            let len = rest.len().min(stream.len() - skipped);
            let (now, later) = rest.split_at_mut(len);
            now.iter_mut().zip(stream.iter().skip(skipped)).for_each(|(byte, key)| *byte ^= key);
            at += len as u64;
            rest = later;
        }
    }
}

/// What is read is not what was written.
pub(crate) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the temporary file is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back_in_any_order() {
        let mut spool = Spool::default();
        let first = spool.push(b"one").unwrap();
        let empty = spool.push(b"").unwrap();
        let large = vec![7; IN_MEMORY_BYTES];
        let second = spool.push(&large).unwrap();
        assert_eq!(spool.read(second).unwrap(), large);
        assert_eq!(spool.read(first).unwrap(), b"one");
        assert_eq!(spool.read(empty).unwrap(), b"");
        let third = spool.push(b"three").unwrap();
        assert_eq!(spool.read(third).unwrap(), b"three");
    }

    #[test]
    fn nothing_lies_in_the_file_as_it_is() {
        let mut spool = Spool::default();
        let secret = b"Authorization: Bearer abc123def456".repeat(3);
        spool.push(b"x").unwrap();
        let slot = spool.push(&secret).unwrap();
        let mut raw = Vec::new();
        spool.file.seek(SeekFrom::Start(0)).unwrap();
        spool.file.read_to_end(&mut raw).unwrap();
        assert!(!raw.windows(6).any(|part| secret.windows(6).any(|own| own == part)));
        assert_eq!(spool.read(slot).unwrap(), secret);
    }
}
