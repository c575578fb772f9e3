//! A file is written whole or not at all.
//!
//! Everything that the library and its programs write goes through [`write()`]: meshes, patches, records. A program
//! that may be interrupted calls [`abandon`] before it ends, so that no unfinished file stays behind.

mod part;
mod target;
#[cfg(test)]
mod tests;

pub use part::abandon;

use part::Part;
use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::Path;
use target::Target;

/// Writes a file: `content` gets a temporary file beside `path`, which is then forced to disk and takes the name.
///
/// Readers of the path see the old file or the new one. A symbolic link stays a link and its target is replaced, or
/// made where the link dangles. The permissions of a file that was there stay. Pipes, devices and the process's own
/// descriptors (`/dev/stdout`) are written as they are. `content` should write large pieces: nothing is buffered.
///
/// # Errors
///
/// What the file system or `content` says; then what was at `path` is untouched and the temporary file is gone (of a
/// pipe or a device, the first bytes may be out). Folders and read-only files are refused.
pub fn write(path: &Path, content: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    match Target::find(path)? {
        Target::Stream(path) => {
            let mut file = target::open(&path)?;
            content(&mut file)?;
            file.flush()
        }
        Target::Replace { path, old } => replace(&path, old, content),
    }
}

/// Writes bytes to a file, as [`write()`].
///
/// # Errors
///
/// Those of [`write()`].
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    write(path, |file| file.write_all(bytes))
}

/// Finds out early whether a file can be written, as far as one can see without writing it.
///
/// # Errors
///
/// `path` is a folder or a read-only file, or its folder is not there.
pub fn check(path: &Path) -> Result<()> {
    if let Target::Replace { path, .. } = Target::find(path)? {
        target::folder(&path)?;
    }
    Ok(())
}

fn replace(
    target: &Path,
    old: Option<Metadata>,
    content: impl FnOnce(&mut File) -> Result<()>,
) -> Result<()> {
    let folder = target::folder(target)?;
    let mut part = Part::new(folder)?;
    content(part.file())?;
    if let Some(old) = old {
        part.file().set_permissions(old.permissions())?;
    }
    part.file().sync_all()?;
    part.persist(target)?;
    // The rename itself reaches the disk with the folder. Not every system can do that, and the file is whole anyway.
    File::open(folder).and_then(|f| f.sync_all()).ok();
    Ok(())
}

fn refused<T>(kind: ErrorKind, why: impl Into<String>) -> Result<T> {
    Err(Error::new(kind, why.into()))
}
