//! TetGen's pair of text files: `.node` with the vertices, `.ele` with the cells (Si 2015; the manual, section 5.2).
//!
//! No crate reads it.

mod read;
mod write;

pub(super) use read::{Pair, read};

use super::codec::{Codec, Evidence, Holds, Read, Write, always};
use super::{Encoding, gzip};
use std::path::{Path, PathBuf};

/// Description of the format. Its files begin with a number, which is no evidence.
pub(super) const CODEC: Codec = Codec {
    name: "TetGen",
    word: "tetgen",
    extensions: &["node", "ele"],
    piece_list: None,
    holds: Holds {
        surfaces: false,
        volumes: true,
        columns: false,
        normals: false,
    },
    encodings: &[Encoding::Ascii],
    evidence: Evidence::CommonWord,
    looks_like: |_| false,
    may_be: |_| false,
    is_variant: always,
    is_text: always,
    read: Read::Pair,
    write: Write::Pair(write::write),
};

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

/// Returns `true` if a name is that of the file of the cells.
pub(super) fn is_cells(path: &Path) -> bool {
    let unpacked = gzip::unpacked_name(path);
    let path = unpacked.as_deref().unwrap_or(path);
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("ele"))
}
