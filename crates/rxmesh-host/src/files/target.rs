//! Targets that a path stands for when it is written to.

use super::{Links, refused};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Most symbolic links that are followed, as in Linux.
const MOST_LINKS: usize = 40;

pub(super) enum Destination {
    /// A file's name, links resolved, and the file that has the name now.
    Replace {
        path: PathBuf,
        old: Option<Metadata>,
    },
    /// A pipe, a device or a descriptor of this process: a rename would put a file in its place.
    Stream(PathBuf),
}

impl Destination {
    pub(super) fn find(path: &Path, links: Links) -> Result<Destination> {
        let path = match links {
            Links::Follow => followed(path)?,
            Links::Refuse if fs::symlink_metadata(path).is_ok_and(|m| m.is_symlink()) => {
                let why =
                    "it is a symbolic link, which is followed only where it is named as the output";
                return refused(ErrorKind::InvalidInput, why);
            }
            Links::Refuse => path.to_owned(),
        };
        if number_of_descriptor(&path).is_some() {
            return Ok(Destination::Stream(path));
        }
        let old = match fs::metadata(&path) {
            Ok(old) => Some(old),
            Err(e) if e.kind() == ErrorKind::NotFound => None,
            Err(e) => return Err(e),
        };
        let Some(old) = old else {
            return Ok(Destination::Replace { path, old });
        };
        if old.is_dir() {
            return refused(ErrorKind::IsADirectory, "it is a folder");
        }
        if !old.is_file() {
            return Ok(Destination::Stream(path));
        }
        if old.permissions().readonly() {
            let why = "it is there already and read-only";
            return refused(ErrorKind::PermissionDenied, why);
        }
        let old = Some(old);
        Ok(Destination::Replace { path, old })
    }
}

/// Returns the folder that a file is in.
pub(super) fn folder(path: &Path) -> Result<&Path> {
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    if path.file_name().is_none() {
        return refused(ErrorKind::InvalidInput, "it is no name of a file");
    }
    if !folder.is_dir() {
        let why = format!("there is no folder '{}'", folder.display());
        return refused(ErrorKind::NotFound, why);
    }
    Ok(folder)
}

/// Follows symbolic links, also those whose target is not there, up to the first path that names a descriptor.
fn followed(path: &Path) -> Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if number_of_descriptor(&path).is_some() {
            return Ok(path);
        }
        let Ok(to) = fs::read_link(&path) else {
            return Ok(path);
        };
        path.pop();
        path.push(to);
    }
    refused(ErrorKind::InvalidInput, "its symbolic links go in circles")
}

/// Returns `true` if a path stands for a descriptor of this process, such as `/dev/stdin` and `/dev/fd/63`, which a
/// shell makes of `<(command)`: its data are the caller's.
pub fn is_descriptor(path: &Path) -> bool {
    number_of_descriptor(path).is_some()
}

/// Returns the number of the descriptor that a path stands for: `/dev/stdout`, `/dev/fd/1`, `/proc/self/fd/1` and the
/// like.
fn number_of_descriptor(path: &Path) -> Option<u32> {
    let text = path.to_str()?;
    match text {
        "/dev/stdin" => return Some(0),
        "/dev/stdout" => return Some(1),
        "/dev/stderr" => return Some(2),
        _ => {}
    }
    let own = format!("/proc/{}/fd/", std::process::id());
    let folders = ["/dev/fd/", "/proc/self/fd/", &own];
    let number = folders.iter().find_map(|f| text.strip_prefix(*f))?;
    number.parse().ok()
}

/// Opens a stream. A descriptor shares its position, so that earlier and later writes of the process are neither
/// overwritten nor lost.
#[cfg(unix)]
pub(super) fn open(path: &Path) -> Result<File> {
    use std::os::fd::AsFd;
    match number_of_descriptor(path) {
        None => OpenOptions::new().write(true).open(path),
        Some(1) => Ok(std::io::stdout().as_fd().try_clone_to_owned()?.into()),
        Some(2) => Ok(std::io::stderr().as_fd().try_clone_to_owned()?.into()),
        Some(_) => OpenOptions::new().append(true).open(path),
    }
}

#[cfg(not(unix))]
pub(super) fn open(path: &Path) -> Result<File> {
    OpenOptions::new().write(true).open(path)
}
