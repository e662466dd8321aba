//! Files that are surely on disk, and folders that one process changes at a time.

use super::commit::{File, FileKind};
use super::error::StoreError;
use crate::a2a::digest::hex;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

/// Held while something is added to a store or removed from it; let go when the process ends, however
/// it ends.
#[derive(Debug)]
pub struct Lock {
    _file: fs::File,
}

impl Lock {
    /// Takes the lock; waits while another process holds it.
    pub fn take(root: &Path) -> Result<Self, StoreError> {
        let path = root.join("lock");
        let at = |error| StoreError::io(&path, error);
        let file = fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(at)?;
        file.lock().map_err(at)?;
        Ok(Self { _file: file })
    }
}

/// The key of the store's redaction hashes, made when it is not there. Whoever has it can tell whether a
/// secret is a given one, so only its owner may read it.
pub fn key(root: &Path) -> Result<[u8; 32], StoreError> {
    let path = root.join("key");
    let at = |error| StoreError::io(&path, error);
    match fs::read(&path) {
        Ok(bytes) => {
            return bytes.try_into().map_err(|_| at(io::Error::other("the key has not 32 bytes")));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(at(error)),
    }
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|error| at(io::Error::other(error.to_string())))?;
    let draft = root.join("key.draft");
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft).map_err(at)?;
    // One that was left behind has the permissions that it was made with.
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600)).map_err(at)?;
    file.write_all(&key).map_err(at)?;
    file.sync_all().map_err(at)?;
    fs::rename(&draft, &path).map_err(at)?;
    sync_folder(root).map_err(at)?;
    Ok(key)
}

/// Stands before each change of the store: where a process may be killed, or a disk be full. Tests make it
/// fail.
#[cfg_attr(not(test), expect(clippy::unnecessary_wraps, reason = "fails in tests only"))]
pub fn step() -> io::Result<()> {
    #[cfg(test)]
    if let Some(left) = tests::STEPS_LEFT.get() {
        tests::STEPS_LEFT.set(left.checked_sub(1));
        if left == 0 {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
    }
    Ok(())
}

/// Makes sure that the names in a folder are on disk.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    step()?;
    // Elsewhere a folder cannot be opened, and its names need no such care.
    if cfg!(unix) { fs::File::open(folder)?.sync_all() } else { Ok(()) }
}

/// An empty folder, whatever was there before.
pub fn fresh_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::create_dir_all(folder),
    }
}

/// SHA-256 of a file, hex, and its length.
pub fn sha256_of_file(path: &Path) -> io::Result<(String, u64)> {
    let mut file = fs::File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((hex(&hasher.finalize()), bytes));
        }
        hasher.update(buffer.get(..read).unwrap_or_default());
        bytes += read as u64;
    }
}

/// Moves a finished file to the segments, under a name made of what it holds.
pub fn adopt(path: &Path, segments: &Path, kind: FileKind) -> Result<File, StoreError> {
    let at = |error| StoreError::io(path, error);
    let (sha256, bytes) = sha256_of_file(path).map_err(at)?;
    let short = sha256.get(..32).unwrap_or_default();
    let name = match &kind {
        FileKind::Table(table) => format!("{table}-{short}.parquet"),
        FileKind::Events { .. } => format!("events-{short}"),
        FileKind::Artifacts => format!("artifacts-{short}"),
    };
    step().map_err(at)?;
    fs::rename(path, segments.join(&name)).map_err(at)?;
    Ok(File { name, kind, bytes, sha256 })
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;

    thread_local! {
        /// How many more steps succeed; `None`: all.
        pub static STEPS_LEFT: Cell<Option<u32>> = const { Cell::new(None) };
    }
}
