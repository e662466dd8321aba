//! Bytes kept aside until all sources are read.
//!
//! Knows nothing of exchanges. What is small stays in memory; the rest lies in an unnamed temporary
//! file that is gone when the program ends, however it ends. So the memory that joining takes does
//! not grow with the bodies.
//!
//! Bodies and headers hold secrets, and their bytes are still needed for hashes and digests: so they
//! are enciphered on their way to the file, under a key that only this process ever has.

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

/// Bytes held in memory before they go to the temporary file.
const IN_MEMORY_BYTES: usize = 96 << 20;

/// From here on room for all of them is set aside at once: moving them costs more than reserving.
const MANY_BYTES: usize = 1 << 20;

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
#[derive(Debug, Default)]
pub(crate) struct Spool {
    /// What is not in the file yet, as it is.
    recent: Vec<u8>,
    stored: Option<Stored>,
}

/// The temporary file, once there is one.
#[derive(Debug)]
struct Stored {
    file: BufReader<File>,
    len: u64,
    cipher: Cipher,
}

impl Spool {
    /// Appends a piece. Errors when the temporary folder cannot be written.
    pub(crate) fn push(&mut self, piece: &[u8]) -> io::Result<Slot> {
        if self.recent.len() + piece.len() > IN_MEMORY_BYTES && !self.recent.is_empty() {
            self.store()?;
        }
        if self.recent.len() > MANY_BYTES && self.recent.capacity() < IN_MEMORY_BYTES {
            self.recent.reserve_exact(IN_MEMORY_BYTES - self.recent.len());
        }
        let offset = self.stored_len() + self.recent.len() as u64;
        self.recent.extend_from_slice(piece);
        Ok(Slot { offset, len: piece.len() as u64 })
    }

    fn stored_len(&self) -> u64 {
        self.stored.as_ref().map_or(0, |stored| stored.len)
    }

    /// Moves what is in memory into the file.
    fn store(&mut self) -> io::Result<()> {
        let stored = match &mut self.stored {
            Some(stored) => stored,
            None => self.stored.insert(Stored {
                file: BufReader::new(tempfile::tempfile()?),
                len: 0,
                cipher: Cipher::new()?,
            }),
        };
        stored.cipher.apply(stored.len, &mut self.recent)?;
        // Forgets what was read ahead, too.
        stored.file.seek(SeekFrom::Start(stored.len))?;
        stored.file.get_mut().write_all(&self.recent)?;
        stored.len += self.recent.len() as u64;
        self.recent.clear();
        Ok(())
    }

    /// Reads a piece back.
    pub(crate) fn read(&mut self, slot: Slot) -> io::Result<Vec<u8>> {
        let len = usize::try_from(slot.len).map_err(|_| damaged())?;
        match &mut self.stored {
            Some(stored) if slot.offset < stored.len => stored.read(slot.offset, len),
            _ => {
                let start = slot.offset - self.stored_len();
                let start = usize::try_from(start).map_err(|_| damaged())?;
                let piece = self.recent.get(start..start + len).ok_or_else(damaged)?;
                Ok(piece.to_vec())
            }
        }
    }
}

impl Stored {
    fn read(&mut self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        // Pieces are mostly asked for in the order in which they came.
        let here = self.file.stream_position()?;
        let ahead = i64::try_from(i128::from(offset) - i128::from(here)).map_err(|_| damaged())?;
        self.file.seek_relative(ahead)?;
        let mut piece = vec![0; len];
        self.file.read_exact(&mut piece)?;
        self.cipher.apply(offset, &mut piece)?;
        Ok(piece)
    }
}

/// `ChaCha20` under a key of its own. No place of the file is written twice, so no part of the stream
/// is used twice.
struct Cipher(ChaCha20);

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cipher").finish_non_exhaustive()
    }
}

impl Cipher {
    fn new() -> io::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(io::Error::other)?;
        Ok(Self(ChaCha20::new(&key.into(), &[0; 12].into())))
    }

    /// Enciphers or deciphers the bytes that lie at `offset`. Errors beyond 256 GiB.
    fn apply(&mut self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.0.try_seek(offset).map_err(io::Error::other)?;
        self.0.try_apply_keystream(bytes).map_err(io::Error::other)
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
        assert_eq!(spool.read(first).unwrap(), b"one");
        let fourth = spool.push(&large).unwrap();
        for (slot, piece) in [(third, &b"three"[..]), (fourth, &large), (second, &large)] {
            assert_eq!(spool.read(slot).unwrap(), piece);
        }
    }

    #[test]
    fn nothing_lies_in_the_file_as_it_is() {
        let mut spool = Spool::default();
        let secret = b"Authorization: Bearer abc123def456".repeat(3);
        spool.push(b"x").unwrap();
        let slot = spool.push(&secret).unwrap();
        spool.store().unwrap();
        let stored = spool.stored.as_mut().unwrap();
        let mut raw = Vec::new();
        stored.file.seek(SeekFrom::Start(0)).unwrap();
        stored.file.read_to_end(&mut raw).unwrap();
        assert_eq!(raw.len(), 1 + secret.len());
        assert!(!raw.windows(6).any(|part| secret.windows(6).any(|own| own == part)));
        assert_eq!(spool.read(slot).unwrap(), secret);
    }
}
