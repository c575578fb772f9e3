//! A file is replaced whole or not at all.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// Writes the pieces to a temporary file beside `path`, forces it to disk and renames it. The temporary file is
/// removed on any failure. Returns the number of bytes.
pub(super) fn write(path: &Path, pieces: &[Vec<u8>]) -> Result<u64> {
    let total = pieces.iter().map(|p| p.len() as u64).sum();
    // A link stays a link: its target is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = match fs::metadata(&target) {
        Ok(old) => Some(old),
        Err(e) if e.kind() == ErrorKind::NotFound => None,
        Err(e) => return Err(e),
    };
    if let Some(old) = &old {
        if old.is_dir() {
            return Err(Error::new(ErrorKind::IsADirectory, "it is a directory"));
        }
        if !old.is_file() {
            // A pipe or a device: renaming would replace it by a file.
            return send(
                &mut fs::OpenOptions::new().write(true).open(&target)?,
                pieces,
            )
            .map(|()| total);
        }
        if old.permissions().readonly() {
            return Err(Error::new(
                ErrorKind::PermissionDenied,
                "it is there already and read-only",
            ));
        }
    }
    replace(&target, old, pieces)?;
    Ok(total)
}

fn replace(target: &Path, old: Option<Metadata>, pieces: &[Vec<u8>]) -> Result<()> {
    let folder = match target.parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_owned(),
        _ => PathBuf::from("."),
    };
    if !folder.is_dir() {
        let what = format!("there is no folder '{}'", folder.display());
        return Err(Error::new(ErrorKind::NotFound, what));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rxmesh-").suffix(".part");
    if let Some(mode) = fresh_mode() {
        builder.permissions(mode);
    }
    let mut temporary = builder.tempfile_in(&folder)?;
    send(temporary.as_file_mut(), pieces)?;
    if let Some(old) = old {
        temporary.as_file().set_permissions(old.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(target).map_err(|e| e.error)?;
    // The rename itself reaches the disk with the folder. Not every system can do that, and the file is whole anyway.
    File::open(&folder).and_then(|f| f.sync_all()).ok();
    Ok(())
}

fn send(file: &mut File, pieces: &[Vec<u8>]) -> Result<()> {
    pieces.iter().try_for_each(|p| file.write_all(p))?;
    file.flush()
}

/// Temporary files are private by default; ours becomes the user's file, so it follows the umask as any other.
#[cfg(unix)]
fn fresh_mode() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn fresh_mode() -> Option<Permissions> {
    None
}
