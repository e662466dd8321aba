//! Bytes kept aside until all sources are read.
//!
//! Knows nothing of exchanges. What is small stays in memory; the rest lies in an unnamed temporary
//! file that is gone when the program ends, however it ends. So the memory that joining takes does
//! not grow with the bodies.

use std::io::{self, Read, Seek, SeekFrom, Write};
use tempfile::SpooledTempFile;

/// Bytes held in memory before the temporary file is made.
const IN_MEMORY_BYTES: usize = 32 << 20;

/// Where a piece lies in the spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    offset: u64,
    len: u64,
}

impl Slot {
    /// Its bytes.
    pub(super) fn len(self) -> u64 {
        self.len
    }
}

/// The store of pieces.
#[derive(Debug)]
pub(super) struct Spool {
    file: SpooledTempFile,
    end: u64,
}

impl Default for Spool {
    fn default() -> Self {
        Self { file: SpooledTempFile::new(IN_MEMORY_BYTES), end: 0 }
    }
}

impl Spool {
    /// Appends a piece. Errors when the temporary folder cannot be written.
    pub(super) fn push(&mut self, piece: &[u8]) -> io::Result<Slot> {
        let slot = Slot { offset: self.end, len: piece.len() as u64 };
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(piece)?;
        self.end += slot.len;
        Ok(slot)
    }

    /// Reads a piece back.
    pub(super) fn read(&mut self, slot: Slot) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(slot.offset))?;
        let mut piece = vec![0; usize::try_from(slot.len).map_err(|_| damaged())?];
        self.file.read_exact(&mut piece)?;
        Ok(piece)
    }
}

/// What is read is not what was written.
pub(super) fn damaged() -> io::Error {
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
}
