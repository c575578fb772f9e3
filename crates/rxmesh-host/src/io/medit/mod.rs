//! MEDIT's `.mesh`: keywords, each with a number of rows; `.meshb` is the same in bytes, which is read.
//!
//! The format is that of INRIA (Frey 2001, technical report 0253); TetWild, MMG, libigl and Gmsh write it. No
//! maintained crate on the registry reads it.

mod binary;
mod keywords;
mod read;
mod write;

use super::Encoding;
use super::codec::{Codec, Evidence, Holds, Read, Write, always};

/// Description of the format.
pub(super) const CODEC: Codec = Codec {
    name: "MEDIT",
    word: "medit",
    extensions: &["mesh", "meshb"],
    piece_list: None,
    holds: Holds {
        surfaces: true,
        volumes: true,
        columns: false,
        normals: true,
    },
    encodings: &[Encoding::Ascii],
    evidence: Evidence::Magic,
    looks_like,
    may_be: looks_like,
    is_variant: always,
    is_text: |bytes| !is_binary(bytes),
    read: Read::Elements(|bytes, bits, _| read::read(bytes, bits)),
    write: Write::Elements {
        write: |mesh, columns, _, warnings| write::write(mesh, columns, warnings),
        largest_face: 4,
    },
};

/// Returns `true` for the binary form: the number 1 and a version from 1 to 4, in either order of bytes.
fn is_binary(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [1, 0, 0, 0, 1..=4, 0, 0, 0, ..] | [0, 0, 0, 1, 0, 0, 0, 1..=4, ..]
    )
}

/// Returns `true` if a file begins as the format does.
fn looks_like(bytes: &[u8]) -> bool {
    if is_binary(bytes) {
        return true;
    }
    let mut words = super::scan::LineWords::new(super::scan::after_comments(bytes), 0);
    let first = words.next_at().map(|(_, word)| word);
    first.is_some_and(|word| word.eq_ignore_ascii_case(b"MeshVersionFormatted"))
}
