//! A file is written whole or not at all.
//!
//! Everything that the library and its programs write goes through [`write()`]: meshes, patches, records. A program
//! that may be interrupted calls [`abandon`] before it ends, so that no unfinished file remains.

mod part;
mod parts;
mod target;
#[cfg(test)]
mod tests;

pub use part::abandon;
pub use target::is_descriptor;

use part::TemporaryFile;
use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::path::Path;
use target::Destination;

/// Writes a file: `content` gets a temporary file beside `path`, which is then forced to disk and takes the name.
///
/// Readers of the path see the old file or the new one. A symbolic link stays a link and its target is replaced, or
/// made if the link dangles. The permissions of a file that was there stay, and other users cannot read the temporary
/// file before it has them; owner and further names (hard links) do not. Pipes, devices and the process's own
/// descriptors (`/dev/stdout`) are written as they are. `content` should write large pieces: nothing is buffered.
///
/// # Errors
///
/// Any error of the file system or of `content`; then the file at `path` is untouched and the temporary file is gone
/// (the first bytes may have gone to a pipe or a device). Folders and read-only files are refused.
pub fn write(path: &Path, content: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    write_with(path, Links::Follow, content)
}

/// Treatment of a symbolic link at a path that is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Links {
    /// Follows it, for a name given by the user.
    #[default]
    Follow,
    /// Refuses it: for names that the user has not typed, at which another user may have put a link.
    Refuse,
}

/// Writes a file as [`write()`]; `links` decides the treatment of a symbolic link at `path`.
///
/// # Errors
///
/// Those of [`write()`]; a link that is refused.
pub fn write_with(
    path: &Path,
    links: Links,
    content: impl FnOnce(&mut File) -> Result<()>,
) -> Result<()> {
    match Destination::find(path, links)? {
        Destination::Stream(path) => {
            let mut file = target::open(&path)?;
            content(&mut file)?;
            file.flush()
        }
        Destination::Replace { path, old } => replace(&path, old, content),
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

/// Opens a file that is to be read whole. Folders, pipes and devices are refused: they may have no end, or never begin.
///
/// # Errors
///
/// Any error of the file system; a `path` that is no regular file.
pub fn open(path: &Path) -> Result<File> {
    // Asked before, as opening a pipe waits for a writer, and after, as the name may mean another file by then.
    regular(&std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a whole file, as [`open`].
///
/// # Errors
///
/// Those of [`open`]; the memory that the file needs is not there.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let mut file = open(path)?;
    let size = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size)?;
    if cfg!(unix) && size >= 2 * parts::PART {
        drop(bytes);
        bytes = parts::read(&file, size)?;
        file.seek(SeekFrom::Start(bytes.len() as u64))?;
    }
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file that must have a size, which is checked first, as [`open`].
///
/// # Errors
///
/// Those of [`open`]; another size.
pub fn read_sized(path: &Path, size: u64) -> Result<Vec<u8>> {
    let file = open(path)?;
    let have = file.metadata()?.len();
    let mut bytes = Vec::new();
    if have == size {
        file.take(size).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 != size || have != size {
        let why = format!("it has {have} bytes, and {size} are needed");
        return refused(ErrorKind::InvalidData, why);
    }
    Ok(bytes)
}

fn regular(file: &Metadata) -> Result<()> {
    match () {
        () if file.is_file() => Ok(()),
        () if file.is_dir() => refused(ErrorKind::IsADirectory, "it is a folder"),
        () => {
            let why = "it is a pipe or a device, and only files are read";
            refused(ErrorKind::InvalidInput, why)
        }
    }
}

/// Writes a program's own file that can be made again, such as a cache, and replaces only such files: `magic` is how
/// all of them begin. Symbolic links are refused.
///
/// # Errors
///
/// Those of [`write()`]; a link, or something else than a file that begins with `magic`, at `path`.
pub fn replace_own(
    path: &Path,
    magic: &[u8],
    content: impl FnOnce(&mut File) -> Result<()>,
) -> Result<()> {
    match Destination::find(path, Links::Refuse)? {
        Destination::Replace { path, old } => {
            if old.is_some() && !begins_with(&path, magic)? {
                let why = "another file has this name already";
                return refused(ErrorKind::AlreadyExists, why);
            }
            replace(&path, old, content)
        }
        Destination::Stream(_) => refused(ErrorKind::InvalidInput, "it is no file"),
    }
}

fn begins_with(path: &Path, magic: &[u8]) -> Result<bool> {
    let mut start = Vec::new();
    open(path)?
        .take(magic.len() as u64)
        .read_to_end(&mut start)?;
    Ok(start == magic)
}

/// Finds out early whether a file can be written, as far as one can see without writing it.
///
/// # Errors
///
/// `path` is a folder or a read-only file, or its folder is not there.
pub fn check(path: &Path) -> Result<()> {
    check_with(path, Links::Follow)
}

/// Works like [`check`], for [`write_with`].
///
/// # Errors
///
/// Those of [`check`]; a link that is refused.
pub fn check_with(path: &Path, links: Links) -> Result<()> {
    if let Destination::Replace { path, .. } = Destination::find(path, links)? {
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
    let mut part = TemporaryFile::new(folder, old.is_some())?;
    content(part.file())?;
    if let Some(old) = old {
        part.file().set_permissions(old.permissions())?;
    }
    part.file().sync_all()?;
    part.persist(target)?;
    // The rename itself reaches the disk with the folder. Not every system can do that, and the file is whole in any
    // case.
    File::open(folder).and_then(|f| f.sync_all()).ok();
    Ok(())
}

fn refused<T>(kind: ErrorKind, why: impl Into<String>) -> Result<T> {
    Err(Error::new(kind, why.into()))
}
