//! Temporary files that are to become the user's files, and the list of all that exist.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;
use tempfile::NamedTempFile;

/// Temporary files that exist now. Files are made, renamed and removed under this lock, so that the list is exact.
static PARTS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Time that [`abandon`] waits for a thread that makes or renames a file.
const PATIENCE: Duration = Duration::from_millis(500);

/// Removes the temporary files of all writes that are under way, for a program that is about to end at once.
///
/// From then on no write of this process completes: threads that write wait until the process is gone. Allocates no
/// memory unless a path has hundreds of characters, so that it may be called when there is none left; but it takes
/// locks, so not from within a signal handler (from a thread that waits for signals).
pub fn abandon() {
    let step = Duration::from_millis(1);
    let mut waited = Duration::ZERO;
    let parts = loop {
        match PARTS.try_lock() {
            Ok(parts) => break parts,
            Err(TryLockError::Poisoned(parts)) => break parts.into_inner(),
            // The caller itself may hold the lock, when it was out of memory there.
            Err(TryLockError::WouldBlock) if waited >= PATIENCE => return,
            Err(TryLockError::WouldBlock) => {
                thread::sleep(step);
                waited += step;
            }
        }
    };
    for part in parts.iter() {
        let _ = fs::remove_file(part);
    }
    // Held for good: no file may be renamed to a target.
    std::mem::forget(parts);
}

/// A temporary file, removed when it is dropped before it got its name.
pub(super) struct TemporaryFile(Option<NamedTempFile>);

impl TemporaryFile {
    /// Creates a part file in `folder`: for its owner alone, or with the permissions of any new file.
    pub(super) fn new(folder: &Path, private: bool) -> Result<TemporaryFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".rxmesh-").suffix(".part");
        if let Some(mode) = fresh_mode().filter(|_| !private) {
            builder.permissions(mode);
        }
        let mut parts = parts();
        let file = builder.tempfile_in(folder)?;
        parts.insert(file.path().to_owned());
        Ok(TemporaryFile(Some(file)))
    }

    /// Returns the open file.
    pub(super) fn file(&mut self) -> &mut File {
        let file = self.0.as_mut();
        file.expect("it is there until `persist`").as_file_mut()
    }

    /// Renames the part file to `target`, which replaces the file of that name.
    pub(super) fn persist(mut self, target: &Path) -> Result<()> {
        let Some(file) = self.0.take() else {
            return Err(ErrorKind::NotFound.into());
        };
        let mut parts = parts();
        let name = file.path().to_owned();
        // A file that could not be renamed is removed with the error.
        let renamed = file.persist(target).map_err(|e| e.error);
        parts.remove(&name);
        renamed.map(drop)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            let mut parts = parts();
            parts.remove(file.path());
            drop(file);
        }
    }
}

fn parts() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PARTS.lock().unwrap_or_else(|e| e.into_inner())
}

/// Returns the mode of a new file. Temporary files are private by default; ours becomes the user's file, so it follows
/// the umask as any other.
#[cfg(unix)]
fn fresh_mode() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn fresh_mode() -> Option<Permissions> {
    None
}
