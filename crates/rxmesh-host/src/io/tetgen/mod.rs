//! TetGen's pair of text files: `.node` with the vertices, `.ele` with the cells (Si 2015; the manual, section 5.2).
//!
//! No crate reads it.

mod read;
mod write;

pub(super) use read::{Pair, read};
pub(super) use write::write;

use super::gzip;
use std::path::{Path, PathBuf};

/// Returns the two files that a name of either means: vertices, cells.
pub(super) fn pair(path: &Path) -> [PathBuf; 2] {
    if let Some(path) = gzip::unpacked_name(path) {
        return pair(&path).map(|p| gzip::packed_name(&p));
    }
    let upper = path
        .extension()
        .and_then(|e| e.to_str())
        .is_some_and(|e| e.bytes().all(|b| b.is_ascii_uppercase()));
    let names = if upper {
        ["NODE", "ELE"]
    } else {
        ["node", "ele"]
    };
    names.map(|extension| path.with_extension(extension))
}

/// Returns `true` if a name is that of the cells' file.
pub(super) fn is_cells(path: &Path) -> bool {
    let unpacked = gzip::unpacked_name(path);
    let path = unpacked.as_deref().unwrap_or(path);
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("ele"))
}
