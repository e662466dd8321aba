//! A reader's hold on a store: while there is one, no file goes that its commits named.
//!
//! Readers share a lock; what removes files of commits takes it alone, and does not wait for it. The lock
//! is let go when the process ends, however it ends.

use super::StoreError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

/// The name of the lock's file.
pub const READERS: &str = "readers";

/// Takes part in the readers' lock; waits while files are being removed. `None`: the store cannot be
/// written to and has no such file, so that nobody removes anything from here.
pub fn take(root: &Path) -> Result<Option<File>, StoreError> {
    let path = root.join(READERS);
    let at = |error| StoreError::io(&path, error);
    let file = match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => match make(&path) {
            Err(error)
                if [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem]
                    .contains(&error.kind()) =>
            {
                return Ok(None);
            }
            made => made.map_err(at)?,
        },
        opened => opened.map_err(at)?,
    };
    file.lock_shared().map_err(at)?;
    Ok(Some(file))
}

/// Takes the readers' lock for oneself; `None`: there is a reader.
pub fn alone(root: &Path) -> Result<Option<File>, StoreError> {
    let path = root.join(READERS);
    let at = |error| StoreError::io(&path, error);
    let file = make(&path).map_err(at)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(at(error)),
    }
}

fn make(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).open(path)
}
