//! TetGen's pair of text files: `.node` with the vertices, `.ele` with the cells (Si 2015; the manual, section 5.2).
//!
//! No crate reads it.

mod read;
mod write;

pub(super) use read::{Pair, read};
pub(super) use write::write;

use std::path::{Path, PathBuf};

/// The two files that a name of either means: vertices, cells.
pub(super) fn pair(path: &Path) -> [PathBuf; 2] {
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

/// Whether a name is that of the cells' file.
pub(super) fn is_cells(path: &Path) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("ele"))
}
